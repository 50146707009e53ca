package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/repo/gitcli"
	"github.com/retrosweep/retrosweep/internal/symbols"
)

// Configuration reports how the operator's configuration was read.
func Configuration(file string, named bool, err error) Check {
	return Check{"configuration", func(context.Context) Result {
		var faults *config.Faults
		switch {
		case errors.As(err, &faults):
			return fail(err, "correct these places; 'retrosweep init' writes a commented file to compare with")
		case err != nil:
			return fail(err, "name a file that can be read with --config or $"+config.ConfigVariable)
		case file == "":
			return ok("defaults: there is no configuration directory here")
		}
		if _, err := os.Stat(file); err != nil && !named {
			return ok("defaults: %s is not there", file)
		}
		return ok("%s", file)
	}}
}

// Git reports which engine reads repositories, and whether git helps it.
func Git() Check {
	return Check{"git", func(ctx context.Context) Result {
		version, err := gitcli.Version(ctx)
		switch {
		case errors.Is(err, gitcli.ErrNoGit):
			return ok("no git binary: the built-in engine does all, but for asking credential helpers and for shallow clones")
		case err != nil:
			return warn(err.Error(), "the git binary does not run; the built-in engine works without it: mend it or take it out of PATH")
		}
		return ok("git %s for credential helpers and large packs, the built-in engine for the rest", version)
	}}
}

// Symbols says what this build can read of code.
func Symbols() Check {
	return Check{"symbols", func(context.Context) Result {
		return ok(symbols.Engine)
	}}
}

// Writable reports whether a directory takes files. One that is not there is
// made, as a run would make it.
func Writable(name, dir, remedy string) Check {
	return Check{name, func(context.Context) Result {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fail(fmt.Errorf("%s cannot be made: %w", dir, err), remedy)
		}
		f, err := os.CreateTemp(dir, "retrosweep-doctor-*")
		if err != nil {
			return fail(fmt.Errorf("%s takes no files: %w", dir, err), remedy)
		}
		if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
			return fail(fmt.Errorf("%s does not give a file back: %w", dir, err), remedy)
		}
		return ok("%s", dir)
	}}
}

// Bytes that must be free: less than the first is a fault, less than the second
// a warning.
const (
	leastFree  = 100 << 20
	littleFree = 1 << 30
)

// Disk reports how much space there is for a directory.
func Disk(name, dir string) Check {
	return Check{name, func(context.Context) Result {
		free, err := freeBytes(dir)
		if errors.Is(err, errors.ErrUnsupported) {
			return unknown("the free space of "+dir+" cannot be read on this system", "look that some hundred megabytes are free")
		}
		if err != nil {
			return unknown(fmt.Sprintf("the free space of %s cannot be read: %v", dir, err), "")
		}
		return disk(dir, free)
	}}
}

func disk(dir string, free uint64) Result {
	detail := fmt.Sprintf("%s free in %s", size(free), dir)
	const remedy = "make room, or name a directory on another disk in RETROSWEEP_CACHE"
	switch {
	case free < leastFree:
		return fail(errors.New(detail), remedy)
	case free < littleFree:
		return warn(detail+": a large repository will not fit", remedy)
	}
	return ok("%s", detail)
}

func size(n uint64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

// maxSkew is how far the clock may be off: the tokens of apps and the
// signatures of hosts bear no more.
const maxSkew = 5 * time.Minute

// Clock compares our clock with that of a host, at an address that is asked
// without any credential; "" where no host speaks HTTP.
func Clock(address string, now func() time.Time) Check {
	return Check{"clock", func(ctx context.Context) Result {
		if address == "" {
			return unknown(fmt.Sprintf("%s here; no host is asked over HTTP that could tell its own", now().UTC().Format(time.RFC3339)), "")
		}
		theirs, err := dateOf(ctx, address)
		if err != nil {
			return unknown(fmt.Sprintf("%s does not tell the time: %v", address, err), "compare 'date -u' with a clock that you trust")
		}
		return skew(now().UTC(), theirs, address)
	}}
}

func skew(ours, theirs time.Time, address string) Result {
	off := ours.Sub(theirs).Round(time.Second)
	if off.Abs() > maxSkew {
		return fail(fmt.Errorf("%s here, %s at %s: %s apart", ours.Format(time.RFC3339), theirs.Format(time.RFC3339), address, off.Abs()),
			"set the clock, best by NTP: tokens, leases and TTLs are measured by it")
	}
	return ok("within %s of %s", max(off.Abs(), time.Second), address)
}

const clockTimeout = 10 * time.Second

// dateOf reads the header that every answer has, whatever its status.
func dateOf(ctx context.Context, address string) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return time.Time{}, err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	if err := resp.Body.Close(); err != nil {
		return time.Time{}, err
	}
	return http.ParseTime(resp.Header.Get("Date"))
}
