#!/bin/sh
# Makes openapi.json again from GitHub's own OpenAPI description, as the npm
# package @octokit/openapi has it (MIT). Needs npm, tar and go.
set -eu
package=@octokit/openapi@23.0.2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tar xzf "$(npm pack --silent "$package")" package/generated/api.github.com.json
cd "$here"
go test -count=1 -run TestExtractIsOurs . -args -full "$work/package/generated/api.github.com.json"
