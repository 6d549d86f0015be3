#!/bin/bash
# A plan that is run, stopped in the middle, killed, and goes on.
. "$(dirname "$0")/lib.sh"
need python3 setsid

cat >p.plan <<'END'
repeats 1
option --without=profile,trace,numa,latency
case sleeps
	command sh -c 'echo {load} >>log; touch started; sleep 0.{load}'
	loads 1 2
	title {load} sleeps
set one
set two
	prefix env PLAN=two
END
run 0 "all 4 runs of this kernel are made: schedblame report p/one p/two" collect --plan p.plan
is "['001', '002']" "$(python3 -c 'import os; print(sorted(x for x in os.listdir("p/one") if x[0] == "0"))')" "runs"
is "sleeps|1 sleeps" "$(json p/one/001/run.json 'd["case"] + "|" + d["load"]')" "case and load in run.json"
is "1 1 2 2 " "$(tr '\n' ' ' <log)" "order of loads"
run 0 "all 4 runs" collect --plan p.plan
is 4 "$(wc -l <log)" "a plan that is done runs nothing"
"$SB" report p/one p/two >report.txt || fail "report"
grep -q "sleeps *1 sleeps" report.txt && grep -q "sleeps *2 sleeps" report.txt || fail "no table of loads"

# stopped in the middle: the run is made again
sed 's/sleep 0/exec sleep 5/' p.plan >q.plan
rm -f started log
setsid "$SB" collect -q --plan q.plan 2>stderr.txt &
pid=$!
started started
kill -INT $pid
wait $pid
is 3 $? "exit code after a signal"
grep -q "0 of 4 runs are made; the same command goes on with" stderr.txt || fail "$(cat stderr.txt)"
sed -i 's/exec sleep 5/sleep 0/' q.plan
run 0 "was cut short or failed" collect -q --plan q.plan
is 2 "$(ls q/one | grep -c '^0')" "runs after going on"
is 2 "$(ls q/two | grep -c '^0')" "runs after going on"
is "True" "$(json q/one/001/run.json 'd["complete"]')" "the run made again"

# two at once in one folder: the second one says so, and leaves all as it is
sed 's/sleep 0/exec sleep 2/' p.plan >t.plan
rm -f started
"$SB" collect -q --plan t.plan 2>first.txt &
pid=$!
started started
run 3 "another collect --plan is at work in t: wait for its end" collect -q --plan t.plan
wait $pid
is 0 $? "exit code of the first: $(cat first.txt)"
is 4 "$(ls -d t/*/0* | wc -l)" "runs of two at once"
is "" "$(ls -A t | grep -v '^one$\|^two$')" "a lock is left"

# a disk that is full: what is there stays, and the same command goes on
mkdir full
if mount -t tmpfs -o size=400k tmpfs full 2>/dev/null; then
	sed 's/sleep 0.*/true\x27/' p.plan >d.plan
	"$SB" collect -q --plan d.plan -o full/d 2>stderr.txt
	is 3 $? "exit code with a full disk"
	grep -q "No space left on device" stderr.txt || fail "$(cat stderr.txt)"
	grep -q "of 4 runs are made, the same command goes on" stderr.txt || fail "$(cat stderr.txt)"
	mount -o remount,size=8m full
	run 0 "" collect -q --plan d.plan -o full/d
	is "2 2" "$(ls -d full/d/one/0* | wc -l) $(ls -d full/d/two/0* | wc -l)" "runs after room was made"
	"$SB" report --brief full/d/one full/d/two >report.txt || fail "report after a full disk"
	umount full
fi

# killed hard: its collect ends, too
sed 's/sleep 0/exec sleep 47/' p.plan >k.plan
rm -f started
"$SB" collect -q --plan k.plan 2>/dev/null &
pid=$!
disown $pid
started started
kill -9 $pid
for _ in $(seq 100); do pgrep -f "sleep 47.1" >/dev/null || break; sleep 0.1; done
pgrep -f "sleep 47.1" >/dev/null && fail "the workload outlived its plan"

# a command that fails
printf 'repeats 1\noption --without=profile,numa,latency\ncase c\ncommand sh -c "exit {load}"\nloads 0 3\nset a\n' >f.plan
run 4 "the command failed in 1 of 2 runs" collect -q --plan f.plan
run 4 "was cut short or failed" collect -q --plan f.plan

# sets of other kernels wait
printf 'repeats 1\noption --without=profile,numa,latency\ncase c\ncommand true\nset here\nset there\nkernel 0.0.*\n' >w.plan
run 0 "set there waits for kernel 0.0" collect --plan w.plan
[ -e w/there ] && fail "a set of another kernel was made"
sed -i 's/case/kase/' w.plan
run 3 "w.plan:3: 'kase' is no word of a plan" collect --plan w.plan
finish
