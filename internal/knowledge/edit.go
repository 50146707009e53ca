package knowledge

import (
	"cmp"
	"time"
)

// Op is a kind of edit.
type Op string

// The edits. Each names a fact or a place, never a byte offset: it can be
// applied again to a file that has changed elsewhere.
const (
	OpAdd      Op = "add"       // a new fact under Section of Path; Path is created if it is not there
	OpReplace  Op = "replace"   // the text of FactID becomes Text, markers and indentation stay
	OpMerge    Op = "merge"     // as replace, and the facts in Merge are archived in the same file
	OpSetField Op = "set-field" // Field of FactID becomes Value; added where absent
	OpRewrite  Op = "rewrite"   // inside FactID, each occurrence of Old becomes New (a moved path)
	OpArchive  Op = "archive"   // FactID leaves Path for the archive of its format
	OpRestore  Op = "restore"   // FactID leaves the archive for where it stood
	OpMove     Op = "move"      // FactID, which says Text, leaves Path for Section of To, word for word
	OpIndex    Op = "index"     // the index Path is made true: of the file Text beside it, or of the vault beside it
)

// Edit is one typed change to one knowledge file. Code applies it (see
// [Apply]); everything outside what it names stays byte for byte.
type Edit struct {
	Op      Op        `json:"op"`
	Path    string    `json:"path"`
	To      string    `json:"to,omitempty"` // where a move goes
	FactID  string    `json:"fact,omitempty"`
	Section string    `json:"section,omitempty"`
	Text    string    `json:"text,omitempty"`
	Merge   []string  `json:"merge,omitempty"`
	Field   string    `json:"field,omitempty"`
	Value   string    `json:"value,omitempty"`
	Old     string    `json:"old,omitempty"`
	New     string    `json:"new,omitempty"`
	Reason  string    `json:"reason,omitempty"` // why, for the archive and the commit message
	Date    time.Time `json:"date,omitzero"`    // the day of the edit, UTC
}

// Files are the paths of knowledge that an edit writes, archives aside.
func (e Edit) Files() []string {
	if e.To == "" || e.To == e.Path {
		return []string{e.Path}
	}
	return []string{e.Path, e.To}
}

// Target is where a reader finds the fact after an edit.
func (e Edit) Target() string { return cmp.Or(e.To, e.Path) }

// Changes are the files an application of edits writes: path to new content,
// nil content where the file goes away.
type Changes map[string][]byte

// ReadFunc returns the content of a path as it stands before the edits; ok is
// false where there is no such file.
type ReadFunc func(path string) (content []byte, ok bool)
