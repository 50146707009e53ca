// Command vulngate reads govulncheck's JSON stream and fails on findings that
// the program reaches in its dependencies. Those in the standard library are
// printed and pass: only a newer Go mends them.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// message is the part of govulncheck's output that matters here; see
// golang.org/x/vuln/internal/govulncheck.
type message struct {
	Finding *struct {
		OSV          string `json:"osv"`
		FixedVersion string `json:"fixed_version"`
		Trace        []struct {
			Module   string `json:"module"`
			Function string `json:"function"`
		} `json:"trace"`
	} `json:"finding"`
}

func main() {
	reached, err := findings(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulngate:", err)
		os.Exit(2)
	}
	failed := false
	for id, where := range reached {
		fmt.Printf("%s in %s\n", id, where)
		failed = failed || where != "stdlib"
	}
	fmt.Printf("%d known vulnerabilities are reached\n", len(reached))
	if failed {
		os.Exit(1)
	}
}

// findings maps each vulnerability that a call reaches to its module.
func findings(r io.Reader) (map[string]string, error) {
	reached := map[string]string{}
	dec := json.NewDecoder(r)
	for {
		var m message
		err := dec.Decode(&m)
		if errors.Is(err, io.EOF) {
			return reached, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read govulncheck's report: %w", err)
		}
		if f := m.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			reached[f.OSV] = f.Trace[0].Module
		}
	}
}
