// SPDX-License-Identifier: GPL-2.0-or-later
/* Pattern files and the numbers they find. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/metrics.h"
#include "collect/patterns.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

struct fixture {
	struct patterns patterns;
	struct notes notes;
	json_t *root;
};

static const json_t *metric(const struct fixture *f, const char *name)
{
	const json_t *list = json_object_get(f->root, "metrics"), *m;
	size_t i;

	json_array_foreach(list, i, m)
		if (!strcmp(json_str(m, "name", ""), name))
			return m;
	return NULL;
}

static double value(const struct fixture *f, const char *name)
{
	return json_dbl(metric(f, name), "value", NAN);
}

static void find(struct fixture *f, const char *command, const char *text, size_t len)
{
	char *copy = xstrdup(command), *save, *argv[32] = { 0 };
	size_t n = 0;

	for (char *p = strtok_r(copy, " ", &save); p && n < 31; p = strtok_r(NULL, " ", &save))
		argv[n++] = p;
	struct metrics_input in = { argv, text, len, "", 0, 1.5 };

	json_decref(f->root);
	f->root = metrics_find(&f->patterns, &in, &f->notes);
	free(copy);
}

static void find_text(struct fixture *f, const char *command, const char *text)
{
	find(f, command, text, strlen(text));
}

static void release(struct fixture *f)
{
	json_decref(f->root);
	patterns_release(&f->patterns);
	notes_release(&f->notes);
}

static void installed(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	patterns_load_installed(&f->patterns, &f->notes);
	if (f->notes.n)
		fail_msg("%s", f->notes.v[0]);
	assert_true(f->patterns.n >= 25);
}

#define near(got, want)                                                        \
	do {                                                                   \
		double g = (got), w = (want);                                  \
		if (!(fabs(g - w) <= 1e-9 * fabs(w) + 1e-12))                  \
			fail_msg("%s: got %.12g, want %.12g", #got, g, w);     \
	} while (0)

/* One expectation per line: file, command, metric, value. Files below
 * tests/data/workloads, or "shared:" below the corpus of real outputs. */
