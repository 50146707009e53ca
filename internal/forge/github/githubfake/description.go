package githubfake

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.json
var extract []byte

// description is GitHub's account of its API.
var description = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(extract)
	if err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	doc.Servers = nil // any address
	r, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	return r, nil
})

// call is one request on its way through the description.
type call struct {
	*http.Request
	operation string
	params    map[string]string
	body      []byte
	user      User
	input     *openapi3filter.RequestValidationInput
}

func newCall(r *http.Request, body []byte) (*call, error) {
	router, err := description()
	if err != nil {
		return nil, err
	}
	route, params, err := router.FindRoute(r)
	if err != nil {
		return nil, fmt.Errorf("%s %s is not in the extract: %w", r.Method, r.URL.Path, err)
	}
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, RejectWhenRequestBodyNotSpecified: true},
	}
	return &call{Request: r, operation: route.Operation.OperationID, params: params, body: body, input: in}, nil
}

// checkRequest holds the request against the description.
func (c *call) checkRequest(ctx context.Context) error {
	for name := range c.URL.Query() { // the description allows others, the host ignores them
		known := slices.ContainsFunc(c.input.Route.Operation.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.In == "query" && p.Value.Name == name })
		if !known {
			return fmt.Errorf("%s %s has no parameter %s", c.Method, c.URL.Path, name)
		}
	}
	if err := openapi3filter.ValidateRequest(ctx, c.input); err != nil {
		return fmt.Errorf("%s %s: %s", c.Method, c.URL.Path, brief(err))
	}
	return c.checkFields()
}

// checkFields refuses fields that the description does not name: the host would
// ignore them, and a misspelt one would go unseen.
func (c *call) checkFields() error {
	body := c.input.Route.Operation.RequestBody
	if body == nil || len(c.body) == 0 {
		return nil
	}
	var got map[string]any
	if json.Unmarshal(c.body, &got) != nil {
		return nil // the validation says so
	}
	schema := body.Value.Content.Get("application/json").Schema.Value
	for name := range got {
		if !hasProperty(schema, name) {
			return fmt.Errorf("%s %s has no field %s", c.Method, c.URL.Path, name)
		}
	}
	return nil
}

func hasProperty(s *openapi3.Schema, name string) bool {
	if s.Properties[name] != nil {
		return true
	}
	for _, options := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		for _, o := range options {
			if hasProperty(o.Value, name) {
				return true
			}
		}
	}
	return false
}

// checkAnswer holds an answer against the description.
func (c *call) checkAnswer(ctx context.Context, status int, header http.Header, body []byte) error {
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: c.input, Status: status, Header: header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	out.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(ctx, out); err != nil {
		return fmt.Errorf("the answer to %s %s: %s", c.Method, c.URL.Path, brief(err))
	}
	return nil
}

// brief leaves out the schema, which an error quotes whole.
func brief(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\nSchema:")
	return text
}

// fill completes what is said of an answer with values for all that the
// description requires.
func (c *call) fill(status int, said any) any {
	resp := c.input.Route.Operation.Responses.Status(status)
	if resp == nil {
		return said
	}
	media := resp.Value.Content.Get("application/json")
	if media == nil {
		return said
	}
	return fill(media.Schema.Value, said)
}

func fill(s *openapi3.Schema, said any) any {
	for _, options := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
		for _, o := range options[:min(len(options), 1)] {
			return fill(o.Value, said)
		}
	}
	switch v := said.(type) {
	case object:
		out := object{}
		for name, value := range v {
			out[name] = value
			if p := s.Properties[name]; p != nil {
				out[name] = fill(p.Value, value)
			}
		}
		for _, name := range s.Required {
			if _, ok := out[name]; !ok {
				out[name] = sample(s.Properties[name].Value)
			}
		}
		return out
	case []object:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fill(s.Items.Value, v[i])
		}
		return out
	}
	return said
}

// sample is the least that a schema allows.
func sample(s *openapi3.Schema) any {
	switch {
	case s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == nil || s.Type.Is("object"):
		return fill(s, object{})
	case s.Type.Is("array"):
		return []any{}
	case s.Type.Is("boolean"):
		return false
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 0
	case s.Format == "date-time":
		return "2026-01-01T00:00:00Z"
	case strings.HasPrefix(s.Format, "uri"):
		return "https://api.github.com/"
	}
	return ""
}

// object is a JSON object.
type object = map[string]any
