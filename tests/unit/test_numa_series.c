// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "bpf/numa_shared.h"
#include "collect/numa_private.h"
#include "schedblame/alloc.h"

/* Two nodes that the kernel numbers 0 and 4: CPUs 0-1 and 2-3. */
static void two_nodes(struct topology *t)
{
	struct err err = ERR_INIT;

	topology_init(t);
	assert_int_equal(topology_load(t, "numa:2 core:2 pu:1", &err), 0);
	t->node[1].os_id = 4;
}

static uint64_t sum(const struct series_set *set, const char *name, const char *key,
		    const char *value)
{
	return series_sum(set, name, LABELS(key, value));
}

static void test_counts(void **state)
{
	struct numa_pair_count pair[] = {
		{ { 7, 0, 0, 0, 0 }, { 100, 0 } }, /* private, local */
		{ { 7, 0, 0, 4, 1 }, { 30, 10 } }, /* shared, remote */
		{ { 0, 55, 4, 4, 1 }, { 5, 5 } },  /* no group: its process */
	};
	struct numa_task task[] = {
		{ 50, 7, "a\x1b[31m", 1 }, { 50, 7, "sixteen letters!", 129 },
		{ 55, 0, "alone", 5 },
	};
	uint64_t move[NUMA_EVENTS * 5 * 5] = { 0 };
	struct numa_counts c = { 5, true, move, pair, 3, 3, task, 3, 3, 1, 2, 3 };
	struct series_set set;
	struct topology t;

	(void)state;
	move[(NUMA_SWAP * 5 + 0) * 5 + 4] = 9;
	two_nodes(&t);
	series_init(&set);
	numa_counts_to_series(&c, &t, &set);
	assert_int_equal(sum(&set, "numa", "event", "swap"), 9);
	assert_int_equal(sum(&set, "numa", "event", "move"), 0);
	assert_int_equal(series_sum(&set, "numa_moves", LABELS("from_node", "0", "to_node", "1")),
			 9); /* dense indexes, not the kernel's numbers */
	assert_int_equal(sum(&set, "numa_faults", "sharing", "private"), 100);
	assert_int_equal(series_sum(&set, "numa_faults", LABELS("sharing", "shared", "cpu_node",
				    "0", "mem_node", "1")), 30);
	assert_int_equal(sum(&set, "numa_fault_moves", "to_node", "1"), 15);
	/* the group is named after the task that faulted most */
	assert_int_equal(series_sum(&set, "numa_group", LABELS("group", "sixteen letters!:7",
				    "field", "tasks")), 2);
	assert_int_equal(series_sum(&set, "numa_group", LABELS("group", "sixteen letters!:7",
				    "field", "pages_remote")), 30);
	assert_int_equal(series_sum(&set, "numa_group", LABELS("group", "alone:55", "field",
				    "pages_shared")), 5);
	assert_int_equal(sum(&set, "dropped", "what", "numa_pages"), 1);
	assert_int_equal(sum(&set, "dropped", "what", "numa_tasks"), 2);
	assert_int_equal(sum(&set, "dropped", "what", "numa_moves"), 3);
	series_release(&set);
	topology_release(&t);
}

/* Without a probe on the function the faults are not measured, which is not 0. */
static void test_no_faults(void **state)
{
	struct numa_counts c = { .nr_nodes = 1 };
	struct series_set set;
	struct topology t;

	(void)state;
	two_nodes(&t);
	series_init(&set);
	numa_counts_to_series(&c, &t, &set);
	assert_true(series_has(&set, "numa_moves"));
	assert_false(series_has(&set, "numa_faults"));
	assert_false(series_has(&set, "numa_group"));
	series_release(&set);
	topology_release(&t);
}

static void test_many_groups(void **state)
{
	struct numa_pair_count pair[100] = { 0 };
	struct numa_counts c = { .nr_nodes = 1, .faults_seen = true, .pair = pair,
				 .nr_pairs = 100 };
	struct series_set set;
	struct topology t;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		pair[i].key.group = i + 1;
		pair[i].n.pages = i + 1;
	}
	two_nodes(&t);
	series_init(&set);
	numa_counts_to_series(&c, &t, &set);
	/* 32 with the most pages by name, 1..68 together */
	assert_int_equal(series_sum(&set, "numa_group", LABELS("group", "?:100", "field",
				    "pages")), 100);
	assert_int_equal(series_sum(&set, "numa_group", LABELS("group", "others", "field",
				    "pages")), 68 * 69 / 2);
	series_release(&set);
	topology_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_no_faults),
		cmocka_unit_test(test_many_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
