package knowledge

import "time"

// Format names how a knowledge file is written, and so how it is read and
// edited.
type Format string

// The formats, in the order in which they are matched: the first that fits a
// path decides.
const (
	Memory      Format = "memory"      // one file a memory, with front matter
	MemoryIndex Format = "memoryindex" // MEMORY.md: one link line a memory
	Vault       Format = "vault"       // KNOWLEDGE_VAULT.md: blocks of - **Key**: value
	Archive     Format = "archive"     // ARCHIVED_KNOWLEDGE.md and archive/: retired facts, never swept
	Anchored    Format = "anchored"    // facts as YAML blocks with anchor_files and anchor_symbols
	Playbook    Format = "playbook"    // sections with bullets; lessons, learnings, what-flopped
	Wiki        Format = "wiki"        // current-state blocks and logs
	Instruction Format = "instruction" // CLAUDE.md, AGENTS.md, skills, prompts: queue only
	Store       Format = "store"       // another tool's facts as JSON lines: swept, never edited
	Docs        Format = "docs"        // README, CONTRIBUTING, docs/**: swept, never edited
)

// Route says where an edit of a file may go.
type Route string

// The routes, from the freest to the strictest.
const (
	RouteAuto   Route = "auto"   // applied
	RouteUpkeep Route = "upkeep" // the rolling upkeep branch or pull request
	RouteQueue  Route = "queue"  // one branch or pull request a slot, for a person
	RouteNever  Route = "never"  // refused
)

// Stricter returns the stricter of two routes.
func (r Route) Stricter(other Route) Route {
	if routeRank[other] > routeRank[r] {
		return other
	}
	return r
}

var routeRank = map[Route]int{RouteAuto: 0, RouteUpkeep: 1, RouteQueue: 2, RouteNever: 3}

// Document is one parsed knowledge file.
type Document struct {
	Path    string // slash-separated, relative to the repository root
	Format  Format
	Startup bool     // loaded at the start of every session (CLAUDE.md, AGENTS.md, MEMORY.md, ...)
	Event   bool     // a dated record (ADR, log, changelog): may name what is gone
	Aliases []string // other paths that are symbolic links to this document
	Source  []byte
	Facts   []Fact
	Faults  []Fault

	kind   string   // type that every fact of the file has (a memory's)
	layout []layout // of each fact, for edits
	front  []field  // of the front matter
}

// Fault is something wrong with how a file is written.
type Fault struct {
	Rule string // for example "front-matter/unclosed"
	Line int    // 1-based
	Text string // what is wrong and what to do
}

// Span is a half-open byte range of a document's source.
type Span struct{ Start, End int }

// Fact is one addressed statement: the smallest list item, table row,
// paragraph, line of a code fence, or entry.
type Fact struct {
	ID      string // its own id, else a hash of (path, heading path, text); never a line number
	Claim   string // hash of the normalized text: the same claim has the same hash wherever it stands
	File    string
	Line    int // 1-based, first line
	EndLine int // 1-based, last line
	Span    Span
	Kind    Kind
	Title   string   // a short name for people: the entry's name, or the beginning of the text
	Text    string   // the text without markers, as a reader sees it
	Heading []string // headings above it, outermost first
	Parent  string   // text of the enclosing list item or lead-in line above it, "" if none
	Fence   string   // language of the code fence the line stands in; "text" where none is given; "" outside fences
	Event   bool     // stands in a log, changelog or dated section
	Type    string   // memory type: feedback, reference, project, user; vault section
	Life    Lifecycle
}

// Kind says what piece of Markdown a fact is.
type Kind string

// Kinds of facts.
const (
	KindEntry     Kind = "entry"     // a whole memory, vault block or anchored fact
	KindBullet    Kind = "bullet"    // a list item without its nested items
	KindParagraph Kind = "paragraph" // running text
	KindRow       Kind = "row"       // a table row
	KindCode      Kind = "code"      // a line of a code fence
	KindHeading   Kind = "heading"   // a heading that names something
	KindIndex     Kind = "index"     // a line of an index
	KindField     Kind = "field"     // a front-matter field (paths, globs, description)
)

// Lifecycle holds the optional fields of a fact's life, read under an alias
// table. Dates are days in UTC; a zero time means that the field is absent or
// unreadable, and then Unreadable names it.
type Lifecycle struct {
	Created       time.Time
	Verified      time.Time
	Renewed       time.Time
	Expires       time.Time
	Archived      time.Time
	TTL           time.Duration // 0: none
	Indefinite    bool          // TTL: indefinite
	RetireWhen    string        // issue#12, owner/repo#12, a URL, path/to/tasks.md#task text
	Supersedes    string
	SupersededBy  string
	Status        string
	AnchorFiles   []string
	AnchorSymbols []string
	Unreadable    []string // field names that are present and could not be read
}
