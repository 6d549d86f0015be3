#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_ledger.py [CPUS_A CPUS_B]: of the JSON of `schedblame report` on standard
input, the rows of every ledger must sum to its totals and to the change. CPUS: what
a total must stand for, CPUs times elapsed time per unit of work."""
import json
import math
import sys


def near(a, b, scale):
    return abs(a - b) <= 1e-6 * abs(scale) + 1e-9


def problems_of(ledger, where):
    rows = ledger["rows"]
    names = [row["name"] for row in rows]
    if len(names) != len(set(names)):
        yield "%s: a row stands twice" % where
    for key in ("a_ns", "b_ns"):
        whole = ledger[key]
        if not near(math.fsum(row[key] for row in rows), whole, whole):
            yield "%s: the rows of %s do not sum to %g" % (where, key, whole)
    change = (ledger["b_ns"] / ledger["a_ns"] - 1) * 100
    if not near(ledger["change"], change, 100):
        yield "%s: the change is not that of the totals" % where
    if not near(math.fsum(row["points"] for row in rows), change, 100):
        yield "%s: the points do not sum to the change" % where
    if abs(change) > 0.01 and not near(math.fsum(row["share"] for row in rows), 1, 1):
        yield "%s: the shares do not sum to the whole" % where
    for row in rows:
        if row["ci_low"] is not None and not \
                row["ci_low"] - 1e-6 <= row["points"] <= row["ci_high"] + 1e-6:
            yield "%s: %s lies outside its interval" % (where, row["name"])


text = sys.stdin.read()
if not text.strip():
    sys.exit(0)  # there was no report
report = json.loads(text)
found = []
for i, one in enumerate(report.get("ledger", [])):
    if one:
        found += problems_of(one, "ledger %d" % i)
for side, cpus in zip("ab", sys.argv[1:]):
    # sets of mkrun.py: 10 s, 400000 messages
    want, got = int(cpus) * 10e9 / 400000, report["ledger"][0][side + "_ns"]
    if abs(got / want - 1) > 0.01:
        found.append("side %s: %g ns, not %g: the CPUs are not those of the workload" %
                     (side, got, want))
for line in found:
    print(line, file=sys.stderr)
sys.exit(bool(found))
