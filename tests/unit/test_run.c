// SPDX-License-Identifier: GPL-2.0-or-later
/* Run directories made by tests/data/mkrun.py, whole and spoiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/profile.h"
#include "schedblame/run.h"

static char *work; /* of this program: work/set is whole, work/bad is spoiled */

static void shell(const char *fmt, ...)
{
	va_list ap;
	char *cmd;

	va_start(ap, fmt);
	cmd = xvasprintf(fmt, ap);
	va_end(ap);
	if (system(cmd))
		fail_msg("failed: %s", cmd);
	free(cmd);
}

static int make(void **state)
{
	char dir[] = "/tmp/test_run.XXXXXX";

	if (!mkdtemp(dir))
		return -1;
	work = xstrdup(dir);
	shell("python3 %s/mkrun.py %s/set repeats=3 label=virgin 'command=a b' samples=100",
	      TEST_DATA_DIR, work);
	return 0;
}

static int remove_all(void **state)
{
	remove_tree(work, NULL);
	free(work);
	return 0;
}

static void spoil(const char *how)
{
	shell("cd %s && rm -rf bad && cp -r set bad && cd bad && %s", work, how);
}

static int open_bad(struct run_set *set, struct err *err)
{
	char *path = path_join(work, "bad");
	int ret = run_set_open(set, path, NULL, err);

	free(path);
	return ret;
}

static void refused(const char *how, const char *part)
{
	struct err err = ERR_INIT;
	struct run_set set;

	spoil(how);
	assert_true(open_bad(&set, &err) < 0);
	if (!strstr(err_text(&err), part))
		fail_msg("'%s' lacks '%s'", err_text(&err), part);
	assert_int_equal(set.n, 0);
	err_release(&err);
}

static bool has_note(const struct notes *notes, const char *part)
{
	for (size_t i = 0; i < notes->n; i++)
		if (strstr(notes->v[i], part))
			return true;
	return false;
}

/* Opens, with a note of the first run, or of the set, that holds part. */
static void noted(const char *how, size_t runs, const char *part)
{
	struct err err = ERR_INIT;
	struct run_set set;

	spoil(how);
	if (open_bad(&set, &err) < 0)
		fail_msg("%s", err_text(&err));
	assert_int_equal(set.n, runs);
	if (!has_note(&set.notes, part) && !has_note(&set.run[0].notes, part))
		fail_msg("no note holds '%s'; first is '%s'", part,
			 set.run[0].notes.n ? set.run[0].notes.v[0] : "none");
	run_set_close(&set);
}

static void whole_set(void **state)
{
	struct err err = ERR_INIT;
	struct run_set set;
	const struct run *run;
	char *path = path_join(work, "set");

	if (run_set_open(&set, path, NULL, &err) < 0)
		fail_msg("%s", err_text(&err));
	free(path);
	assert_string_equal(set.label, "virgin");
	assert_int_equal(set.n, 3);
	run = &set.run[0];
	assert_int_equal(run->notes.n, 0);
	assert_true(run->complete);
	assert_string_equal(run->command, "a b");
	assert_string_equal(run->kernel_release, "6.1.0-base");
	assert_string_equal(run->machine_name, "testbox");
	assert_int_equal(run->duration_ns, 10000000000);
	assert_int_equal(run->exit_status, 0);
	assert_int_equal(cpuset_count(&run->cpus), 8);
	assert_int_equal(run->topology.nr_nodes, 2);
	assert_string_equal(run_fact(run, "sched.features.SIS_UTIL"), "off");
	assert_string_equal(run_fact(run, "sched.migration_cost_ns"), "500000");
	assert_string_equal(run_fact(run, "sysctl.kernel.numa_balancing"), "1");
	assert_null(run_fact(run, "no.such"));
	assert_int_equal(run->nr_metrics, 2);
	assert_true(run_metric(run, "time")->value == 10.0);
	assert_false(run_metric(run, "time")->higher_is_better);
	assert_true(run->work == 400000);
	assert_string_equal(run->work_unit, "messages");
	run_set_close(&set);
}

