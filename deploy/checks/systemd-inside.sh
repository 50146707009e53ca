#!/bin/bash
# Run by systemd-run.sh inside the container, as a service of its systemd.
set -euo pipefail

fail() {
	echo "systemd-run: $*" >&2
	journalctl --no-pager --lines=30 >&2 || true
	exit 1
}

# shows UNIT PROPERTY VALUE
shows() {
	local got
	got=$(systemctl show --value --property="$2" "$1")
	[ "$got" = "$3" ] || fail "$1: $2 is $got, not $3"
}

# settings NAME REPO: the example as the page has it, for a path.
settings() {
	install -d -m 0755 /etc/retrosweep
	sed -e "s|^RETROSWEEP_REPO=.*|RETROSWEEP_REPO=$2|" -e 's|^RETROSWEEP_PUSH=.*|RETROSWEEP_PUSH=false|' \
		/check/shop.env.example >"/etc/retrosweep/$1.env"
	chmod 0600 "/etc/retrosweep/$1.env"
}

# instead NAME COMMAND: the same box around another command.
instead() {
	settings "$1" /nowhere
	mkdir -p "/run/systemd/system/retrosweep@$1.service.d"
	printf '[Service]\nExecStart=\nExecStart=%s\n' "$2" >"/run/systemd/system/retrosweep@$1.service.d/check.conf"
	systemctl daemon-reload
}

printf 'root:x:0:0::/root:/bin/sh\ngit:x:900:900::/srv/git:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n' >/etc/passwd
printf 'root:x:0:\ngit:x:900:\nnogroup:x:65534:\n' >/etc/group

# A night, with its repository in the folder that the unit may write.
mkdir -p /var/lib/private/retrosweep/shop
chmod 0700 /var/lib/private
cp -r /check/shop.git /var/lib/private/retrosweep/shop/shop.git
settings shop /var/lib/retrosweep/shop/shop.git
systemctl start retrosweep@shop.service || fail 'the night failed'
shows retrosweep@shop.service Result success
shows retrosweep@shop.service NRestarts 0
journalctl --no-pager --unit=retrosweep@shop.service | grep -q 'src/parser.go' || fail 'the receipt is not in the journal'
[ -f /var/lib/private/retrosweep/shop/shop.git/refs/retrosweep/journal ] || fail 'the night left no journal in the repository'
[ "$(stat -c %u /var/lib/private/retrosweep/shop/shop.git/refs/retrosweep/journal)" != 0 ] || fail 'the night ran as root'
echo 'systemd: a night ran as a user of its own and wrote its receipt to the journal'

# A repository of somebody else's, by the drop-in.
mkdir -p /srv/git && cp -r /check/shop.git /srv/git/shop.git && chown -R git:git /srv/git
mkdir -p /run/systemd/system/retrosweep@local.service.d
cp /check/local-repository.conf /run/systemd/system/retrosweep@local.service.d/
systemctl daemon-reload
settings local /srv/git/shop.git
systemctl start retrosweep@local.service || fail 'the night on a local repository failed'
[ "$(stat -c %U /srv/git/shop.git/refs/retrosweep/journal)" = git ] || fail 'the local repository has no journal of its owner'
echo 'systemd: with local-repository.conf a night ran as the repository'"'"'s owner'

# The box, from inside: what may be written, and that git works in it.
cat >/check/probe <<'PROBE'
#!/bin/bash
set -eu
[ "$(id -u)" != 0 ]
grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/self/status
grep -q '^CapEff:[[:space:]]*0000000000000000$' /proc/self/status
grep -q '^Seccomp:[[:space:]]*2$' /proc/self/status
for path in / /etc /usr /srv /var/lib /var/cache /check; do
	if touch "$path/written" 2>/dev/null; then echo "wrote to $path" && exit 7; fi
done
if ls /root/* /home/* 2>/dev/null; then echo 'saw a home folder' && exit 7; fi
if cat /etc/retrosweep/probe.env 2>/dev/null; then echo 'read the settings' && exit 7; fi
touch "$STATE_DIRECTORY/written" "$CACHE_DIRECTORY/written" /tmp/written
git clone --quiet --bare "file:///check/shop.git" "$CACHE_DIRECTORY/clone.git"
git -C "$CACHE_DIRECTORY/clone.git" fsck --no-progress
PROBE
chmod 0755 /check/probe
chown -R root:root /check/shop.git
git config --system safe.directory '*' 2>/dev/null || printf '[safe]\n\tdirectory = *\n' >/etc/gitconfig
instead probe /check/probe
systemctl start retrosweep@probe.service || fail 'the box is not as it should be'
echo 'systemd: the box holds, and git works in it'

# Each exit code, and how often the night was then tried. "start" returns after
# the first try, so this waits for the unit to come to rest.
for code in 0 1 2 3 4; do
	instead "code$code" "/bin/bash -c 'echo >>\$STATE_DIRECTORY/tries; exit $code'"
	systemctl start "retrosweep@code$code.service" 2>/dev/null || true
	for _ in $(seq 30); do
		state=$(systemctl show --value --property=SubState "retrosweep@code$code.service")
		case $state in dead | failed) break ;; esac
		sleep 0.5
	done
	tries=$(wc -l <"/var/lib/private/retrosweep/code$code/tries")
	case $code in 0) want='inactive 1' ;; 3) want='failed 2' ;; *) want='failed 1' ;; esac
	got="$(systemctl is-active "retrosweep@code$code.service" || true) $tries"
	[ "$got" = "$want" ] || fail "exit code $code ends as '$got', not '$want' (state, tries)"
done
echo 'systemd: 0 is success; 3 is tried twice, then failed; 1, 2 and 4 fail at once'

systemctl start retrosweep@shop.timer
systemctl list-timers --no-pager 'retrosweep@*' | grep -q '^[A-Z][a-z][a-z] .* 04:[34].* UTC .*retrosweep@shop.service' ||
	fail "the timer: $(systemctl list-timers --no-pager 'retrosweep@*')"
echo 'systemd: the timer waits for 04:30 UTC'
touch /check/passed
