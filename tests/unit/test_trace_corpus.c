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

/* Opening as a run must not fail in another way than by a sentence. */
static void check_run(const char *path, const char *line)
{
	char *full = path_join(SHARED_DIR "/corpus", path);
	struct err err = ERR_INIT;
	struct run_set set;

	if (run_set_open(&set, full, NULL, &err) < 0)
		assert_true(strlen(err_text(&err)) > 20);
	else
		run_set_close(&set);
	err_release(&err);
	free(full);
}

static void recordings_open_or_are_refused(void **state)
{
	static const char *const formats[] = { "trace.dat", "ftrace-text", "systrace",
					       "perf.data", "perf.data-pipe", "perf.data-fuzz",
					       "perf.data-schedstats", "perf.data-v1",
					       "perf-script", "schedviz-tar" };

	if (!manifest)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		assert_true(for_each(formats[i], check_run) > 0);
}

/* What `report` says to every file that is no recording: by the manifest's format,
 * the part of the sentence that may come. Those that open are counted above. */
static const struct {
	const char *format, *says[4];
	bool may_open;
} refusals[] = {
	{ "bench", { "of no known format" }, false },
	{ "bpftrace-hist", { "of no known format", "is a profile (bpftrace)" }, false },
	{ "comparison-tables", { "of no known format" }, false },
	/* folded: one has neither counts nor frames that are any */
	{ "folded", { "is a profile (folded)", "in UTF-16", "of no known format" }, false },
	/* function and graph tracers' texts have no event; others none of ours */
	{ "ftrace-text", { "none of the scheduler", "of no known format" }, true },
	{ "systrace", { "none of the scheduler", "of no known format" }, true },
	{ "perf-report", { "is a profile (perf report)", "of no known format" }, false },
	{ "perf-sched-stats-report", { "of no known format" }, false },
	/* simpleperf's own format */
	{ "perf-script", { "is a profile (perf script)", "of no known format" }, true },
	{ "pprof", { "is a profile (", "of no known format" }, false },
	{ "schedstat", { "is a copy of /proc/schedstat", "of no known format" }, false },
	{ "schedviz-tar", { "is a tar archive" }, false },
};

static size_t refusal_at;

static void ignore(const char *path, const char *line)
{
}

static void check_refusal(const char *path, const char *line)
{
	char *full = path_join(SHARED_DIR "/corpus", path);
	struct err err = ERR_INIT;
	struct run_set set;
	bool said = false;

	if (run_set_open(&set, full, NULL, &err) >= 0) {
		said = refusals[refusal_at].may_open;
		run_set_close(&set);
	}
	for (size_t i = 0; i < 4 && err.code && refusals[refusal_at].says[i]; i++)
		said |= strstr(err_text(&err), refusals[refusal_at].says[i]) != NULL;
	if (!said)
		print_error("%s: %s\n", path, err.code ? err_text(&err) : "opened");
	assert_true(said);
	err_release(&err);
	free(full);
}

static void every_other_file_is_refused_by_its_name(void **state)
{
	static const char *const counted[] = { "trace.dat", "perf.data", "perf.data-fuzz",
					       "perf.data-pipe", "perf.data-schedstats",
					       "perf.data-v1" };
	unsigned seen = 1, lines = 0; /* the manifest's first line */

	if (!manifest)
		skip();
	for (refusal_at = 0; refusal_at < ARRAY_SIZE(refusals); refusal_at++)
		seen += for_each(refusals[refusal_at].format, check_refusal);
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		seen += for_each(counted[i], ignore);
	for (const char *s = manifest; *s; s++)
		lines += *s == '\n';
	assert_int_equal(seen, lines); /* no format without a test */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_dat_counts_agree_with_trace_cmd),
		cmocka_unit_test(text_counts_agree_with_the_manifest),
		cmocka_unit_test(recordings_open_or_are_refused),
		cmocka_unit_test(every_other_file_is_refused_by_its_name),
	};
	return cmocka_run_group_tests(tests, load_manifest, free_manifest);
}
