#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a trace.dat by hand: any version, byte order, word size, compression,
number of buffers, and the options that move its clock.

The format is that of trace-cmd.dat(5); this writer shares nothing with the
reader or with the generator in tests/gen. Times, tasks and CPUs are made up and
the same in every variant, so that all of them must be read alike."""
import random
import struct
import subprocess
import zlib

PAGE = 4096
COMMON = """\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""
FLAGS = ('__print_flags(REC->prev_state, "|", { 0x1, "S" }, { 0x2, "D" }, { 0x4, "T" }, '
         '{ 0x8, "t" }, { 0x10, "X" }, { 0x20, "Z" }, { 0x40, "P" }, { 0x80, "I" })')
SWITCH, WAKING, WAKEUP = 11, 12, 13


def field(decl, offset, size):
    return f"\tfield:{decl};\toffset:{offset};\tsize:{size};\tsigned:1;\n"


def formats(long_size):
    """The three formats; prev_state is a long."""
    at = 32 + long_size
    switch = (f"name: sched_switch\nID: {SWITCH}\nformat:\n" + COMMON +
              field("char prev_comm[16]", 8, 16) + field("pid_t prev_pid", 24, 4) +
              field("int prev_prio", 28, 4) + field("long prev_state", 32, long_size) +
              field("char next_comm[16]", at, 16) + field("pid_t next_pid", at + 16, 4) +
              field("int next_prio", at + 20, 4) +
              '\nprint fmt: "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> '
              'next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, '
              f'REC->prev_prio, {FLAGS}, REC->next_comm, REC->next_pid, REC->next_prio\n')
    wakes = [f"name: {name}\nID: {n}\nformat:\n" + COMMON + field("char comm[16]", 8, 16) +
             field("pid_t pid", 24, 4) + field("int prio", 28, 4) +
             field("int target_cpu", 32, 4) +
             '\nprint fmt: "comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, '
             "REC->prio, REC->target_cpu\n"
             for name, n in (("sched_waking", WAKING), ("sched_wakeup", WAKEUP))]
    return [switch] + wakes


def make_events(cpus=3, rounds=1500, seed=7, start=1_000_000_000):
    """(time, cpu, type, fields): each CPU wakes its task, runs it, idles again.
    Some pauses are longer than 27 bits of ns."""
    rng, events = random.Random(seed), []
    for cpu in range(cpus):
        t, pid, comm = start + cpu, 100 + cpu, b"task-%d" % cpu
        for n in range(rounds):
            t += rng.randrange(2_000, 400_000) + (300_000_000 if n % 50 == 49 else 0)
            events.append((t, cpu, WAKING, (comm, pid, cpu)))
            t += rng.randrange(300, 900)
            events.append((t, cpu, WAKEUP, (comm, pid, cpu)))
            t += rng.randrange(1_000, 50_000)
            events.append((t, cpu, SWITCH, (b"swapper/%d" % cpu, 0, 0, comm, pid)))
            t += rng.randrange(5_000, 500_000)
            events.append((t, cpu, SWITCH, (comm, pid, 1, b"swapper/%d" % cpu, 0)))
    return sorted(events)


