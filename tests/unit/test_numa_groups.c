// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "report/report.h"

static struct run run;
static struct run_set set = { .run = &run, .n = 1 };
static const struct run_set *sets[] = { &set };
static char *names[] = { "base" };
static struct report report = { .sets = sets, .nr_sets = 1, .name = names };

static int setup(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	memset(&run, 0, sizeof(run));
	series_init(&run.series);
	topology_init(&run.topology);
	return topology_load(&run.topology, "numa:2 core:2 pu:2", &err);
}

static int teardown(void **state)
{
	(void)state;
	series_release(&run.series);
	topology_release(&run.topology);
	return 0;
}

static void add_group(const char *name, uint64_t tasks, uint64_t shared)
{
	struct series_set *s = &run.series;

	series_add(s, "numa_group", LABELS("group", name, "field", "tasks"), tasks);
	series_add(s, "numa_group", LABELS("group", name, "field", "pages"), 1000);
	series_add(s, "numa_group", LABELS("group", name, "field", "pages_shared"), shared);
	series_add(s, "numa_group_pages", LABELS("group", name, "cpu_node", "0", "mem_node", "1"),
		   750);
	series_add(s, "numa_group_pages", LABELS("group", name, "cpu_node", "0", "mem_node", "0"),
		   250);
	series_add(s, "numa_faults", LABELS("sharing", "shared", "cpu_node", "0", "mem_node",
					    "1"), 750);
	series_add(s, "numa_faults", LABELS("sharing", "private", "cpu_node", "0", "mem_node",
					    "0"), 250);
}

static bool says(const char *text)
{
	struct strbuf sb = STRBUF_INIT;
	bool found;

	section_numa_groups_text(&report, &sb);
	found = strstr(sb.buf, text) != NULL;
	for (const char *p = sb.buf; *p; p += strcspn(p, "\n"), p += *p == '\n')
		assert_true(strcspn(p, "\n") <= 78);
	strbuf_release(&sb);
	return found;
}

static void test_fits(void **state)
{
	(void)state;
	add_group("db:7", 4, 900); /* as many as the node has CPUs */
	assert_true(says("25.0 % local in the end, 75.0 % shared"));
	assert_true(says("node1  75%"));
	assert_false(says("larger than its node"));
}

static void test_outgrows(void **state)
{
	json_t *json;

	(void)state;
	add_group("db:7", 5, 900);
	assert_true(says("5 tasks share memory, but node1 has 4 CPUs"));
	json = section_numa_groups_json(&report);
	assert_true(json_bool(json_array_get(json_object_get(json_array_get(json, 0), "groups"),
					     0), "outgrows_node", false));
	json_decref(json);
}

/* Many tasks, each with memory of its own: the node's size does not matter. */
static void test_private(void **state)
{
	(void)state;
	add_group("make:9", 50, 10);
	assert_false(says("larger than its node"));
}

static void test_untrusted_name(void **state)
{
	(void)state;
	add_group("a\x1b[31mb:1", 1, 0);
	assert_false(says("\x1b"));
}

static void test_not_measured(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	section_numa_groups_text(&report, &sb);
	assert_int_equal(sb.len, 0);
	strbuf_release(&sb);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_fits), TEST(test_outgrows), TEST(test_private),
		TEST(test_untrusted_name), TEST(test_not_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
