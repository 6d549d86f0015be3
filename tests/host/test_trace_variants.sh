#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every variant of trace.dat, sections of more than 1 GB and files beyond 4 GB among
# them (sparse), is read alike and with the times that trace-cmd report shows.
: "${SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BIN:=$SOURCE_DIR/build/release/bin}"
exec python3 "$SOURCE_DIR/tests/cli/check_dat.py" "$BIN/schedblame"
