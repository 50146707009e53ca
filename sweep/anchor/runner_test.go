package anchor

import (
	"slices"
	"testing"
)

func TestRuns(t *testing.T) {
	for line, want := range map[string][]string{
		"make build":                         {"make build"},
		"npm run lint -- --fix":              {"npm lint"},
		"turbo run build":                    {"npm build"},
		"cargo run -p server -- --port 80":   {"cargo server"},
		"cargo test --package core":          {"cargo core"},
		"cargo +nightly run --example hello": {"cargo hello"},
		"cargo test":                         nil,
		"pnpm --filter @acme/web dev":        {"workspace @acme/web"},
		"pnpm --filter ./packages/web dev":   nil,
		"npm run build -w web":               {"workspace web"},
		"npm test --workspace=@acme/web":     {"npm test", "workspace @acme/web"},
		"yarn workspace web build":           {"workspace web"},
		"uv run serve":                       {"python serve"},
		"uv run --frozen serve --port 1":     {"python serve"},
		"poetry run ./tool.py":               nil,
		"mvn verify -Pnative":                {"maven native"},
		"./gradlew :app:assembleDebug lint":  {"module app", "gradle assembleDebug", "gradle lint"},
		"./gradlew test --tests Foo.bar":     {"gradle test"},
		"gradlew.bat :core:net:check -q":     {"module core:net", "gradle check"},
		"nox -s docs":                        {"nox docs"},
		"tox -e lint":                        {"tox lint"},
		"mise run fmt":                       {"mise fmt"},
		"bundle exec rake publish":           {"rake publish"},
		"inv deploy":                         {"invoke deploy"},
	} {
		var got []string
		for _, r := range runs(line) {
			got = append(got, r.tool+" "+r.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
