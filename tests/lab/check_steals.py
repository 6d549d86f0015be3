#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the steals of a run with the kernel's own count in /proc/schedstat:
equal, per level and idle type. Prints what differs; status 1 when it does.

	check_steals.py RUN"""
import collections, json, sys

run = sys.argv[1]
IDLE = {14: ("idle", "busy", "newidle"), 15: ("idle", "busy", "newidle"),
        16: ("busy", "idle", "newidle")}


def domains(path):
    """{(cpu, domain): numbers}, version"""
    table, version, cpu = {}, 0, None
    for line in open(path):
        f = line.split()
        if f[0] == "version":
            version = int(f[1])
        elif f[0].startswith("cpu"):
            cpu = f[0]
        elif f[0].startswith("domain"):
            table[cpu, int(f[0][6:])] = [int(x) for x in f[2:]]
    return table, version


def kernels_count():
    before, version = domains(run + "/before/proc/schedstat")
    after, _ = domains(run + "/after/proc/schedstat")
    n = collections.Counter()
    hot = 0
    for key, new in after.items():
        grew = [b - a for a, b in zip(before[key], new)]
        for i, idle in enumerate(IDLE[version]):
            n[key[1], idle] += grew[8 * i + 4]
            hot += grew[8 * i + 5]
        n[key[1], "active"] += grew[26]
    for level in {k[0] for k in n}:
        n[level, "idle"] -= n[level, "active"]  # lb_gained counts those too
    return n, hot


def our_count(levels):
    n = collections.Counter()
    reasons = collections.Counter()
    forced = 0
    for c in json.load(open(run + "/sched.json"))["counters"]:
        l = c["labels"]
        if c["name"] == "steals":
            n[levels.index(l["level"]), l["idle"]] += c["value"]
        elif c["name"] == "migrations":
            reasons[l["reason"]] += c["value"]
        elif c["name"] == "hot_verdict" and l["verdict"] == "forced" and \
                l["reason"].startswith("steal"):
            forced += c["value"]
    return n, reasons, forced


kernel, hot = kernels_count()
ours, reasons, forced = our_count(["SMT", "MC", "NUMA"])
bad = {k for k in kernel.keys() | ours.keys() if kernel[k] != ours[k]}
for k in sorted(bad):
    print(f"domain{k[0]} {k[1]}: schedstat {kernel[k]}, we {ours[k]}")
total, unknown = sum(reasons.values()), sum(reasons[r] for r in ("unknown", "steal", "stopper"))
print(f"{sum(kernel.values())} steals by schedstat; {total} migrations, {unknown} without an exact reason:",
      ", ".join(f"{r} {v}" for r, v in sorted(reasons.items())))
# Equal but for three things: the kernel counts a hot task that it then leaves for
# its load (until 6.13), takes buddies for hot, and asks NUMA balancing first. It
# never asks when it balances actively.
print(f"moved although hot: lb_hot_gained {hot}, we {forced}")
if unknown > total / 1000:
    print("more than 0.1 % without an exact reason")
    bad.add("unknown")
if sum(kernel.values()) < 10:
    print("too few steals to tell anything")
    bad.add("few")
sys.exit(1 if bad else 0)
