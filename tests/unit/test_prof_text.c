// SPDX-License-Identifier: GPL-2.0-or-later
/* Every format of profile files, on the small seeds of the fuzz targets, and on
 * the corpus where it is at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/profile.h"

static void open_seed(struct profile *p, const char *name, const char *format,
		      const struct profile_options *o)
{
	char *path = xasprintf("%s/tests/fuzz/seeds/prof_%s/small", SOURCE_DIR, name);
	struct err err = ERR_INIT;

	if (profile_load(p, path, o, &err) < 0)
		fail_msg("%s", err_text(&err));
	assert_string_equal(p->format, format);
	free(path);
}

/* Sum over the symbols of that name. */
static double weight(const struct profile *p, const char *name)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->nr_symbols; i++)
		if (!strcmp(profile_name(p, i), name))
			sum += p->symbol[i].weight;
	return sum;
}

static const struct profile_options all = { .user_symbols = true, .chains = true };

static void perf_report(void **state)
{
	struct profile p;

	open_seed(&p, "report", "perf report", NULL);
	assert_true(fabs(weight(&p, "cpu_startup_entry") - 8895026685 * 0.001) < 1);
	assert_true(fabs(weight(&p, "user mode") - 8895026685 * 0.12) < 1);
	assert_int_equal(p.samples, 8 + 960);
	assert_string_equal(p.event, "cycles:pp");
	assert_string_equal(p.kernel_release, "6.1.0");
	assert_true(p.estimated);
	profile_release(&p);
}

static void perf_script(void **state)
{
	struct profile p;
	struct profile_options cycles = { .event = "cycles:u" };

	open_seed(&p, "script", "perf script", &all);
	assert_true(weight(&p, "do_idle") == 1001001);
	assert_int_equal(p.samples, 1);
	assert_int_equal(p.nr_nodes, 3); /* root, main, do_idle */
	assert_string_equal(p.unit, "ns");
	profile_release(&p);
	open_seed(&p, "script", "perf script", &cycles);
	assert_int_equal(p.samples, 1);
	profile_release(&p);
}

static void opreport(void **state)
{
	struct profile p;

	open_seed(&p, "oprofile", "opreport", &all);
	assert_true(weight(&p, "schedule") == 450);
	assert_true(weight(&p, "std::f(int, char)") == 12);
	assert_string_equal(p.event, "CPU_CLK");
	profile_release(&p);
}

static int load_text(struct profile *p, const char *text, struct err *err)
{
	return profile_load_memory(p, text, strlen(text), "text", &all, err);
}

static void opreport_columns(void **state)
{
	static const char two_events[] =
		"CPU: Core 2, speed 2400 MHz\n"
		"Counted CPU_CLK events (x) count 1\nCounted LLC_MISS events (x) count 1\n"
		"samples  %        samples  %        symbol name\n"
		"100      50.0000  7        70.0000  schedule\n"
		"100      50.0000  3        30.0000  operator new(unsigned long)\n";
	static const char by_image[] =
		"CPU: Core 2\nCounted CPU_CLK events (x) count 1\n"
		"CPU_CLK:1|\n  samples|      %|\n------------------\n"
		"   450385 75.6634 cc1plus\n    60213 10.1156 vmlinux\n";
	static const char graph[] =
		"CPU: Core 2\nsamples  %        image name symbol name\n"
		"-------------------------------------------------\n"
		"  10       100.000  vmlinux    caller\n"
		"40       40.0000  vmlinux    schedule\n"
		"  40       100.000  vmlinux    schedule [self]\n"
		"-------------------------------------------------\n";
	struct profile_options misses = { .event = "LLC_MISS" };
	struct profile p;

	assert_int_equal(load_text(&p, two_events, NULL), 0);
	assert_true(weight(&p, "schedule") == 100);
	assert_true(weight(&p, "operator new(unsigned long)") == 100);
	profile_release(&p);
	assert_int_equal(profile_load_memory(&p, two_events, strlen(two_events), "t", &misses,
					     NULL), 0);
	assert_true(weight(&p, "schedule") == 7);
	profile_release(&p);
	assert_int_equal(load_text(&p, by_image, NULL), 0);
	assert_true(weight(&p, "cc1plus") == 450385);
	profile_release(&p);
	assert_int_equal(load_text(&p, graph, NULL), 0);
	assert_true(weight(&p, "schedule") == 40 && p.samples == 40);
	profile_release(&p);
}

static void folded_stacks(void **state)
{
	struct profile p;

	open_seed(&p, "folded", "folded", &all);
	assert_true(weight(&p, "vfs_write") == 12);
	assert_int_equal(p.symbol[profile_symbol(&p, "vfs_write", 0, 0, SPACE_KERNEL)].samples,
			 12);
	assert_true(weight(&p, "f") == 3.5);
	profile_release(&p);
	open_seed(&p, "folded", "folded", NULL);
	assert_true(weight(&p, "user mode") == 3.5);
	profile_release(&p);
}

