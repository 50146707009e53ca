package doctor

import (
	"errors"
	"fmt"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/wire"
)

func TestServersMayBeTooLittle(t *testing.T) {
	t.Parallel()
	none := fmt.Errorf("reach: %w", wire.ErrNoCredential)
	for name, c := range map[string]struct {
		got  Result
		want Status
	}{
		"no token for Gitea":   {NoGitea(none).Check().Run(t.Context()), Warn},
		"no token for GitLab":  {NoGitLab(none).Check().Run(t.Context()), Warn},
		"no connection":        {NoGitLab(errors.New("refused")).Check().Run(t.Context()), Fail},
		"may push":             {NoGitea(nil).permissions(access{push: true, pulls: true}), OK},
		"may only read":        {NoGitea(nil).permissions(access{pulls: true}), Fail},
		"has no pull requests": {NoGitLab(nil).permissions(access{push: true}), Fail},
	} {
		if c.got.Status != c.want || c.want != OK && c.got.Remedy == "" {
			t.Errorf("%s: %+v, want %s", name, c.got, c.want)
		}
	}
}
