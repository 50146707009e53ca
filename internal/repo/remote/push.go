package remote

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// Pushing is a session that writes. One push can be made in it.
type Pushing struct {
	*session
	receive transport.ReceivePackSession
}

// Command moves one reference: the remote refuses it unless the reference is at
// Old (zero: does not exist). New zero deletes.
type Command struct {
	Ref      string
	Old, New plumbing.Hash
}

// Report is what the remote answered.
type Report struct {
	Reasons  map[string]string // of the references that it refused, in its words
	Done     []string          // references that it moved
	Messages []string          // what hooks and rules said beside
}

// OpenPush asks the remote what it has, for a push.
func OpenPush(ctx context.Context, u URL, o Options) (*Pushing, error) {
	p := &Pushing{session: newSession(ctx, u, o)}
	var err error
	p.receive, err = connect(p.session, "push", func(t transport.Transport, e *transport.Endpoint, a transport.AuthMethod) (transport.ReceivePackSession, error) {
		return t.NewReceivePackSession(e, a)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Close ends the session.
func (p *Pushing) Close() error {
	defer p.session.close()
	return p.receive.Close()
}

// Push sends all commands as one transaction, with the pack of the new objects
// (nil when only deleting).
func (p *Pushing) Push(commands []Command, pack io.ReadCloser, tell func(string)) (Report, error) {
	req := packp.NewReferenceUpdateRequestFromCapabilities(p.advertised.Capabilities)
	for _, c := range []capability.Capability{capability.ReportStatus, capability.Atomic, capability.Sideband64k} {
		if p.Can(c) {
			if err := req.Capabilities.Set(c); err != nil {
				return Report{}, fmt.Errorf("push %s: %w", p.url, err)
			}
		}
	}
	for _, c := range commands {
		req.Commands = append(req.Commands, &packp.Command{Name: plumbing.ReferenceName(c.Ref), Old: c.Old, New: c.New})
	}
	said := &lines{s: p.session, tell: tell, prefix: "remote: "}
	req.Packfile, req.Progress = pack, sideband.Progress(said)
	p.alive()
	status, err := p.receive.ReceivePack(p.ctx, req)
	said.flush()
	report := Report{Reasons: map[string]string{}, Messages: said.kept}
	if status != nil && report.read(p, status) {
		return report, nil
	}
	if err != nil {
		return report, p.explain("push", err)
	}
	if status == nil {
		return report, &Error{Op: "push", URL: p.url.String(), Kind: ErrUnreachable, Detail: "it does not say whether it took the push"}
	}
	return report, nil
}

// read takes the answer apart, and reports whether anything was refused.
func (r *Report) read(p *Pushing, status *packp.ReportStatus) bool {
	unpack := strings.TrimSpace(status.UnpackStatus)
	for _, c := range status.CommandStatuses {
		name := c.ReferenceName.String()
		switch {
		case c.Status != "ok":
			r.Reasons[name] = p.Clean(c.Status)
		case unpack != "ok":
			r.Reasons[name] = p.Clean("unpack: " + unpack)
		default:
			r.Done = append(r.Done, name)
		}
	}
	return len(r.Reasons) > 0
}
