#!/usr/bin/env bash
# The container file without a container engine: its build command by hand, in
# a folder that holds what Containerfile.dockerignore lets through; what comes
# out is static and runs in an empty root as the image's user; and Debian has
# the packages that the last stage installs.
#
# usage: container.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
file=deploy/container/Containerfile

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/src" "$dir/out" "$dir/root"

# The context: each "!name" of the ignore file, less the "**" lines.
sed -n 's/^!//p' "$file.dockerignore" | while read -r name; do
	git ls-files -z -- "$name"
done | grep -zv -e '/testdata/' -e '_test\.go$' | xargs -0 cp --parents -t "$dir/src"

# The build command, with the folders that stand for the image's.
command=$(sed -n 's/^RUN \(CGO_ENABLED=1 .*go build .*\)/\1/p' "$file")
[ -n "$command" ] || { echo "container.sh: $file has no go build" >&2 && exit 1; }
export VERSION=v0.0.0-check TARGETOS TARGETARCH
TARGETOS=$(go env GOOS)
TARGETARCH=$(go env GOARCH)
(cd "$dir/src" && eval "${command//\/out\//$dir/out/}")
echo "container: builds from what the ignore file lets through"

if ldd "$dir/out/retrosweep" 2>&1 | grep -v 'not a dynamic executable'; then
	echo 'container.sh: the binary is linked dynamically' >&2
	exit 1
fi
echo "container: the binary is static"

# An empty root but for the binary, a repository and /tmp, as the image's user.
user=$(sed -n 's/^USER //p' "$file" | tail -n 1)
install -D -m 0755 "$dir/out/retrosweep" "$dir/root/usr/local/bin/retrosweep"
install -d -m 1777 "$dir/root/tmp"
chmod 0755 "$dir"
inside() { env -i PATH="$PATH" HOME=/tmp RETROSWEEP_CACHE=/tmp/cache chroot --userspec="$user" "$dir/root" "$@"; }
inside /usr/local/bin/retrosweep version | tee "$dir/version"
grep -q "$VERSION" "$dir/version" || { echo 'container.sh: the version is not the one given' >&2 && exit 1; }
inside /usr/local/bin/retrosweep demo --dir /tmp/demo >"$dir/demo" || { tail "$dir/demo" >&2 && exit 1; }
echo "container: a whole night runs as $user in a root without a shell, git or a library"

packages=$(sed -n 's|^ && apt-get install -y --no-install-recommends \(.*[a-z]\).*|\1|p' "$file")
[ -n "$packages" ] || { echo "container.sh: $file installs nothing" >&2 && exit 1; }
# shellcheck disable=SC2086 # a list of names
apt-get install --simulate --no-install-recommends $packages >/dev/null
echo "container: Debian has $packages"
