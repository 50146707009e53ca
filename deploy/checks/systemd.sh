#!/usr/bin/env bash
# Has systemd itself read the units: "verify" with and without the drop-in for
# a repository on this machine, how far the service is closed, and when the
# timer elapses. Nothing is installed or started.
#
# usage: systemd.sh BINARY
set -euo pipefail
units=$(cd "$(dirname "$0")/../systemd" && pwd)
binary=$(realpath "$1")

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$units/retrosweep@.service" "$units/retrosweep@.timer" "$dir"
# verify asks whether the command is there; the page installs it.
sed -i "s|/usr/local/bin/retrosweep|$binary|" "$dir/retrosweep@.service"
cd "$dir"

# verify SAYING WHAT: verify prints its complaints and does not always fail.
verify() {
	local said
	said=$(systemd-analyze verify --man=no ./retrosweep@.service ./retrosweep@.timer 2>&1) || said="$said (exit $?)"
	if [ -n "$said" ]; then
		printf 'systemd.sh: verify of the %s:\n%s\n' "$1" "$said" >&2
		return 1
	fi
	echo "systemd: verify accepts the $1"
}

verify units
# A check that passes everything would be none.
cp retrosweep@.service right
sed -i 's/^ProtectSystem=strict/ProtectSystem=strictly/' retrosweep@.service
if verify 'misspelt unit' 2>/dev/null; then
	echo 'systemd.sh: verify accepts ProtectSystem=strictly' >&2
	exit 1
fi
mv right retrosweep@.service

# 0 is closed, 10 open; the threshold is in tenths.
systemd-analyze security --offline=true --threshold=20 ./retrosweep@.service >report ||
	{ cat report >&2 && exit 1; }
tail -n 1 report

calendar=$(sed -n 's/^OnCalendar=//p' retrosweep@.timer)
systemd-analyze calendar "$calendar" | grep -q 'Next elapse: .* 04:30:00 UTC' ||
	{ echo "systemd.sh: OnCalendar=$calendar is not 04:30 UTC" >&2 && exit 1; }
echo "systemd: the timer elapses at 04:30 UTC"

mkdir retrosweep@.service.d
cp "$units/local-repository.conf" retrosweep@.service.d/
id git >/dev/null 2>&1 || sed -i -e 's/^User=git/User=root/' -e 's/^Group=git/Group=root/' retrosweep@.service.d/local-repository.conf
verify 'units with local-repository.conf'
