package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Check is a claim that this run confirmed, or found to hold no more, and what
// it was held against.
type Check struct {
	Fact    knowledge.FactRef `json:"fact"`
	Claim   string            `json:"claim"` // hash of the text
	Verdict knowledge.Verdict `json:"verdict"`
	Anchors []CheckedAnchor   `json:"anchors"`
	By      string            `json:"by"` // person, or judge with its model
	At      time.Time         `json:"at"`
	Stamped bool              `json:"stamped"` // the file says so too
	Note    string            `json:"note,omitempty"`
}

// CheckedAnchor is one thing that a claim names and how it looked.
type CheckedAnchor struct {
	Kind        knowledge.AnchorKind `json:"kind"`
	Text        string               `json:"text"`
	Path        string               `json:"path,omitempty"`
	Fingerprint string               `json:"fingerprint,omitempty"` // "": it has none
	Reason      string               `json:"reason,omitempty"`      // why not
}

// checks lists what was confirmed.
func (p *printer) checks() {
	for i, c := range p.receipt.Checks {
		if i == 0 {
			p.section("Checked", plural(len(p.receipt.Checks), "claim"))
		}
		p.line("")
		p.line("  %s  %s", p.bold(fmt.Sprintf("%s:%d", safe(c.Fact.File), c.Fact.Line)), safe(c.Fact.Title))
		p.indented(6, "", fmt.Sprintf("%s, by a %s, on %s", c.Verdict, safe(byWord(c.By)), c.At.UTC().Format(time.DateOnly)))
		for _, a := range c.Anchors {
			p.indented(6, "", p.dim(anchorLine(a)))
		}
		if c.Note != "" {
			p.indented(6, "", safeText(c.Note))
		}
	}
}

// byWord is who checked, without the hash that tells persons apart.
func byWord(by string) string {
	who, _, _ := strings.Cut(by, ":")
	return who
}

func anchorLine(a CheckedAnchor) string {
	at := safe(a.Text)
	if a.Path != "" && a.Path != strings.TrimSuffix(a.Text, "/") {
		at += " in " + safe(a.Path)
	}
	if a.Fingerprint == "" {
		return fmt.Sprintf("%s %s: %s, so a change of it would not be seen", a.Kind, at, safe(a.Reason))
	}
	return fmt.Sprintf("%s %s as %s", a.Kind, at, shortPrint(a.Fingerprint))
}

// shortPrint cuts the hash of a fingerprint for people.
func shortPrint(print string) string {
	engine, hash, ok := strings.Cut(print, ":")
	if !ok {
		return safe(print)
	}
	return safe(engine + ":" + short(hash))
}

// compactCheck keeps no word that a person wrote.
func compactCheck(c Check) Check {
	c.Fact.Title, c.Note = "", ""
	anchors := make([]CheckedAnchor, len(c.Anchors))
	for i, a := range c.Anchors {
		anchors[i] = CheckedAnchor{Kind: a.Kind, Fingerprint: a.Fingerprint}
	}
	c.Anchors = anchors
	return c
}
