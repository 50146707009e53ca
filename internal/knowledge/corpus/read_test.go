package corpus

import "testing"

func TestTarget(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ link, to, want string }{
		{"CLAUDE.md", "AGENTS.md", "AGENTS.md"},
		{".github/copilot-instructions.md", "../AGENTS.md", "AGENTS.md"},
		{"skills/AGENTS.md", "./CLAUDE.md", "skills/CLAUDE.md"},
		{"CLAUDE.md", "/etc/passwd", ""},
		{"CLAUDE.md", "../../etc/passwd", "../../etc/passwd"},
	} {
		if got := Target(tc.link, tc.to); got != tc.want {
			t.Errorf("%s -> %s is %q, want %q", tc.link, tc.to, got, tc.want)
		}
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	links := map[string]string{"a": "b", "b": "c", "x": "y", "y": "x"}
	for name, want := range map[string]string{"a": "c", "c": "c", "x": ""} {
		if got := follow(links, name); got != want {
			t.Errorf("%s leads to %q, want %q", name, got, want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"# Text\n": false, "": false, "caf\xe9": false, "a\x00b": true, "\xfe\xff\x00#": true, "#\x00 \x00T\x00": true,
		"version https://git-lfs.github.com/spec/v1\n": true,
	} {
		if got := Unreadable([]byte(src)); (got != "") != want {
			t.Errorf("%q: %q", src, got)
		}
	}
}
