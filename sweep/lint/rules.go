package lint

import (
	"cmp"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Rule is one thing that is looked for.
type Rule struct {
	ID       string
	Severity knowledge.Severity
	Startup  knowledge.Severity // on what every session loads; "": the same
	Verdict  knowledge.Verdict  // of the fact; "": unknown
	Finds    string             // one line
	Do       string             // what to do about it
	Fix      bool               // --fix can do it, where it is plain what to write
}

// table holds every rule. The names of faults are those of package knowledge.
var table = []Rule{
	{ID: "index/dead", Severity: knowledge.Error, Verdict: knowledge.Broken, Finds: "A line of an index points at a file that is not there.", Do: "Take the line out, or point it at the file's new name.", Fix: true},
	{ID: "index/missing", Severity: knowledge.Warning, Finds: "A file stands in a directory whose index does not list it: no session finds it.", Do: "Add a line for it to the index.", Fix: true},
	{ID: "index/long", Severity: knowledge.Error, Finds: "MEMORY.md is longer than what is loaded (200 lines, 25 KB).", Do: "Shorten its lines, or archive memories that no longer matter."},
	{ID: "index/twice", Severity: knowledge.Info, Finds: "An index lists a file twice.", Do: "Keep one of the lines."},
	{ID: "index/vault", Severity: knowledge.Warning, Verdict: knowledge.Stale, Finds: "VAULT_INDEX.json sends readers to lines that do not hold the tag.", Do: "Build the index anew."},

	{ID: "link/dead", Severity: knowledge.Warning, Startup: knowledge.Error, Verdict: knowledge.Broken, Finds: "A link leads to a file that is not there.", Do: "Point it at the right file, or take it out."},
	{ID: "link/moved", Severity: knowledge.Warning, Startup: knowledge.Error, Verdict: knowledge.Broken, Finds: "A link leads to a file that is not there, and one file of that name stands elsewhere.", Do: "Point it there.", Fix: true},
	{ID: "link/import", Severity: knowledge.Error, Verdict: knowledge.Broken, Finds: "An @import names a file that is not there, so nothing is loaded.", Do: "Correct the path; it counts from the file it stands in."},
	{ID: "link/page", Severity: knowledge.Info, Finds: "A [[link]] names a page that is not there (- and _ are one).", Do: "Write the page, or take the link out."},

	{ID: "life/expired", Severity: knowledge.Warning, Verdict: knowledge.Stale, Finds: "A fact has reached the end that it was written to have, and still stands.", Do: "Renew it or archive it."},
	{ID: "life/superseded", Severity: knowledge.Warning, Verdict: knowledge.Stale, Finds: "A fact was superseded, and is still loaded like one that holds.", Do: "Archive it, or mark it as superseded where it stands."},
	{ID: "life/contradicted", Severity: knowledge.Warning, Verdict: knowledge.Stale, Finds: "A fact was marked as contradicted or refuted, and is still loaded.", Do: "Correct it or archive it."},
	{ID: "life/verify", Severity: knowledge.Info, Finds: "Nobody has confirmed a fact for longer than its type holds (project 90 days, others 180; user and feedback: no limit).", Do: "Check it and renew its date of verification."},
	{ID: "life/no-date", Severity: knowledge.Info, Finds: "A fact was meant to end and has no readable date to count from.", Do: "Give it the date it was first seen, or take the TTL out."},
	{ID: "life/unreadable", Severity: knowledge.Warning, Finds: "A date or duration of a fact cannot be read, or lies in the future.", Do: "Write dates as 2026-01-31 and durations as 90 days."},
	{ID: "life/dangling", Severity: knowledge.Info, Finds: "A fact says that it supersedes, or is superseded by, one that is not there.", Do: "Name the other fact by its id or file."},

	{ID: "duplicate/same", Severity: knowledge.Warning, Finds: "The same rule stands twice where it is read together: two copies drift apart.", Do: "Keep one of them."},
	{ID: "duplicate/near", Severity: knowledge.Info, Finds: "Two rules that are read together say nearly the same.", Do: "Read both; keep the better one."},
	{ID: "duplicate/memory", Severity: knowledge.Warning, Finds: "A memory says what an instruction file says already.", Do: "Archive the memory, or move what it adds to the instruction file."},
	{ID: "duplicate/file", Severity: knowledge.Info, Finds: "Two instruction files for different tools are copies that have begun to differ.", Do: "Make one of them a link or an import, or bring them together."},

	{ID: "conflict/value", Severity: knowledge.Info, Startup: knowledge.Warning, Finds: "Two places give one key two values: one of them may be wrong.", Do: "Find out which one holds, and correct the other."},
	{ID: "conflict/number", Severity: knowledge.Info, Startup: knowledge.Warning, Finds: "Two rules say the same with different numbers.", Do: "Find out which one holds, and correct the other."},
	{ID: "conflict/negation", Severity: knowledge.Info, Startup: knowledge.Warning, Finds: "Two rules say the same, one of them with a not.", Do: "Find out which one holds, and take the other out."},

	{ID: "state/no-date", Severity: knowledge.Info, Finds: "A state of a wiki page does not say as of when.", Do: "Add the date."},
	{ID: "state/two-values", Severity: knowledge.Warning, Finds: "A block of current states has two values for one state.", Do: "Keep the one that holds now; the other belongs in the log."},
	{ID: "event/edited", Severity: knowledge.Warning, Finds: "A line of a log differs from what was committed: events are added, never changed.", Do: "Put the line back and add a new one."},

	{ID: "vault/key", Severity: knowledge.Warning, Finds: "A vault entry lacks a key that readers need (ID, Tags, Issue, Mitigation, First Seen, TTL).", Do: "Add the key."},
	{ID: "vault/tag", Severity: knowledge.Warning, Finds: "A tag of a vault entry is not in the taxonomy file.", Do: "Use a tag of the taxonomy, or add this one to it."},
	{ID: "vault/broad", Severity: knowledge.Info, Finds: "A tag is too broad to choose entries by.", Do: "Use a nested tag, such as #pdf/font/unicode."},

	{ID: "size/instructions", Severity: knowledge.Warning, Finds: "An instruction file is larger than its tool reads or recommends.", Do: "Move what is needed rarely into files of its own, and link them."},
	{ID: "skill/name", Severity: knowledge.Warning, Finds: "The name of a skill is not one that tools take (at most 64 of a-z, 0-9 and -).", Do: "Rename it."},
	{ID: "skill/description", Severity: knowledge.Warning, Finds: "A skill has no description, or one above 1,024 characters: tools choose skills by it.", Do: "Say in a sentence or two what it does and when to use it."},

	{ID: "text/hidden", Severity: knowledge.Warning, Startup: knowledge.Error, Finds: "Characters that a reader does not see and a model does.", Do: "Take them out.", Fix: true},

	{ID: "file/unread", Severity: knowledge.Warning, Finds: "A knowledge file could not be read (too large, binary, no permission).", Do: "Make it a text file of less than 1 MiB, or take it out by an ignore."},
	{ID: "encoding/binary", Severity: knowledge.Warning, Finds: "A file holds NUL bytes.", Do: "Save it as UTF-8 text."},
	{ID: "encoding/utf8", Severity: knowledge.Warning, Finds: "A file is not valid UTF-8.", Do: "Save it as UTF-8."},
	{ID: "front-matter/unclosed", Severity: knowledge.Warning, Finds: "Front matter has no closing --- line, so none of it is read.", Do: "Close it."},
	{ID: "front-matter/yaml", Severity: knowledge.Warning, Finds: "Front matter is not valid YAML.", Do: "Quote the value that the message names."},
	{ID: "yaml/duplicate-key", Severity: knowledge.Warning, Finds: "A YAML block of facts has a key twice.", Do: "Keep one of them."},
	{ID: "yaml/size", Severity: knowledge.Warning, Finds: "A YAML file of facts is larger than 64 KiB, and is not read.", Do: "Split it."},
	{ID: "yaml/invalid", Severity: knowledge.Warning, Finds: "A YAML block of facts cannot be read.", Do: "Correct it."},
	{ID: "json/invalid", Severity: knowledge.Warning, Finds: "A line of a store is no JSON object.", Do: "Repair it with the tool that owns the store."},
	{ID: "fact/duplicate-id", Severity: knowledge.Warning, Finds: "Two entries have the same id.", Do: "Give one of them its own."},
	{ID: "memory/front-matter", Severity: knowledge.Info, Finds: "A memory has no front matter, so nothing says what it is about.", Do: "Begin it with name, description and type."},

	{ID: "ignore/reason", Severity: knowledge.Warning, Finds: "An ignore comment names no rule or gives no reason, and is not followed.", Do: "Write <!-- retrosweep-ignore RULE why, until 2027-01-31 -->."},
	{ID: "ignore/expired", Severity: knowledge.Warning, Finds: "An ignore has passed its day and is not followed any more.", Do: "Mend what it hid, or give it a new day."},
	{ID: "ignore/unused", Severity: knowledge.Info, Finds: "An ignore comment hides nothing.", Do: "Take it out."},
}

var byID = func() map[string]*Rule {
	m := make(map[string]*Rule, len(table))
	for i := range table {
		m[table[i].ID] = &table[i]
	}
	return m
}()

// Rules returns every rule, sorted by its id.
func Rules() []Rule {
	return slices.SortedFunc(slices.Values(table), func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
}

// rule returns the rule with an id; a fault of the parser that has no line in
// the table is a warning.
func rule(id string) Rule {
	if r, ok := byID[id]; ok {
		return *r
	}
	return Rule{ID: id, Severity: knowledge.Warning, Finds: "A file is not written as it should be."}
}
