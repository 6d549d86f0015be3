#!/bin/bash
# Workloads that fail, outputs that exist, disks that are full, no root: one
# sentence, the right exit code, nothing lost, nothing left.
. "$(dirname "$0")/lib.sh"
need python3 setpriv unshare

# --- workloads
run 3 "no program 'nosuchthing'" collect -o set nosuchthing
[ -e set ] && fail "a set without a run is left"
run 3 "/nosuch/thing: No such file" collect -o set /nosuch/thing
printf 'x' >notexec
run 3 "cannot run the workload ./notexec: Permission denied" collect -o set ./notexec
run 3 "Is a directory" collect -o set /tmp
printf '\177ELFgarbage' >garbage; chmod +x garbage
run 3 "cannot run the workload ./garbage .*Exec format error" collect -o set ./garbage
[ -e set ] && fail "a set without a run is left"
rm -rf set

run 4 "the command failed in 2 of 2 runs; see fails/001/workload.err" collect -q -o fails -r 2 -- sh -c 'echo oops >&2; exit 7'
is 7 "$(json fails/001/run.json 'd["workload"]["exit_status"]')" "exit status"
is True "$(json fails/001/run.json 'd["complete"]')" "complete"
is oops "$(cat fails/002/workload.err)" "workload.err"
run 4 "" collect -q -o crash -- sh -c 'kill -SEGV $$'
is 11 "$(json crash/001/run.json 'd["workload"]["signal"]')" "signal"
is -1 "$(json crash/001/run.json 'd["workload"]["exit_status"]')" "exit status of a crash"
run 4 "" collect -q -o killed -- sh -c 'kill -9 $$'
is 9 "$(json killed/001/run.json 'd["workload"]["signal"]')" "signal"

# binary output, also to the terminal's side
run 0 "" collect -o binary -- head -c 3000000 /dev/urandom
is 3000000 "$(stat -c %s binary/001/workload.out)" "binary output"
is True "$(json binary/001/run.json 'd["complete"]')" "complete"

# a child that outlives the workload and keeps its output open
start=$(date +%s)
run 0 "" collect -q -o daemon -- sh -c 'sleep 40 & echo started'
[ $(($(date +%s) - start)) -lt 30 ] || fail "waited for a child in the background"

# arguments of any kind survive
run 0 "" collect -q -o odd -- printf '%s|' "a b" "" $'\xff\xfe' '"' -x
is 5 "$(tr -cd '|' <odd/001/workload.out | wc -c)" "odd arguments"
is 6 "$(json odd/001/run.json 'len(d["command"])-1')" "odd arguments in run.json"

# --- outputs
mkdir precious; echo important >precious/file
run 3 "precious exists" collect -o precious true
run 3 "precious is no set" collect --force -o precious true
is important "$(cat precious/file)" "a folder of someone else"
echo text >afile
run 3 "afile exists" collect -o afile true
run 3 "afile" collect --force -o afile true
is text "$(cat afile)" "a file of someone else"
mkdir empty
run 0 "" collect -q -o empty true
run 3 "exists" collect -o empty true
run 3 "there is no set nowhere" collect --append -o nowhere true
run 3 "is no set" collect --append -o precious true
run 3 "cannot" collect -o afile/below true

# --force replaces only when the new set is whole
run 0 "" collect -q -o forced -r 2 -l old true
run 4 "failed" collect -q --force -o forced -l new false
is old "$(json forced/set.json 'd["label"]')" "a failed run replaced the old set"
rm -rf forced.new-*
"$SB" collect -q --force -o forced -l new -- sh -c 'touch started.forced; exec sleep 60' 2>/dev/null &
pid=$!
started started.forced
kill -TERM $pid
wait $pid
is old "$(json forced/set.json 'd["label"]')" "an interrupted run replaced the old set"
[ -d forced/002 ] || fail "the old set lost a run"
ls -d forced.new-*/001 >/dev/null 2>&1 || fail "the interrupted run is lost"
rm -rf forced.new-*
run 0 "" collect -q --force -o forced -l new true
is new "$(json forced/set.json 'd["label"]')" "--force"
[ -e forced/002 ] && fail "--force left old runs"
is "forced" "$(ls -d forced*)" "--force left something beside"

# --- CPUs
run 3 "no such CPU" collect -o set --cpus 60000 true
run 2 "" collect -o set --cpus 99999999 true
run 2 "names no CPU" collect -o set --cpus "" true
[ -e set ] && fail "a set without a run is left"

# --- full disk, in a mount namespace of our own
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir small
	unshare -m bash -c '
		mount -t tmpfs -o size=256k,nr_inodes=200 none small || exit 77
		"$1" collect -q -o small/set --without sched -- head -c 1000000 /dev/zero 2>stderr.txt
		echo $? >code
		cp -r small/set copy 2>/dev/null
		"$1" collect -q -o small/set2 true 2>stderr2.txt
		echo $? >code2' full "$SB"
	code=$?
	if [ $code = 0 ]; then
		is 3 "$(cat code)" "exit code on a full disk"
		grep -q "No space left on device" stderr.txt || fail "full disk: $(tail -1 stderr.txt)"
		[ "$(grep -vc note: stderr.txt)" = 1 ] || fail "full disk: more than one sentence"
		is False "$(json copy/001/run.json 'd["complete"]')" "complete on a full disk"
		is 3 "$(cat code2)" "exit code on a disk that was full before"
	fi
fi

# --- nobody, who may do next to nothing
if [ "$(id -u)" = 0 ]; then
	mkdir -m 777 open
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs"
	if $nobody test -x "$SB"; then
		$nobody "$SB" collect -o open/set true 2>stderr.txt
		is 0 $? "exit code of nobody"
		is ok "$(json open/set/001/run.json 'd["sources"]["counters"]["state"]')" "counters"
		$nobody "$SB" collect -o open/set2 --trace true 2>stderr.txt
		is 3 $? "exit code of nobody with --trace"
		grep -q "source trace" stderr.txt || fail "nobody: $(tail -1 stderr.txt)"
		$nobody "$SB" collect -o set true 2>stderr.txt
		is 3 $? "exit code where nobody may not write"
		grep -q "Permission denied" stderr.txt || fail "nobody: $(tail -1 stderr.txt)"
		$nobody "$SB" doctor >doctor.txt || fail "doctor of nobody"
		grep -q "not root" doctor.txt || fail "doctor does not say not root"
	fi
fi
no_leftovers
finish
