#!/bin/bash
# What we say of a recording and what the tools that recorded it say: every run, switch
# and wakeup delay against perf sched timehist and latency (perf_sched_rules.py has their
# rules and ours), events per type and CPU against trace-cmd report.
set -u
skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "not root"
command -v perf >/dev/null || skip "no perf"
command -v python3 >/dev/null || skip "no python3"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
# a loaded machine loses events, and what spans a loss cannot be compared
for try in 1 2 3; do
	perf sched record -B -m 16384 -o perf.data -- perf bench sched messaging -g 2 -l 200 \
		>log 2>&1
	[ -s perf.data ] || skip "perf sched record does not work here: $(tail -1 log)"
	"$BIN/schedblame" report --format json --sections trace perf.data >ours.json || exit 1
	grep -q '"lost_events": 0' ours.json && break
	[ $try = 3 ] && skip "perf lost events in each of three recordings"
done
perf sched -i perf.data timehist >rows.txt 2>/dev/null ||
	skip "perf sched timehist does not work here"
perf sched -i perf.data latency -p >latency.txt 2>/dev/null
perf script -i perf.data --show-task-events --ns -F comm,tid,pid,cpu,time,event,trace \
	>events.txt 2>/dev/null
python3 "$SOURCE_DIR/tests/host/perf_sched_rules.py" .
status=$?
[ $status = 0 ] || [ $status = 77 ] || exit $status

"$BIN/schedblame" collect --trace --without sched,profile -o set -- \
	perf bench sched messaging -g 2 -l 200 >/dev/null 2>&1
[ -s set/001/trace.dat ] && command -v trace-cmd >/dev/null || exit $status
trace-cmd report -i set/001/trace.dat >report.txt 2>/dev/null
"$BIN/schedblame" report --format json --sections trace set/001/trace.dat >dat.json || exit 1
python3 - <<'PY' || exit
import collections, json, re, sys
bad = []
dat = next(iter(json.load(open("dat.json"))["trace"].values()))
count, cpu = collections.Counter(), collections.Counter()
for line in open("report.txt", errors="replace"):
    m = re.match(r".*\[(\d+)\].*?\d+\.\d+: (\w+):", line)
    if m:
        count[m.group(2)] += 1
        cpu[int(m.group(1)), m.group(2)] += 1
for name in ("sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new",
             "sched_migrate_task", "sched_process_fork", "sched_process_exec",
             "sched_process_exit", "task_rename"):
    if dat["events"].get(name, 0) != count[name]:
        bad.append(f"{name}: {dat['events'].get(name, 0)}, trace-cmd {count[name]}")
for c in dat["cpus"]:
    for name, n in c["events"].items():
        if n != cpu[c["cpu"], name]:
            bad.append(f"CPU {c['cpu']} {name}: {n}, trace-cmd {cpu[c['cpu'], name]}")
if not count["sched_switch"]:
    bad.append("no switches")
print(f"trace-cmd: {sum(count.values())} events compared")
for b in bad:
    print("FAIL", b)
sys.exit(1 if bad else 0)
PY
exit $status
