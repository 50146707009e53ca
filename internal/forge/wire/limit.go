package wire

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// LimitError says that the host asks for a longer pause than a run waits.
type LimitError struct {
	Host   string // its name
	Status int
	Until  time.Time
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s limits the calls (status %d): no more before %s", e.Host, e.Status, e.Until.UTC().Format(time.RFC3339))
}

// answer is a response that is read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// pause says how long the host asks to wait before the same call is made again;
// ok is false for an answer that is no limit. Hosts limit with 403 and with
// 429, names the time in one of two headers or not at all, and a 403 may also
// be a plain refusal.
func pause(a answer, now time.Time, attempt int) (wait time.Duration, ok bool) {
	if a.status != http.StatusForbidden && a.status != http.StatusTooManyRequests {
		return 0, false
	}
	if s, err := strconv.Atoi(a.header.Get("Retry-After")); err == nil && s >= 0 {
		return time.Duration(min(s, maxSeconds)) * time.Second, true
	}
	if at, err := http.ParseTime(a.header.Get("Retry-After")); err == nil {
		return max(at.Sub(now), 0), true
	}
	for _, prefix := range []string{"X-RateLimit-", "RateLimit-"} { // of GitHub and Gitea; of GitLab
		reset, err := strconv.ParseInt(a.header.Get(prefix+"Reset"), 10, 64)
		if err == nil && a.header.Get(prefix+"Remaining") == "0" {
			return max(time.Unix(reset, 0).Sub(now), 0) + time.Second, true
		}
	}
	if a.status == http.StatusTooManyRequests || bytes.Contains(bytes.ToLower(a.body), []byte("secondary rate limit")) {
		return time.Minute << attempt, true
	}
	return 0, false
}

// maxSeconds keeps a hostile header from overflowing.
const maxSeconds = 366 * 24 * 3600

// passing reports whether a read that was answered so is worth another try.
func passing(status int) bool {
	return status >= 500 && status != http.StatusNotImplemented
}
