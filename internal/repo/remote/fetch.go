package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// Fetching is a session that reads. One pack can be taken in it.
type Fetching struct {
	*session
	upload transport.UploadPackSession
}

// Want is a request for objects.
type Want struct {
	Tips     []plumbing.Hash // commits that are wanted
	Have     []plumbing.Hash // commits that are here, with all behind them but the shallow ones
	Shallow  []plumbing.Hash // commits here whose parents are not
	Commits  int             // how deep to go from the tips; 0: all
	Since    time.Time       // or how far back in time
	Progress func(string)
}

// Pack is the answer to a [Want]. Read gives the pack; who has read it closes it.
type Pack struct {
	io.Reader
	Cut, Uncut []plumbing.Hash // commits whose parents are, or are no longer, left out
	close      func() error
}

// Close ends the answer.
func (p *Pack) Close() error { return p.close() }

// ErrEmpty says that the remote repository has no commit.
var ErrEmpty = transport.ErrEmptyRemoteRepository

// OpenFetch asks the remote what it has.
func OpenFetch(ctx context.Context, u URL, o Options) (*Fetching, error) {
	f := &Fetching{session: newSession(ctx, u, o)}
	var err error
	f.upload, err = connect(f.session, "fetch", func(t transport.Transport, e *transport.Endpoint, a transport.AuthMethod) (transport.UploadPackSession, error) {
		return t.NewUploadPackSession(e, a)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Close ends the session.
func (f *Fetching) Close() error {
	defer f.session.close()
	return f.upload.Close()
}

// Pack asks for objects.
func (f *Fetching) Pack(w Want) (*Pack, error) {
	req, err := f.request(w)
	if err != nil {
		return nil, &Error{Op: "fetch", URL: f.url.String(), Kind: ErrUnreachable, Detail: err.Error()}
	}
	f.alive()
	res, err := f.upload.UploadPack(f.ctx, req)
	if err != nil {
		return nil, f.explain("fetch", err)
	}
	lines := &lines{s: f.session, tell: w.Progress, prefix: "remote: "}
	var r io.Reader = res
	for c, t := range map[capability.Capability]sideband.Type{capability.Sideband64k: sideband.Sideband64k, capability.Sideband: sideband.Sideband} {
		if req.Capabilities.Supports(c) {
			d := sideband.NewDemuxer(t, res)
			d.Progress = lines
			r = d
		}
	}
	return &Pack{
		Reader: &progress{r: r, s: f.session, tell: count(w.Progress)},
		Cut:    res.Shallows, Uncut: res.Unshallows,
		close: res.Close,
	}, nil
}

func (f *Fetching) request(w Want) (*packp.UploadPackRequest, error) {
	req := packp.NewUploadPackRequestFromCapabilities(f.advertised.Capabilities)
	req.Wants, req.Haves, req.Shallows = w.Tips, w.Have, w.Shallow
	need := []capability.Capability{}
	switch {
	case !w.Since.IsZero():
		req.Depth = packp.DepthSince(w.Since)
		need = append(need, capability.Shallow, capability.DeepenSince)
	case w.Commits > 0:
		req.Depth = packp.DepthCommits(w.Commits)
		need = append(need, capability.Shallow)
	case len(w.Shallow) > 0:
		need = append(need, capability.Shallow)
	}
	for _, c := range need {
		if !f.Can(c) {
			return nil, fmt.Errorf("it cannot give a part of the history (%s)", c)
		}
		if err := req.Capabilities.Set(c); err != nil {
			return nil, err
		}
	}
	return req, nil
}

// lines turns what the host says beside the data into whole clean lines, and
// keeps the last of them.
type lines struct {
	s      *session
	prefix string
	tell   func(string)
	rest   string
	kept   []string
}

const maxKeptLines = 20

// Write takes a piece of text.
func (l *lines) Write(b []byte) (int, error) {
	l.s.alive()
	l.rest += string(b)
	for {
		i := strings.IndexAny(l.rest, "\r\n")
		if i < 0 {
			break
		}
		l.line(l.rest[:i])
		l.rest = l.rest[i+1:]
	}
	if len(l.rest) > 4*maxDetail {
		l.flush()
	}
	return len(b), nil
}

func (l *lines) flush() {
	l.line(l.rest)
	l.rest = ""
}

func (l *lines) line(text string) {
	text = l.s.Clean(text)
	if text == "" {
		return
	}
	if l.tell != nil {
		l.tell(l.prefix + text)
	}
	if len(l.kept) < maxKeptLines {
		l.kept = append(l.kept, text)
	}
}

// count tells how much has come, once a megabyte.
func count(tell func(string)) func(int64) {
	if tell == nil {
		return func(int64) {}
	}
	told := int64(0)
	return func(n int64) {
		if n>>20 != told {
			told = n >> 20
			tell(fmt.Sprintf("received %d MB", told))
		}
	}
}

// IsEmpty reports whether an error says that the remote has no commit.
func IsEmpty(err error) bool { return errors.Is(err, ErrEmpty) }
