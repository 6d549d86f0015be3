// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include <errno.h>
#include "schedblame/strbuf.h"
#include "schedblame/file.h"
#include "schedblame/topology.h"

#define DATA TEST_DATA_DIR "/topology/"

static void load(struct topology *t, const char *what)
{
	struct err err = ERR_INIT;

	topology_init(t);
	if (topology_load(t, what, &err) < 0)
		fail_msg("%s", err_text(&err));
}

static void refused(const char *what, const char *part)
{
	struct err err = ERR_INIT;
	struct topology t;

	topology_init(&t);
	assert_true(topology_load(&t, what, &err) < 0);
	if (!strstr(err_text(&err), part))
		fail_msg("'%s' lacks '%s'", err_text(&err), part);
	assert_int_equal(t.nr_cpus, 0);
	err_release(&err);
	topology_release(&t);
}

static void summary_is(const struct topology *t, const char *want)
{
	char *s = topology_summary(t);

	assert_string_equal(s, want);
	free(s);
}

static void synthetic_distances(void **state)
{
	struct topology t;

	load(&t, "node:2 package:1 l3:2 core:2 pu:2");
	assert_int_equal(t.nr_cpus, 16);
	assert_int_equal(t.nr_nodes, 2);
	assert_int_equal(t.nr_llcs, 4);
	assert_int_equal(topology_distance(&t, 0, 0), DIST_SELF);
	assert_int_equal(topology_distance(&t, 0, 1), DIST_SMT);
	assert_int_equal(topology_distance(&t, 0, 3), DIST_LLC);
	assert_int_equal(topology_distance(&t, 0, 4), DIST_NODE);
	assert_int_equal(topology_distance(&t, 0, 8), DIST_REMOTE);
	assert_int_equal(topology_distance(&t, 0, 16), DIST_UNKNOWN);
	assert_int_equal(topology_distance(&t, 99, 99), DIST_SELF);
	assert_int_equal(topology_node_of(&t, 15), 1);
	assert_int_equal(topology_node_of(&t, 16), -1);
	assert_int_equal(topology_node_distance(&t, 1, 1), 10);
	assert_int_equal(topology_node_distance(&t, 1, 2), 0);
	topology_release(&t);
}

static void unknown_claims_nothing(void **state)
{
	struct topology t;

	topology_init(&t);
	assert_int_equal(topology_distance(&t, 0, 0), DIST_SELF);
	assert_int_equal(topology_distance(&t, 0, 1), DIST_UNKNOWN);
	assert_int_equal(topology_node_of(&t, 0), -1);
	summary_is(&t, "unknown topology");
	topology_release(&t);
}

/* 2 sockets, 2 cores, 2 threads, SLIT 10/20, CPU 5 offline as hwloc writes it. */
static void saved_machine_with_a_hole(void **state)
{
	struct topology t;

	load(&t, DATA "2n8c-offline5.xml");
	assert_int_equal(t.nr_cpus, 8);
	assert_true(t.cpu[5].present);
	assert_false(t.cpu[5].online);
	assert_int_equal(t.cpu[5].core, -1);
	assert_int_equal(topology_distance(&t, 4, 5), DIST_UNKNOWN);
	assert_int_equal(topology_distance(&t, 0, 1), DIST_SMT);
	assert_int_equal(topology_distance(&t, 0, 2), DIST_LLC);
	assert_int_equal(topology_distance(&t, 0, 7), DIST_REMOTE);
	assert_int_equal(topology_node_distance(&t, 0, 1), 20);
	assert_int_equal(topology_node_distance(&t, 1, 0), 20);
	summary_is(&t, "2 nodes, 8 CPUs (2 packages, 4 cores, SMT 2), 1 offline, "
		       "LLC 16.0 MiB");
	topology_release(&t);
}

/* Node 1 has memory but no CPU, node 2 CPUs but no memory; nodes 0, 1, 4. */
static void nodes_without_cpus_or_memory(void **state)
{
	struct topology t;

	load(&t, DATA "odd-nodes.xml");
	assert_int_equal(t.nr_nodes, 3);
	assert_int_equal(t.node[0].os_id, 0);
	assert_int_equal(t.node[1].os_id, 1);
	assert_int_equal(t.node[2].os_id, 4);
	assert_int_equal(t.node[1].nr_cpus, 0);
	assert_true(t.node[1].mem_bytes > 0);
	assert_int_equal(t.node[2].mem_bytes, 0);
	assert_int_equal(t.node[2].nr_cpus, 2);
	assert_int_equal(topology_distance(&t, 0, 2), DIST_REMOTE);
	topology_release(&t);
}