static void series_of_all_files(void **state)
{
	struct err err = ERR_INIT;
	char *path = path_join(work, "set/001");
	const struct series_set *s;
	struct histogram h;
	struct run run;

	assert_int_equal(run_open(&run, path, &err), 0);
	free(path);
	s = &run.series;
	assert_int_equal(series_sum(s, "switches", NO_LABELS), 2400000);
	assert_int_equal(series_sum(s, "migrations", LABELS("distance", "remote")), 3020);
	assert_true(series_merged(s, "function_latency", LABELS("function", "select_idle_cpu"),
				  &h));
	assert_int_equal(h.count, 180000);
	/* 8 CPUs, 10 s, 70 % and 16 % */
	assert_int_equal(series_sum(s, "cpu_time", LABELS("mode", "system")), 56000000000);
	assert_int_equal(series_sum(s, "cpu_time", LABELS("mode", "idle", "cpu", "3")),
			 1600000000);
	assert_int_equal(series_sum(s, "cpu_time", NO_LABELS), 80000000000);
	assert_int_equal(series_sum(s, "stat", LABELS("field", "ctxt")), 2400000);
	assert_int_equal(series_sum(s, "vmstat", LABELS("field", "pgfault")), 50000);
	assert_int_equal(series_sum(s, "vmstat", LABELS("field", "nr_free_pages")), 0);
	assert_int_equal(series_sum(s, "numa", LABELS("event", "hint_fault_remote")), 2000);
	assert_int_equal(series_sum(s, "interrupts", LABELS("line", "RES")), 90000);
	assert_int_equal(series_sum(s, "interrupts", LABELS("line", "device")), 100);
	assert_int_equal(series_sum(s, "softirqs", LABELS("type", "SCHED")), 7000);
	assert_int_equal(series_sum(s, "pressure", LABELS("resource", "cpu", "kind", "some")),
			 4000000000);
	assert_int_equal(series_sum(s, "lb", LABELS("level", "NUMA", "idle", "newidle", "field",
						    "gained")), 2000);
	assert_int_equal(series_sum(s, "lb", LABELS("level", "MC", "idle", "newidle", "field",
						    "gained")), 60000);
	assert_int_equal(series_sum(s, "alb", LABELS("field", "pushed")), 2 * 16);
	assert_int_equal(series_sum(s, "proc_elapsed", NO_LABELS), 10000000000);
	run_close(&run);
}

static void the_profile_is_read_when_asked(void **state)
{
	char *path = path_join(work, "set/001");
	const struct profile *p;
	struct err err = ERR_INIT;
	struct run run;
	bool found = false;

	assert_int_equal(run_open(&run, path, &err), 0);
	assert_null(run.profile);
	p = run_profile(&run, &err);
	if (!p)
		fail_msg("%s", err_text(&err));
	assert_ptr_equal(run_profile(&run, &err), p);
	for (uint32_t i = 0; i < p->nr_symbols; i++)
		if (!strcmp(profile_name(p, i), "select_idle_cpu")) {
			assert_int_equal(p->symbol[i].samples, 5);
			found = true;
		}
	assert_true(found);
	assert_int_equal(p->symbol[PROFILE_USER].samples, 14);
	run_close(&run);
	/* none recorded: no profile, and no error either */
	free(path);
	spoil("rm 001/profile.data");
	path = path_join(work, "bad/001");
	assert_int_equal(run_open(&run, path, &err), 0);
	assert_null(run_profile(&run, &err));
	assert_int_equal(err.code, 0);
	run_close(&run);
	spoil("truncate -s 60 001/profile.data");
	assert_int_equal(run_open(&run, path, &err), 0);
	assert_null(run_profile(&run, &err));
	assert_true(err.code > 0);
	err_release(&err);
	run_close(&run);
	free(path);
}

