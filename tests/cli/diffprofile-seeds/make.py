#!/usr/bin/env python3
"""Lists of a mail, as one line of text, turned into the readprofile files they
came from: make.py MAIL. Writes LABEL_A LABEL_B into folders 1, 2, ... with the
list itself as `want`, one blank between words. Small changes that the mail cut
away are put in as well, below the list's threshold of 50."""
import os
import re
import sys

text = open(sys.argv[1]).read()
row = r"(?:-?\d+ [._a-z][\w.]*)"
listing = re.compile(
    r"diffprofile (\S+) (\S+) (\(for kernbench, [^)]*\) )?"
    r"((?:<nothing significantly degraded> )?(?:%s |\.{3,4} )+)" % row)
for number, m in enumerate(listing.finditer(text), 1):
    a, b, caption, rows = m.groups()
    folder = str(number)
    os.mkdir(folder)
    old, new = [], []
    for i, (change, name) in enumerate(re.findall(r"(-?\d+) (\S+)", rows)):
        base = 2000 + 37 * i
        old.append((base, name))
        new.append((base + int(change), name))
    for i in range(60):
        base = 300 + i
        old.append((base, "quiet_%d" % i))
        new.append((base + (i * 7) % 99 - 49, "quiet_%d" % i))
    for label, table in ((a, old), (b, new)):
        with open(os.path.join(folder, label), "w") as f:
            for ticks, name in sorted(table, key=lambda r: r[1]):
                f.write("%6d %-40s %8.4f\n" % (ticks, name, ticks / 640))
            f.write("%6d %-40s %8.4f\n" % (sum(t for t, _ in table), "total", 0.1))
    with open(os.path.join(folder, "files"), "w") as f:
        f.write("%s %s\n" % (a, b))
    caption = caption or "(for kernbench, + got worse by adding the patch, - got better) "
    with open(os.path.join(folder, "want"), "w") as f:
        f.write("diffprofile %s %s %s%s\n" % (a, b, caption, rows.strip()))
