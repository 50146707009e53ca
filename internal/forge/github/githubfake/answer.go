package githubfake

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// answer is a status with a JSON body, or with raw bytes of another type.
type answer struct {
	status int
	header http.Header
	body   any
	raw    []byte
	kind   string // of raw
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

// refuse is an error in GitHub's words.
func refuse(status int, message string) answer {
	return answer{status: status, body: object{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)}}
}

// invalid is a 422 with one reason.
func invalid(field, message string) answer {
	a := refuse(http.StatusUnprocessableEntity, "Validation Failed")
	reason := object{"resource": "PullRequest", "code": "custom", "message": message}
	if field != "" {
		reason = object{"resource": "PullRequest", "code": "invalid", "field": field}
	}
	body, _ := a.body.(object)
	body["errors"] = []any{reason}
	return a
}

func (a answer) headers() http.Header {
	h := http.Header{}
	for k, v := range a.header {
		h[k] = v
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	if a.kind != "" {
		h.Set("Content-Type", a.kind)
	}
	return h
}

func (a answer) bytes() []byte {
	if a.raw != nil || a.body == nil {
		return a.raw
	}
	b, err := json.Marshal(a.body)
	if err != nil {
		return fmt.Appendf(nil, "%v", err)
	}
	return b
}

// conditional answers a read with its tag, and with nothing where the caller has
// it.
func (a answer) conditional(r *http.Request) answer {
	if r.Method != http.MethodGet || a.status != http.StatusOK || a.kind != "" {
		return a
	}
	tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(a.bytes()))
	if r.Header.Get("If-None-Match") == tag {
		return answer{status: http.StatusNotModified, header: http.Header{"Etag": {tag}}}
	}
	header := http.Header{"Etag": {tag}}
	for k, v := range a.header {
		header[k] = v
	}
	a.header = header
	return a
}

func (a answer) write(w http.ResponseWriter) {
	for k, v := range a.headers() {
		w.Header()[k] = v
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.bytes())
}

// page cuts a list into the page that is asked for, with the link to the next.
func page[T any](c *call, all []T) ([]T, http.Header) {
	q := c.URL.Query()
	size, number := 30, 1
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil {
		size = min(max(n, 1), 100)
	}
	if n, err := strconv.Atoi(q.Get("page")); err == nil {
		number = max(n, 1)
	}
	from, to := min((number-1)*size, len(all)), min(number*size, len(all))
	if to == len(all) {
		return all[from:to], nil
	}
	return all[from:to], http.Header{"Link": {next(c.URL, number+1)}}
}

func next(at *url.URL, number int) string {
	q := at.Query()
	q.Set("page", strconv.Itoa(number))
	return fmt.Sprintf(`<https://api.github.com%s?%s>; rel="next"`, at.Path, q.Encode())
}

func (u User) json() object {
	kind := "User"
	if u.App {
		kind = "Bot"
	}
	return object{"login": u.Login, "id": u.ID, "type": kind}
}

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}
