package collect

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// turn is one line of a transcript, as far as it matters here.
type turn struct {
	dir    string // where the session ran, "" where the line does not say
	role   string // user, assistant, or "" for anything else
	text   string
	at     time.Time
	ignore bool // what a tool or the program itself said
}

// maxTurn is the longest line of a transcript that is read, in bytes.
const maxTurn = 1 << 20

// sessions reads the transcripts below a directory, the newest first.
func (g *gatherer) sessions(dir string, parse func([]byte) turn) {
	type file struct {
		path string
		at   time.Time
	}
	var files []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".jsonl") {
			return nil //nolint:nilerr // a directory that cannot be read has nothing to say
		}
		if info, err := d.Info(); err == nil && !info.ModTime().Before(g.since) {
			files = append(files, file{path, info.ModTime()})
		}
		return nil
	})
	if err != nil {
		g.fault(dir, err)
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.path, b.path)) })
	for _, f := range files[:min(len(files), maxSessions)] {
		if err := g.session(f.path, parse); err != nil {
			g.fault(f.path, err)
		}
	}
}

// session reads one transcript line by line. Of a session that ran elsewhere
// nothing is taken.
func (g *gatherer) session(path string, parse func([]byte) turn) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	agent := "claude"
	if strings.HasPrefix(path, g.Codex+string(filepath.Separator)) {
		agent = "codex"
	}
	here, answered := false, false
	in := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		t := parse(line)
		if t.dir != "" {
			here = g.within(t.dir)
		}
		switch {
		case t.ignore || t.role == "":
		case t.role == "assistant":
			answered = true
		case here && answered && !t.at.Before(g.since) && corrects(t.text):
			g.add(g.clean.item(agent, "", t.at.UTC().Format(time.DateOnly), t.text))
		}
	}
}

// within reports whether a session ran in the repository, or below it.
func (g *gatherer) within(dir string) bool {
	rel, err := filepath.Rel(g.Root, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// readLine reads a line; of one that is too long nothing is kept.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= maxTurn {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(line) == 0 {
			return nil, err
		}
		if len(line) > maxTurn {
			return nil, nil
		}
		return line, nil
	}
}

// claudeTurn reads a line of a Claude Code transcript.
func claudeTurn(line []byte) turn {
	var l struct {
		Type, Cwd   string
		IsMeta      bool
		IsSidechain bool
		Timestamp   time.Time
		Message     struct {
			Role    string
			Content json.RawMessage
		}
	}
	if json.Unmarshal(line, &l) != nil {
		return turn{}
	}
	return turn{dir: l.Cwd, role: l.Message.Role, text: textOf(l.Message.Content, "text"), at: l.Timestamp, ignore: l.IsMeta || l.IsSidechain}
}

// codexTurn reads a line of a Codex transcript.
func codexTurn(line []byte) turn {
	var l struct {
		Type      string
		Timestamp time.Time
		Payload   struct {
			Type, Role, Cwd string
			Content         json.RawMessage
		}
	}
	if json.Unmarshal(line, &l) != nil {
		return turn{}
	}
	t := turn{dir: l.Payload.Cwd, at: l.Timestamp}
	if l.Payload.Type == "message" {
		t.role, t.text = l.Payload.Role, textOf(l.Payload.Content, "input_text")
	}
	return t
}

// textOf is what a person typed: a plain text, or the parts of one kind. With
// the answer of a tool among the parts, nobody typed it.
func textOf(content json.RawMessage, kind string) string {
	var plain string
	if json.Unmarshal(content, &plain) == nil {
		return plain
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var out []string
	for _, p := range parts {
		if p.Type == "tool_result" {
			return ""
		}
		if p.Type == kind {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n")
}

var (
	opening = regexp.MustCompile(`(?i)^\s*(no[,.! ]|nope\b|stop\b|wait[,. ]|wrong\b|don'?t\b|do not\b|never\b|always\b|undo\b|revert\b|that'?s (not|wrong)|this is (wrong|not)|not (like )?that|i (said|told|asked)|i already|why (did|are|do) you|you (should(n'?t| not)?|must|forgot|ignored|keep|were (told|supposed))|please (don'?t|stop|never|always|use|only)|actually[, ]|instead[, ]|again[,: ]|from now on|remember\b|next time)`)
	telling = regexp.MustCompile(`(?i)\b(instead of|never|always|don'?t|do not|must not|should(n'?t| not)? have|not what i|as i said|stop \w+ing|again)\b`)
	machine = regexp.MustCompile(`(?i)^\s*(<[a-z_-]+>|\[request interrupted|caveat:|this session is being continued|# AGENTS\.md)`)
)

// Lengths of a correction, in characters: shorter ones say nothing, longer ones
// are tasks.
const (
	minCorrection = 15
	maxCorrection = 600
)

// corrects reports whether a person sets an agent right: it begins as people do
// then, or is short and says what never to do.
func corrects(text string) bool {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	if n < minCorrection || n > maxCorrection || machine.MatchString(text) {
		return false
	}
	return opening.MatchString(text) || n <= maxCorrection/2 && telling.MatchString(text)
}
