#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --annotate of a program of our own: every sample falls on the instruction at which
# perf counted it, its lines come from the debug information, which may lie in the
# program or on a debuginfod server (here a plain one on the loopback).
. "$(dirname "$0")/lib.sh"

need perf cc python3 readelf objcopy
PATH=$BIN:$PATH

cat >hot.c <<'X'
static volatile unsigned long x = 1;
__attribute__((noinline)) void hot_function(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		x = x * 3 + i;
}
int main(int argc, char **argv)
{
	hot_function(argc > 1 ? 60000000 : 150000000);
	return 0;
}
X
cc -g -O1 -no-pie -Wl,--build-id -o hot hot.c || skip "cc makes no program here"
perf record -q -e cpu-clock:u -F 2000 -o a ./hot >/dev/null 2>&1 || skip "perf cannot record here"
perf record -q -e cpu-clock:u -F 2000 -o b ./hot 1 >/dev/null 2>&1

diffprofile --annotate hot_function a b >text || fail "annotate ended with $?"
grep -q "hot.c:5 *x = x \* 3 + i;" text || fail "the hot line is not there: $(head -20 text)"
for f in a b; do
	perf script -i $f -F ip,sym 2>/dev/null | awk '$2 == "hot_function" { print $1 }' |
		sort | uniq -c | awk '{ print $2, $1 }' >$f.perf
done
diffprofile --annotate hot_function --format json a b >json
python3 - <<'X' || fail "counts are not those of perf script"
import json
a = json.load(open("json"))
for side, f in enumerate("ab"):
    ours = {r["address"][side]: r["samples"][side] for r in a["rows"] if r["samples"][side]}
    perf = {int(l.split()[0], 16): int(l.split()[1]) for l in open(f + ".perf")}
    assert ours == perf and sum(perf.values()) > 20, (ours, perf)
X

# the same without debug information in the program, then with a server of it
id=$(readelf -n hot | sed -n 's/.*Build ID: //p')
mkdir -p "served/buildid/$id"
objcopy --only-keep-debug hot "served/buildid/$id/debuginfo"
objcopy --strip-debug hot hot.small && cp hot.small hot
diffprofile --annotate hot_function a b >text || fail "annotate without lines ended with $?"
grep -q "hot.c:5" text && fail "lines without debug information"
ldconfig -p | grep -q libdebuginfod.so.1 || skip "there is no libdebuginfod"
(cd served && exec python3 -u -m http.server --bind 127.0.0.1 0) >server.log 2>&1 &
server=$!
for i in $(seq 120); do
	port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' server.log)
	[ -n "$port" ] && break
	sleep 0.5
done
DEBUGINFOD_URLS=http://127.0.0.1:$port DEBUGINFOD_CACHE_PATH=$work/cache \
	diffprofile --annotate hot_function a b >text
kill $server
grep -q "hot.c:5" text || fail "no lines from the server: $(tail -3 server.log)"
finish
