# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What every part of the lab needs: the cache folder, locks, how it gives up.

LAB_UNAVAILABLE=77 # also ctest's "skipped"
LAB_TIMEOUT=124
LAB_FAILED=125

lab_cache=${SCHEDBLAME_LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/schedblame-lab}

lab_say() { [ -n "${LAB_QUIET:-}" ] || printf 'lab: %s\n' "$*" >&2; }

lab_die() { # STATUS SENTENCE
	local status=$1
	shift
	printf 'lab: %s\n' "$*" >&2
	exit "$status"
}

lab_need() { # PROGRAM PACKAGE
	PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ||
		lab_die $LAB_UNAVAILABLE "$1 is missing: install the package $2 (scripts/deps lab)"
}

# Builds of cached files are made one at a time, also between two labs.
lab_lock() {
	mkdir -p "$lab_cache" ||
		lab_die $LAB_UNAVAILABLE "cannot make the cache folder $lab_cache"
	exec 9>"$lab_cache/.lock"
	flock -w 600 9 || lab_die $LAB_FAILED "another lab has held $lab_cache for 10 minutes"
}

lab_unlock() { exec 9>&-; }
