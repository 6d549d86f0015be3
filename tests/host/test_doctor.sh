#!/bin/bash
# doctor: both formats agree, tell causes, and leave nothing behind.
. "$(dirname "$0")/lib.sh"
need python3

before=$(ls /sys/kernel/tracing/instances 2>/dev/null | wc -l; wc -l </proc/mounts)
run 0 "" doctor
cp stdout.txt text
run 0 "" doctor --format json
cp stdout.txt json
grep -nE '.{79}|[[:space:]]$' text && fail "lines too long or with blanks at the end"
LC_ALL=C grep -nP '[^\x00-\x7f]' text && fail "not plain ASCII"
python3 - <<'PY' || fail "text and JSON do not agree, or an answer lacks its cause"
import json
d = json.load(open('json'))
text = open('text').read()
assert d['version'] == 1
names = [x['name'] for x in d['sources']]
for name in ('host', 'counters', 'sched', 'profile', 'trace'):
    assert name in names, name
for x in d['sources'] + d['abilities']:
    assert x['state'] in ('works', 'limited', 'fails')
    assert '  %-8s %-14s ' % (x['state'], x['name']) in text, x
    if x['state'] == 'works':
        assert 'errno' not in x and x['what'], x
    else:
        assert x['why'], x
    if x['state'] == 'fails':
        assert x['errno'], x
host = [x for x in d['sources'] if x['name'] == 'host'][0]
assert host['state'] == 'works'
PY
after=$(ls /sys/kernel/tracing/instances 2>/dev/null | wc -l; wc -l </proc/mounts)
is "$before" "$after" "instances and mounts"
# what doctor says of a source is what collect meets
for source in sched profile trace; do
	state=$(json json "[x['state'] for x in d['sources'] if x['name'] == '$source'][0]")
	"$SB" collect -q -o "only-$source" --without all --with $source -- true 2>stderr.txt
	code=$?
	[ $state = fails ] && want=3 || want=0
	is $want $code "collect --with $source, doctor says $state ($(tail -1 stderr.txt))"
done
finish