class Writer:
    def __init__(self, big=False, long_size=8):
        self.end, self.big, self.long_size = ">" if big else "<", big, long_size

    def num(self, kinds, *values):
        return struct.pack(self.end + kinds, *values)

    def payload(self, event):
        _, _, kind, f = event
        state = "q" if self.long_size == 8 else "i"
        if kind == SWITCH:
            prev, prev_pid, bits, comm, pid = f
            return (self.num("HBBi", kind, 0, 0, prev_pid) + prev.ljust(16, b"\0") +
                    self.num("ii" + state, prev_pid, 120, bits) + comm.ljust(16, b"\0") +
                    self.num("ii", pid, 120))
        comm, pid, cpu = f
        return (self.num("HBBi", kind, 0, 0, 0) + comm.ljust(16, b"\0") +
                self.num("iii", pid, 120, cpu))

    def word(self, kind, delta):
        return self.num("I", kind << 27 | delta if self.big else delta << 5 | kind)

    def pages(self, events):
        """Ring buffer pages of one CPU's events."""
        head, out, page, first, last = 8 + self.long_size, [], b"", 0, 0
        for e in events:
            data = self.payload(e)
            delta = e[0] - last if page else 0
            rec = b""
            if delta >= 1 << 27:
                rec, delta = self.word(30, delta & (1 << 27) - 1) + self.num("I", delta >> 27), 0
            rec += self.word(len(data) // 4, delta) + data
            if page and head + len(page) + len(rec) > PAGE:
                out.append(self.finish(first, page))
                page = b""
                rec = self.word(len(data) // 4, 0) + data
            if not page:
                first = e[0]
            page, last = page + rec, e[0]
        return out + ([self.finish(first, page)] if page else [])

    def finish(self, ts, page):
        head = self.num("QQ" if self.long_size == 8 else "QI", ts, len(page))
        return (head + page).ljust(PAGE, b"\0")

    def sized(self, text):
        return self.num("Q", len(text)) + text.encode()

    def header_info(self):
        size = self.long_size
        return (b"header_page\0" + self.sized(
            "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
            f"\tfield: local_t commit;\toffset:8;\tsize:{size};\tsigned:1;\n"
            f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
            f"\tfield: char data;\toffset:{8 + size};\tsize:{PAGE - 8 - size};\tsigned:1;\n") +
            b"header_event\0" + self.sized("# compressed entry header\n"))

    def event_formats(self):
        texts = formats(self.long_size)
        return (self.num("I", 1) + b"sched\0" + self.num("I", len(texts)) +
                b"".join(self.sized(t) for t in texts))

    def option(self, ident, data):
        return self.num("HI", ident, len(data)) + data


def time_shift(w, cpus, flags=0):
    """Option TIME_SHIFT: per CPU a list of (time, offset, scaling, fraction)."""
    out = w.num("QII", 0x1234, flags, len(cpus))
    for samples in cpus:
        out += w.num("I", len(samples))
        for n, kind in ((0, "Q"), (1, "q"), (2, "Q")):
            out += b"".join(w.num(kind, s[n]) for s in samples)
    if any(len(s) > 3 for samples in cpus for s in samples):
        out += b"".join(w.num("Q", s[3]) for samples in cpus for s in samples)
    return out


def by_cpu(w, events, cpus):
    return [w.pages([e for e in events if e[1] == c]) for c in range(cpus)]


def align(out, to=PAGE):
    return out + b"\0" * (-len(out) % to)


def write_v6(path, buffers, cpus, big=False, long_size=8, options=(), gap=0, hole=0):
    """buffers: [(name, events)], the first is the top one. gap: bytes left empty in
    front of the data, hole: empty pages in the middle of each CPU's data (sparse)."""
    w = Writer(big, long_size)
    head = (b"\x17\x08\x44tracing6\0" + bytes([big, long_size]) + w.num("I", PAGE) +
            w.header_info() + w.num("I", 0) + w.event_formats() +
            w.num("IIQI", 0, 0, 0, cpus) + b"options  \0")
    opts = b"".join(w.option(i, d(w) if callable(d) else d) for i, d in options)
    named = sum(6 + 8 + len(n) + 1 for n, _ in buffers[1:])
    tables = [len(head) + len(opts) + named + 2]
    table_len = 10 + 16 * cpus
    tables += [tables[0] + table_len * i for i in range(1, len(buffers))]
    for i, (name, _) in enumerate(buffers[1:], 1):
        opts += w.option(3, w.num("Q", tables[i]) + name.encode() + b"\0")
    at = -(-(tables[-1] + table_len) // PAGE) * PAGE + gap
    body, places = b"", []
    for _, events in buffers:
        body += b"flyrecord\0"
        for pages in by_cpu(w, events, cpus):
            half = len(pages) // 2
            places.append((at, pages[:half]))
            places.append((at + (half + hole) * PAGE, pages[half:]))
            body += w.num("QQ", at, (len(pages) + hole) * PAGE)
            at += (len(pages) + hole) * PAGE
    with open(path, "wb") as f:
        f.write(head + opts + w.num("H", 0) + body)
        for offset, pages in places:
            f.seek(offset)
            f.write(b"".join(pages))
        f.truncate(at)


def pack(codec, data):
    if codec == "zlib":
        return zlib.compress(data)
    if codec == "zstd":
        return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE,
                              check=True).stdout
    return data


def write_v7(path, buffers, cpus, big=False, long_size=8, codec="none", options=(), clock=""):
    w = Writer(big, long_size)
    packed = codec != "none"
    out = (b"\x17\x08\x44tracing7\0" + bytes([big, long_size]) + w.num("I", PAGE) +
           codec.encode() + b"\0" + b"1\0")
    where = len(out)
    out += w.num("Q", 0)

    def section(ident, data, pages=False):
        nonlocal out
        at = len(out)
        if packed and not pages:
            small = pack(codec, data)
            data = w.num("II", len(small), len(data)) + small
        out += w.num("HHIQ", ident, int(packed), 0, len(data)) + data
        return at

    opts = b""
    for ident, data in ((16, w.header_info()), (17, w.num("I", 0)), (18, w.event_formats()),
                        (21, w.num("Q", 0))):
        opts += w.option(ident, w.num("Q", section(ident, data)))
    for name, events in buffers:
        at = section(3, b"", True)
        out = align(out)
        rows = b""
        for cpu, pages in enumerate(by_cpu(w, events, cpus)):
            data, begin = b"".join(pages), len(out)
            if packed:
                chunks = [data[i:i + 5 * PAGE] for i in range(0, len(data), 5 * PAGE)]
                out += w.num("I", len(chunks))
                for chunk in chunks:
                    small = pack(codec, chunk)
                    out += w.num("II", len(small), len(chunk)) + small
                size = len(out) - begin
            else:
                out += data
                size = len(data)
            rows += w.num("IQQ", cpu, begin, size)
        opts += w.option(3, w.num("Q", at) + name.encode() + b"\0" + clock.encode() + b"\0" +
                         w.num("II", PAGE, cpus) + rows)
    opts += b"".join(w.option(i, d(w) if callable(d) else d) for i, d in options)
    opts += w.option(0, w.num("Q", 0))
    first = section(0, opts)
    out = out[:where] + w.num("Q", first) + out[where + 8:]
    with open(path, "wb") as f:
        f.write(out)
