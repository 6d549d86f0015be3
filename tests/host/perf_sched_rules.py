# SPDX-License-Identifier: GPL-2.0-or-later
"""What perf sched timehist, perf sched latency and schedblame say of one recording.

The rules of all three, slow and obvious, over the events as perf script prints them.
Each program must say what its rule gives, for every row and every task; then each wait
on which timehist's rule and ours differ is put down to one of the causes in CAUSES.

perf_sched_rules.py DIR, where DIR holds events.txt (perf script --show-task-events --ns
-F comm,tid,pid,cpu,time,event,trace), rows.txt (perf sched timehist), latency.txt (perf
sched latency -p) and ours.json (schedblame report --format json --sections trace).
"""
import collections
import json
import re
import sys

CAUSES = {
    "not ended": "the task still ran at the end: timehist has no row for the run",
    "other row": "the next switch on that CPU names another task (a dead task is -1 to "
                 "perf; a switch is hidden from it): the delay is lost",
    "on the queue": "woken while it waited after preemption: no wait of its own, but "
                    "timehist takes part of the preemption wait for a delay",
    "while leaving": "woken after it decided to sleep and before the switch: timehist "
                     "forgets the wakeup at the switch",
    "stale": "the switch away from the task before this wakeup is missing in the recording: "
             "timehist measures from a wakeup before that",
}

Event = collections.namedtuple("Event", "ns cpu pid tid name field")


def read_events(path):
    """Events in the order in which perf handles them; FORK records as events 'FORK'."""
    head = re.compile(r".*?\s(-?\d+)/(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(.*)")
    pair = re.compile(r"(\w+)=(.*?)(?= (?:==> )?\w+=|$)")
    events = []
    for line in open(path, errors="replace"):
        m = head.match(line)
        if not m:
            continue
        ns = int(m.group(4)) * 10**9 + int(m.group(5))
        rest = m.group(6)
        fork = re.match(r"PERF_RECORD_FORK\((\d+):(\d+)\)", rest)
        if fork:
            name, field = "FORK", {"pid": fork.group(1), "tid": fork.group(2)}
        elif rest.startswith("sched:"):
            name, _, text = rest[6:].partition(": ")
            field = dict(pair.findall(text.strip()))
        else:
            continue
        events.append(Event(ns, int(m.group(3)), int(m.group(1)), int(m.group(2)), name, field))
    return events


def pid_of(e):
    return int(e.field["pid"])


def is_wake(e):
    """What timehist hears where sched_waking was recorded."""
    return e.name in ("sched_waking", "sched_wakeup_new")


def us(ns):
    """As timehist prints a time, in us: cut, not rounded."""
    return ns // 1000


class Thread:
    """Of timehist."""

    def __init__(self):
        self.ready = self.last = 0
        self.last_state = ""


def timehist(events):
    """Rows (ns, cpu, tid, wait, delay, run) by timehist's rule, one for each switch."""
    threads = collections.defaultdict(Thread)
    before = {}  # time of the CPU's last switch
    rows = []
    for e in events:
        if e.name == "FORK":
            threads.pop(int(e.field["tid"]), None)
        elif is_wake(e):
            t = threads[pid_of(e)]
            t.ready = t.ready or e.ns
        elif e.name == "sched_switch":
            prev = int(e.field["prev_pid"])
            tid = ("idle", e.cpu) if prev == 0 else e.tid or e.pid
            t = threads[tid]
            since = before.get(e.cpu, 0)
            wait = delay = run = 0
            if since:
                run = e.ns - since
                delay = since - t.ready if t.ready and t.ready <= since else 0
                wait = since - t.last if t.last and t.last <= since else 0
            rows.append((e.ns, e.cpu, 0 if prev == 0 else tid, wait, delay, run))
            t.last, t.ready = e.ns, 0
            before[e.cpu] = e.ns
    return rows


class Atoms:
    """Of perf sched latency: what it keeps of a task."""

    def __init__(self):
        self.state, self.woken = "sleeping", 0
        self.runtime = self.total = self.count = self.max = 0

    def out(self, queued, ns):
        self.state, self.woken = ("queued", ns) if queued else ("sleeping", 0)

    def come(self, ns):
        if self.state != "queued":
            return
        self.state = "running"
        self.count += 1
        self.total += ns - self.woken
        self.max = max(self.max, ns - self.woken)


