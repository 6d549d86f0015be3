#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every variant of trace.dat must be read alike, and with the times that
trace-cmd report shows, where that is installed. check_dat.py [--quick] SCHEDBLAME
--quick: no large files, no trace-cmd."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data"))
import mkdat

CPUS = 3
DATE, CLOCK, OFFSET, SHIFT, TSC = 1, 4, 7, 12, 14
EVENTS = mkdat.make_events(CPUS, 120)
OTHER = mkdat.make_events(CPUS, 20, 99)
INTERPOLATE = 1 << 0
SAMPLES = [[(10**9 + i * 10**8, 5 * 10**9 + i * 1000 + cpu, 1, 0) for i in range(4)]
           for cpu in range(CPUS)]


def shift(samples, flags=0):
    return (SHIFT, lambda w: mkdat.time_shift(w, samples, flags))


# name: (version, arguments of the writer, what moved the clock: compared apart)
VARIANTS = {
    "plain": (6, {}, False),
    "long4": (6, {"long_size": 4}, False),
    "big": (6, {"big": True}, False),
    "big-long4": (6, {"big": True, "long_size": 4}, False),
    "far": (6, {"gap": 5 << 30}, False),
    "long-sections": (6, {"hole": 400_000}, False),  # 1.6 GB for each CPU, sparse
    "v7": (7, {}, False),
    "v7-zlib": (7, {"codec": "zlib"}, False),
    "v7-zstd": (7, {"codec": "zstd"}, False),
    "v7-big-zlib": (7, {"codec": "zlib", "big": True}, False),
    "v7-long4-zstd": (7, {"codec": "zstd", "long_size": 4}, False),
    "offset": (6, {"options": [(OFFSET, b"0x3b9aca00\0")]}, True),
    "date": (6, {"options": [(DATE, b"0xf4240\0")]}, True),
    "guest-one": (6, {"options": [shift([s[:1] for s in SAMPLES])]}, True),
    "guest-two": (6, {"options": [shift([s[:2] for s in SAMPLES])]}, True),
    "guest": (6, {"options": [shift(SAMPLES)]}, True),
    "guest-interpolated": (6, {"options": [shift(SAMPLES, INTERPOLATE)]}, True),
    "guest-scaled": (7, {"options": [shift(
        [[(t, o, 3, 1) for t, o, _, _ in s] for s in SAMPLES])]}, True),
    "tsc": (6, {"options": [(CLOCK, b"local [x86-tsc]\0"), (
        TSC, lambda w: w.num("IIQ", 700_000_000, 31, 900_000))]}, True),
    "tsc7": (7, {"clock": "x86-tsc", "options": [(CLOCK, b"[x86-tsc]\0"), (
        TSC, lambda w: w.num("IIQ", 700_000_000, 31, 900_000))]}, True),
    "guest-fewer-cpus": (6, {"options": [shift(SAMPLES[:1])]}, True),
}


def ours(binary, path):
    text = subprocess.run([binary, "report", "--sections", "trace", "--format", "json", path],
                          check=True, stdout=subprocess.PIPE).stdout
    trace = next(iter(json.loads(text)["trace"].values()))
    return trace


def theirs(path):
    """Times in ns of the first and the last event, and the number of events."""
    text = subprocess.run(["trace-cmd", "report", "-t", "-i", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()
    times = [int(m.group(1)) * 10**9 + int(m.group(2)) for m in re.finditer(
        r"\[\d+\]\s+(?:\S+\s+)?(\d+)\.(\d{9}):", text)]
    return (min(times), max(times), len(times)) if times else None


def same(trace, base, moved):
    """Names of what differs; the times of events where the clock was moved."""
    skip = {"format", "clock", "notes"} | ({"first_ns", "last_ns", "tasks", "worst_waits", "map",
                                           "cpus"} if moved else set())
    return [k for k in base if k not in skip and trace.get(k) != base[k]]


def main():
    binary, quick, bad = sys.argv[-1], sys.argv[1] == "--quick", []
    have = None if quick else shutil.which("trace-cmd")
    with tempfile.TemporaryDirectory() as tmp:
        base = None
        for name, (version, args, moved) in VARIANTS.items():
            if quick and args.get("hole"):
                continue
            path = f"{tmp}/{name}.dat"
            write = mkdat.write_v6 if version == 6 else mkdat.write_v7
            write(path, [("", EVENTS)], CPUS, **args)
            trace = ours(binary, path)
            base = base or trace
            total = sum(v for k, v in trace["events"].items() if k.startswith("sched_"))
            if total != len(EVENTS):
                bad.append(f"{name}: {total} events, {len(EVENTS)} were written")
            bad += [f"{name}: {k} differs from that of the plain file"
                    for k in same(trace, base, moved)]
            if have and not args.get("hole"):
                want = theirs(path)
                got = (trace["first_ns"], trace["last_ns"], total)
                if want and want != got:
                    bad.append(f"{name}: {got}, trace-cmd {want}")
                if not want:
                    print(f"{name}: trace-cmd shows nothing")
            os.unlink(path)
        for version, write in ((6, mkdat.write_v6), (7, mkdat.write_v7)):
            path = f"{tmp}/buffers{version}.dat"
            write(path, [("", []), ("switches", EVENTS), ("again", OTHER)], CPUS)
            trace = ours(binary, path)
            bad += [f"several buffers, version {version}: {k} differs"
                    for k in same(trace, base, False)]
    print("\n".join(bad) or f"{len(VARIANTS) + 2} files, {len(EVENTS)} events each" +
          ("" if have or quick else "; trace-cmd is not installed"))
    return 1 if bad else 0


sys.exit(main())
