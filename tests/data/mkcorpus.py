#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes corpus-files.tsv: what `schedblame report` does with every file of the corpus,
beside what the reference reader counts (perf script, trace-cmd report, lines of text).

mkcorpus.py SCHEDBLAME CORPUS >TABLE. The reasons in the last column are kept from the
table that is there; rows that differ and have none are told on stderr.
"""
import collections
import json
import os
import re
import subprocess
import sys

TYPES = ("sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new",
         "sched_migrate_task", "sched_process_fork", "sched_process_exec",
         "sched_process_exit", "task_rename", "sched_move_numa", "sched_swap_numa",
         "sched_stick_numa")


def run(*command):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def ours(binary, path, name):
    """(outcome, all events, switches, other types of ours, lost, sentence)"""
    status, out, err = run(binary, "report", "--format", "json", "--sections", "trace", path)
    if status:
        said = err.split("\n")[0].removeprefix("schedblame: ").replace(path, "FILE")
        return "refused", "-", "-", "-", "-", said
    trace = json.loads(out).get("trace")
    if not trace:
        return "opens", "-", "-", "-", "-", "no events"
    t = next(iter(trace.values()))
    e = t["events"]
    mine = sum(e.get(name, 0) for name in TYPES)
    return ("opens", e["all"], e.get("sched_switch", 0), mine - e.get("sched_switch", 0),
            e["lost_events"], t["format"])


def count_lines(text, pattern):
    found = collections.Counter()
    for m in re.finditer(pattern, text, re.M):
        found[m.group(1)] += 1
    return found


def reference(fmt, path):
    """(reader, switches, others of our types) or (reader, "fail", "fail")"""
    if fmt == "trace.dat":
        reader, (status, out, _) = "trace-cmd", run("trace-cmd", "report", "-R", "-i", path)
        found = count_lines(out, r"^.*?\[\d+\]\s+(?:\S+\s+)?\d+\.\d+:\s+(\w+):")
    elif fmt.startswith("perf.data"):
        reader, (status, out, _) = "perf", run("perf", "script", "-f", "-i", path, "-F", "event")
        found = count_lines(out, r"(?:sched|task):(\w+):")
    else:
        status, reader = 0, "lines"
        text = open(path, "rb").read().decode(errors="replace")
        found = count_lines(text, r"\[\d+\].*?\d+\.\d+: +(?:\d+ )?(?:(?:sched|task):)?(\w+): ")
    if status and not found:
        return reader, "fail", "fail"
    return (reader, found["sched_switch"],
            sum(found[t] for t in TYPES) - found["sched_switch"])


def main(binary, corpus):
    here = os.path.dirname(os.path.abspath(__file__))
    old = {}
    if os.path.exists(f"{here}/corpus-files.tsv"):
        for line in open(f"{here}/corpus-files.tsv"):
            field = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(field) == 11:
                old[field[0]] = field[10]
    print("# What `schedblame report` does with every file of the corpus; by mkcorpus.py.")
    print("# path, format of the manifest, opens or refused, events, switches, other events "
          "of ours,\n# lost, format or sentence, reference reader: switches, other events; "
          "why they differ.")
    for line in open(f"{corpus}/MANIFEST.tsv"):
        name, fmt = line.split("\t")[:2]
        path = f"{corpus}/{name}"
        if fmt == "format" or not os.path.isfile(path):
            continue
        row = ours(binary, path, name)
        ref = ("-", "-", "-")
        if fmt.startswith(("trace.dat", "perf.data", "ftrace-text", "systrace", "perf-script")):
            ref = reference(fmt, path)
        mine = [0 if x == "-" else x for x in row[2:4]]
        differ = ref[0] != "-" and ref[1] != "fail" and mine != list(ref[1:])
        why = old.get(name, "") if differ else ""
        if differ and not why:
            print(f"{name}: {row[0]} {mine} {ref} {row[5]}", file=sys.stderr)
        print(*([name, fmt] + list(row) + [f"{ref[0]} {ref[1]}", ref[2], why]), sep="\t")


main(*sys.argv[1:])
