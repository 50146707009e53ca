// Package gitcli runs the git binary, where there is one, for the two things
// that it does and go-git does not: asking the operator's credential helpers,
// and indexing a large pack in little memory. It is the only place outside the
// tests that runs another program.
//
// The arguments are fixed, there is no shell and no terminal, and git is kept
// from looking at any repository: what it reads of configuration is the
// operator's.
package gitcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ErrNoGit says that there is no git binary.
var ErrNoGit = errors.New("git is not installed")

const (
	helperTimeout = 30 * time.Second
	maxAnswer     = 64 << 10
)

// Question is what a credential is wanted for.
type Question struct{ Protocol, Host, Path string }

// Fill asks git's credential helpers and returns the lines of their answer, key
// and value; none when no helper knows one.
func Fill(ctx context.Context, q Question) (map[string]string, error) {
	for _, part := range []string{q.Protocol, q.Host, q.Path} {
		if strings.ContainsAny(part, "\r\n\x00") {
			return nil, errors.New("git credential fill: the address has a line end in it")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, helperTimeout)
	defer cancel()
	input := fmt.Sprintf("protocol=%s\nhost=%s\npath=%s\n\n", q.Protocol, q.Host, q.Path)
	out, err := run(ctx, strings.NewReader(input), "-c", "core.askPass=", "-c", "credential.interactive=false", "credential", "fill")
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git credential fill for %s: %w", q.Host, ctx.Err())
	case errors.As(err, &exit):
		return nil, nil // no helper knows an answer, and there is nobody to ask
	case err != nil:
		return nil, err
	}
	answer := map[string]string{}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		answer[key] = value
	}
	return answer, nil
}

// IndexPack writes the index of a pack file beside it.
func IndexPack(ctx context.Context, pack, index string) error {
	_, err := run(ctx, nil, "index-pack", "-o", index, pack)
	if err != nil {
		return fmt.Errorf("git index-pack: %w", err)
	}
	return nil
}

// run runs git away from every repository. What it prints as errors goes
// nowhere: a helper may print anything.
func run(ctx context.Context, input io.Reader, args ...string) ([]byte, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoGit
	}
	cmd := exec.CommandContext(ctx, git, args...)
	cmd.Env = environment(os.Environ())
	cmd.Dir = os.TempDir()
	cmd.Stdin = input
	cmd.WaitDelay = time.Second // a helper may leave a child with our pipes
	out := &limited{left: maxAnswer}
	cmd.Stdout = out
	err = cmd.Run()
	return out.Bytes(), err
}

// environment is the operator's without what would let git find a repository,
// ask a person or write a trace.
func environment(env []string) []string {
	var kept []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "GIT_CONFIG_") && name != "GIT_CONFIG_PARAMETERS", name == "GIT_EXEC_PATH":
			kept = append(kept, v)
		case strings.HasPrefix(name, "GIT_"), name == "SSH_ASKPASS", name == "RETROSWEEP_TOKEN":
		default:
			kept = append(kept, v)
		}
	}
	return append(kept, "GIT_DIR="+os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never", "LC_ALL=C")
}

// limited is a buffer that fails rather than grow without end.
type limited struct {
	bytes.Buffer
	left int
}

// Write adds to the buffer.
func (l *limited) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	return l.Buffer.Write(b)
}
