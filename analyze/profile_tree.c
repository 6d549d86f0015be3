// SPDX-License-Identifier: GPL-2.0-or-later
/* Call tree and per-instruction counts of a profile, both in index arrays. */
#include "schedblame/profile.h"

#include "schedblame/alloc.h"

uint32_t profile_child(struct profile *p, uint32_t node, uint32_t symbol)
{
	/* Edge ids are dense in order of arrival: edge e leads to node e + 1. */
	uint32_t child = u64map_add(&p->edges, u64map_pair(node, symbol)) + 1;

	if (child < p->nr_nodes)
		return child;
	GROW(p->node, p->nr_nodes, p->cap_nodes);
	p->node[p->nr_nodes++] =
		(struct profile_node){ .parent = node, .symbol = symbol };
	return child;
}

void profile_node_add(struct profile *p, uint32_t node, uint64_t samples,
		      double weight)
{
	p->node[node].samples += samples;
	p->node[node].weight += weight;
}

void profile_add_chain(struct profile *p, const uint32_t *symbols, size_t n,
		       uint64_t samples, double weight)
{
	uint32_t node = PROFILE_ROOT;

	if (!n)
		return;
	if (n > PROFILE_CHAIN_MAX)
		n = PROFILE_CHAIN_MAX;
	for (size_t i = n; i-- > 0;)
		node = profile_child(p, node, symbols[i]);
	profile_node_add(p, node, samples, weight);
	profile_add(p, symbols[0], samples, weight);
}

/* Keyed by where it begins; several symbols there (modules of two processes) lie
 * behind one another in the chain of keys. */
uint32_t profile_body(struct profile *p, uint32_t symbol, uint64_t start, uint64_t size)
{
	uint64_t key = start;
	uint32_t id;

	while ((id = u64map_add(&p->bodies, key)) < p->nr_bodies &&
	       (p->body[id].symbol != symbol || p->body[id].start != start))
		key = (key + 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
	if (id < p->nr_bodies)
		return id;
	GROW(p->body, p->nr_bodies, p->cap_bodies);
	p->body[p->nr_bodies++] = (struct profile_body){ symbol, start, size };
	return id;
}

void profile_add_address(struct profile *p, uint32_t body, uint32_t offset,
			 uint32_t symbol, uint64_t samples, double weight)
{
	uint32_t id = u64map_add(&p->spots, u64map_pair(body, offset));

	if (id == p->nr_addresses) {
		GROW(p->address, p->nr_addresses, p->cap_addresses);
		p->address[p->nr_addresses++] = (struct profile_address){
			.body = body, .offset = offset, .symbol = symbol
		};
	}
	p->address[id].samples += samples;
	p->address[id].weight += weight;
}

void profile_tree_totals(const struct profile *p, uint64_t *samples, double *weight)
{
	for (size_t i = 0; i < p->nr_nodes; i++) {
		if (samples)
			samples[i] = p->node[i].samples;
		if (weight)
			weight[i] = p->node[i].weight;
	}
	for (size_t i = p->nr_nodes; i-- > 1;) {
		if (samples)
			samples[p->node[i].parent] += samples[i];
		if (weight)
			weight[p->node[i].parent] += weight[i];
	}
}
