package repo

import (
	"os"
	"path/filepath"
	"strings"

	config "github.com/go-git/go-git/v5/plumbing/format/config"
)

// UserEmail is the address that git would sign a commit of this repository
// with, as far as its own configuration and that of the user tell; "" where
// neither does.
func (r *Repo) UserEmail() string {
	files := []string{filepath.Join(r.common, "config")}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	for _, f := range files {
		b, err := readSmall(f)
		if err != nil {
			continue
		}
		c := config.New()
		if err := config.NewDecoder(strings.NewReader(string(b))).Decode(c); err != nil {
			continue
		}
		if email := strings.TrimSpace(c.Section("user").Option("email")); email != "" {
			return email
		}
	}
	return ""
}
