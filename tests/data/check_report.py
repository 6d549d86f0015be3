#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the JSON of `schedblame report` against its schema: keys, types, sums."""
import json
import sys

NUMBER = (int, float, type(None))
ROW = {"key": str, "case": str, "load": str, "title": str, "unit": str, "better": str,
       "sides": list}
SIDE = {"runs": NUMBER, "mean": NUMBER, "std_percent": NUMBER, "values": list}
NEW = dict(SIDE, change_percent=NUMBER, difference=NUMBER, ci_low_percent=NUMBER,
           ci_high_percent=NUMBER, p=NUMBER, q=NUMBER, verdict=str)
TABLES = ("benchmark", "cpu", "rates", "waits", "migrations", "hot", "idle", "functions",
          "balance", "numa", "kernel")
problems = []


def check(obj, schema, where):
    for key, type_ in schema.items():
        if key not in obj:
            problems.append("%s lacks %s" % (where, key))
        elif not isinstance(obj[key], type_):
            problems.append("%s.%s is a %s" % (where, key, type(obj[key]).__name__))


def check_rows(name, table, sets):
    keys = [row.get("key") for row in table.get("rows", [])]
    if len(keys) != len(set(keys)):
        problems.append("%s: keys are not unique" % name)
    for row in table.get("rows", []):
        where = row.get("key", name)
        check(row, ROW, where)
        if len(row["sides"]) != sets:
            problems.append("%s has %d sides" % (where, len(row["sides"])))
        for i, side in enumerate(row["sides"]):
            check(side, NEW if i else SIDE, "%s[%d]" % (where, i))
            values = side["values"]
            if values and abs(sum(values) / len(values) - side["mean"]) > 1e-6 * abs(side["mean"]):
                problems.append("%s[%d]: the mean is not that of the values" % (where, i))
            if len(values) != side["runs"]:
                problems.append("%s[%d]: runs" % (where, i))


with open(sys.argv[1]) as f:
    report = json.load(f)
check(report, {"version": int, "kind": str, "what": list, "differences": dict,
               "histograms": list, "setup": list}, "report")
sets = len(report["what"])
for s in report["what"]:
    check(s, {"name": str, "label": str, "path": str, "command": str, "kernel_release": str,
              "facts": dict, "runs": list}, "what")
for name in TABLES:
    if name in report:
        check_rows(name, report[name], sets)
for h in report["histograms"]:
    check(h, {"key": str, "title": str, "unit": str, "via": str, "sides": list}, "histogram")
    for side in h["sides"]:
        if side and sum(n for _, n in side["log2"]) != side["hist"]["count"]:
            problems.append("%s: rows do not sum to the count" % h["key"])
if sets != len(report["migrations"]["between_nodes"]):
    problems.append("between_nodes")
print("%d sets, %d sections: %s" % (sets, len(report) - 2, "; ".join(problems) or "ok"))
sys.exit(bool(problems))
