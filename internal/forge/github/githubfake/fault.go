package githubfake

import (
	"net/http"
	"net/url"
	"regexp"
)

// Fault makes the host answer badly. The first one that fits a request serves
// it.
type Fault struct {
	Method string // "" fits all
	Path   string // a regular expression; "" fits all
	Times  int    // how often; 0: for good
	After  bool   // what was asked is done all the same

	Status int               // 0: the answer stays
	Header map[string]string // of the answer, also of one that stays
	Body   string            // default: an error in JSON
	HTML   bool              // the body is a page
	Hang   bool              // nothing is answered until the caller goes away
	Loop   bool              // a list names its first page as the next one
	Hook   func()            // called first

	served int
}

// Faults that hosts have.
var (
	// TooMany is the primary limit as newer hosts tell it.
	TooMany = Fault{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "7"}, Times: 1}
	// Secondary is the limit on how fast content is made.
	Secondary = Fault{Status: http.StatusForbidden, Header: map[string]string{"Retry-After": "90"}, Body: `{"message":"You have exceeded a secondary rate limit."}`, Times: 1}
	// Unicorn is GitHub's page for an overload.
	Unicorn = Fault{Status: http.StatusBadGateway, Body: "<html><title>Unicorn!</title></html>", HTML: true, Times: 1}
)

// Inject switches a fault on.
func (g *GitHub) Inject(f Fault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, &f)
}

// Heal switches all faults off.
func (g *GitHub) Heal() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = nil
}

func (g *GitHub) fault(r *http.Request) *Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.faults {
		if f.fits(r) {
			f.served++
			return f
		}
	}
	return nil
}

func (f *Fault) fits(r *http.Request) bool {
	if f.Times > 0 && f.served >= f.Times || f.Method != "" && f.Method != r.Method {
		return false
	}
	matched, err := regexp.MatchString(f.Path, r.URL.Path)
	return err == nil && matched
}

func (f *Fault) answer() answer {
	a := refuse(f.Status, http.StatusText(f.Status))
	if f.Body != "" {
		a.raw, a.kind = []byte(f.Body), "application/json"
	}
	if f.HTML {
		a.kind = "text/html"
	}
	a.header = f.headers()
	return a
}

func (f *Fault) headers() http.Header {
	h := http.Header{}
	for k, v := range f.Header {
		h.Set(k, v)
	}
	return h
}

// bend spoils a good answer.
func (f *Fault) bend(a answer) answer {
	if f.Status != 0 {
		return f.answer()
	}
	if len(f.Header) > 0 {
		a.header = f.headers()
	}
	if f.Loop {
		a.header = http.Header{"Link": {next(&url.URL{Path: "/loop"}, 1)}}
	}
	if f.HTML {
		a.raw, a.kind = []byte(f.Body), "text/html"
	}
	return a
}
