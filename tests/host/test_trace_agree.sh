#!/bin/bash
# What we say of a recording and what the tools that recorded it say: run time,
# switches and wakeup delays per task against perf sched timehist, events per type
# and CPU against trace-cmd report.
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
perf sched -i perf.data timehist --summary >timehist.txt 2>/dev/null ||
	skip "perf sched timehist does not work here"
perf sched -i perf.data timehist >rows.txt 2>/dev/null
"$BIN/schedblame" collect --trace --without sched,profile -o set -- \
	perf bench sched messaging -g 2 -l 200 >/dev/null 2>&1
if [ -s set/001/trace.dat ] && command -v trace-cmd >/dev/null; then
	trace-cmd report -i set/001/trace.dat >report.txt 2>/dev/null
	"$BIN/schedblame" report --format json --sections trace set/001/trace.dat >dat.json ||
		exit 1
fi
python3 - <<'PY'
import collections, json, os, re, sys
bad = []

def trace(path):
    return next(iter(json.load(open(path))["trace"].values()))

# timehist: "comm[tid/pid]  parent  sched-in  run-time  min avg max stddev migrations", ms
rows = {}
for line in open("timehist.txt", errors="replace"):
    m = re.match(r"\s*(.*)\[(\d+)(?:/(\d+))?\]\s+(-?\d+)\s+(\d+)\s+([0-9.]+)\s", line)
    if m:
        old = rows.get(int(m.group(2)), ("", 0, 0.0))
        rows[int(m.group(2))] = (m.group(1), old[1] + int(m.group(5)),
                                 old[2] + float(m.group(6)))
ours = trace("ours.json")
mine = collections.defaultdict(lambda: [0, 0.0, 0])
for t in ours["tasks"]:
    mine[t["pid"]][0] += t["runs"]
    mine[t["pid"]][1] += t["run_ns"] / 1e6
    mine[t["pid"]][2] += t["voluntary"] + t["preempted"]
checked = 0
if not ours["events"]["lost_events"]:
    for pid, (comm, runs, ms) in rows.items():
        if pid == 0 or runs < 2:
            continue
        checked += 1
        # timehist counts switches away from the task; so do we. It takes any such
        # switch for the end of a run that began with the CPU's switch before, even
        # where that went to another task and a switch is missing in the recording
        # (seen: threads whose switches are hidden from perf). We measure no run then.
        if abs(mine[pid][2] - runs) > 2:
            bad.append(f"{comm}:{pid}: left {mine[pid][2]} times, timehist {runs}")
        if mine[pid][0] == runs and abs(mine[pid][1] - ms) > 0.01 + ms * 0.001:
            bad.append(f"{comm}:{pid}: ran {mine[pid][1]:.3f} ms, timehist {ms:.3f}")
    if checked < 5:
        bad.append(f"only {checked} tasks could be compared")
lost = ours["events"]["lost_events"]
task = {t["pid"]: t for t in ours["tasks"]}

# timehist's "sch delay" is the wait after a wakeup, rounded to a microsecond, in the
# row of the run that it led to. Most tasks agree; why the others differ is not known
# for each (a run without a row has no delay there). A third of them may differ.
delay = collections.defaultdict(lambda: [0, 0.0])
for line in open("rows.txt", errors="replace"):
    m = re.match(r"\s*[\d.]+ \[\d+\]\s+.*\[(\d+)(?:/\d+)?\]\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s*$",
                 line)
    if m and float(m.group(2)) > 0:
        delay[int(m.group(1))][0] += 1
        delay[int(m.group(1))][1] += float(m.group(2))
exact = other = 0
for pid, (n, ms) in delay.items():
    w = task.get(pid, {}).get("wakeup_wait")
    if not w or lost:
        continue
    if abs(w["sum_ns"] / 1e6 - ms) <= 0.0006 * (n + 2):
        exact += 1
    else:
        other += 1
print(f"timehist: wakeup delays of {exact} tasks agree, of {other} they differ")
if exact < 2 * other:
    bad.append(f"wakeup delays of {other} tasks differ from timehist, of {exact} they agree")

# perf sched latency of 6.1 is not compared: its counts and delays differ from
# timehist's too (of 85 waits of a task that timehist has, it counts 5). It looks as if
# it heard sched_wakeup alone while sched_waking is recorded; that is not proven.
if os.path.exists("dat.json"):
    dat, count, cpu = trace("dat.json"), collections.Counter(), collections.Counter()
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
    print(f"trace-cmd: {sum(count.values())} events compared")
for b in bad:
    print("FAIL", b)
sys.exit(1 if bad else 0)
PY
