//go:build !unix

package repo

// createLock makes a lock file that did not exist. An open file cannot be renamed
// here, so that none can be marked as held: what a killed process leaves, doctor
// names.
func (r *Repo) createLock(path string) (*lockFile, error) { return plainLock(path) }

// beforeRename closes the file.
func (l *lockFile) beforeRename() error { return l.File.Close() }
