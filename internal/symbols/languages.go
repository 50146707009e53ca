package symbols

import (
	"path"
	"strings"
)

// languages are those that are known, by the end of a file's name.
var languages = map[string]string{
	".go": "Go",
	".py": "Python", ".pyi": "Python", ".pyw": "Python",
	".ts": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript", ".tsx": "TSX",
	".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin",
	".c": "C", ".h": "C++", // C++ reads what headers of C hold
	".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hh": "C++", ".hpp": "C++", ".hxx": "C++",
	".cs": "C#", ".rb": "Ruby", ".rake": "Ruby", ".php": "PHP",
	".swift": "Swift", ".dart": "Dart",
	".sh": "shell", ".bash": "shell",
}

// Language names the language of a file, "" where it is none that is known.
func Language(file string) string { return languages[strings.ToLower(path.Ext(file))] }
