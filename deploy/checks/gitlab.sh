#!/usr/bin/env bash
# Holds the GitLab job to GitLab's own schema, as gitlab-ci-local ships it, and
# has that runner take it apart: which job is there, and for which pipeline.
set -euo pipefail
job=$(cd "$(dirname "$0")/../gitlab-ci" && pwd)/retrosweep.gitlab-ci.yml

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --no-package-lock --prefix "$dir/tool" gitlab-ci-local@4.61.0 >/dev/null
mkdir project && cd project
git init --quiet --initial-branch=main
git -c user.name=Ada -c user.email=ada@acme.dev commit --quiet --allow-empty -m start
git remote add origin git@gitlab.example:acme/shop.git
install -D -m 0644 "$job" .gitlab/retrosweep.yml
printf 'include:\n  - local: .gitlab/retrosweep.yml\n' >.gitlab-ci.yml
git add .

local_() { "$dir/tool/node_modules/.bin/gitlab-ci-local" "$@" 2>&1; }
in_schedule=$(local_ --list-csv --variable CI_PIPELINE_SOURCE=schedule --variable RETROSWEEP=night)
grep -q '^retrosweep;' <<<"$in_schedule" || { printf 'gitlab.sh: no job in the schedule:\n%s\n' "$in_schedule" >&2 && exit 1; }
in_push=$(local_ --list-csv --variable CI_PIPELINE_SOURCE=push)
if grep -q '^retrosweep;' <<<"$in_push"; then
	printf 'gitlab.sh: the job is part of ordinary pipelines:\n%s\n' "$in_push" >&2
	exit 1
fi
echo "gitlab: the job passes the schema and is in the schedule alone"

# A check that passes everything would be none.
sed -i 's/^  resource_group:/  resource_groups:/' .gitlab/retrosweep.yml
if local_ --list-csv >wrong; then
	echo 'gitlab.sh: a misspelt key passes' >&2
	exit 1
fi
echo "gitlab: a misspelt key is refused"
