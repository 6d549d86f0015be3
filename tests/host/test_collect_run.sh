#!/bin/bash
# A whole collect: what is in the run directory, and that it is right.
. "$(dirname "$0")/lib.sh"
need python3 hackbench

# two repeats, numbers found, output kept
run 0 "2 runs in set" collect -o set -l "two words" -r 2 --warmup 1 -- hackbench -g 1 -l 50
is "two words" "$(json set/set.json 'd["label"]')" "label"
[ -e set/003 ] && fail "the warm-up was recorded"
for n in 001 002; do
	is True "$(json set/$n/run.json 'd["complete"]')" "complete"
	is "['hackbench', '-g', '1', '-l', '50']" "$(json set/$n/run.json 'd["command"]')" command
	is 0 "$(json set/$n/run.json 'd["workload"]["exit_status"]')" "exit status"
	is "$(uname -r)" "$(json set/$n/run.json 'd["host"]["release"]')" "kernel"
	is "$(cat /proc/sys/kernel/random/boot_id)" "$(json set/$n/run.json 'd["host"]["boot_id"]')" "boot id"
	is ok "$(json set/$n/run.json 'd["sources"]["counters"]["state"]')" counters
	grep -q "^Running in process mode" set/$n/workload.out || fail "workload.out"
	[ -s set/$n/topology.xml ] || fail "no topology.xml"
	[ -s set/$n/before/proc/stat ] && [ -s set/$n/after/proc/stat ] || fail "no /proc/stat"
	is 20000.0 "$(json set/$n/metrics.json '[m["value"] for m in d["metrics"] if m["name"] == "messages" and m["work"]][0]')" "messages"
	# the clock of the copies embraces the workload
	python3 - set/$n <<-'PY' || fail "times do not fit"
		import json, sys
		run = json.load(open(sys.argv[1] + '/run.json'))
		before = int(open(sys.argv[1] + '/before/clock').read())
		after = int(open(sys.argv[1] + '/after/clock').read())
		wall = run['workload']['wall_ns']
		assert wall <= run['duration_ns'] <= after - before + 500_000_000, (wall, run['duration_ns'])
		assert after - before >= wall
		out = json.load(open(sys.argv[1] + '/metrics.json'))
		named = {m['name']: m for m in out['metrics']}
		assert abs(named['wall_time']['value'] * 1e9 - wall) < 1000
		assert named['time']['value'] <= named['wall_time']['value']
		assert named['time']['better'] == 'lower' and out['workload'] == 'hackbench'
	PY
done
grep -q "^Time:" stderr.txt || fail "the output of the workload is not shown"

# -q shows nothing
run 0 "" collect -q -o quiet hackbench -g 1 -l 10
[ -s stderr.txt ] && ! grep -q note: stderr.txt && fail "-q is not quiet: $(cat stderr.txt)"

# appended runs go on counting; a second label does not fit
run 0 "1 run in set" collect --append -o set -- true
[ -d set/003 ] || fail "--append made no 003"
run 3 "has the label" collect --append -o set -l other -- true
[ -e set/004 ] && fail "a refused append left a run"

# the system as it is
run 0 "" collect -q -o system --duration 0.4
is "[]" "$(json system/001/run.json 'd["command"]')" "command of --duration"
is False "$(json system/001/run.json '"workload" in d')" "workload of --duration"
python3 -c 'import json,sys; d=json.load(open("system/001/run.json")); sys.exit(not 0.39e9 < d["duration_ns"] < 2e9)' ||
	fail "--duration 0.4 took $(json system/001/run.json 'd["duration_ns"]')"
# --duration ends a command without calling it a failure
run 0 "" collect -q -o limited --duration 0.3 sleep 60
is True "$(json limited/001/run.json 'd["workload"]["stopped"]')" "stopped"

# one CPU
run 0 "" collect -q -o one --cpus 0 -- sh -c 'grep Cpus_allowed_list /proc/self/status; nproc'
is 0 "$(json one/001/run.json 'd["cpus"]')" "cpus"
is 1 "$(tail -1 one/001/workload.out)" "CPUs of the workload"
run 0 "" collect -q -o one2 taskset -c 0 hackbench -g 1 -l 10
taskset -c 0 "$SB" collect -q -o one3 true || fail "collect itself on one CPU"
is 0 "$(json one3/001/run.json 'd["cpus"]')" "inherited cpus"

# --without, --with, --metric, --workload
run 0 "" collect -q -o less --without all --with counters -- true
is off "$(json less/001/run.json 'd["sources"]["host"]["state"]')" "host left out"
is ok "$(json less/001/run.json 'd["sources"]["counters"]["state"]')" "counters asked for"
run 0 "" collect -q -o metric --metric 'speed:GB/s:higher:speed is ([0-9.]+)' -- echo speed is 12.5
is 12.5 "$(json metric/001/metrics.json '[m["value"] for m in d["metrics"] if m["name"] == "speed"][0]')" "--metric"
printf 'workload mine\nmetric speed x/s higher last ^speed ([0-9]+)\n' >mine.conf
run 0 "" collect -q -o mine --workload mine.conf -- echo speed 7
is mine "$(json mine/001/metrics.json 'd["workload"]')" "--workload"

# the default name
run 0 "1 run in true-$(uname -r)" collect true
[ -d "true-$(uname -r)/001" ] || fail "default name"
no_leftovers
finish
