package audit

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Beyond what the format itself marks as events, some documents say what was or
// what is meant to be: plans, proposals, reviews and reports age by design. On
// an instruction surface only the directory says so: a command may be called
// review or release.
var (
	recordDirs = regexp.MustCompile(`(?i)(?:^|/)(?:adrs?|archived?|history|plans?|specs?|brainstorms?|ideation|proposals?|rfcs?|handoffs?|sessions?|reports?|evals?|[\w-]+[-_]spec|postmortems?|retros?|staged-for-removal|dev-notes|deprecated|obsolete|attic|legacy)/|(?:^|/)[\w-]*(?:remediation|(?:implementation|migration)[-_]plan)[\w-]*/|` +
		`(?:^|/)(?:\d+[-_])?(?:phase|wave|sprint|milestone)[-_]?\d[\w-]*(?:/|\.\w+$)|(?:^|/)(?:task|step)[-_]?\d+[a-z]?[-_][\w-]*\.\w+$`)
	recordDocs  = regexp.MustCompile(`(?i)(?:^|/)(?:decisions?|changelogs?|solutions|retrospectives?|incidents?|journals?|designs?|audits?|reviews?|meetings?|releases|release[-_]notes|migrations?|research|investigations?|scratch|drafts?|todos?|issues?|tasks?|templates?)/`)
	memoryPlan  = regexp.MustCompile(`(?i)[-_](?:plan|log|handoff|report)\.md$`)
	recordNames = regexp.MustCompile(`(?i)(?:^|/)(?:changelog|history|errata|release[-_]notes|news|todo|roadmap|handoff|plan|spec|design)(?:[-_][\w-]*)?\.\w+$|\d{4}-\d{2}(?:-\d{2})?[\w.-]*\.\w+$|(?:^|/)(?:session|todo|task)[-_][\w-]*\.\w+$|(?:^|[-_/])(?:plan|planning|tasks|prd|frd|summary|strategy|spec|proposal|postmortem|analysis|investigation|incident|audit|report|review|handoff|migration|complete|completed|completion|decisions?|decision-log|diagnosis|errata|insights|scorecard|log|candidates|roadmap|progress|findings|verification|checklists?)(?:[-_]\d{4})?\.\w+$`)
)

// record reports whether a document is a record of the past or a plan for the
// future.
func record(d *knowledge.Document) bool {
	if recordDirs.MatchString(d.Path) || strings.Contains(strings.ToLower(d.Path), "handoff") {
		return true
	}
	if d.Format == knowledge.Memory && memoryPlan.MatchString(d.Path) {
		return true
	}
	plain := d.Format == knowledge.Docs || d.Format == knowledge.Wiki
	return plain && (recordDocs.MatchString(d.Path) || recordNames.MatchString(d.Path) || dated(d) || retired(d) || intends(d)) || over.Match(frontOf(d))
}

// over is the status of a task or plan that nobody works on any more.
var over = regexp.MustCompile(`(?im)^status:[ \t"']*(?:completed?|done|closed|archived|superseded|obsolete|abandoned|rejected)\b`)

// frontOf is the front matter of a document, as far as its top goes.
func frontOf(d *knowledge.Document) []byte {
	top := d.Source[:min(len(d.Source), topBytes)]
	rest, ok := bytes.CutPrefix(top, []byte("---\n"))
	if !ok {
		return nil
	}
	front, _, _ := bytes.Cut(rest, []byte("\n---"))
	return front
}

// intent is a sentence that says what a page is for: work that was to be done.
var intent = regexp.MustCompile(`(?i)\bthis (?:document|page|doc|file|note) (?:\w+ ){0,2}?(?:outlines|describes|proposes|details|presents|lays out|sets out|contains|is) (?:\w+ ){0,3}?(?:plan|proposal|roadmap|steps)\b`)

// intends reports whether a page says at its top that it is a plan.
func intends(d *knowledge.Document) bool {
	return intent.Match(d.Source[:min(len(d.Source), topBytes)])
}

// dateLine is a line near the top that says of which day a document is. The day
// of its last update says nothing of the kind.
var dateLine = regexp.MustCompile(`(?im)^[\s>*_-]*(?:date|(?:audit|analysis|report|review|generated|created|assessment|verification)(?:[ _-](?:date|on|at))?|datum|fecha|data|дата|(?:分析|创建|生成|评估|审计|报告|编写)?(?:日期|时间)|作成日|작성일)[*_]*\s*[:：][*_\s]*\W{0,2}(?:20\d\d-\d\d|(?:[A-Z][a-z]{2,8}\.? )?\d{1,2},? (?:[A-Z][a-z]{2,8} )?20\d\d|[A-Z][a-z]{2,8} 20\d\d)`)

// topBytes is how much of a document may say of which day it is.
const topBytes = 700

// dated reports whether a page says at its top that it is of one day.
func dated(d *knowledge.Document) bool {
	return dateLine.Match(d.Source[:min(len(d.Source), topBytes)])
}

// banner is a note at the top of a page which says that what it is about is gone.
var banner = regexp.MustCompile(`(?im)^(?:>|\*\*|:::|!!!|⚠)[^\n]*\b(?:(?:has|have) been|was|were|is|are)(?: now)?[\s*_]+(?:removed|deprecated|superseded|obsolete|archived|discontinued|replaced)\b`)

// retired reports whether a page says at its top that it tells of what was.
func retired(d *knowledge.Document) bool {
	return banner.Match(d.Source[:min(len(d.Source), topBytes)])
}
