// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "collect/migcost.h"
#include "collect/migcost_print.h"
#include "schedblame/alloc.h"

#define FOUR_NODES "pack:2 numa:2 l3:1 core:2 pu:2"

static int parse(struct migcost *m, const char *text, struct err *err)
{
	json_t *root = json_loads(text, 0, NULL);
	int ret;

	assert_non_null(root);
	migcost_init(m);
	ret = migcost_from_json(m, root, "f.json", err);
	json_decref(root);
	return ret;
}

static void refused(const char *text, const char *part)
{
	struct err err = ERR_INIT;
	struct migcost m;

	assert_true(parse(&m, text, &err) < 0);
	if (!strstr(err_text(&err), part))
		fail_msg("'%s' lacks '%s'", err_text(&err), part);
	assert_int_equal(m.nr_entries, 0);
	err_release(&err);
	migcost_release(&m);
}

static void test_look_up(void **state)
{
	struct err err = ERR_INIT;
	struct migcost m;

	(void)state;
	assert_int_equal(parse(&m, "{\"version\":1, \"working_set\":4096, \"cost\":["
		"{\"path\":\"remote\",\"node_distance\":32,\"cost_ns\":900},"
		"{\"path\":\"llc\",\"cost_ns\":20},"
		"{\"path\":\"remote\",\"node_distance\":12,\"cost_ns\":400.5}]}", &err), 0);
	assert_int_equal(m.working_set, 4096);
	assert_int_equal(migration_cost_ns(&m, DIST_LLC, 0), 20);
	/* not listed: the next nearer one */
	assert_int_equal(migration_cost_ns(&m, DIST_NODE, 0), 20);
	assert_int_equal(migration_cost_ns(&m, DIST_REMOTE, 12), 400);
	assert_int_equal(migration_cost_ns(&m, DIST_REMOTE, 31), 400);
	assert_int_equal(migration_cost_ns(&m, DIST_REMOTE, 32), 900);
	assert_int_equal(migration_cost_ns(&m, DIST_REMOTE, 255), 900);
	/* nearer than any listed, or not known: the nearest remote, never the LLC */
	assert_int_equal(migration_cost_ns(&m, DIST_REMOTE, 11), 400);
	assert_int_equal(migration_cost_ns(&m, DIST_REMOTE, 0), 400);
	/* nothing known */
	assert_int_equal(migration_cost_ns(&m, DIST_SMT, 0), 0);
	assert_int_equal(migration_cost_ns(&m, DIST_SELF, 0), 0);
	assert_int_equal(migration_cost_ns(&m, DIST_UNKNOWN, 0), 0);
	migcost_release(&m);
	assert_int_equal(migration_cost_ns(&m, DIST_LLC, 0), 0);
}

static void test_refused(void **state)
{
	(void)state;
	refused("[]", "f.json");
	refused("{\"version\":99,\"cost\":[]}", "version");
	refused("{\"version\":1}", "there is no \"cost\"");
	refused("{\"version\":1,\"cost\":[]}", "there is no \"cost\"");
	refused("{\"version\":1,\"cost\":[1]}", "expected smt");
	refused("{\"version\":1,\"cost\":[{\"path\":\"self\",\"cost_ns\":1}]}", "expected smt");
	refused("{\"version\":1,\"cost\":[{\"path\":\"llc\"}]}", "cost_ns");
	refused("{\"version\":1,\"cost\":[{\"path\":\"llc\",\"cost_ns\":-1}]}", "cost_ns");
	refused("{\"version\":1,\"cost\":[{\"path\":\"llc\",\"cost_ns\":1e300}]}", "cost_ns");
	refused("{\"version\":1,\"cost\":[{\"path\":\"llc\",\"cost_ns\":1},"
		"{\"path\":\"llc\",\"cost_ns\":2}]}", "twice");
	refused("{\"version\":1,\"cost\":[{\"path\":\"remote\",\"node_distance\":-3,"
		"\"cost_ns\":2}]}", "node_distance");
}

static void test_round_trip(void **state)
{
	struct err err = ERR_INIT;
	struct migcost_entry *e;
	struct migcost m, back;
	json_t *root;

	(void)state;
	migcost_init(&m);
	m.working_set = 1 << 20;
	migcost_add(&m, DIST_REMOTE, 21)->cost_ns = 7;
	e = migcost_add(&m, DIST_SMT, 0);
	e->cost_ns = 3;
	e->cpu_a = 0;
	e->cpu_b = 1;
	e->size = xcalloc(1, sizeof(*e->size));
	e->nr_sizes = 1;
	e->size[0] = (struct migcost_size){ 4096, 1, 2, 3, 4, 5 };
	root = migcost_to_json(&m);
	migcost_init(&back);
	assert_int_equal(migcost_from_json(&back, root, "x", &err), 0);
	assert_int_equal(back.nr_entries, 2);
	assert_int_equal(back.entry[0].path, DIST_SMT); /* near to far */
	assert_int_equal(back.entry[0].cpu_b, 1);
	assert_int_equal(back.entry[1].node_distance, 21);
	assert_int_equal(back.entry[1].cpu_a, -1);
	assert_memory_equal(back.entry[0].size, e->size, sizeof(*e->size));
	json_decref(root);
	migcost_release(&m);
	migcost_release(&back);
}

static void load(struct topology *t, const char *what)
{
	struct err err = ERR_INIT;

	topology_init(t);
	if (topology_load(t, what, &err) < 0)
		fail_msg("%s", err_text(&err));
}

