package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/retrosweep/retrosweep/internal/suggest"
)

// The schema of a file is a table of fields: each says its name and how its
// value gets into a struct. The table is the only place that knows the names.

// field is one key of a mapping.
type field struct {
	name string
	env  string // the variable that overrides it, "" if none does
	set  setter
	keys []field // of a nested mapping; then set is nil
	need bool    // must be there
	no   bool    // known, and may not be set here
}

// setter takes a value into its place, or says what is wrong with it.
type setter func(d *decoder, n ast.Node)

// decoder collects the faults of one file.
type decoder struct {
	file   string
	faults []Fault
}

func (d *decoder) fault(n ast.Node, message string, args ...any) {
	d.faults = append(d.faults, at(d.file, n, message, args...))
}

// group is a nested mapping.
func group(name string, keys ...field) field { return field{name: name, keys: keys} }

// mapping reads the pairs of m by the fields.
func (d *decoder) mapping(m *ast.MappingNode, fields []field) {
	seen := map[string]ast.Node{}
	for _, pair := range m.Values {
		key := pair.Key.GetToken().Value
		if before, twice := seen[key]; twice {
			d.fault(pair.Key, "%q is set twice, first in line %d", key, before.GetToken().Position.Line)
			continue
		}
		seen[key] = pair.Key
		if f, ok := find(fields, key); ok {
			d.value(f, pair)
		} else {
			d.unknown(pair.Key, key, fields)
		}
	}
	for _, f := range fields {
		if f.need && seen[f.name] == nil {
			d.fault(m, "%q is missing", f.name)
		}
	}
}

func (d *decoder) value(f field, pair *ast.MappingValueNode) {
	if f.set != nil {
		f.set(d, pair.Value)
		return
	}
	if _, empty := pair.Value.(*ast.NullNode); empty { // a heading with every key below it commented out
		return
	}
	if m := mappingOf(pair.Value); m != nil {
		d.mapping(m, f.keys)
		return
	}
	d.fault(pair.Value, "%q must hold keys: %s", f.name, list(names(f.keys)))
}

// mappingOf returns n as a mapping, nil if it is none. The parser gives some
// mappings of one pair as that pair.
func mappingOf(n ast.Node) *ast.MappingNode {
	switch node := n.(type) {
	case *ast.MappingNode:
		return node
	case *ast.MappingValueNode:
		return ast.Mapping(node.GetToken(), false, node)
	default:
		return nil
	}
}

func (d *decoder) unknown(at ast.Node, key string, fields []field) {
	d.fault(at, "unknown key %q", key)
	last := &d.faults[len(d.faults)-1]
	if last.Suggest = suggest.Nearest(key, names(fields)); last.Suggest == "" {
		last.Message += "; known are " + list(names(fields))
	}
}

func find(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// names are those of the keys that may be set.
func names(fields []field) []string {
	var out []string
	for _, f := range fields {
		if !f.no {
			out = append(out, f.name)
		}
	}
	return out
}

// scalar is the setter of a value of one kind: parse gets the text as written
// and says what is wrong, "" if nothing.
func scalar(parse func(text string, kind ast.NodeType) (wrong string)) setter {
	return func(d *decoder, n ast.Node) {
		switch n.Type() {
		case ast.MappingType, ast.MappingValueType, ast.SequenceType:
			d.fault(n, "must be a single value")
		case ast.NullType:
			d.fault(n, "has no value; give one or leave the key out")
		default:
			if wrong := parse(textOf(n), n.Type()); wrong != "" {
				d.fault(n, "%s", wrong)
			}
		}
	}
}

func textOf(n ast.Node) string {
	if s, ok := n.(*ast.LiteralNode); ok {
		return s.Value.Value
	}
	return n.GetToken().Value
}

// sequence is the setter of a list; each gets the items.
func sequence(each setter) setter {
	return func(d *decoder, n ast.Node) {
		switch node := n.(type) {
		case *ast.NullNode:
		case *ast.SequenceNode:
			for _, item := range node.Values {
				each(d, item)
			}
		default:
			d.fault(n, "must be a list: [a, b]")
		}
	}
}

// items is the setter of a list of mappings: item returns the fields of a new
// one and what to do with it when it is read.
func items(item func() (fields []field, done func())) setter {
	return sequence(func(d *decoder, n ast.Node) {
		fields, done := item()
		m := mappingOf(n)
		if m == nil {
			d.fault(n, "must hold keys: %s", list(names(fields)))
			return
		}
		d.mapping(m, fields)
		done()
	})
}

// refusedKey is a field that is known and may not be set here.
func refusedKey(name, why string) field {
	return field{name: name, no: true, set: func(d *decoder, n ast.Node) { d.fault(n, "%q %s", name, why) }}
}

// list writes words as a person does.
func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return fmt.Sprintf("%s and %s", strings.Join(words[:last], ", "), words[last])
}
