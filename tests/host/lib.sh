# Helpers of the live tests; sourced. One live test at a time on a machine, also
# over several source trees (flock -o: workloads must not inherit the lock).
if [ -z "${LIVE_LOCKED:-}" ]; then
	exec env LIVE_LOCKED=1 flock -o /tmp/schedblame-live-test.lock bash "$0" "$@"
fi
: "${SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BIN:=$SOURCE_DIR/build/release/bin}"
export SCHEDBLAME_DATADIR=$SOURCE_DIR/data LC_ALL=C
SB=$BIN/schedblame
work=$(mktemp -d)
chmod 755 "$work" # nobody must reach it, too
cd "$work" || exit 1
failures=0
trap 'cleanup 2>/dev/null; cd /; rm -rf "$work"' EXIT
cleanup() { :; }

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}
skip() {
	echo "SKIP: $*"
	exit 77
}
need() {
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}
need_root() { [ "$(id -u)" = 0 ] || skip "not root"; }

# run CODE SENTENCE ARG...: schedblame ARG... must exit with CODE and say SENTENCE
# (a grep -E expression, "" for nothing in particular) on stderr.
run() {
	local want=$1 says=$2 code
	shift 2
	"$SB" "$@" >stdout.txt 2>stderr.txt
	code=$?
	[ $code = "$want" ] || fail "exit $code instead of $want: $* ($(tail -1 stderr.txt))"
	[ -z "$says" ] || grep -qE "$says" stderr.txt ||
		fail "'$says' not said by: $* ($(tail -2 stderr.txt))"
}
# json FILE EXPRESSION: prints a value, python syntax on the object d.
json() {
	python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}
is() { # is WANT GOT WHAT
	[ "$1" = "$2" ] || fail "$3: '$2' instead of '$1'"
}
# Waits until a workload in the background has made the file.
started() {
	for _ in $(seq 300); do
		[ -e "$1" ] && return
		sleep 0.1
	done
	fail "$1 never came"
}
no_leftovers() {
	local left
	left=$(ls /sys/kernel/tracing/instances 2>/dev/null | grep "^schedblame-" |
		while read -r name; do
			pid=${name#schedblame-}
			pid=${pid%%.*}
			[ -d "/proc/$pid" ] || echo "$name"
		done)
	[ -z "$left" ] || fail "tracefs instances are left: $left"
}
finish() {
	[ $failures = 0 ] && echo "ok"
	exit $((failures > 0))
}
