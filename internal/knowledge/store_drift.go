package knowledge

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// drift binds documents to code: drift.lock says which page depends on which
// file or symbol. Each binding is a fact about both.

// binding is one entry of a drift.lock.
type binding struct {
	doc, target, origin string
	at                  Span
}

// driftLock reads both shapes: TOML tables, and the older one of a line each.
func (p *parser) driftLock() {
	bindings := p.driftLines()
	if len(bindings) == 0 {
		bindings = p.driftTables()
	}
	for _, b := range bindings {
		p.bind(b)
	}
}

// driftLines reads lines of the form doc -> target sig:hash.
func (p *parser) driftLines() []binding {
	var out []binding
	for _, at := range p.lineSpans() {
		line := string(p.src.of(at))
		doc, rest, ok := strings.Cut(line, " -> ")
		target := strings.Fields(rest)
		if !ok || len(target) == 0 || strings.ContainsAny(doc, "\"=#[") {
			continue
		}
		b := binding{doc: strings.TrimSpace(doc), target: target[0], at: at}
		for _, more := range target[1:] {
			if o, is := strings.CutPrefix(more, "origin:"); is {
				b.origin = o
			}
		}
		out = append(out, b)
	}
	return out
}

// driftTables reads [[bindings]] with doc, target and maybe origin.
func (p *parser) driftTables() []binding {
	var toml unstable.Parser
	start := bomLen(p.src.text)
	toml.Reset(p.src.text[start:])
	var out []binding
	for inside := false; toml.NextExpression(); {
		switch e := toml.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			key := e.Key()
			key.Next()
			at := start + int(toml.Range(key.Node().Data).Offset)
			inside = e.Kind == unstable.ArrayTable && string(key.Node().Data) == "bindings"
			if inside {
				out = append(out, binding{at: Span{p.src.lineStart(at), p.src.lineEnd(at)}})
			}
		case unstable.KeyValue:
			if inside {
				out[len(out)-1].set(e, start+int(toml.Range(e.Value().Data).Offset))
			}
		}
	}
	if err := toml.Error(); err != nil {
		p.fault("toml/invalid", 1, "the rest of the file cannot be read: "+valid(err.Error()))
	}
	return out
}

func (b *binding) set(e *unstable.Node, at int) {
	key, value := e.Key(), e.Value()
	key.Next()
	if value.Kind != unstable.String {
		return
	}
	switch text := string(value.Data); string(key.Node().Data) {
	case "doc":
		b.doc = text
	case "target":
		b.target = text
	case "origin":
		b.origin = text
	}
	b.at.End = max(b.at.End, at+len(value.Data))
}

// bind adds the fact that a binding states. What another repository has cannot
// be checked here.
func (p *parser) bind(b binding) {
	if b.doc == "" || b.target == "" {
		return
	}
	f := Fact{Kind: KindEntry, Title: b.doc + " -> " + b.target, Text: b.doc + " depends on " + b.target, Span: trim(p.src.text, b.at), Type: "binding"}
	if b.origin == "" {
		target, _, _ := strings.Cut(b.target, "@")
		file, _, symbol := strings.Cut(target, "#")
		f.Life.AnchorFiles = []string{b.doc, file}
		if symbol {
			f.Life.AnchorSymbols = []string{target}
		}
	}
	p.add(f, layout{extent: b.at})
}
