package testkit

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// Commit is one parsed commit of a history.
type Commit struct {
	Author, Committer string // "" means the default
	Date, Committed   time.Time
	Branch            string
	Parent            string
	Merge             []string
	Label, Tag        string
	Deletes           []string
	Moves             [][2]string
	Execs             []string
	Links             [][2]string
	Submodules        [][2]string
	Message           string
	Files             []txtar.File
}

// parse reads an archive; errors name the commit by its number.
func parse(history []byte) ([]Commit, error) {
	var commits []Commit
	for _, f := range txtar.Parse(history).Files {
		if f.Name == "commit" {
			c, err := parseHeaders(string(f.Data))
			if err != nil {
				return nil, fmt.Errorf("commit %d: %w", len(commits)+1, err)
			}
			commits = append(commits, c)
			continue
		}
		if len(commits) == 0 {
			return nil, fmt.Errorf("file %s stands before the first commit", f.Name)
		}
		last := &commits[len(commits)-1]
		last.Files = append(last.Files, f)
	}
	return commits, nil
}

func parseHeaders(body string) (Commit, error) {
	c := Commit{Branch: "main"}
	rest := body
	for {
		line, more, found := strings.Cut(rest, "\n")
		if line == "" {
			c.Message = strings.Trim(more, "\n") + "\n"
			return c, nil
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return c, fmt.Errorf("%q is not a header: an empty line goes before the message", line)
		}
		if err := c.header(key, strings.TrimSpace(value)); err != nil {
			return c, fmt.Errorf("%s: %w", key, err)
		}
		if !found {
			return c, nil
		}
		rest = more
	}
}

func (c *Commit) header(key, value string) (err error) {
	switch key {
	case "author":
		c.Author = value
	case "committer":
		c.Committer = value
	case "date":
		c.Date, err = time.Parse(time.RFC3339, value)
	case "committed":
		c.Committed, err = time.Parse(time.RFC3339, value)
	case "branch":
		c.Branch = value
	case "parent":
		c.Parent = value
	case "merge":
		c.Merge = append(c.Merge, value)
	case "label":
		c.Label = value
	case "tag":
		c.Tag = value
	case "delete":
		c.Deletes = append(c.Deletes, value)
	case "exec":
		c.Execs = append(c.Execs, value)
	case "move":
		err = pair(&c.Moves, value)
	case "link":
		err = pair(&c.Links, value)
	case "submodule":
		err = pair(&c.Submodules, value)
	default:
		return fmt.Errorf("there is no such header")
	}
	return err
}

// pair reads "a -> b".
func pair(to *[][2]string, value string) error {
	a, b, ok := strings.Cut(value, " -> ")
	if !ok {
		return fmt.Errorf("%q has no \" -> \"", value)
	}
	*to = append(*to, [2]string{strings.TrimSpace(a), strings.TrimSpace(b)})
	return nil
}
