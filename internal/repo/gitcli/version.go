package gitcli

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const versionTimeout = 5 * time.Second

// Version is what the git binary says of itself, "2.47.3"; [ErrNoGit] where
// there is none.
func Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	out, err := run(ctx, nil, "version")
	if err != nil {
		return "", fmt.Errorf("git version: %w", err)
	}
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")), nil
}
