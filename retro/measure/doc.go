// Package measure holds what the retro is measured by, over public repositories
// that are not part of this one: how many hunks of known corrections reach
// triage, what thirty nights cost, and what becomes of known corrections and of
// ordinary commits. It is tests alone, and they skip without their flags:
//
//	go test ./retro/measure -run TestTriage -v -mirror DIR -corrections FILE
//	go test ./retro/measure -run TestNights -v -mirror DIR -repo OWNER/NAME
//	go test ./retro/measure -run TestLessons -v -mirror DIR -corrections FILE -base-url URL
//
// DIR holds one bare repository each as OWNER+NAME/repo. FILE has a JSON object a
// line with repo, commit, files and generalizable. testdata/ordinary.txt names
// the ordinary commits, by their ids alone, and the seed that they were drawn
// with.
package measure