static void two_counts_are_two_profiles(void **state)
{
	struct profile p;
	struct err err = ERR_INIT;

	assert_int_equal(load_text(&p, "a;b 1 2\na;c 3 4\n", &err), -22);
	assert_non_null(strstr(err_text(&err), "two counts a line"));
	err_release(&err);
}

static void bpftrace_stacks(void **state)
{
	struct profile p;

	open_seed(&p, "bpftrace", "bpftrace", &all);
	assert_true(weight(&p, "native_safe_halt") == 123);
	assert_int_equal(p.idle_samples, 123);
	assert_true(weight(&p, "f") == 7);
	assert_int_equal(p.nr_nodes, 5);
	profile_release(&p);
}

static void pprof(void **state)
{
	struct profile_options count = { .user_symbols = true, .event = "samples" };
	struct profile p;

	open_seed(&p, "pprof", "pprof", &all);
	assert_string_equal(p.event, "cpu");
	assert_string_equal(p.unit, "nanoseconds");
	assert_true(weight(&p, "inlined_helper") == 3e7);
	assert_true(weight(&p, "main") == 1e7);
	assert_int_equal(p.samples, 4);
	assert_int_equal(p.nr_nodes, 4); /* root, main, work, inlined_helper */
	profile_release(&p);
	open_seed(&p, "pprof", "pprof", &count);
	assert_true(weight(&p, "inlined_helper") == 3);
	profile_release(&p);
}

/* What files of the corpus hold, and what the others must say. */
static void corpus(void **state)
{
	static const struct {
		const char *path, *format; /* NULL: refused */
		const char *event, *symbol_or_sentence;
		double samples;
	} t[] = {
		{ "perf-report/intel+lkp-tests/1", "perf report", "cycles:pp", "intel_idle", 8000 },
		{ "perf-report/intel+lkp-tests/4", NULL, NULL, "counts of perf stat", 0 },
		{ "perf-report/epickrram+lock-contention/perf-report.txt", NULL, NULL,
		  "several reports", 0 },
		{ "perf-script/jlfwong+speedscope/simple-with-header.linux-perf.txt",
		  "perf script", "cpu-clock", "_Z5alphav", 136 },
		{ "perf-script/jonhoo+inferno/java-inline.txt", "perf script", "cpu-clock", "__fget_light",
		  22 },
		{ "perf-script/firefox-devtools+profiler/gzip.perf.gz", "perf script", "cycles",
		  "longest_match", 420 },
		{ "perf-script/sched-ext+scx/perf.sched.script", NULL, NULL,
		  "no profile that is known", 0 },
		{ "perf-script/firefox-devtools+profiler/simpleperf-cpu-clock.trace.gz", NULL, NULL,
		  "simpleperf", 0 },
		{ "folded/jlfwong+speedscope/simple-utf16-le.txt", "folded", "", "c", 14 },
		{ "folded/jonhoo+inferno/example-perf-stacks-collapsed.txt", "folded", "",
		  "org/mozilla/javascript/ScriptableObject:.getSlot", 1315 },
		{ "folded/jonhoo+inferno/normalize.txt", NULL, NULL, "two counts", 0 },
		{ "folded/google+pprof/report0.folded", "folded", "", "tee", 6 },
		{ "pprof/parca-dev+parca/fgprof.pb.gz", "pprof", "time", "", 208335 },
		{ "pprof/parca-dev+parca/1644509275338070000.pb.gz", "pprof", "inuse_space", "",
		  73788 },
		{ "pprof/jlfwong+speedscope/simple.prof", "pprof", "cpu", "", 150 },
		{ "pprof/google+pprof/java.heap", NULL, NULL, "old text formats", 0 },
		{ "pprof/google+pprof/cppbench.cpu", NULL, NULL, "gperftools", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		char *path = xasprintf("%s/corpus/%s", SHARED_DIR, t[i].path);
		struct err err = ERR_INIT;
		struct profile p;
		int ret;

		if (!file_exists(path)) {
			free(path);
			skip();
		}
		ret = profile_load(&p, path, &all, &err);
		if (t[i].format) {
			if (ret < 0)
				fail_msg("%s", err_text(&err));
			assert_string_equal(p.format, t[i].format);
			assert_string_equal(p.event, t[i].event);
			if ((double)p.samples != t[i].samples)
				print_error("%s: %llu samples\n", path, (unsigned long long)p.samples);
			assert_true(fabs((double)p.samples - t[i].samples) <= t[i].samples / 200);
			if (*t[i].symbol_or_sentence)
				assert_true(weight(&p, t[i].symbol_or_sentence) > 0);
			profile_release(&p);
		} else {
			assert_true(ret < 0);
			if (!strstr(err_text(&err), t[i].symbol_or_sentence))
				fail_msg("%s", err_text(&err));
		}
		err_release(&err);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_report),
		cmocka_unit_test(perf_script),
		cmocka_unit_test(opreport),
		cmocka_unit_test(opreport_columns),
		cmocka_unit_test(folded_stacks),
		cmocka_unit_test(two_counts_are_two_profiles),
		cmocka_unit_test(bpftrace_stacks),
		cmocka_unit_test(pprof),
		cmocka_unit_test(corpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