static void test_paths(void **state)
{
	struct cpuset all = CPUSET_INIT;
	struct migcost_path *v;
	struct topology t;

	(void)state;
	load(&t, FOUR_NODES);
	for (unsigned cpu = 0; cpu < t.nr_cpus; cpu++)
		cpuset_set(&all, cpu);
	assert_int_equal(migcost_paths(&v, &t, &all), 3);
	assert_int_equal(v[0].path, DIST_SMT);
	assert_int_equal(v[1].path, DIST_LLC);
	assert_int_equal(v[2].path, DIST_REMOTE);
	for (int i = 0; i < 3; i++)
		assert_int_equal(topology_distance(&t, v[i].a, v[i].b), v[i].path);
	free(v);
	assert_int_equal(migcost_pairs(&v, &t, &all), t.nr_cpus * (t.nr_cpus - 1) / 2);
	free(v);
	/* only what may be used */
	cpuset_release(&all);
	cpuset_set(&all, 0);
	assert_int_equal(migcost_paths(&v, &t, &all), 0);
	free(v);
	cpuset_release(&all);
	topology_release(&t);
}

static void test_remote_distances(void **state)
{
	struct cpuset all = CPUSET_INIT;
	struct migcost_path *v;
	struct topology t;

	(void)state;
	load(&t, FOUR_NODES);
	for (unsigned i = 0; i < t.nr_nodes * t.nr_nodes; i++)
		t.node_distance[i] = i % (t.nr_nodes + 1) ? 32 : 10;
	t.node_distance[1] = t.node_distance[t.nr_nodes] = 12;
	for (unsigned cpu = 0; cpu < t.nr_cpus; cpu++)
		cpuset_set(&all, cpu);
	assert_int_equal(migcost_paths(&v, &t, &all), 4);
	assert_int_equal(v[2].node_distance, 12);
	assert_int_equal(v[3].node_distance, 32);
	free(v);
	cpuset_release(&all);
	topology_release(&t);
}

static void test_sizes(void **state)
{
	uint64_t size[MIGCOST_SIZES_MAX];
	struct topology t;
	size_t n, counts;

	(void)state;
	topology_init(&t);
	t.l1d_bytes = 32 << 10;
	t.l2_bytes = 512 << 10;
	t.llc_bytes = 16 << 20;
	t.nr_cores = 16;
	t.nr_llcs = 2; /* 8 cores share 16 MiB: 2 MiB each */
	n = migcost_sizes(size, &counts, &t);
	assert_int_equal(n, 5);
	assert_int_equal(size[0], 16 << 10);
	assert_int_equal(size[counts], 2 << 20);
	assert_int_equal(size[4], 8 << 20);
	/* a guest that is shown a whole socket's cache */
	t.llc_bytes = 508ULL << 20;
	n = migcost_sizes(size, &counts, &t);
	assert_int_equal(size[counts], 4 << 20);
	assert_int_equal(size[n - 1], 16 << 20);
	/* nothing known: still something, ascending */
	topology_release(&t);
	topology_init(&t);
	n = migcost_sizes(size, &counts, &t);
	assert_true(n >= 3 && counts < n);
	for (size_t i = 1; i < n; i++)
		assert_true(size[i - 1] < size[i]);
	topology_release(&t);
}

static void test_numbers(void **state)
{
	uint64_t odd[] = { 9, 1, 5 }, even[] = { 8, 2, 4, 6 };
	uint32_t calm[100], n = 100;

	(void)state;
	assert_int_equal(migcost_median(NULL, 0), 0);
	assert_int_equal(migcost_median(odd, 3), 5);
	assert_int_equal(migcost_median(even, 4), 5);
	for (unsigned i = 0; i < n; i++)
		calm[i] = 1000 + i;
	assert_false(migcost_has_gap(calm, n));
	assert_false(migcost_has_gap(calm, 0));
	calm[50] = 15000; /* a slow line, no interrupt */
	assert_false(migcost_has_gap(calm, n));
	calm[50] = 60000;
	assert_true(migcost_has_gap(calm, n));
	/* slow throughout: a slow machine is no disturbed one */
	for (unsigned i = 0; i < n; i++)
		calm[i] = 60000;
	assert_false(migcost_has_gap(calm, n));
}

/* Every line fits, and a value that rests on disturbed repeats says so. */
static void test_text(void **state)
{
	struct migcost_result r = { .nr_sizes = 5, .counts = 3, .fifo = true };
	struct migcost_entry *e;
	struct strbuf sb = STRBUF_INIT;
	struct topology t;

	(void)state;
	load(&t, FOUR_NODES);
	migcost_init(&r.costs);
	e = migcost_add(&r.costs, DIST_REMOTE, 32);
	e->size = xcalloc(5, sizeof(*e->size));
	e->nr_sizes = 5;
	for (int i = 0; i < 5; i++) {
		r.size[i] = 1000ULL << (3 * i);
		e->size[i] = (struct migcost_size){ r.size[i], 1, 123456, 99999999, 3, 2 };
	}
	e->size[4].repeats = 0;
	migcost_text(&sb, &r, &t);
	assert_non_null(strstr(sb.buf, "remote node, 32"));
	assert_non_null(strstr(sb.buf, "123 us?"));
	assert_non_null(strstr(sb.buf, "where ? stands all of them"));
	for (const char *p = sb.buf; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strcspn(p, "\n") > 78)
			fail_msg("too wide: %.*s", (int)strcspn(p, "\n"), p);
	strbuf_release(&sb);
	migcost_result_release(&r);
	topology_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_look_up),	  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_paths),
		cmocka_unit_test(test_remote_distances), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_numbers),	  cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
