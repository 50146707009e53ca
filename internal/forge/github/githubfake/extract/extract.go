// Package extract owns how openapi.json is made: it cuts GitHub's own OpenAPI
// description down to the operations that the fake serves, with the components
// they name and without prose and examples. extract.sh fetches the description
// and has it cut.
package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// kept are the operations that stay, by path.
var kept = map[string][]string{
	"/app": {"get"},
	"/app/installations/{installation_id}/access_tokens": {"post"},
	"/rate_limit":           {"get"},
	"/user":                 {"get"},
	"/repos/{owner}/{repo}": {"get"},
	"/repos/{owner}/{repo}/actions/permissions/workflow":            {"get"},
	"/repos/{owner}/{repo}/collaborators/{username}/permission":     {"get"},
	"/repos/{owner}/{repo}/commits":                                 {"get"},
	"/repos/{owner}/{repo}/git/blobs":                               {"post"},
	"/repos/{owner}/{repo}/git/commits":                             {"post"},
	"/repos/{owner}/{repo}/git/refs":                                {"post"},
	"/repos/{owner}/{repo}/git/refs/{ref}":                          {"patch", "delete"},
	"/repos/{owner}/{repo}/git/trees":                               {"post"},
	"/repos/{owner}/{repo}/issues":                                  {"get", "post"},
	"/repos/{owner}/{repo}/issues/{issue_number}":                   {"get", "patch"},
	"/repos/{owner}/{repo}/issues/{issue_number}/labels":            {"get", "post"},
	"/repos/{owner}/{repo}/pulls":                                   {"get", "post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}":                     {"get", "patch"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/merge":               {"put"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/comments":            {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/commits":             {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers": {"get", "post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/reviews":             {"get"},
}

// node is a JSON object.
type node = map[string]any

// Cut keeps of a description what is served.
func Cut(full []byte) ([]byte, error) {
	var doc node
	decoder := json.NewDecoder(bytes.NewReader(full))
	decoder.UseNumber()
	if err := decoder.Decode(&doc); err != nil {
		return nil, fmt.Errorf("parse the description: %w", err)
	}
	out := node{"openapi": doc["openapi"], "info": plain(doc["info"]), "servers": doc["servers"]}
	paths := node{}
	for path, methods := range kept {
		item, ok := find(doc, "paths", path).(node)
		if !ok {
			return nil, fmt.Errorf("the description has no path %s", path)
		}
		paths[path] = operations(item, methods)
	}
	out["paths"] = paths
	components, err := closure(doc, paths)
	if err != nil {
		return nil, err
	}
	out["components"] = components
	small, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the extract: %w", err)
	}
	return append(small, '\n'), nil
}

func operations(item node, methods []string) node {
	out := node{}
	for _, m := range methods {
		out[m] = plain(item[m])
	}
	if p, ok := item["parameters"]; ok {
		out["parameters"] = plain(p)
	}
	return out
}

// find walks down objects; nil where there is nothing.
func find(v any, keys ...string) any {
	for _, k := range keys {
		object, _ := v.(node)
		v = object[k]
	}
	return v
}

// prose are the keys that only people read.
var prose = map[string]bool{"description": true, "summary": true, "example": true, "examples": true, "externalDocs": true, "title": true}

// plain is v without prose. A property may be called like a key of prose, so
// what stands under "properties" keeps all its names.
func plain(v any) any { return strip(v, false) }

func strip(v any, names bool) any {
	switch v := v.(type) {
	case node:
		out := node{}
		for k, child := range v {
			if !names && (prose[k] && k != "title" || strings.HasPrefix(k, "x-")) {
				continue
			}
			out[k] = strip(child, !names && k == "properties")
		}
		if _, response := v["content"]; response && !names { // a response must be described
			out["description"] = ""
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = strip(v[i], false)
		}
		return out
	}
	return v
}

// closure collects the components that paths name, and those that these name.
func closure(doc node, paths node) (node, error) {
	out := node{}
	todo := references(paths, nil)
	for len(todo) > 0 {
		ref := todo[0]
		todo = todo[1:]
		keys := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		if len(keys) != 3 || keys[0] != "components" {
			return nil, fmt.Errorf("the reference %s is none to a component", ref)
		}
		section, _ := out[keys[1]].(node)
		if section == nil {
			section = node{}
			out[keys[1]] = section
		}
		if _, done := section[keys[2]]; done {
			continue
		}
		component := find(doc, keys...)
		if component == nil {
			return nil, fmt.Errorf("the description has no %s", ref)
		}
		section[keys[2]] = plain(component)
		todo = references(section[keys[2]], todo)
	}
	return out, nil
}

func references(v any, found []string) []string {
	switch v := v.(type) {
	case node:
		for k, child := range v {
			if ref, ok := child.(string); ok && k == "$ref" {
				found = append(found, ref)
				continue
			}
			found = references(child, found)
		}
	case []any:
		for _, child := range v {
			found = references(child, found)
		}
	}
	return found
}
