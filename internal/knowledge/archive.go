package knowledge

import (
	"path"
	"strings"
)

const (
	archiveDir  = "archive"
	archiveFile = "ARCHIVED_KNOWLEDGE.md"
	indexName   = "MEMORY.md"
)

// home returns the path from which an archived file came.
func home(name string) string {
	if dir := path.Dir(name); path.Base(dir) == archiveDir {
		return path.Join(path.Dir(dir), path.Base(name))
	}
	return name
}

// ArchivePath returns where the facts of a file are archived. Beside a memory,
// a playbook or a wiki page that is archive/; the facts of an instruction
// surface go to the top of the repository, because tools load whatever stands
// beside it.
func ArchivePath(name string, f Format) string {
	dir, base := path.Split(name)
	switch f {
	case Memory, MemoryIndex, Playbook, Wiki:
		return path.Join(dir, archiveDir, base)
	case Instruction:
		return archiveFile
	}
	return strings.TrimPrefix(path.Join(dir, archiveFile), "./")
}

// records reads an archive.
func (p *parser) records() {}
