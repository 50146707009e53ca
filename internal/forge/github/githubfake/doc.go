// Package githubfake owns a GitHub in memory for tests.
package githubfake

import (
	_ "github.com/bradleyfalzon/ghinstallation/v2"
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/getkin/kin-openapi/openapi3filter"
	_ "github.com/getkin/kin-openapi/routers/gorillamux"
	_ "github.com/google/go-github/v62/github"
)
