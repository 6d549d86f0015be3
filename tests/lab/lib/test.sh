# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For the lab's tests: SCHEDBLAME names the program under test. A test ends with
# test_done; what failed is told as it happens.

test_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
test_top=$(cd "$test_dir/../.." && pwd)
: "${SCHEDBLAME:=$test_top/build/release/bin/schedblame}"
test_tmp=$(mktemp -d "${TMPDIR:-/tmp}/lab-test.XXXXXX")
trap 'rm -rf "$test_tmp"' EXIT
test_failed=0

fail() {
	echo "FAIL: $*"
	test_failed=1
}

check_equal() { # WHAT GOT EXPECTED
	[ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

check_match() { # WHAT FILE REGEX
	grep -Eq "$3" "$2" || fail "$1: no line matches $3 in: $(head -c 600 "$2")"
}

# Runs a job; a machine without QEMU or kernels skips the test. A guest that the
# emulator itself brought down (125) gets a second chance: see qemu.sh.
lab() { # OPTIONS...
	local status try
	for try in 1 2; do
		"$test_top/scripts/lab" --bin "$SCHEDBLAME" "$@"
		status=$?
		[ $status = 125 ] && [ $try = 1 ] || break
	done
	if [ $status = 77 ]; then
		echo "skipped: the lab is not to be had here"
		exit 77
	fi
	return $status
}

test_done() { exit $test_failed; }
