#!/usr/bin/env bash
# Runs the line of deploy/cron/retrosweep.crontab by Debian's cron: as it
# stands but for the minute, as the user it names, with the settings' example,
# on a small repository. In a mount namespace of its own, so that no other job
# of this machine runs and no file of it changes.
#
# usage: cron.sh BINARY
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
binary=$(realpath "$1")

if [ "${RETROSWEEP_CRON_CHECK:-}" != inside ]; then
	RETROSWEEP_CRON_CHECK=inside exec unshare --mount --propagation private "$0" "$binary"
fi

dir=$(mktemp -d)
daemon=
stop() {
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null || true
		wait "$daemon" 2>/dev/null || true
	fi
	rm -rf "$dir"
}
trap stop EXIT

# cover TARGET: an empty folder over one of the machine's, in here alone.
cover() {
	mkdir -p "$dir/cover$1" && mount --bind "$dir/cover$1" "$1"
}

mkdir -p "$dir/state" "$dir/bin"
cover /etc/cron.d
cover /var/spool/cron/crontabs
cover /usr/local/bin
cover /run
: >"$dir/crontab" && mount --bind "$dir/crontab" /etc/crontab
chmod 1730 /var/spool/cron/crontabs
chgrp crontab /var/spool/cron/crontabs

# The user of the page, if this machine does not have it.
if ! id retrosweep >/dev/null 2>&1; then
	for file in passwd group shadow; do
		cp -p "/etc/$file" "$dir/$file"
		mount --bind "$dir/$file" "/etc/$file"
	done
	echo 'retrosweep:x:65532:65532::/var/lib/retrosweep:/usr/sbin/nologin' >>/etc/passwd
	echo 'retrosweep:x:65532:' >>/etc/group
	echo 'retrosweep:*:20000:0:99999:7:::' >>/etc/shadow
fi

# Folders that the page makes, on memory of our own.
for folder in /etc/retrosweep /var/lib/retrosweep; do
	made=no
	[ -d "$folder" ] || { mkdir "$folder" && made=yes; }
	mount -t tmpfs -o mode=0755 tmpfs "$folder"
	[ "$made" = no ] || echo "$folder" >>"$dir/made"
done
cleanup() {
	if [ -f "$dir/made" ]; then
		while read -r folder; do umount "$folder" && rmdir "$folder"; done <"$dir/made"
	fi
	stop
}
trap cleanup EXIT
chown retrosweep:retrosweep /var/lib/retrosweep
install -m 0755 "$binary" /usr/local/bin/retrosweep

# A repository whose instructions name a file that a later commit removes.
as() { setpriv --reuid=retrosweep --regid=retrosweep --clear-groups env HOME=/var/lib/retrosweep "$@"; }
work=/var/lib/retrosweep/work
git_() { as git -C "$work" -c user.name=Ada -c user.email=ada@acme.dev "$@"; }
as git init --quiet --initial-branch=main "$work"
as mkdir "$work/src"
printf '# Rules\n\n- The parser is in src/parser.go; keep it small.\n' | as tee "$work/CLAUDE.md" >/dev/null
printf 'package src\n' | as tee "$work/src/parser.go" >/dev/null
git_ add . && git_ commit --quiet -m 'feat: a parser'
git_ rm --quiet src/parser.go && git_ commit --quiet -m 'refactor: the parser is gone'
as git clone --quiet --bare "$work" /var/lib/retrosweep/shop.git

# The settings as the page makes them, for a repository on this machine.
sed -e 's|^RETROSWEEP_REPO=.*|RETROSWEEP_REPO=/var/lib/retrosweep/shop.git|' \
	-e 's|^RETROSWEEP_PUSH=.*|RETROSWEEP_PUSH=false|' "$here/shop.env.example" >"$dir/shop.env"
install -m 0600 -o retrosweep -g retrosweep "$dir/shop.env" /etc/retrosweep/shop.env

# The line as it stands, every minute.
sed 's|^30 4 \* \* \* |* * * * * |' "$here/cron/retrosweep.crontab" >"$dir/line"
if ! grep -q '^\* \* \* \* \* retrosweep ' "$dir/line"; then
	echo "cron.sh: the crontab has no line '30 4 * * * retrosweep ...'" >&2
	exit 1
fi
install -m 0644 "$dir/line" /etc/cron.d/retrosweep

cron -f -L 15 >"$dir/cron.log" 2>&1 &
daemon=$!

# cron begins a job with the minute; two minutes are enough for one.
receipt=/var/lib/retrosweep/shop.txt
for _ in $(seq 150); do
	if [ -s "$receipt" ] && as git -C /var/lib/retrosweep/shop.git rev-parse --quiet --verify refs/retrosweep/journal >/dev/null; then
		break
	fi
	kill -0 "$daemon" || { echo "cron.sh: cron ended:" >&2 && cat "$dir/cron.log" >&2 && exit 1; }
	sleep 1
done
kill "$daemon"
wait "$daemon" || true
daemon=

if ! grep -q 'src/parser.go' "$receipt"; then
	echo "cron.sh: no receipt of the finding after 150 seconds:" >&2
	cat "$receipt" "$dir/cron.log" >&2 || true
	exit 1
fi
as git -C /var/lib/retrosweep/shop.git rev-parse --quiet --verify refs/retrosweep/journal >/dev/null
[ "$(stat -c %U "$receipt")" = retrosweep ]
echo "cron: a night by Debian's cron left a receipt and a journal"

# A night that fails says so, on what cron would mail.
command=$(sed -n 's/^\* \* \* \* \* retrosweep //p' "$dir/line")
sed -i 's|^RETROSWEEP_PUSH=.*|RETROSWEEP_PUSH=perhaps|' /etc/retrosweep/shop.env
said=$(as env PATH=/usr/local/bin:/usr/bin:/bin sh -c "$command" 2>&1)
case $said in
*'exit code 2'*) echo "cron: a failed night prints its cause and its code" ;;
*) echo "cron.sh: a night with a wrong setting prints: $said" >&2 && exit 1 ;;
esac
