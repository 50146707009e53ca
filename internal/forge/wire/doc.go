// Package wire owns the way to the API of a host: a token that goes to this one
// host and stands in no error, timeouts, limits, reads that are repeated and
// remembered, one write at a time and a budget of writes a night.
package wire
