package github_test

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
)

func TestGitHub(t *testing.T) {
	t.Parallel()
	forgetest.Suite(t, func(t *testing.T) forgetest.World { return newWorld(t).World })
}
