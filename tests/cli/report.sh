# Helpers of the report cases: sourced, not a case itself.
mkrun() { python3 "$SOURCE_DIR/tests/data/mkrun.py" "$@" samples=400; }
# What a mail to the list must be: ASCII, 78 columns, no blanks at line ends.
mailable() {
	LC_ALL=C awk '{ print }
		length($0) > 78 { print "TOO LONG: " length($0) > "/dev/stderr" }
		/[ \t]$/ { print "BLANK AT THE END: " $0 > "/dev/stderr" }
		/[^ -~]/ { print "NOT ASCII: " $0 > "/dev/stderr" }'
}
# Every report of the tests: the rows of its ledgers must sum.
schedblame() {
	command schedblame "$@"
	local status=$?
	[ "$1" != report ] || command schedblame "$@" --format json --sections ledger \
		2>/dev/null </dev/null | python3 "$SOURCE_DIR/tests/data/check_ledger.py"
	return $status
}
