#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# migcost on this machine: every kind of path is measured, moving costs more than
# staying for a set that fits in L2, the file is as documented, time is bounded.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ "$(nproc)" -ge 2 ] || { echo "one CPU: nothing to migrate between"; exit 77; }
started=$SECONDS
"$BIN/schedblame" migcost --full --time 10 -o "$tmp/cost.json" >"$tmp/text"
cat "$tmp/text"
[ $((SECONDS - started)) -lt 60 ] || { echo "took $((SECONDS - started)) s"; exit 1; }
awk 'length > 78 { print "too wide: " $0; bad = 1 } END { exit bad }' "$tmp/text"
python3 - "$tmp/cost.json" <<'EOF'
import json, sys
f = json.load(open(sys.argv[1]))
assert f["version"] == 1 and f["working_set"] > 0, f
assert f["cost"], "no path"
for c in f["cost"]:
    assert c["path"] in ("smt", "llc", "node", "remote"), c
    assert c["cost_ns"] < 1e9, c
    assert len(c["sizes"]) >= 3, c
    assert [s["bytes"] for s in c["sizes"]] == sorted(s["bytes"] for s in c["sizes"])
    for s in c["sizes"]:
        assert s["worst_ns"] >= s["median_ns"], s
    small = [s for s in c["sizes"] if s["bytes"] <= 524288 and s["repeats"] >= 9]
    if c["path"] != "smt":
        assert all(s["median_ns"] > 0 for s in small), c
assert len(f["pairs"]) >= 1
EOF
