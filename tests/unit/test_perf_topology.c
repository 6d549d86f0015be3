// SPDX-License-Identifier: GPL-2.0-or-later
/* The topology in a perf.data's header: two nodes of two cores, each node's CPUs share a
 * cache; and the same cut short at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/perf_topology.h"
#include "schedblame/strbuf.h"

static void put_u32(struct strbuf *sb, uint32_t v)
{
	strbuf_add(sb, &v, 4);
}

static void put_text(struct strbuf *sb, const char *text)
{
	char padded[64] = "";

	strcpy(padded, text);
	put_u32(sb, sizeof(padded));
	strbuf_add(sb, padded, sizeof(padded));
}

static void put_cache(struct strbuf *sb, uint32_t level, const char *type, const char *list)
{
	put_u32(sb, level);
	for (int i = 0; i < 3; i++)
		put_u32(sb, 64);
	put_text(sb, type);
	put_text(sb, "1024K");
	put_text(sb, list);
}

struct header {
	struct strbuf cpus, cores, nodes, caches;
};

static void make(struct header *h)
{
	static const char memory[16];

	memset(h, 0, sizeof(*h));
	strbuf_init(&h->cpus);
	strbuf_init(&h->cores);
	strbuf_init(&h->nodes);
	strbuf_init(&h->caches);
	put_u32(&h->cpus, 5); /* the last is offline */
	put_u32(&h->cpus, 4);
	put_u32(&h->cores, 1);
	put_text(&h->cores, "0-3");
	put_u32(&h->cores, 0);
	for (uint32_t cpu = 0; cpu < 5; cpu++) {
		put_u32(&h->cores, cpu < 4 ? cpu : UINT32_MAX);
		put_u32(&h->cores, cpu < 4 ? cpu / 2 : UINT32_MAX);
	}
	put_u32(&h->nodes, 2);
	for (uint32_t node = 0; node < 2; node++) {
		put_u32(&h->nodes, node);
		strbuf_add(&h->nodes, memory, sizeof(memory));
		put_text(&h->nodes, node ? "2-3" : "0-1");
	}
	put_u32(&h->caches, 1);
	put_u32(&h->caches, 4);
	put_cache(&h->caches, 1, "Data", "0");
	put_cache(&h->caches, 4, "Instruction", "0");
	put_cache(&h->caches, 3, "Unified", "0-1");
	put_cache(&h->caches, 3, "Unified", "2-3");
}

static void drop(struct header *h)
{
	strbuf_release(&h->cpus);
	strbuf_release(&h->cores);
	strbuf_release(&h->nodes);
	strbuf_release(&h->caches);
}

static bool load(struct topology *t, const struct header *h, size_t cut)
{
	char name[] = "x";
	struct perf_file pf = { .in.name = name };
	const struct { enum perf_feature_bit bit; const struct strbuf *sb; } part[] = {
		{ PERF_FEATURE_NRCPUS, &h->cpus },
		{ PERF_FEATURE_CPU_TOPOLOGY, &h->cores },
		{ PERF_FEATURE_NUMA_TOPOLOGY, &h->nodes },
		{ PERF_FEATURE_CACHE, &h->caches },
	};
	unsigned char *copy[4];
	bool found;

	for (int i = 0; i < 4; i++) { /* of its exact length, for the sanitizer */
		size_t len = part[i].sb->len < cut ? part[i].sb->len : cut;

		copy[i] = malloc(len ? len : 1);
		memcpy(copy[i], part[i].sb->buf, len);
		pf.feature[part[i].bit] = (struct perf_section){ copy[i], len };
	}
	topology_init(t);
	found = perf_file_topology(&pf, t);
	for (int i = 0; i < 4; i++)
		free(copy[i]);
	return found;
}

static void nodes_cores_and_caches_are_told(void **state)
{
	struct header h;
	struct topology t;

	make(&h);
	assert_true(load(&t, &h, SIZE_MAX));
	assert_int_equal(t.nr_nodes, 2);
	assert_int_equal(t.nr_cpus, 4);
	assert_int_equal(topology_distance(&t, 0, 1), DIST_LLC);
	assert_int_equal(topology_distance(&t, 1, 2), DIST_REMOTE);
	assert_int_equal(topology_node_of(&t, 3), 1);
	topology_release(&t);
	drop(&h);
}

static void any_length_is_read_within_its_bounds(void **state)
{
	struct header h;
	struct topology t;

	make(&h);
	for (size_t cut = 0; cut <= h.caches.len; cut++) {
		load(&t, &h, cut);
		topology_release(&t);
	}
	memset(h.cores.buf, 0xff, 4); /* four billion lists of siblings */
	load(&t, &h, SIZE_MAX);
	topology_release(&t);
	drop(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_cores_and_caches_are_told),
		cmocka_unit_test(any_length_is_read_within_its_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