static const struct {
	const char *file, *command, *metric;
	double value;
} table[] = {
	{ "hackbench.txt", "hackbench", "time", 0.091 },
	{ "hackbench.txt", "hackbench", "messages", 20000 },
	{ "perf-bench-messaging.txt", "perf bench sched messaging -g 1 -l 50", "time", 0.244 },
	{ "perf-bench-messaging.txt", "perf bench sched messaging -g 1 -l 50", "messages",
	  20 * 20 * 50 },
	{ "perf-bench-messaging.txt", "perf bench sched messaging", "messages", 20 * 20 * 100 },
	{ "perf-bench-pipe.txt", "x", "time", 0.027 },
	{ "perf-bench-pipe.txt", "x", "latency", 27.692 },
	{ "perf-bench-pipe.txt", "x", "operations", 1000 },
	{ "time-bash.txt", "x", "elapsed", 61.234 },
	{ "time-bash.txt", "x", "user", 0.5 },
	{ "time-gnu.txt", "x", "elapsed", 3723.5 },
	{ "time-gnu.txt", "x", "system", 0.25 },
	{ "time-gnu-v.txt", "x", "elapsed", 83.01 },
	{ "time-gnu-v.txt", "x", "user", 1.25 },
	{ "sysbench-cpu.txt", "x", "events", 1234.56 },
	{ "sysbench-cpu.txt", "x", "total_events", 12348 },
	{ "sysbench-cpu.txt", "x", "lat_95th", 0.92 },
	{ "stress-ng.txt", "x", "switch.bogo_ops", 178214.92 },
	{ "stress-ng.txt", "x", "bogo_ops", 535000 },
	{ "netperf-rr.txt", "x", "tcp_rr", 31234.56 },
	{ "netperf-rr.txt", "x", "udp_rr", 34567.89 },
	{ "netperf-rr.txt", "x", "tcp_stream", 21234.5 },
	{ "netperf-rr.txt", "x", "udp_stream_sent", 6470.12 },
	{ "netperf-rr.txt", "x", "udp_stream_received", 6446.23 },
	{ "netperf-rr.txt", "x", "tcp_rr_transactions", 312345.6 },
	{ "schedbench.txt", "x", "average_user", 27.78 },
	{ "schedbench.txt", "x", "elapsed", 31.33 },
	{ "autonumabench.txt", "x", "NUMA01.elapsed", 1234.5 },
	{ "autonumabench.txt", "x", "NUMA02_SMT.system", 12.25 },
	{ "specjbb2015.txt", "x", "max_jops", 12345 },
	{ "specjbb2015.txt", "x", "critical_jops", 4321 },
	{ "specjbb2005.txt", "x", "bops", 123456 },
	{ "ycsb.txt", "x", "throughput", 5432.1 },
	{ "ycsb.txt", "x", "READ.lat_95th", 321 },
	{ "ycsb.txt", "x", "operations", 1000 },
	{ "schbench-new.txt", "x", "wakeup_99th", 11 },
	{ "schbench-new.txt", "x", "request_50th", 6008 },
	{ "schbench-new.txt", "x", "rps_50th", 16000 },
	{ "schbench-new.txt", "x", "rps", 15950.25 },
	{ "schbench-old.txt", "x", "lat_99th", 50112 },
	{ "schbench-old.txt", "x", "lat_99.9th", 58688 },

	/* real ones: the last report covers the whole run */
	{ "shared:schbench/intel+lkp-tests/schbench-multi-instance", "x", "wakeup_50th", 50 },
	{ "shared:schbench/intel+lkp-tests/schbench-multi-instance", "x", "request_99.9th",
	  95000 },
	{ "shared:schbench/intel+lkp-tests/schbench-multi-instance", "x", "rps", 1600 },
	{ "shared:tbench/intel+lkp-tests/02", "x", "throughput", 3789.19 },
	{ "shared:tbench/intel+lkp-tests/02", "x", "max_latency", 0.47 },
	{ "shared:kernbench/intel+lkp-tests/01", "x", "optimal_elapsed", 28.094 },
	{ "shared:kernbench/intel+lkp-tests/01", "x", "optimal_sleeps", 23456.6 },
	{ "shared:kernbench/intel+lkp-tests/02", "x", "optimal_user", 205.55 },
	{ "shared:kernbench/intel+lkp-tests/02", "x", "optimal_cpu", 3054 },
	{ "shared:netperf/intel+lkp-tests/netperf", "x", "sctp_stream", 509081.61 },
	{ "shared:perf-bench-futex/intel+lkp-tests/01", "x", "operations", 491926 },
	{ "shared:perf-bench-futex/intel+lkp-tests/02", "x", "wake", 0.0186 },
	{ "shared:perf-bench-futex/intel+lkp-tests/03", "x", "requeue", 0.0138 },
	{ "shared:perf-bench-futex/intel+lkp-tests/04", "x", "wake_parallel", 0.0112 },
	{ "shared:perf-bench-mem/intel+lkp-tests/01", "x", "memcpy_best", 12.328273 },
	{ "shared:perf-bench-mem/intel+lkp-tests/01", "x", "memset_best", 15.234561 },
	{ "shared:perf-bench-numa-mem/intel+lkp-tests/01", "x", "convergence", 6.801 },
	{ "shared:perf-bench-numa-mem/intel+lkp-tests/01", "x", "total_speed", 31.463 },
	{ "shared:perf-bench-sched-messaging/intel+lkp-tests/01", "x", "time", 0.055 },
	{ "shared:perf-bench-syscall/intel+lkp-tests/01", "x", "getppid", 0.1234 },
	{ "shared:perf-bench-syscall/intel+lkp-tests/01", "x", "execve", 156.7 },
	{ "shared:perf-bench-syscall/intel+lkp-tests/01", "x", "calls", 20020000 },
	{ "shared:aim9/intel+lkp-tests/02", "x", "tcp_test", 17694.60 },
	{ "shared:unixbench/intel+lkp-tests/02", "x", "index", 4231.4 },
	{ "shared:unixbench/intel+lkp-tests/02", "x", "File_Copy_1024_bufsize_2000_maxblocks",
	  1675624.0 },
	{ "shared:unixbench/intel+lkp-tests/03", "x", "3D_graphics_gears", 3207 },
};

static char *sample_path(const char *file)
{
	if (!strncmp(file, "shared:", 7))
		return xasprintf(SHARED_DIR "/corpus/bench/%s", file + 7);
	return xasprintf(TEST_DATA_DIR "/workloads/%s", file);
}

static void test_samples(void **state)
{
	struct fixture f;
	size_t tried = 0, wrong = 0;

	(void)state;
	installed(&f);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct strbuf text = STRBUF_INIT;
		char *path = sample_path(table[i].file);
		double got;

		if (strncmp(table[i].file, "shared:", 7) || file_exists(path)) {
			assert_int_equal(file_read(&text, path, 0, NULL), 0);
			find(&f, table[i].command, text.buf, text.len);
			got = value(&f, table[i].metric);
			if (!(fabs(got - table[i].value) <= 1e-9 * fabs(table[i].value))) {
				print_error("%s: %s is %.12g, should be %.12g\n", table[i].file,
					    table[i].metric, got, table[i].value);
				wrong++;
			}
			near(value(&f, "wall_time"), 1.5);
			tried++;
		}
		strbuf_release(&text);
		free(path);
	}
	assert_int_equal(wrong, 0);
	assert_true(tried > 30);
	release(&f);
}

