package checks

import (
	"os"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// containerfile is parsed as "docker build" does, and its warnings are errors.
func containerfile(t *testing.T) []instructions.Stage {
	t.Helper()
	f, err := os.Open("../container/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parsed, err := parser.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range parsed.Warnings {
		t.Errorf("Containerfile: %s", w.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, description, _, message string, _ []parser.Range) {
		t.Errorf("Containerfile: %s: %s (%s)", rule, message, description)
	}})
	stages, _, err := instructions.Parse(parsed.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

func TestContainerfileIsReadByBuildKit(t *testing.T) {
	t.Parallel()
	stages := containerfile(t)
	if len(stages) != 2 {
		t.Fatalf("%d stages, not a build and what is shipped", len(stages))
	}
	last := stages[len(stages)-1]
	var user, entry, runAsUser string
	for _, c := range last.Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.EntrypointCommand:
			entry = strings.Join(c.CmdLine, " ")
			if c.PrependShell {
				t.Error("the entrypoint goes through a shell")
			}
		case *instructions.RunCommand:
			if user != "" {
				runAsUser = c.String()
			}
		case *instructions.AddCommand:
			t.Errorf("%s: ADD fetches and unpacks, COPY says what it does", c)
		}
	}
	if user != "65532:65532" || entry != "/usr/local/bin/retrosweep" || runAsUser != "" {
		t.Errorf("the image runs %q as user %q (and builds %q as that user)", entry, user, runAsUser)
	}
}
