// Command extract owns openapi.json: it cuts GitHub's own OpenAPI description
// down to the operations that the fake serves, with the components they name
// and without prose and examples. It needs npm:
//
//	go run ./internal/forge/github/githubfake/extract internal/forge/github/githubfake/openapi.json
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	npmPackage  = "@octokit/openapi@23.0.2"
	description = "package/generated/api.github.com.json"
)

// kept are the operations that stay, by path.
var kept = map[string][]string{
	"/app": {"get"},
	"/app/installations/{installation_id}/access_tokens": {"post"},
	"/rate_limit":           {"get"},
	"/user":                 {"get"},
	"/repos/{owner}/{repo}": {"get"},
	"/repos/{owner}/{repo}/actions/permissions/workflow":            {"get"},
	"/repos/{owner}/{repo}/issues":                                  {"get"},
	"/repos/{owner}/{repo}/issues/{issue_number}":                   {"get"},
	"/repos/{owner}/{repo}/issues/{issue_number}/labels":            {"get", "post"},
	"/repos/{owner}/{repo}/pulls":                                   {"get", "post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}":                     {"get", "patch"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers": {"get", "post"},
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "extract:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("name the file to write")
	}
	full, err := download(ctx)
	if err != nil {
		return err
	}
	small, err := cut(full)
	if err != nil {
		return err
	}
	if err := os.WriteFile(args[0], small, 0o644); err != nil { //nolint:gosec // a source file
		return fmt.Errorf("write the extract: %w", err)
	}
	return nil
}

// download returns the description out of the npm package.
func download(ctx context.Context) (full []byte, err error) {
	dir, err := os.MkdirTemp("", "openapi-")
	if err != nil {
		return nil, fmt.Errorf("download %s: %w", npmPackage, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", npmPackage)
	pack.Dir = dir
	name, err := pack.Output()
	if err != nil {
		return nil, fmt.Errorf("download %s: npm pack: %w", npmPackage, err)
	}
	untar := exec.CommandContext(ctx, "tar", "xzf", strings.TrimSpace(string(name)), description) //nolint:gosec // npm named the file
	untar.Dir = dir
	if out, err := untar.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("unpack %s: %w: %s", npmPackage, err, out)
	}
	full, err = os.ReadFile(filepath.Join(dir, description))
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	return full, nil
}

// node is a JSON object.
type node = map[string]any

// cut keeps what [kept] names.
func cut(full []byte) ([]byte, error) {
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
