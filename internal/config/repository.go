package config

import "github.com/retrosweep/retrosweep/internal/guard"

// RepositoryName is where a repository keeps its configuration, at its root.
const RepositoryName = ".retrosweep.yaml"

// Repository is what the reviewed repository's file says. It can make
// retrosweep do less, and say what files are; it opens nothing.
type Repository struct {
	Enabled   bool // default true; false: this repository is left alone
	Knowledge []Format
	Routes    guard.Routes // Auto is always empty
	Ignore    []Ignore
}

// DefaultRepository is the repository's configuration where nothing is said.
func DefaultRepository() Repository { return Repository{Enabled: true} }

const operatorOnly = "is the operator's to set, not the repository's"

// fields is the schema of the repository's file. What only the operator may
// set is in it, to be refused by name.
func (r *Repository) fields() []field {
	routes := append(narrowing(&r.Routes), refusedKey("auto", operatorOnly))
	fields := []field{
		{name: "enabled", set: flag(&r.Enabled)},
		{name: "knowledge", set: formats(&r.Knowledge)},
		group("routes", routes...),
		{name: "ignore", set: ignores(&r.Ignore)},
	}
	for _, f := range new(Operator).fields() {
		if _, known := find(fields, f.name); !known {
			fields = append(fields, refusedKey(f.name, operatorOnly))
		}
	}
	return fields
}

// ParseRepository reads a repository's .retrosweep.yaml, as it stands at the
// tip of the base branch. The error is a [*Faults] with every fault in it.
func ParseRepository(src []byte) (Repository, error) {
	r := DefaultRepository()
	d := &decoder{file: RepositoryName}
	m, faults := readMapping(d.file, src)
	if d.faults = faults; m != nil {
		d.mapping(m, r.fields())
	}
	if err := asError(d.faults); err != nil {
		return DefaultRepository(), err
	}
	return r, nil
}
