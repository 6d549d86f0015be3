#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks a set that came back from the lab: check_set.py SET KERNEL.

Every default source took part, nothing was lost, and what the BPF programs
counted agrees with what the kernel counted over (nearly) the same time.
"""
import json
import os
import sys

failed = False


def check(ok, sentence):
    global failed
    if not ok:
        print("FAIL:", sentence)
        failed = True


def counters(sched, name):
    return [c for c in sched["counters"] if c["name"] == name]


def total(sched, name, **labels):
    return sum(c["value"] for c in counters(sched, name)
               if all(c["labels"].get(k) == v for k, v in labels.items()))


def ctxt(path):
    with open(path) as f:
        return next(int(line.split()[1]) for line in f if line.startswith("ctxt"))


def check_run(run, kernel):
    with open(run + "/run.json") as f:
        manifest = json.load(f)
    with open(run + "/sched.json") as f:
        sched = json.load(f)
    check(manifest["complete"], f"{run} is not complete")
    for source in ("host", "counters", "sched", "profile"):
        state = manifest["sources"].get(source, {})
        check(state.get("state") == "ok", f"{run}: source {source}: {state}")
    lost = manifest["sources"]["sched"].get("lost", 0)
    check(lost == 0, f"{run}: sched lost {lost}")
    check(os.path.getsize(run + "/profile.data") > 10000, f"{run}: an empty profile")
    check(f'"{kernel}.' in json.dumps(manifest["host"]), f"{run} is not of kernel {kernel}")

    switches = total(sched, "switches")
    kernels = ctxt(run + "/after/proc/stat") - ctxt(run + "/before/proc/stat")
    print(f"{run}: {switches} switches, the kernel says {kernels}")
    # Not the same interval: sources start and stop one after the other.
    check(abs(switches - kernels) < 0.05 * kernels + 500,
          f"{run}: {switches} switches counted, {kernels} by the kernel")
    moves = total(sched, "migrations")
    unknown = total(sched, "migrations", reason="unknown")
    print(f"{run}: {moves} migrations, {unknown} of unknown reason")
    check(moves > 0, f"{run}: no task moved between 8 CPUs")
    check(unknown <= 0.001 * moves + 1, f"{run}: {unknown} of {moves} moves have no reason")
    nodes = {c["labels"]["to_node"] for c in counters(sched, "migrations")}
    check(nodes <= {"0", "1"}, f"{run}: migrations to nodes {nodes}")


def main():
    where, kernel = sys.argv[1:]
    runs = sorted(d for d in os.listdir(where) if d.isdigit())
    check(len(runs) == 2, f"{where} has runs {runs}, expected two")
    for run in runs:
        check_run(f"{where}/{run}", kernel)
    return failed


sys.exit(main())