static void test_nothing_found(void **state)
{
	struct fixture f;

	(void)state;
	installed(&f);
	find_text(&f, "/bin/echo hello", "Hello. Time flies. 12 monkeys, 3.5 ops\n");
	assert_int_equal(json_array_size(json_object_get(f.root, "metrics")), 1);
	assert_string_equal(json_str(f.root, "workload", ""), "echo");
	assert_string_equal(json_str(metric(&f, "wall_time"), "better", ""), "lower");
	release(&f);
}

static void test_binary(void **state)
{
	char text[8192];
	struct fixture f;

	(void)state;
	installed(&f);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7919 >> 3);
	memcpy(text + 4000, "\nRunning in process mode with 1 groups using 40 file "
			    "descriptors each (== 40 tasks)\0\nTime: 1.25\n", 95);
	find(&f, "x", text, sizeof(text));
	near(value(&f, "time"), 1.25);
	release(&f);
}

static void parse(struct fixture *f, const char *text)
{
	struct err err = ERR_INIT;

	memset(f, 0, sizeof(*f));
	if (patterns_parse(&f->patterns, text, "test.conf", true, &err) < 0)
		fail_msg("%s", err_text(&err));
}

static void test_aggregates(void **state)
{
	struct fixture f;

	(void)state;
	parse(&f, "workload w\n"
		  "# every aggregate\n"
		  "metric first - lower first ^v ([0-9]+)\n"
		  "metric last - lower last ^v ([0-9]+)\n"
		  "metric sum ops higher sum,work ^v ([0-9]+)\n"
		  "metric mean - lower mean ^v ([0-9]+)\n"
		  "metric min - lower min ^v ([0-9]+)\n"
		  "metric max - lower max,scale=0.5 ^v ([0-9]+)\n"
		  "metric n - lower count ^v\n"
		  "metric of.$1 - lower sum ^([a-z]+) ([0-9]+)\n"
		  "section inner ^begin\n"
		  "metric inside - lower last ^u ([0-9]+)\n"
		  "section - \n"
		  "compute product x lower work 2 sum /n\n");
	find_text(&f, "x", "u 7\nv 3\nv 9\nv 6\nbegin\nu 8\n");
	near(value(&f, "first"), 3);
	near(value(&f, "last"), 6);
	near(value(&f, "sum"), 18);
	near(value(&f, "mean"), 6);
	near(value(&f, "min"), 3);
	near(value(&f, "max"), 4.5);
	near(value(&f, "n"), 3);
	near(value(&f, "of.v"), 18);
	near(value(&f, "of.u"), 15);
	near(value(&f, "inside"), 8);
	near(value(&f, "product"), 12);
	assert_true(json_bool(metric(&f, "sum"), "work", false));
	assert_false(json_bool(metric(&f, "n"), "work", true));
	assert_string_equal(json_str(metric(&f, "sum"), "unit", ""), "ops");
	assert_string_equal(json_str(metric(&f, "n"), "unit", "?"), "");
	release(&f);
}

static void test_values(void **state)
{
	(void)state;
	near(metric_value("1,234.5", false), 1234.5);
	near(metric_value("-3e2", false), -300);
	near(metric_value("1:02:03.5", true), 3723.5);
	near(metric_value("2m3.25s", true), 123.25);
	near(metric_value("12.5", true), 12.5);
	near(metric_value("1h2m3s", true), 3723);
	near(metric_value("2h", true), 7200);
	assert_true(isnan(metric_value("", false)));
	assert_true(isnan(metric_value("inf", false)));
	assert_true(isnan(metric_value("nan", false)));
	assert_true(isnan(metric_value("..", false)));
	assert_true(isnan(metric_value(":", true)));
}

