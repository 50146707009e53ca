#!/usr/bin/env bash
# Boots systemd in a container of systemd-nspawn over this machine's /usr, with
# everything else in memory, and lets it run the units of deploy/systemd: a
# night as the service has it, what the box keeps closed, which exit codes are
# tried again, and the timer. Only the path of the binary and the pause before
# a second try are changed.
#
# usage: systemd-run.sh BINARY
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
binary=$(realpath "$1")

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 0755 "$dir"
mkdir "$dir/units" "$dir/check"
install -m 0755 "$binary" "$dir/check/retrosweep"
install -m 0755 "$here/checks/systemd-inside.sh" "$dir/check/inside"
cp "$here/shop.env.example" "$here/systemd/local-repository.conf" "$dir/check/"

sed 's|/usr/local/bin/retrosweep|/check/retrosweep|; s|^RestartSec=.*|RestartSec=1s|' \
	"$here/systemd/retrosweep@.service" >"$dir/units/retrosweep@.service"
cp "$here/systemd/retrosweep@.timer" "$dir/units/"
cat >"$dir/units/check.service" <<'UNIT'
[Unit]
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
ExecStart=/check/inside
TimeoutStartSec=90s
StandardOutput=append:/check/said
StandardError=append:/check/said
UNIT

# A first boot would ask on the console.
ln -s /dev/null "$dir/units/systemd-firstboot.service"

# A repository whose instructions name a file that a later commit removes.
work=$dir/work
git_() { git -C "$work" -c user.name=Ada -c user.email=ada@acme.dev "$@"; }
git init --quiet --initial-branch=main "$work"
mkdir "$work/src"
printf '# Rules\n\n- The parser is in src/parser.go; keep it small.\n' >"$work/CLAUDE.md"
printf 'package src\n' >"$work/src/parser.go"
git_ add . && git_ commit --quiet -m 'feat: a parser'
git_ rm --quiet src/parser.go && git_ commit --quiet -m 'refactor: the parser is gone'
git clone --quiet --bare "$work" "$dir/check/shop.git"

timeout 120 systemd-nspawn --quiet --directory=/ --volatile=yes --register=no --keep-unit --private-network \
	--bind-ro="$dir/units:/etc/systemd/system" --bind="$dir/check:/check" \
	--boot -- --unit=check.service </dev/null >"$dir/console" 2>&1 || true

cat "$dir/check/said" 2>/dev/null || tail -n 40 "$dir/console" >&2
[ -f "$dir/check/passed" ] || { echo 'systemd-run.sh: the check did not come to its end' >&2 && exit 1; }
