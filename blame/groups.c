// SPDX-License-Identifier: GPL-2.0-or-later
/* Shares of kernel time by symbol group. The table is loaded once: it is data of
 * the program, not of an input. */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/profile.h"
#include "schedblame/symbol_groups.h"

static struct symbol_groups *table(void)
{
	static struct symbol_groups *groups;
	static bool tried;

	if (!tried) {
		tried = true;
		symbol_groups_load(&groups, NULL, NULL);
	}
	return groups;
}

size_t groups_count(void)
{
	return table() ? symbol_groups_count(table()) : 0;
}

const char *groups_name(size_t group)
{
	return table() ? symbol_groups_name(table(), group) : "other";
}

size_t groups_of(const char *symbol)
{
	return table() ? symbol_groups_of(table(), symbol) : 0;
}

static bool kernel_busy(const struct profile_symbol *s)
{
	return s->space == SPACE_KERNEL && !s->idle;
}

static double kernel_weight(const struct run *run)
{
	/* the profile is a cache of the run: loading it changes nothing visible */
	const struct profile *p = run_profile((struct run *)run, NULL);
	double sum = 0;

	for (size_t i = 0; p && i < p->nr_symbols; i++)
		if (kernel_busy(&p->symbol[i]))
			sum += p->symbol[i].weight;
	return sum;
}

void groups_shares(const struct run *run, double *share)
{
	const struct profile *p = run_profile((struct run *)run, NULL);
	double all = kernel_weight(run);

	memset(share, 0, groups_count() * sizeof(*share));
	if (!p || all <= 0)
		return;
	for (size_t i = 0; i < p->nr_symbols; i++)
		if (kernel_busy(&p->symbol[i]))
			share[groups_of(profile_name(p, (uint32_t)i))] +=
				p->symbol[i].weight / all;
}

bool groups_usable(const struct run_set *set, struct notes *notes)
{
	if (!table()) {
		notes_add(notes, "data/symbol-groups.tsv cannot be read, so system time "
			  "is not split");
		return false;
	}
	for (size_t i = 0; i < set->n; i++) {
		if (kernel_weight(&set->run[i]) > 0)
			continue;
		notes_add(notes, "%s has no kernel profile, so system time is not split",
			  set->run[i].path);
		return false;
	}
	return true;
}