static void bad_sets_are_refused(void **state)
{
	struct err err = ERR_INIT;
	struct run_set set;

	refused("rm -r 0*", "is neither a set nor a run");
	refused("rm -r 002 003; echo '{\"version\":1' >001/run.json", "is not valid JSON");
	refused("rm -r 002 003; sed -i 's/\"version\": 1,/\"version\": 2,/' 001/run.json",
		"format version 2, this schedblame reads up to 1");
	refused("rm -r 002 003; rm 001/run.json", "has no run.json");
	refused("rm -r 002 003; echo '[]' >001/run.json", "has no format version");
	refused("echo '{\"version\":7}' >set.json", "format version 7");
	refused("rm -r 002 003; head -c 100000 /dev/urandom >001/run.json", "run.json");
	assert_true(run_set_open(&set, "/nonexistent", NULL, &err) < 0);
	assert_non_null(strstr(err_text(&err), "cannot open /nonexistent"));
	assert_true(run_set_open(&set, "/dev/null", NULL, &err) < 0);
	assert_non_null(strstr(err_text(&err), "is empty"));
	err_release(&err);
}

static void half_written_sets_open_with_notes(void **state)
{
	noted("mv 002 .002.partial", 2, ".002.partial is a run that was never finished");
	noted("rm 002/run.json", 2, "002 is no run directory");
	noted("echo '{' >set.json", 3, "the set is named by its folder");
	noted("rm 001/topology.xml", 3, "topology.xml is missing");
	noted("echo '<?xml' >001/topology.xml", 3, "distances are not known");
	noted("sed -i 's/\"version\": 1,/\"version\": 2,/' 002/sched.json", 2,
	      "sched.json has format version 2");
	noted("truncate -s 2000 001/sched.json", 3, "its numbers are left out");
	noted("rm 001/after/proc/stat", 3, "proc/stat is there only before the run");
	noted("echo 'version 12' >001/after/proc/schedstat", 3, "schedstat version 12");
	noted(": >001/after/proc/stat", 3, "holds no cpu line");
	noted("sed -i 's/\"complete\": true/\"complete\": false/' 001/run.json", 3,
	      "cut short");
	noted("sed -i 's/\"exit_status\": 0/\"exit_status\": 7/' 001/run.json", 3,
	      "exit status 7");
	noted("sed -i 's/\"better\": \"lower\"/\"better\": \"\"/' 001/metrics.json", 3,
	      "metric 0 lacks");
	noted("sed -i 's/\"cpus\": \"0-7\"/\"cpus\": \"x\"/' 001/run.json", 3,
	      "all CPUs are assumed");
}

static void without_metrics_the_wall_time_counts(void **state)
{
	struct err err = ERR_INIT;
	struct run_set set;

	spoil("rm 00*/metrics.json");
	assert_int_equal(open_bad(&set, &err), 0);
	assert_int_equal(set.run[0].nr_metrics, 1);
	assert_string_equal(set.run[0].metric[0].name, "wall_time");
	assert_true(set.run[0].metric[0].value == 10.0);
	assert_true(set.run[0].work == 1);
	assert_string_equal(set.run[0].work_unit, "run");
	run_set_close(&set);
}

static void runs_are_in_order_of_number(void **state)
{
	struct err err = ERR_INIT;
	struct run_set set;

	spoil("mv 001 1000 && mv 003 20");
	assert_int_equal(open_bad(&set, &err), 0);
	assert_int_equal(set.n, 3);
	assert_non_null(strstr(set.run[0].path, "/002"));
	assert_non_null(strstr(set.run[1].path, "/20"));
	assert_non_null(strstr(set.run[2].path, "/1000"));
	run_set_close(&set);
}

static void a_set_without_label_is_named_by_its_folder(void **state)
{
	struct err err = ERR_INIT;
	struct run_set set;

	spoil("rm set.json");
	assert_int_equal(open_bad(&set, &err), 0);
	assert_string_equal(set.label, "bad");
	run_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_set),
		cmocka_unit_test(series_of_all_files),
		cmocka_unit_test(the_profile_is_read_when_asked),
		cmocka_unit_test(bad_sets_are_refused),
		cmocka_unit_test(half_written_sets_open_with_notes),
		cmocka_unit_test(without_metrics_the_wall_time_counts),
		cmocka_unit_test(runs_are_in_order_of_number),
		cmocka_unit_test(a_set_without_label_is_named_by_its_folder),
	};

	return cmocka_run_group_tests(tests, make, remove_all);
}
