// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every trace of the shared corpus opens, or is refused with the right words;
 * the number of events is what the reference reader of the manifest counted.
 * Skipped where the corpus is not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/event.h"
#include "schedblame/file.h"
#include "schedblame/recognise.h"
#include "schedblame/run.h"
#include "schedblame/trace_tables.h"

/* Texts whose number of event lines is not what the manifest's pattern counted:
 * why. Counts of -1 are texts that hold no scheduler event and are refused. */
static const struct {
	const char *path;
	int events;
	const char *why;
} differ[] = {
	{ "ftrace-text/brendangregg+perf-tools/functrace_example.txt", 0,
	  "lines of the function tracer hold no event" },
	{ "ftrace-text/brendangregg+perf-tools/tpoint_example.txt", 18,
	  "5 lines are marks of a stack trace, which follows them" },
	{ "ftrace-text/ARM-software+trappy/trace_filesystem.txt", -1, "no scheduler event" },
	{ "systrace/catapult-project+catapult/ftrace_importer_test.html", 60,
	  "lines cut into pieces by JavaScript string syntax" },
	{ "systrace/catapult-project+catapult/sched_parser_test.html", 33, "" },
};

static char *manifest;

static int load_manifest(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	if (file_read(&sb, SHARED_DIR "/corpus/MANIFEST.tsv", 0, NULL)) {
		strbuf_release(&sb);
		return 0;
	}
	manifest = strbuf_detach(&sb);
	return 0;
}

static int free_manifest(void **state)
{
	free(manifest);
	return 0;
}

/* Number behind KEY= in a line's columns, -1. */
static long number_in(const char *line, const char *key)
{
	const char *s = strstr(line, key);

	return s ? strtol(s + strlen(key), NULL, 10) : -1;
}

/* Events of the file; -1 when it is refused, with the sentence in err. */
static long count_events(const char *path, struct err *err)
{
	struct event_input in = { path, 0 };
	const struct event *ev;
	struct event_stream *s;
	long n = -1;
	int ret;

	if (event_stream_open(&s, &in, 1, err))
		return -1;
	while ((ret = event_stream_next(s, &ev, err)) > 0)
		assert_true(ev->type > EV_OTHER && ev->type < EV_NR);
	if (!ret) {
		n = (long)s->counts.events;
		assert_int_equal(s->counts.by_type[EV_OTHER] + s->counts.malformed +
				 s->counts.by_type[EV_SWITCH] + s->counts.by_type[EV_WAKEUP] +
				 s->counts.by_type[EV_WAKING] + s->counts.by_type[EV_WAKEUP_NEW] +
				 s->counts.by_type[EV_MIGRATE] + s->counts.by_type[EV_FORK] +
				 s->counts.by_type[EV_EXEC] + s->counts.by_type[EV_EXIT] +
				 s->counts.by_type[EV_RENAME] + s->counts.by_type[EV_NUMA_MOVE] +
				 s->counts.by_type[EV_NUMA_SWAP] +
				 s->counts.by_type[EV_NUMA_STICK], n);
	}
	event_stream_close(s);
	return n;
}

/* Calls fn for each line of the manifest whose second column is format. */
static unsigned for_each(const char *format, void (*fn)(const char *path, const char *line))
{
	char *copy = xstrdup(manifest), *save;
	unsigned n = 0;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t path_len = strcspn(line, "\t"), len = strlen(format);
		char *path;

		if (strncmp(line + path_len + 1, format, len) || line[path_len + 1 + len] != '\t')
			continue;
		path = xstrndup(line, path_len);
		fn(path, line);
		free(path);
		n++;
	}
	free(copy);
	return n;
}

static void check_trace_dat(const char *path, const char *line)
{
	char *full = path_join(SHARED_DIR "/corpus", path);
	struct err err = ERR_INIT;
	long want = number_in(line, "events="), got = count_events(full, &err);

	if (got != want)
		print_error("%s: %ld events, trace-cmd counts %ld: %s\n", path, got, want,
			    err_text(&err));
	assert_int_equal(got, want);
	err_release(&err);
	free(full);
}

static void trace_dat_counts_agree_with_trace_cmd(void **state)
{
	if (!manifest)
		skip();
	assert_true(for_each("trace.dat", check_trace_dat) >= 13);
}

static void check_text(const char *path, const char *line)
{
	char *full = path_join(SHARED_DIR "/corpus", path);
	struct err err = ERR_INIT;
	long want = number_in(line, "ftrace-lines="), got = count_events(full, &err);

	for (size_t i = 0; i < ARRAY_SIZE(differ); i++)
		if (!strcmp(differ[i].path, path))
			want = differ[i].events;
	if (got < 0)
		assert_non_null(strstr(err_text(&err), "no scheduler events"));
	else if (got != want)
		print_error("%s: %ld events, %ld expected\n", path, got, want);
	if (got >= 0)
		assert_int_equal(got, want);
	err_release(&err);
	free(full);
}