static void lscpu_text(void **state)
{
	struct topology t;

	load(&t, DATA "lscpu-2s-smt.txt");
	assert_int_equal(t.nr_cpus, 8);
	assert_int_equal(t.nr_cores, 4);
	assert_int_equal(t.nr_nodes, 2);
	assert_int_equal(t.node[1].os_id, 2);
	assert_int_equal(topology_distance(&t, 0, 4), DIST_SMT);
	assert_int_equal(topology_distance(&t, 0, 1), DIST_LLC);
	assert_int_equal(topology_distance(&t, 0, 2), DIST_REMOTE);
	topology_release(&t);
	load(&t, DATA "lscpu-holes.txt");
	assert_int_equal(t.nr_cpus, 5);
	assert_false(t.cpu[2].present);
	assert_true(t.cpu[3].present);
	assert_false(t.cpu[3].online);
	assert_int_equal(t.nr_nodes, 1);
	assert_int_equal(topology_node_of(&t, 4), 0);
	assert_int_equal(topology_distance(&t, 0, 4), DIST_NODE);
	topology_release(&t);
}

static void bad_input_is_refused(void **state)
{
	refused("/nonexistent/topology.xml", "there is no topology file");
	refused("node:0", "is no synthetic topology");
	refused("nonsense:2 pu:1", "is no synthetic topology");
	refused(DATA "cut.xml", "topology");
	refused(DATA "no-nodeset.xml", "lacks its CPUs or nodes");
	refused(DATA "lscpu-twice.txt", "line 4 names CPU 1 a second time");
	refused(DATA "lscpu-huge.txt", "line 2 names no CPU below 65536");
	refused(DATA "comments-only.txt", "names no CPU");
}

static void sameness(void **state)
{
	struct topology a, b;

	load(&a, "node:2 core:2 pu:2");
	load(&b, "node:2 core:2 pu:2");
	assert_true(topology_same(&a, &b));
	b.node[0].mem_bytes += 4096;
	assert_true(topology_same(&a, &b));
	b.node[0].mem_bytes = 0;
	assert_false(topology_same(&a, &b));
	topology_release(&b);
	load(&b, "node:1 core:4 pu:2");
	assert_false(topology_same(&a, &b));
	topology_release(&b);
	load(&b, "node:2 core:2 pu:2");
	b.cpu[3].online = false;
	assert_false(topology_same(&a, &b));
	topology_release(&a);
	topology_release(&b);
}

static void this_machine_round_trips(void **state)
{
	struct topology t, back;
	struct err err = ERR_INIT;
	char *xml;

	topology_init(&t);
	topology_init(&back);
	assert_int_equal(topology_load_system(&t, &err), 0);
	assert_int_equal(topology_system_xml(&xml, &err), 0);
	assert_int_equal(topology_load_xml(&back, xml, "test", &err), 0);
	assert_true(t.nr_cpus >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(back.nr_cpus, t.nr_cpus);
	assert_int_equal(back.nr_nodes, t.nr_nodes);
	assert_string_equal(t.source, "this machine");
	free(xml);
	topology_release(&t);
	topology_release(&back);
}

/* 200000 levels overflowed hwloc's stack. */
static void xml_without_end_is_refused(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct topology t;

	strbuf_addstr(&sb, "<?xml version=\"1.0\"?><topology version=\"2.0\">");
	for (int i = 0; i < 200000; i++)
		strbuf_addf(&sb, "<object type=\"Misc\" gp_index=\"%d\">", i);
	topology_init(&t);
	assert_int_equal(topology_load_xml(&t, sb.buf, "deep.xml", &err), -EINVAL);
	assert_non_null(strstr(err_text(&err), "deep.xml is no topology of a machine"));
	topology_release(&t);
	err_release(&err);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xml_without_end_is_refused),
		cmocka_unit_test(synthetic_distances),
		cmocka_unit_test(unknown_claims_nothing),
		cmocka_unit_test(saved_machine_with_a_hole),
		cmocka_unit_test(nodes_without_cpus_or_memory),
		cmocka_unit_test(lscpu_text),
		cmocka_unit_test(bad_input_is_refused),
		cmocka_unit_test(sameness),
		cmocka_unit_test(this_machine_round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
