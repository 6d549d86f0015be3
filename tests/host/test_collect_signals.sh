#!/bin/bash
# Signals and kill -9 in the middle; two collects at once; knobs come back.
. "$(dirname "$0")/lib.sh"
need python3 setsid
need_root

knob= old=
for k in kernel.sched_cfs_bandwidth_slice_us vm.stat_interval; do
	f=/proc/sys/${k//.//}
	[ -w "$f" ] && knob=$k && old=$(cat "$f") && break
done
[ -n "$knob" ] || skip "no sysctl that could be changed"
other=$((old + 1))
value() { cat "/proc/sys/${knob//.//}"; }
cleanup() { echo "$old" >"/proc/sys/${knob//.//}"; }
gone() { for _ in $(seq 50); do pgrep -f "$1" >/dev/null || return 0; sleep 0.1; done; return 1; }

run 0 "" collect -q -o plain --set "$knob=$other" -- cat "/proc/sys/${knob//.//}"
is "$other" "$(cat plain/001/workload.out)" "--set"
is "$old" "$(value)" "value after"
is "[{'name': '$knob', 'old': '$old', 'new': '$other'}]" "$(json plain/001/run.json 'd["knobs"]')" "knobs in run.json"

for sig in INT TERM HUP; do
	setsid "$SB" collect -q -o sig$sig --trace --set "$knob=$other" -r 3 -- \
		sh -c "touch started.$sig; sleep 4711.$$" 2>stderr.txt &
	pid=$!
	started started.$sig
	is "$other" "$(value)" "value in the middle"
	kill -$sig $pid
	wait $pid
	is 3 $? "exit code after SIG$sig"
	is "$old" "$(value)" "value after SIG$sig"
	is False "$(json sig$sig/001/run.json 'd["complete"]')" "complete after SIG$sig"
	[ -e sig$sig/002 ] && fail "went on after SIG$sig"
	[ -s sig$sig/001/after/proc/stat ] || fail "counters after SIG$sig"
	gone "sleep 4711.$$" || fail "the workload outlived SIG$sig"
	no_leftovers
done

# before the first run there is nothing to keep
"$SB" collect -q -o nothing --warmup 1 -- sh -c 'touch started.warmup; sleep 60' 2>stderr.txt &
pid=$!
started started.warmup
kill -INT $pid
wait $pid
is 3 $? "exit code after a signal in the warm-up"
grep -q "before a run began: nothing is kept" stderr.txt || fail "warm-up: $(cat stderr.txt)"
[ -e nothing ] && fail "a set without runs is left"

# a workload that does not listen is killed after a while; a second signal hurries
"$SB" collect -q -o deaf -- bash -c 'trap "" INT TERM; touch started.deaf; while :; do sleep 0.1; done' 2>/dev/null &
pid=$!
started started.deaf
sleep 0.2
kill -INT $pid; sleep 0.3; kill -INT $pid
start=$(date +%s)
wait $pid
[ $(($(date +%s) - start)) -le 4 ] || fail "a second signal did not hurry"
is 9 "$(json deaf/001/run.json 'd["workload"]["signal"]')" "signal of the deaf workload"

# two at once: the knob has one owner, the other collects do not care
"$SB" collect -q -o first --set "$knob=$other" -- sh -c 'touch started.first; until [ -e go ]; do sleep 0.1; done' &
pid=$!
started started.first
run 3 "another collect that is running has set $knob" collect -o second --set "$knob=$((old + 2))" true
[ -e second ] && fail "a refused collect left a set"
run 0 "" collect -q -o beside -- true
is "$other" "$(value)" "the second collect restored the first one's knob"
touch go
wait $pid
is "$old" "$(value)" "value after two at once"
"$SB" collect -q -o shared -- sleep 0.3 & a=$!
"$SB" collect -q -o shared2 --trace -- sleep 0.3 & b=$!
wait $a || fail "first of two at once"
wait $b || fail "second of two at once"
run 0 "" collect -q -o set true
"$SB" collect -q --append -o set -r 3 -- sleep 0.1 & a=$!
"$SB" collect -q --append -o set -r 3 -- sleep 0.1 & b=$!
wait $a || fail "first append"
wait $b || fail "second append"
is "001 002 003 004 005 006 007" "$(ls set | grep -v json | tr '\n' ' ' | sed 's/ $//')" "runs of two appends at once"

# kill -9, then the next command cleans up
"$SB" collect -q -o dead --trace --set "$knob=$other" -- \
	sh -c "sleep 4712.$$ & touch started.dead; exec sleep 4712.$$" &
pid=$!
disown $pid
started started.dead
sleep 0.3
kill -9 $pid
sleep 0.2
[ -d dead/001 ] && fail "the run was kept before anybody could"
"$SB" doctor >/dev/null 2>stderr.txt || fail "doctor after kill -9"
is "$old" "$(value)" "value after kill -9 and a command"
gone "sleep 4712.$$" || fail "the workload outlived kill -9"
is False "$(json dead/001/run.json 'd["complete"]')" "the run of kill -9"
ls /run/schedblame 2>/dev/null | grep -q "^$pid\." && fail "state of the dead is left"
no_leftovers

# somebody changed the knob after the crash: it stays
"$SB" collect -q -o dead2 --set "$knob=$other" -- sh -c 'touch started.dead2; exec sleep 4713' &
pid=$!
disown $pid
started started.dead2
kill -9 $pid
sleep 0.2
echo $((old + 5)) >"/proc/sys/${knob//.//}"
"$SB" doctor >/dev/null 2>stderr.txt
is $((old + 5)) "$(value)" "a value that somebody set after the crash"
grep -q "left as it is" stderr.txt || fail "nothing said of the foreign value"
cleanup

# a knob that cannot be set back (made read-only meanwhile) is said, and tried again
if unshare -m true 2>/dev/null; then
	unshare -m bash -c '
		"$1" collect -q -o stuck --set "$2=$3" -- mount -o bind,ro "$4" "$4" 2>stderr.txt
		echo $? >code
		"$1" doctor >/dev/null 2>tried.txt # fails to set it back, and must not forget it
		umount "$4"' stuck "$SB" "$knob" "$other" "/proc/sys/${knob//.//}"
	is 3 "$(cat code)" "exit code when a knob stays"
	grep -q "not all knobs could be set back; 1 run is kept" stderr.txt || fail "stuck knob: $(cat stderr.txt)"
	grep -q "keeps" tried.txt || fail "a failed try: $(cat tried.txt)"
	run 0 "is '$old' again" collect -o after true
	is "$old" "$(value)" "value after the next command"
fi

# refused values leave all as it was, also those set before the refusal
run 3 "the kernel refuses 'junk'" collect -o set9 --set "vm.stat_interval=2" --set "$knob=junk" true
is "$old" "$(value)" "value after a refusal"
[ -e set9 ] && fail "a refused knob left a set"
finish