static void text_counts_agree_with_the_manifest(void **state)
{
	if (!manifest)
		skip();
	assert_true(for_each("ftrace-text", check_text) >= 20);
	assert_true(for_each("systrace", check_text) >= 30);
}

/*
 * tests/data/corpus-files.tsv has a line for each file of the corpus: what report must
 * do with it, to the event and to the word, and what the reference reader counts.
 */
enum { PATH, FORMAT, OUTCOME, EVENTS, SWITCHES, OTHERS, LOST, SAYS, REFERENCE, THEIR_OTHERS,
       WHY, COLUMNS };

static bool split(char *line, char *column[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		column[i] = strsep(&line, "\t\n");
		if (!column[i])
			return false;
	}
	return true;
}

/* The error with FILE in place of the path. */
static char *sentence(const struct err *err, const char *path)
{
	const char *s = err_text(err), *at;
	struct strbuf sb = STRBUF_INIT;

	while ((at = strstr(s, path))) {
		strbuf_add(&sb, s, (size_t)(at - s));
		strbuf_addstr(&sb, "FILE");
		s = at + strlen(path);
	}
	strbuf_addstr(&sb, s);
	return strbuf_detach(&sb);
}

static uint64_t our_events(const struct trace_tables *t)
{
	uint64_t n = 0;

	for (int i = 0; i < EV_NR; i++)
		n += i == EV_OTHER || i == EV_LOST ? 0 : t->counts.by_type[i];
	return n;
}

/* What happens with the file, as columns OUTCOME to SAYS of the table. */
static char *what_happens(const char *path)
{
	struct err err = ERR_INIT;
	const struct trace_tables *t;
	struct run_set set;
	char *what, *text;

	if (run_set_open(&set, path, NULL, &err) < 0) {
		text = sentence(&err, path);
		what = xasprintf("refused\t-\t-\t-\t-\t%s", text);
		free(text);
		err_release(&err);
		return what;
	}
	t = run_trace(&set.run[0], NULL);
	if (t && t->counts.events) {
		uint64_t switches = t->counts.by_type[EV_SWITCH];

		what = xasprintf("opens\t%llu\t%llu\t%llu\t%llu\t%s",
				 (unsigned long long)t->counts.events,
				 (unsigned long long)switches,
				 (unsigned long long)(our_events(t) - switches),
				 (unsigned long long)t->counts.lost, t->format);
	} else {
		what = xstrdup("opens\t-\t-\t-\t-\tno events");
	}
	run_set_close(&set);
	return what;
}

/* The reference reader counts the same, or the table has the reason. */
static bool agrees(char *const column[COLUMNS])
{
	const char *count = strchr(column[REFERENCE], ' ');
	bool none = !strcmp(column[SWITCHES], "-"), fails = count && !strcmp(count, " fail");

	if (!strncmp(column[REFERENCE], "- ", 2) || (fails && none) || *column[WHY])
		return true;
	return count && !strcmp(count + 1, none ? "0" : column[SWITCHES]) &&
	       !strcmp(column[THEIR_OTHERS], none ? "0" : column[OTHERS]);
}

static bool check_file(char *const column[COLUMNS])
{
	char *path = path_join(SHARED_DIR "/corpus", column[PATH]), *got = what_happens(path);
	char *want = xasprintf("%s\t%s\t%s\t%s\t%s\t%s", column[OUTCOME], column[EVENTS],
			       column[SWITCHES], column[OTHERS], column[LOST], column[SAYS]);
	bool good = !strcmp(got, want);

	if (!good)
		print_error("%s: %s; expected %s\n", column[PATH], got, want);
	if (!agrees(column)) {
		print_error("%s: differs from %s without a reason\n", column[PATH],
			    column[REFERENCE]);
		good = false;
	}
	free(want);
	free(got);
	free(path);
	return good;
}

static void every_file_does_what_the_table_says(void **state)
{
	unsigned bad = 0, rows = 0, lines = 0;
	char line[4096], *column[COLUMNS];
	FILE *f;

	if (!manifest)
		skip();
	f = fopen(TEST_DATA_DIR "/corpus-files.tsv", "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		assert_true(split(line, column));
		bad += !check_file(column);
		rows++;
	}
	fclose(f);
	for (const char *s = manifest; *s; s++)
		lines += *s == '\n';
	assert_int_equal(bad, 0);
	assert_int_equal(rows + 1, lines); /* no file without a row */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_dat_counts_agree_with_trace_cmd),
		cmocka_unit_test(text_counts_agree_with_the_manifest),
		cmocka_unit_test(every_file_does_what_the_table_says),
	};
	return cmocka_run_group_tests(tests, load_manifest, free_manifest);
}