def latency(events, preempted_is_queued):
    """Tasks by perf 6.1's rule: it hears sched_wakeup and sched_wakeup_new, not
    sched_waking, which perf sched record has recorded instead since 5.x; a task that
    blocked has no delay then. It looks the raw prev_state up in an array of 12 letters:
    0x100 (preempted, R+) is read from beyond it, whatever stands there."""
    tasks, generation = {}, collections.Counter()
    for e in events:
        def atoms(pid, queued, e=e):
            key = pid, generation[pid]
            if key not in tasks:
                tasks[key] = Atoms()
                tasks[key].out(queued, e.ns)
            return tasks[key]

        if e.name == "FORK":
            generation[int(e.field["tid"])] += 1
        elif e.name == "sched_stat_runtime":
            atoms(pid_of(e), True).runtime += int(e.field["runtime"].split()[0])
        elif e.name in ("sched_wakeup", "sched_wakeup_new"):
            a = atoms(pid_of(e), False)
            if a.state == "sleeping":
                a.state, a.woken = "queued", e.ns
        elif e.name == "sched_switch":
            queued = e.field["prev_state"] == "R" or (
                e.field["prev_state"] == "R+" and preempted_is_queued)
            atoms(int(e.field["prev_pid"]), False).out(queued, e.ns)
            atoms(int(e.field["next_pid"]), True).come(e.ns)
    return tasks


def our_waits(events):
    """Waits after wakeups by docs/definitions.md, where sched_waking was recorded and
    sched_wakeup was not: {index of the switch to the task: (pid, ns, cause)}."""
    mine = collections.defaultdict(list)  # indexes of events about a task
    for i, e in enumerate(events):
        if e.name == "sched_switch":
            for pid in {int(e.field["prev_pid"]), int(e.field["next_pid"])} - {0}:
                mine[pid].append(i)
        elif is_wake(e):
            mine[pid_of(e)].append(i)
        elif e.name == "sched_process_fork":
            mine[int(e.field["child_pid"])].append(i)
    waits = {}
    for pid, at in mine.items():
        for n, i in enumerate(at):
            if events[i].name == "sched_switch" and int(events[i].field["next_pid"]) == pid:
                found = wait_before(events, at[:n], pid)
                if found:
                    waits[i] = (pid, events[i].ns - found[0], found[1])
    return waits


def wait_before(events, at, pid):
    """(since when, how) the task waits that comes after these events about it."""
    wakes = []
    for i in reversed(at):
        e = events[i]
        if e.name == "sched_process_fork":
            break
        if is_wake(e):
            wakes.insert(0, e.ns)
            continue
        if int(e.field["prev_pid"]) != pid:  # came, and the switch away is missing
            return None
        if e.field["prev_state"] in ("R", "R+"):
            return None  # a preemption wait
        if wakes:
            return wakes[0], "blocked"
        early = early_wake(events, at[:at.index(i)], pid)
        return (early, "while leaving") if early else None
    return (wakes[0], "first") if wakes else None


def early_wake(events, at, pid):
    """The last wakeup while it ran, or the first one if it was not seen coming."""
    found = 0
    for i in reversed(at):
        e = events[i]
        if is_wake(e):
            found = found or e.ns
            first = e.ns
            continue
        if e.name == "sched_switch" and int(e.field["next_pid"]) == pid:
            return found
        return 0
    return first if found else 0


def explain(events, waits, rows, bad):
    """Puts each wait that only one side has, or both differently, down to a cause."""
    row_of, last = {}, {}
    index = {(r[0], r[1]): r for r in rows}
    for i, e in enumerate(events):
        if e.name == "sched_switch":
            if e.cpu in last:
                row_of[last[e.cpu]] = index[e.ns, e.cpu]
            last[e.cpu] = i
    seen = collections.Counter()
    for i, e in enumerate(events):
        if e.name != "sched_switch" or e.field["next_pid"] == "0":
            continue
        pid = int(e.field["next_pid"])
        ours = waits.get(i, (pid, 0, ""))
        row = row_of.get(i)
        theirs = row[4] if row else 0
        if row and row[2] == pid and theirs == ours[1]:
            seen["same" if ours[1] else "none"] += 1
            continue
        if not row:
            cause = "not ended" if ours[1] else "none"
        elif row[2] != pid:
            cause = "other row" if ours[1] or theirs else "none"
        else:
            cause = why(events, i, pid, ours)
        seen[cause] += 1
        if cause not in CAUSES and cause != "none":
            bad.append(f"{pid} at {e.ns}: waited {ours[1]} ns {ours[2]}, timehist {theirs}")
    return seen


def why(events, i, pid, ours):
    if ours[2] == "while leaving":
        return "while leaving"
    for e in reversed(events[:i]):
        if e.name != "sched_switch":
            continue
        if int(e.field["prev_pid"]) == pid:
            if e.field["prev_state"] in ("R", "R+"):
                return "on the queue"
            return "stale" if e.tid != pid else "?"
        if int(e.field["next_pid"]) == pid:
            return "stale"
    return "?"


def check_rows(path, rows, bad):
    text = re.compile(r"\s*(\d+)\.(\d{6}) \[(\d+)\]\s+(.*?)\s+(\d+)\.(\d+)\s+(\d+)\.(\d+)"
                      r"\s+(\d+)\.(\d+)\s*$")
    said = []
    for line in open(path, errors="replace"):
        m = text.match(line)
        if m:
            g = m.groups()
            tid = re.search(r"\[(-?\d+)(?:/-?\d+)?\]$", g[3])
            said.append((int(g[0] + g[1]), int(g[2]), int(tid.group(1)) if tid else None,
                         int(g[4] + g[5]), int(g[6] + g[7]), int(g[8] + g[9])))
    rule = [(us(r[0]), r[1], r[2], us(r[3]), us(r[4]), us(r[5])) for r in rows]
    differ = 0
    for a, b in zip(said, rule):
        if a[:2] + a[3:] != b[:2] + b[3:] or a[2] not in (None, b[2]):
            differ += 1
            if differ <= 3:
                bad.append(f"timehist's row {a}, by its rule {b}")
    if len(said) != len(rule) or differ:
        bad.append(f"timehist: {len(said)} rows, by its rule {len(rule)}; {differ} differ")
    return len(said)


