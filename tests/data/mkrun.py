#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a run set with known numbers, complete as docs/run-format.md has it.

	mkrun.py DIR [KEY=VALUE]...

No number depends on the machine, the time or a random generator, so that golden
outputs made from such sets hold everywhere. Repeat r of n scales every count and
the time by 1 + jitter % * WOBBLE[r]. KEYS are those of DEFAULTS below;
"without=FILE,.." leaves files out of every run, "fact.KEY=VALUE" sets a fact of
the host.
"""
import json
import os
import struct
import sys

DEFAULTS = {
    "label": "base",
    "repeats": 5,
    "jitter": 0.5,          # per cent
    "cpus": 8,
    "nodes": 2,
    "use": "",              # CPUs of the workload (affinity); all
    "command": "hackbench -g 4 -l 1000",
    "workload": "hackbench",
    "release": "6.1.0-base",
    "version": "#1 SMP Debian 6.1.1",
    "nodename": "testbox",
    "boot": "11111111-2222-3333-4444-555555555555",
    "metric": "time",
    "unit": "s",
    "better": "lower",
    "value": 10.0,          # of the metric
    "throughput": 0.0,      # a second metric, higher is better; 0: none
    "time": 10.0,           # seconds of wall time
    "work": 400000,         # messages; 0: no such metric
    "user": 12.0,           # per cent of CPU time; idle is what is left
    "system": 70.0,
    "irq": 0.5,
    "softirq": 1.5,
    "iowait": 0.0,
    "steal": 0.0,
    "voluntary": 2000000,
    "preempted": 300000,
    "to_idle": 100000,
    "wakeups": 1900000,
    "latency_us": 40.0,     # median of the wakeup latency
    "wait_us": 300.0,       # median of the preemption wait
    "newidle_remote": 2000, # migrations
    "newidle_llc": 60000,
    "wake_llc": 500000,
    "wake_remote": 1000,
    "active": 20,
    "unknown": 0,
    "hot_us": 100.0,        # median of the time since last ran at a migration
    "idle_waiting_ms": 50.0,
    "search_us": 9.0,       # median of select_idle_cpu()
    "searches": 180000,
    "schedstat": 15,        # 0: the kernel has none
    "samples": 4000,        # in profile.data
    "search_share": 5.0,    # per cent of the samples in select_idle_cpu
    "chain": 0,             # frames that the recorder kept of a call chain; 0: no chains
    "complete": 1,
    "exit_status": 0,
    "lost": 0,
    "knob": "",
    "version_number": 1,
    "without": "",
}
WOBBLE = [0, 1, -1, 0.5, -0.5, 0.8, -0.8, 0.3, -0.3, 0.6]
SHAPE = [(0.125, 1), (0.25, 3), (0.5, 10), (1, 40), (2, 30), (4, 12), (8, 4)]
FACTS = {
    "machine": "x86_64",
    "cmdline": "root=/dev/sda1 quiet",
    "cpu": {"model": "Test CPU 1.0", "microcode": "0x1", "online": "0-7",
            "governor": "performance", "driver": "acpi-cpufreq"},
    "mem": {"total_kb": 8388608},
    "clocksource": "tsc",
    "mitigations": {"spectre_v2": "Mitigation: Retpolines", "meltdown": "Not affected"},
    "sched": {"migration_cost_ns": 500000, "nr_migrate": 32,
              "features": {"SIS_PROP": "on", "SIS_UTIL": "off"}},
    "sysctl": {"kernel.numa_balancing": 1},
    "thp": "madvise",
    "config": {"HZ": "250", "PREEMPT_DYNAMIC": "y"},
}
SYMBOLS = [  # name, per cent of the samples that are not in select_idle_cpu
    ("USER", 15), ("__schedule", 15), ("update_load_avg", 10), ("enqueue_entity", 8),
    ("try_to_wake_up", 12), ("pipe_read", 9), ("pipe_write", 9), ("copy_page_to_iter", 7),
    ("_raw_spin_lock", 8), ("load_balance", 4), ("native_safe_halt", 3),
]
KERNEL = 0xffffffff81000000


def hist_index(v):
    if v < 16:
        return v
    e = v.bit_length() - 1
    return (e - 3) * 16 + ((v >> (e - 4)) & 15)


def histogram(median, count):
    """median in ns; count values spread over seven octaves around it."""
    buckets, total, values, top = {}, 0, 0, 0
    left = count
    for i, (factor, weight) in enumerate(SHAPE):
        n = left if i == len(SHAPE) - 1 else count * weight // 100
        v = int(median * factor)
        if n <= 0:
            continue
        left -= n
        buckets[hist_index(v)] = buckets.get(hist_index(v), 0) + n
        total += n * v
        values += n
        top = max(top, v)
    return {"count": values, "sum": total, "max": top,
            "buckets": sorted([i, n] for i, n in buckets.items())}


class Run:
    def __init__(self, path, cfg, facts, repeat):
        self.path, self.cfg, self.facts, self.repeat = path, cfg, facts, repeat
        self.scale = 1 + cfg["jitter"] / 100 * WOBBLE[(repeat - 1) % len(WOBBLE)]
        self.without = set(cfg["without"].split(","))
        self.counters, self.histograms = [], []

    def n(self, key):
        return int(round(self.cfg[key] * self.scale))

    def write(self, name, data):
        if name in self.without:
            return
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())

    def write_json(self, name, obj):
        self.write(name, json.dumps(obj, indent=1) + "\n")

    def count(self, name, value, **labels):
        self.counters.append({"name": name, "labels": labels, "value": int(value)})

    def hist(self, name, median_us, count, **labels):
        self.histograms.append({"name": name, "labels": labels,
                                "hist": histogram(median_us * 1000, int(count))})

    def ns(self):
        return int(self.cfg["time"] * self.scale * 1e9)

    def node_of(self, cpu):
        return cpu * self.cfg["nodes"] // self.cfg["cpus"]

    def sched(self):
        c = self.cfg
        for kind in ("voluntary", "preempted"):
            self.count("switches", self.n(kind), kind=kind)
        self.count("switches", self.n("to_idle"), kind="idle")
        total = self.n("voluntary") + self.n("preempted") + self.n("to_idle")
        for cpu in range(c["cpus"]):
            self.count("cpu_switches", total // c["cpus"], cpu=str(cpu))
        near, far = int(self.n("wakeups") * 0.9), int(self.n("wakeups") * 0.1)
        self.count("wakeups", near, distance="llc", kind="wakeup")
        self.count("wakeups", far, distance="remote", kind="wakeup")
        self.hist("wakeup_latency", c["latency_us"], near, distance="self")
        self.hist("wakeup_latency", c["latency_us"] * 2, far, distance="remote")
        self.hist("preemption_wait", c["wait_us"], self.n("preempted"), distance="self")
        self.migrations()
        idle = 100 - sum(c[k] for k in ("user", "system", "irq", "softirq", "iowait", "steal"))
        for cpu in range(c["cpus"]):
            self.count("idle_time", self.ns() * idle / 100, cpu=str(cpu))
        self.hist("idle_periods", 500, self.n("to_idle"))
        self.count("idle_while_waiting", self.n("idle_waiting_ms") * 1e6,
                   distance="remote", method="sampled", allowed="yes")
        self.count("idle_samples", 9000, state="busy")
        self.count("idle_samples", 900, state="idle")
        self.count("idle_samples", 100, state="idle_waiting")
        self.write_json("sched.json", {
            "version": self.cfg["version_number"], "duration_ns": self.ns(),
            "reasons": "fentry", "declared": ["switches", "migrations", "wakeups"],
            "counters": self.counters, "histograms": self.histograms})
        self.counters, self.histograms = [], []

    def migrations(self):
        c = self.cfg
        moves = [("steal_newidle", "remote", "newidle_remote"),
                 ("steal_newidle", "llc", "newidle_llc"), ("wakeup", "llc", "wake_llc"),
                 ("wakeup", "remote", "wake_remote"), ("active_balance", "remote", "active"),
                 ("unknown", "llc", "unknown")]
        for reason, distance, key in moves:
            n = self.n(key)
            if not n:
                continue
            half = n // 2
            if distance == "remote" and c["nodes"] > 1:
                pairs = [("0", "1", n - half), ("1", "0", half)]
            else:
                pairs = [("0", "0", n)] if c["nodes"] == 1 else [("0", "0", n - half), ("1", "1", half)]
            for a, b, k in pairs:
                self.count("migrations", k, reason=reason, from_node=a, to_node=b,
                           distance=distance)
            self.hist("since_last_ran", c["hot_us"] * (10 if distance == "remote" else 1), n,
                      reason=reason, distance=distance)

    def latency(self):
        self.hist("function_latency", self.cfg["search_us"], self.n("searches"),
                  function="select_idle_cpu", via="function", caller="")
        self.write_json("latency.json", {"version": 1, "duration_ns": self.ns(),
                                         "declared": [], "counters": [],
                                         "histograms": self.histograms})

    def stat(self, after):
        c, lines, total = self.cfg, [], [0] * 8
        ticks = int(c["time"] * self.scale * 100)
        share = [c["user"], 0, c["system"], 0, c["iowait"], c["irq"], c["softirq"], c["steal"]]
        share[3] = 100 - sum(share)
        for cpu in range(c["cpus"]):
            v = [1000 + (round(ticks * s / 100) if after else 0) for s in share]
            total = [a + b for a, b in zip(total, v)]
            lines.append("cpu%d %s 0 0" % (cpu, " ".join(map(str, v))))
        switches = self.n("voluntary") + self.n("preempted") + self.n("to_idle")
        return "\n".join(["cpu  %s 0 0" % " ".join(map(str, total))] + lines +
                         ["ctxt %d" % (5000 + (switches if after else 0)),
                          "processes %d" % (700 + (160 if after else 0))]) + "\n"

    def schedstat(self, after):
        c, out = self.cfg, ["version %d" % self.cfg["schedstat"], "timestamp 4295000"]
        k = 1 if after else 0
        newidle = (self.n("newidle_llc") // c["cpus"], self.n("newidle_remote") // c["cpus"])
        for cpu in range(c["cpus"]):
            rq = [1, 0, 290000, 12000, 240000, 90000, int(self.ns() * 0.8), 40000000000, 280000]
            out.append("cpu%d %s" % (cpu, " ".join(str(x * k) for x in rq)))
            for d, (mask, gained) in enumerate(zip(self.masks(cpu), newidle)):
                zero = [0] * 8
                groups = [zero, zero, [gained * 3, gained, gained, gained * 2, gained, gained // 4, 0, gained]]
                tail = [self.n("active") // c["cpus"], 0, self.n("active") // c["cpus"]] + [0] * 9
                out.append("domain%d %s %s" % (d, mask, " ".join(
                    str(x * k) for x in sum(groups, []) + tail)))
        return "\n".join(out) + "\n"

    def masks(self, cpu):
        per = self.cfg["cpus"] // self.cfg["nodes"]
        return (bitmap(((1 << per) - 1) << (self.node_of(cpu) * per)),
                bitmap((1 << self.cfg["cpus"]) - 1))

    def tables(self, after):
        k = self.scale if after else 0
        return {
            "vmstat": "nr_free_pages %d\npgfault %d\nnuma_hint_faults %d\n"
                      "numa_hint_faults_local %d\nnuma_pages_migrated %d\n" %
                      (1000, 100 + 50000 * k, 10 + 8000 * k, 5 + 6000 * k, 700 * k),
            "interrupts": "           CPU0       CPU1\n  24:  %d  0  IO-APIC  5-edge  disk\n"
                          " LOC:  %d  %d  Local timer interrupts\n RES:  %d  5  Rescheduling interrupts\n" %
                          (100 * k, 2500 * k, 2500 * k, 90000 * k),
            "softirqs": "                CPU0       CPU1\n       TIMER:  %d  10\n       SCHED:  %d  0\n" %
                        (3000 * k, 7000 * k),
            "pressure/cpu": "some avg10=1.00 avg60=0.00 avg300=0.00 total=%d\n"
                            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n" % (4000000 * k),
        }

    def proc(self):
        for side, after in (("before", False), ("after", True)):
            self.write(side + "/clock", "%d\n" % (10**9 + (self.ns() if after else 0)))
            self.write(side + "/proc/stat", self.stat(after))
            if self.cfg["schedstat"]:
                self.write(side + "/proc/schedstat", self.schedstat(after))
            for name, text in self.tables(after).items():
                self.write("%s/proc/%s" % (side, name), text)

    def metrics(self):
        c = self.cfg
        value = c["value"] * (self.scale if c["better"] == "lower" else 2 - self.scale)
        m = [{"name": c["metric"], "unit": c["unit"], "better": c["better"],
              "value": round(value, 9), "work": False}]
        if c["throughput"]:
            m.append({"name": "throughput", "unit": "MB/s", "better": "higher",
                      "value": round(c["throughput"] * (2 - self.scale), 9), "work": False})
        if c["work"]:
            m.append({"name": "messages", "unit": "messages", "better": "higher",
                      "value": c["work"], "work": True})
        self.write_json("metrics.json", {"version": 1, "workload": c["workload"], "metrics": m})

    def manifest(self):
        c = self.cfg
        host = dict(self.facts, release=c["release"], version=c["version"],
                    nodename=c["nodename"], boot_id=c["boot"])
        knobs = []
        if c["knob"]:
            name, old, new = c["knob"].split(":")
            knobs = [{"name": name, "old": old, "new": new}]
        ok = {"state": "ok", "lost": 0}
        self.write_json("run.json", {
            "version": c["version_number"], "complete": bool(c["complete"]),
            "creator": "mkrun.py", "label": c["label"], "repeat": self.repeat,
            "repeats": c["repeats"], "command": c["command"].split(),
            "start_unix_ns": 1764500000000000000 + self.repeat * 60 * 10**9,
            "duration_ns": self.ns(),
            "workload": {"wall_ns": self.ns(), "user_ns": self.ns(), "system_ns": self.ns(),
                         "max_rss_kb": 5000, "voluntary_switches": self.n("voluntary"),
                         "involuntary_switches": self.n("preempted"),
                         "exit_status": c["exit_status"], "signal": 0},
            "cpus": c["use"] or "0-%d" % (c["cpus"] - 1), "knobs": knobs, "host": host,
            "sources": {"sched": dict(ok, lost=c["lost"], reasons="fentry"), "profile": ok,
                        "counters": ok, "host": ok, "latency": ok,
                        "trace": {"state": "off"}},
            "notes": []})

    def topology(self):
        self.write("topology.xml", topology_xml(self.cfg["cpus"], self.cfg["nodes"]))

    def profile(self):
        c, n = self.cfg, self.n("samples")
        search = int(n * c["search_share"] / 100)
        counts = [("select_idle_cpu", search)]
        counts += [(name, (n - search) * w // 100) for name, w in SYMBOLS]
        names = sorted(name for name, _ in counts if name != "USER")
        addr = {name: KERNEL + 0x1000 * (i + 1) for i, name in enumerate(names)}
        syms = ["%016x T _text" % KERNEL]
        syms += ["%016x T %s" % (addr[x], x) for x in names]
        syms += ["%016x T _etext" % (KERNEL + 0x1000 * (len(names) + 1))]
        self.write("kallsyms.zst", zstd_stored(("\n".join(syms) + "\n").encode()))
        self.write("modules", "")
        self.write("profile.data", perf_data(counts, addr, c["cpus"], c["release"], c["chain"]))


def bitmap(mask, prefix=""):
    """Words of 32 bits with commas between, as the kernel and hwloc write them."""
    words = []
    while mask or not words:
        words.append("%s%08x" % (prefix, mask & 0xffffffff))
        mask >>= 32
    return ",".join(reversed(words))


def topology_xml(cpus, nodes):
    """nodes packages of cores with two threads (one when cpus is odd) and one L3."""
    gp, out = [0], []

    def obj(type_, os_index, mask, node_mask, extra="", close=False):
        gp[0] += 1
        mask, node_mask = bitmap(mask, "0x"), bitmap(node_mask, "0x")
        out.append('<object type="%s"%s cpuset="%s" complete_cpuset="%s" nodeset="%s" '
                   'complete_nodeset="%s" gp_index="%d"%s%s>' %
                   (type_, "" if os_index is None else ' os_index="%d"' % os_index, mask, mask,
                    node_mask, node_mask, gp[0], extra, "/" if close else ""))

    all_cpus, all_nodes = (1 << cpus) - 1, (1 << nodes) - 1
    obj("Machine", 0, all_cpus, all_nodes,
        ' allowed_cpuset="%s" allowed_nodeset="%s"' % (bitmap(all_cpus, "0x"),
                                                       bitmap(all_nodes, "0x")))
    per = cpus // nodes
    smt = 2 if per % 2 == 0 else 1
    for node in range(nodes):
        m = ((1 << per) - 1) << (node * per)
        obj("Package", node, m, 1 << node)
        obj("NUMANode", node, m, 1 << node, ' local_memory="4294967296"', True)
        obj("L3Cache", None, m, 1 << node, ' cache_size="16777216" depth="3" '
            'cache_linesize="64" cache_associativity="16" cache_type="0"')
        for core in range(per // smt):
            first = node * per + core * smt
            obj("Core", core, ((1 << smt) - 1) << first, 1 << node)
            for t in range(smt):
                obj("PU", first + t, 1 << (first + t), 1 << node, "", True)
            out.append("</object>")
        out.append("</object></object>")
    out.append("</object>")
    if nodes > 1:
        values = " ".join("10" if i == j else "21" for i in range(nodes) for j in range(nodes))
        indexes = " ".join(map(str, range(nodes)))
        out.append('<distances2 type="NUMANode" nbobjs="%d" kind="5" name="NUMALatency" '
                   'indexing="os"><indexes length="%d">%s </indexes><u64values length="%d">%s '
                   '</u64values></distances2>' %
                   (nodes, len(indexes) + 1, indexes, len(values) + 1, values))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
            '<topology version="2.0">\n' + "\n".join(out) + "\n</topology>\n")


def zstd_stored(data):
    """A zstd frame of stored blocks: no compressor needed."""
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data))
    blocks = [data[i:i + 100000] for i in range(0, len(data), 100000)] or [b""]
    for i, block in enumerate(blocks):
        out += struct.pack("<I", (i == len(blocks) - 1) | len(block) << 3)[:3] + block
    return out


def call_chain(name, addr, frames):
    """As the kernel writes it: user mode, locks below pipe_read() and system calls, and
    the others below so many functions that the recorder kept only the first frames."""
    if not frames:
        return b""
    kernel, user = 2**64 - 128, 2**64 - 512
    if name == "USER":
        chain = [user] + [0x400000 + i for i in range(frames)]
    elif name == "_raw_spin_lock":
        chain = [kernel, addr[name] + 16, addr["pipe_read"] + 32, user, 0x400000]
    else:
        callers = sorted(x for x in addr if x not in (name, "native_safe_halt"))
        chain = [kernel, addr[name] + 16] + [addr[callers[i % len(callers)]] + 32
                                             for i in range(frames - 1)]
    return struct.pack("<Q%dQ" % len(chain), len(chain), *chain)


def perf_data(counts, addr, cpus, release, frames):
    """PERFILE2 with one cpu-clock event of 1 ms; samples carry IP TID TIME CPU PERIOD."""
    sample_type = 1 | 2 | 4 | 128 | 256 | (32 if frames else 0)
    attr = bytearray(struct.pack("<IIQQQQQ", 1, 128, 0, 1000000, sample_type, 0, 0) +
                     bytes(128 - 48))
    struct.pack_into("<H", attr, 108, frames)
    text = b"[kernel.kallsyms]_text"
    text += bytes(8 - len(text) % 8)
    body = struct.pack("<IIQQQ", 0xffffffff, 0, KERNEL, 0x100000, KERNEL) + text
    data = struct.pack("<IHH", 1, 1, 8 + len(body)) + body
    body = struct.pack("<II", 4242, 4242) + b"hackbench\0\0\0\0\0\0\0"
    data += struct.pack("<IHH", 3, 0, 8 + len(body)) + body
    sample, samples = struct.Struct("<IHHQIIQIIQ"), []
    for name, n in counts:
        ip = 0x400000 if name == "USER" else addr[name] + 16
        chain = call_chain(name, addr, frames)
        for _ in range(n):
            i = len(samples)
            samples.append(sample.pack(9, 2 if name == "USER" else 1, sample.size + len(chain),
                                       ip, 4242, 4242, 10**9 + i * 10**6, i % cpus, 0,
                                       10**6) + chain)
    data += b"".join(samples)
    name = release.encode() + b"\0"
    name += bytes(-len(name) % 64)
    feature = struct.pack("<I", len(name)) + name
    attr_at, data_at = 104, 104 + 144
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 144, attr_at, 144, data_at, len(data), 0, 0)
    head += struct.pack("<QQQQ", 1 << 4, 0, 0, 0)  # HEADER_OSRELEASE
    features_at = data_at + len(data)
    return (head + attr + struct.pack("<QQ", 0, 0) + data +
            struct.pack("<QQ", features_at + 16, len(feature)) + feature)


def main():
    cfg, facts = dict(DEFAULTS), json.loads(json.dumps(FACTS))
    for arg in sys.argv[2:]:
        key, value = arg.split("=", 1)
        if key.startswith("fact."):
            at, parts = facts, key[5:].split(".")
            while len(parts) > 1 and isinstance(at.get(parts[0]), dict):
                at = at[parts.pop(0)]
            at[".".join(parts)] = value
        elif key in cfg:
            cfg[key] = type(cfg[key])(value)
        else:
            sys.exit("mkrun.py: there is no key '%s'" % key)
    for repeat in range(1, cfg["repeats"] + 1):
        run = Run(os.path.join(sys.argv[1], "%03d" % repeat), cfg, facts, repeat)
        for part in (run.manifest, run.topology, run.metrics, run.sched, run.latency,
                     run.proc, run.profile):
            part()
        run.write("workload.out", "")
    if "set.json" not in cfg["without"].split(","):
        with open(os.path.join(sys.argv[1], "set.json"), "w") as f:
            json.dump({"version": cfg["version_number"], "label": cfg["label"],
                       "creator": "mkrun.py"}, f)


main()
