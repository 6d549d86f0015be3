#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every row and column of a report's JSON must stand in docs/definitions.md.

	check_definitions.py REPORT.json DEFINITIONS.md
"""
import json
import re
import sys

TABLES = ("cpu", "rates", "waits", "hot", "idle", "functions", "balance", "numa", "kernel")
with open(sys.argv[1]) as f:
    report = json.load(f)
with open(sys.argv[2]) as f:
    page = f.read()
missing = []
for table in TABLES:
    for row in report.get(table, {}).get("rows", []):
        # names that come from the data stand there in capitals
        key = re.sub(r"^functions\.[^.]+\.", "functions.NAME.", row["key"])
        key = re.sub(r"^(balance\.(?:hot_)?gained)\..*", r"\1.LEVEL", key)
        key = re.sub(r"^(balance\.(?:count|failed))\..*", r"\1.IDLE", key)
        if table == "hot" and not key.startswith("hot.all."):
            key = "hot.DISTANCE.share"
        if "`%s`" % key not in page:
            missing.append(row["key"])
        elif row.get("help") and table not in ("hot",) and row["help"] not in page:
            missing.append("the meaning of " + row["key"])
for row in report["benchmark"]["rows"]:
    names = set(row) | set(row["sides"][-1])
    missing += ["column " + n for n in names - {"sides", "values", "better", "help"}
                if "`%s`" % n not in page]
print("definitions: " + (", ".join(sorted(missing)) or "all there"))
sys.exit(bool(missing))
