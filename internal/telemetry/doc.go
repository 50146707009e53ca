// Package telemetry owns what a daemon tells its operators while it runs: the
// Prometheus metrics and the log.
//
// Neither holds text of a repository or of a model. Labels are the repository's
// identity and words from closed lists; log lines pass the guard, which takes
// secrets and control characters out of them.
package telemetry