def check_latency(path, events, bad):
    text = re.compile(r"\s*(.*):(-?\d+)\s+\|\s*([\d.]+) ms \|\s*(\d+) \| avg:\s*([\d.]+) ms "
                      r"\| max:\s*([\d.]+) ms")
    said = collections.Counter()
    for line in open(path, errors="replace"):
        m = text.match(line)
        if m:
            said[tuple([int(m.group(2)), int(m.group(4))] + list(m.group(3, 5, 6)))] += 1
    best = None
    for flag in (False, True):
        rule = collections.Counter(
            (pid, a.count, f"{a.runtime / 1e6:.3f}", f"{a.total // a.count / 1e6:.3f}",
             f"{a.max / 1e6:.3f}")
            for (pid, _), a in latency(events, flag).items() if pid and a.count)
        differ = (said - rule) + (rule - said)
        if best is None or len(differ) < len(best):
            best = differ
    if best or not said:
        bad.append(f"perf sched latency: {sum(said.values())} tasks, by its rule "
                   f"{len(best)} differ: {list(best)[:3]}")
    return sum(said.values())


def check_runs(events, rows, tasks, bad):
    """Switches away from a task, and how long it ran: as in timehist's rows, less those
    whose CPU had switched to another task before (to timehist that one's run is this
    one's); and a dead task's last run is its own, not that of a task -1."""
    rule = collections.defaultdict(lambda: [0, 0, 0])
    runs_on, foreign, dead = {}, 0, 0
    for e, row in zip((e for e in events if e.name == "sched_switch"), rows):
        pid, known = int(e.field["prev_pid"]), runs_on.get(e.cpu)
        runs_on[e.cpu] = int(e.field["next_pid"])
        if not pid:
            continue
        rule[pid][0] += 1
        dead += row[2] != pid
        if known == pid:
            rule[pid][1] += 1
            rule[pid][2] += row[5]
        elif known is not None:
            foreign += 1
    for pid in sorted(rule.keys() | tasks.keys()):
        mine = [sum(t[k] for t in tasks.get(pid, [])) for k in ("left", "runs", "run_ns")]
        if mine != rule[pid]:
            bad.append(f"{pid}: left, runs, ns {mine}, by timehist's rows {rule[pid]}")
    print(f"runs: {sum(r[1] for r in rule.values())} of {len(rule)} tasks are as in timehist")
    if foreign:
        print(f"runs: {foreign} only timehist has: the switch to the task is missing in the "
              "recording, and it takes the run of the task before for this one's")
    if dead:
        print(f"runs: {dead} of dead tasks timehist gives to a task -1")


def main(where):
    bad = []
    events = read_events(f"{where}/events.txt")
    if any(e.name == "sched_wakeup" for e in events):
        print("skipped: this perf records sched_wakeup, not sched_waking")
        return 77
    rows = timehist(events)
    print(f"timehist: {check_rows(f'{where}/rows.txt', rows, bad)} rows are by its rule")
    print(f"latency: {check_latency(f'{where}/latency.txt', events, bad)} tasks are by its rule")
    waits = our_waits(events)
    rule = collections.defaultdict(lambda: [0, 0])
    for pid, ns, _ in waits.values():
        rule[pid][0] += 1
        rule[pid][1] += ns
    said = collections.defaultdict(lambda: [0, 0])
    tasks = collections.defaultdict(list)
    for t in next(iter(json.load(open(f"{where}/ours.json"))["trace"].values()))["tasks"]:
        said[t["pid"]][0] += t["wakeup_wait"]["count"]
        said[t["pid"]][1] += t["wakeup_wait"]["sum_ns"]
        tasks[t["pid"]].append(t | {"left": t["voluntary"] + t["preempted"]})
    for pid in sorted(said.keys() | rule.keys()):
        if said[pid] != rule[pid]:
            bad.append(f"{pid}: we say {said[pid]}, by the definition {rule[pid]}")
    print(f"schedblame: {len(said)} tasks, {len(waits)} waits are by the definition")
    check_runs(events, rows, tasks, bad)
    seen = explain(events, waits, rows, bad)
    print(f"waits: {seen['same']} the same in timehist")
    for cause, text in CAUSES.items():
        if seen[cause]:
            print(f"waits: {seen[cause]} differ: {text}")
    if seen["same"] < 100:
        bad.append("too few waits to compare")
    for b in bad[:20]:
        print("FAIL", b)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
