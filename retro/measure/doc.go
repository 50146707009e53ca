// Package measure holds what the retro is measured by, over public repositories
// that are not part of this one: how many hunks of known corrections reach
// triage, what thirty nights leave, how often it changes and what it costs, and
// what becomes of known corrections and of ordinary commits, and what checks do on
// the past. It is tests alone, and they skip without their flags:
//
//	go test ./retro/measure -run TestTriage -v -mirror DIR -corrections FILE
//	go test ./retro/measure -run TestNights -v -mirror DIR -repo OWNER/NAME [-until COMMIT] [-corrections FILE] [-base-url URL -timeout 0]
//	go test ./retro/measure -run TestBacktests -v -mirror DIR [-past COMMITS] [-hits DIR]
//	go test ./retro/measure -run TestLessons -v -mirror DIR -corrections FILE -base-url URL
//
// TestNights asks one night after another. Where nobody answers it stops: who keeps
// the answers and gives them again by the same request makes a second run go on
// from there. Every proposal is taken in by the next morning, also one that is
// for a person; what people write over it later wins.
//
// DIR holds one bare repository each as OWNER+NAME/repo. FILE has a JSON object a
// line with repo, commit, files and generalizable. testdata/ordinary.txt names
// the ordinary commits, by their ids alone, and the seed that they were drawn
// with, and testdata/checks.jsonl the commits that taught a rule beside the check
// that would be proposed for it. -hits lists the commits that each check hits, to
// be held against git log -p of the same commits; what git finds besides are files
// of more than 256 KiB.
package measure