static void test_bad_files(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "metric a s lower last (x)\n", "no line 'workload" },
		{ "workload\n", "test.conf:1: the workload has no name" },
		{ "workload w\nmetric\n", "test.conf:2:" },
		{ "workload w\nmetric a s faster last (x)\n", "expected higher or lower, not 'faster'" },
		{ "workload w\nmetric a s lower lots (x)\n", "there is no flag 'lots'" },
		{ "workload w\nmetric a s lower last x\n", "parentheses must stand" },
		{ "workload w\nmetric a s lower last (x\n", "test.conf:2:" },
		{ "workload w\nmetric a s lower last (a)\\1\n", "back references" },
		{ "workload w\nmetric a s lower last ((a{200}){200})\n", "too large" },
		{ "workload w\nmetric a s lower last,group=3 (a)\n", "no such group" },
		{ "workload w\nmetric a s lower last,scale=x (a)\n", "no number" },
		{ "workload w\nnonsense\n", "expected workload, command" },
		{ "workload w\noutput a\noutput b\n", "second line of that kind" },
		{ "workload w\ncompute a s lower -\n", "nothing to compute" },
		{ "", "no line 'workload" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct patterns p = { 0 };
		struct err err = ERR_INIT;

		assert_int_equal(patterns_parse(&p, bad[i].text, "test.conf", false, &err), -22);
		if (!strstr(err_text(&err), bad[i].says))
			fail_msg("'%s' does not say '%s'", err_text(&err), bad[i].says);
		err_release(&err);
		patterns_release(&p);
	}
}

static void test_option(void **state)
{
	static const char *const wrong[] = { "", "a", "a:s", "a:s:lower", "a:s:up:(x)",
					     ":s:lower:(x)", "a:s:lower:x", "a:s:lower:(" };
	struct fixture f = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(patterns_add_option(&f.patterns, wrong[i], &err), -22);
		assert_non_null(err.text);
		err_release(&err);
	}
	assert_int_equal(patterns_add_option(&f.patterns, "lat:us:lower:p99: ([0-9]+)", NULL), 0);
	assert_int_equal(patterns_add_option(&f.patterns, "none:us:lower:zzz ([0-9]+)", NULL), 0);
	find_text(&f, "mybench", "p99: 12\np99: 14\n");
	near(value(&f, "lat"), 14);
	assert_null(metric(&f, "none"));
	assert_string_equal(json_str(f.root, "workload", ""), "mybench");
	assert_int_equal(f.notes.n, 0);
	find_text(&f, "mybench", "nothing\n");
	assert_int_equal(f.notes.n, 1);
	release(&f);
}

/* Expressions and lines that make a backtracking matcher run for ever. */
static void test_hostile(void **state)
{
	static const char *const nasty[] = {
		"workload w\nmetric a s lower last (a*)*b([0-9])\n",
		"workload w\nmetric a s lower last (a|aa)+([0-9])$\n",
		"workload w\nmetric a s lower last (a+)+(a+)+(a+)+([0-9])\n",
		"workload w\nmetric a s lower last ((a?){16})(a{16})([0-9])\n",
	};
	size_t len = 256UL << 10;
	char *text = xmalloc(len + 1);

	(void)state;
	memset(text, 'a', len);
	text[len] = '\0';
	for (size_t i = 3000; i < len; i += 3000)
		text[i] = '\n';
	for (size_t i = 0; i < ARRAY_SIZE(nasty); i++) {
		struct fixture f;

		parse(&f, nasty[i]);
		find(&f, "x", text, len);
		assert_null(metric(&f, "a"));
		release(&f);
	}
	free(text);
}

/* What runs the workload is not the workload. */
static void test_wrappers(void **state)
{
	static const struct {
		const char *command, *workload;
	} rows[] = {
		{ "blame-work -p 4", "blame-work" },
		{ "taskset -c 0-3 blame-work -p 4", "blame-work" },
		{ "numactl -N 0 -m 0 /opt/bin/blame-work", "blame-work" },
		{ "perf stat -a -- blame-work", "blame-work" },
		{ "/usr/bin/env A=1 nice -n 5 blame-work", "blame-work" },
		{ "taskset -c 0-3 something", "taskset" },
		{ "taskset -c 0 cat blame-work", "taskset" },
		{ "perf stat cat blame-work", "perf" },
		{ "nice -n 5 taskset 1 blame-work", "blame-work" },
		{ "cat blame-work", "cat" },
		{ "taskset", "taskset" },
	};
	struct fixture f;

	installed(&f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		find_text(&f, rows[i].command, "loops: 960\ntime: 1.5 s\n");
		assert_string_equal(json_str(f.root, "workload", ""), rows[i].workload);
		assert_int_equal(metric(&f, "time") != NULL,
				 !strcmp(rows[i].workload, "blame-work"));
	}
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrappers),
		cmocka_unit_test(test_samples),	   cmocka_unit_test(test_nothing_found),
		cmocka_unit_test(test_binary),	   cmocka_unit_test(test_aggregates),
		cmocka_unit_test(test_values),	   cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_option),	   cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
