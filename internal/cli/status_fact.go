package cli

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/night"
)

// spanForm is how people write a time: 90d, 12w, 6m, 1y.
var spanForm = regexp.MustCompile(`^(\d{1,5})(d|w|m|y)$`)

var spanDays = map[string]int{"d": 1, "w": 7, "m": 30, "y": 365}

func parseSpan(s string) (time.Duration, error) {
	m := spanForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, usageError{fmt.Errorf("--unverified %q: it takes a time such as 90d, 12w, 6m or 1y", s)}
	}
	n, err := strconv.Atoi(m[1])
	return time.Duration(n*spanDays[m[2]]) * 24 * time.Hour, err
}

func (m *Main) unverified(ctx context.Context, l night.Look, f *flags, within, path string) error {
	span, err := parseSpan(within)
	if err != nil {
		return err
	}
	u, err := night.ReadUnverified(ctx, l, span)
	if err != nil {
		return fmt.Errorf("status %s: %w", path, err)
	}
	return m.answer(f, u, func(w io.Writer) { writeUnverified(w, u, f.limit) })
}

func writeUnverified(w io.Writer, u night.Unverified, limit int) {
	fmt.Fprintf(w, "%s, branch %s at %.10s\n\n", guard.Terminal(u.Repo), guard.Terminal(u.Branch), u.Head)
	fmt.Fprintf(w, "%d of %d facts were not confirmed since %s\n", len(u.Facts), u.Total, u.Since)
	shown := u.Facts
	if limit > 0 && len(shown) > limit {
		shown = shown[:limit]
	}
	for _, e := range shown {
		fmt.Fprintf(w, "\n  %s:%d  %s\n", guard.Terminal(e.Fact.File), e.Fact.Line, guard.TerminalLine(e.Fact.Title, 90))
		fmt.Fprintf(w, "      %s\n", strings.Join(about(e), ", "))
	}
	if rest := len(u.Facts) - len(shown); rest > 0 {
		fmt.Fprintf(w, "\n  and %d more  (--limit 0 lists all)\n", rest)
	}
	if u.Silent > 0 {
		fmt.Fprintf(w, "\n%d more facts name nothing that code could look up; they are not listed\n", u.Silent)
	}
	if len(u.Facts) > 0 {
		fmt.Fprintf(w, "\nAfter a look: retrosweep verify %s:%d --apply\n", guard.Terminal(shown[0].Fact.File), shown[0].Fact.Line)
	}
}

func about(e night.UnverifiedEntry) []string {
	out := []string{"never confirmed"}
	if e.Verified != "" {
		out[0] = "last confirmed " + e.Verified + " by " + guard.TerminalLine(e.By, 60)
	}
	if e.Startup {
		out = append(out, "every session loads it")
	}
	switch {
	case e.Reach == 1:
		out = append(out, "1 page leads here")
	case e.Reach > 1:
		out = append(out, fmt.Sprintf("%d pages lead here", e.Reach))
	}
	if e.Status != "" {
		out = append(out, guard.TerminalLine(e.Status, 40))
	}
	return append(out, "id "+guard.TerminalLine(e.Fact.ID, 64))
}

func (m *Main) trail(ctx context.Context, l night.Look, f *flags, fact, path string) error {
	t, err := night.ReadTrail(ctx, l, fact)
	if err != nil {
		return fmt.Errorf("status %s: %w", path, err)
	}
	return m.answer(f, t, func(w io.Writer) { writeTrail(w, t) })
}

func writeTrail(w io.Writer, t night.Trail) {
	fmt.Fprintf(w, "%s:%d  %s\n", guard.Terminal(t.Fact.File), t.Fact.Line, guard.TerminalLine(t.Fact.Title, 90))
	fmt.Fprintf(w, "id %s, claim %s, branch %s at %.10s\n", guard.TerminalLine(t.Fact.ID, 64), t.Claim, guard.Terminal(t.Branch), t.Head)
	verdict := string(t.Verdict)
	if t.Reason != "" {
		verdict += ": " + guard.Terminal(t.Reason)
	}
	if len(t.Changed) > 0 {
		verdict += " (" + guard.TerminalLine(strings.Join(t.Changed, ", "), 200) + ")"
	}
	if t.Archived {
		verdict = "archived"
	}
	fmt.Fprintf(w, "\nNow      %s\n", verdict)
	for i, a := range t.Anchors {
		fmt.Fprintf(w, "%-9s%s %s  %s\n", label(i, "Names"), a.Kind, guard.TerminalLine(a.Text, 90), seen(a.Fingerprint, a.Reason))
	}
	for i, x := range t.Fields {
		fmt.Fprintf(w, "%-9s%s: %s\n", label(i, "Says"), x.Name, guard.TerminalLine(x.Value, 120))
	}
	if t.Due != "" {
		fmt.Fprintf(w, "%-9s%s\n", "Ends", t.Due)
	}
	fmt.Fprintln(w)
	for _, e := range t.Events {
		fmt.Fprintln(w, eventLine(e))
	}
	if len(t.Events) == 0 {
		fmt.Fprintln(w, "Nobody has checked, edited or archived it yet, as far as the journal and the history tell.")
	}
}

func label(i int, s string) string {
	if i > 0 {
		return ""
	}
	return s
}

func seen(print, why string) string {
	if print == "" {
		return guard.TerminalLine(why, 60)
	}
	engine, hash, _ := strings.Cut(print, ":")
	return guard.TerminalLine(fmt.Sprintf("%s:%.10s", engine, hash), 60)
}

func eventLine(e night.TrailEvent) string {
	at := "          "
	if !e.At.IsZero() {
		at = e.At.UTC().Format(time.DateOnly)
	}
	line := fmt.Sprintf("%s  %-8s  %s", at, e.What, guard.TerminalLine(e.Detail, 160))
	if e.Who != "" {
		line += ", by " + guard.TerminalLine(e.Who, 60)
	}
	if e.Against != "" {
		line += ", " + guard.TerminalLine(e.Against, 120)
	}
	if e.Commit != "" {
		line += fmt.Sprintf(" (%.10s)", e.Commit)
	}
	return line
}
