// Package report owns the receipt: what a run considered, judged, changed,
// could not tell, left over, and spent. It holds the receipt's types, and
// writes it as text for people, as JSON for programs and as Markdown for a CI
// job summary. It decides nothing about knowledge or code.
package report
