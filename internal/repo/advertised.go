package repo

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// RemoteRefs asks a remote which references it has under a prefix of their full
// names. An empty repository has none.
func RemoteRefs(ctx context.Context, o RemoteOptions, prefix string) (map[string]Hash, error) {
	u, err := remote.ParseURL(o.URL)
	if err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	session, err := remote.OpenFetch(ctx, u, o.reach())
	if remote.IsEmpty(err) {
		return map[string]Hash{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer session.Close()
	refs := session.Refs()
	maps.DeleteFunc(refs, func(name string, _ Hash) bool { return !strings.HasPrefix(name, prefix) })
	return refs, nil
}
