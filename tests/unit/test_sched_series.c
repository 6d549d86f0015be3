// SPDX-License-Identifier: GPL-2.0-or-later
/* The sched source's maps turned into named series, without a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "schedblame/alloc.h"

#if __has_include("sched_shared.h") /* built with BPF */
#include "collect/sched_private.h"

#define CPUS 3
#define NODES 3 /* two, and "not known" */
#define CELLS SCHED_NODE_CELLS(NODES)

static struct sched_cpu cpu[CPUS];
static struct sched_hist *since;
static uint64_t *migrations, *matrix;
static uint32_t slot_of[REASON_NR * DIST_NR];
static struct sched_counts counts = {
	.nr_cpus = CPUS, .nr_nodes = NODES, .matrix_cpus = CPUS,
	.sampler = true, .sample_ns = 5000000, .start_ns = 1000, .stop_ns = 11000,
};
static struct series_set set;

static int setup(void **state)
{
	memset(cpu, 0, sizeof(cpu));
	counts.cpu = cpu;
	counts.since = since = xcalloc(CPUS * SCHED_SLOTS, sizeof(*since));
	counts.migrations = migrations = xcalloc(CPUS * REASON_NR * CELLS, 8);
	counts.cpu_migrations = matrix = xcalloc(REASON_NR * CPUS * CPUS, 8);
	counts.slot_of = slot_of;
	memset(slot_of, 0, sizeof(slot_of));
	series_init(&set);
	return 0;
}

static int teardown(void **state)
{
	series_release(&set);
	free(since);
	free(migrations);
	free(matrix);
	return 0;
}

static void convert(const char *list)
{
	struct cpuset cpus = CPUSET_INIT;

	assert_int_equal(cpuset_parse(&cpus, list, NULL), 0);
	sched_counts_to_series(&counts, &cpus, &set);
	cpuset_release(&cpus);
}

static void switches_and_waits_add_up(void **state)
{
	struct histogram h;

	cpu[0].switches[SWITCH_VOLUNTARY] = 5;
	cpu[1].switches[SWITCH_VOLUNTARY] = 2;
	cpu[1].switches[SWITCH_IDLE] = 3;
	cpu[0].wakeup_latency[DIST_SELF].bucket[7] = 4;
	cpu[0].wakeup_latency[DIST_SELF].sum = 28;
	cpu[0].wakeup_latency[DIST_SELF].max = 7;
	cpu[2].wakeup_latency[DIST_SELF].bucket[3] = 1;
	cpu[2].wakeup_latency[DIST_SELF].sum = 3;
	cpu[2].wakeup_latency[DIST_SELF].max = 3;
	convert("0-2");
	assert_int_equal(series_sum(&set, "switches", LABELS("kind", "voluntary")), 7);
	assert_int_equal(series_sum(&set, "cpu_switches", LABELS("cpu", "1")), 5);
	assert_true(series_merged(&set, "wakeup_latency", LABELS("distance", "self"), &h));
	assert_int_equal(h.count, 5);
	assert_int_equal(h.sum, 31);
	assert_int_equal(h.max, 7);
	assert_true(series_has(&set, "fork_wait"));
}

static void only_the_chosen_cpus_count(void **state)
{
	cpu[0].switches[SWITCH_VOLUNTARY] = 5;
	cpu[1].switches[SWITCH_VOLUNTARY] = 2;
	matrix[(REASON_WAKEUP * CPUS + 0) * CPUS + 1] = 9;
	matrix[(REASON_WAKEUP * CPUS + 1) * CPUS + 2] = 4;
	convert("1-2");
	assert_int_equal(series_sum(&set, "switches", NO_LABELS), 2);
	assert_int_equal(series_sum(&set, "cpu_migrations", NO_LABELS), 4);
}

static void idle_periods_still_open_are_time(void **state)
{
	cpu[0].switches[SWITCH_IDLE] = 1; /* idles since 5000 */
	cpu[0].idle_ns = 2000;
	cpu[0].idle_since = 5000;
	cpu[1].samples[SAMPLE_IDLE] = 1; /* slept through all of it */
	convert("0-2");
	assert_int_equal(series_sum(&set, "idle_time", LABELS("cpu", "0")), 8000);
	assert_int_equal(series_sum(&set, "idle_time", LABELS("cpu", "1")), 10000);
	assert_int_equal(series_sum(&set, "idle_time", LABELS("cpu", "2")), 0);
	assert_int_equal(series_sum(&set, "idle_periods", NO_LABELS), 0);
}

static void migrations_keep_nodes_and_distance(void **state)
{
	uint64_t *cells = migrations + ((size_t)1 * REASON_NR + REASON_WAKEUP) * CELLS;

	cells[0 * DIST_NR + DIST_LLC] = 10;	   /* within node 0 */
	cells[NODES * DIST_NR + 0 * NODES + 1] = 20; /* 0 to 1 */
	cells[NODES * DIST_NR + 2 * NODES + 1] = 30; /* from a CPU without a node */
	slot_of[REASON_WAKEUP * DIST_NR + DIST_REMOTE] = 2;
	since[1 * SCHED_SLOTS + 1].bucket[100] = 6;
	convert("0-2");
	assert_int_equal(series_sum(&set, "migrations",
				    LABELS("distance", "llc", "from_node", "0", "to_node",
					   "0", "reason", "wakeup")), 10);
	assert_int_equal(series_sum(&set, "migrations",
				    LABELS("distance", "remote", "from_node", "0")), 20);
	assert_int_equal(series_sum(&set, "migrations",
				    LABELS("distance", "unknown", "from_node", "unknown")),
			 30);
	assert_int_equal(series_sum(&set, "since_last_ran",
				    LABELS("reason", "wakeup", "distance", "remote")), 6);
}

static void samples_become_time(void **state)
{
	cpu[0].samples[SAMPLE_IDLE_WAITING] = 2;
	cpu[0].idle_waiting[1][DIST_LLC] = 2;
	cpu[0].idle_waiting[0][DIST_LLC] = 1;
	convert("0-2");
	assert_int_equal(series_sum(&set, "idle_while_waiting", LABELS("allowed", "yes")),
			 10000000);
	assert_int_equal(series_sum(&set, "idle_while_waiting",
				    LABELS("allowed", "no", "method", "sampled")), 5000000);
	assert_int_equal(series_sum(&set, "idle_samples", NO_LABELS), 2);
}

/* CPU 1 was never sampled: no claim about idle CPUs, and it slept through. */
static void unsampled_cpus_are_no_zero(void **state)
{
	uint64_t stop = counts.stop_ns;

	counts.stop_ns = counts.start_ns + 100 * counts.sample_ns;
	cpu[0].samples[SAMPLE_BUSY] = cpu[2].samples[SAMPLE_BUSY] = 90;
	convert("0-2");
	assert_false(series_has(&set, "idle_while_waiting"));
	assert_int_equal(series_sum(&set, "idle_time", LABELS("cpu", "1")),
			 100 * counts.sample_ns);
	counts.stop_ns = stop;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(switches_and_waits_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(only_the_chosen_cpus_count, setup, teardown),
		cmocka_unit_test_setup_teardown(idle_periods_still_open_are_time, setup,
						teardown),
		cmocka_unit_test_setup_teardown(migrations_keep_nodes_and_distance, setup,
						teardown),
		cmocka_unit_test_setup_teardown(samples_become_time, setup, teardown),
		cmocka_unit_test_setup_teardown(unsampled_cpus_are_no_zero, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return 0;
}
#endif
