/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of comparability; not for others. */
#ifndef BLAME_COMPARABILITY_FACTS_H
#define BLAME_COMPARABILITY_FACTS_H

#include "schedblame/comparability.h"

/* Copies all strings; one value per set. */
void comparability_add(struct comparability *c, enum difference_level level,
		       const char *key, const char *title, const char *const *value,
		       const char *why);
/*
 * What a foreign file does not tell is no difference. The first set that tells the
 * value, 0 when none does; notes under name for which sets it is not told though
 * others tell it.
 */
size_t comparability_first_told(struct comparability *c, const struct run_set *const *sets,
				const char *name, const char *const *value);
static inline bool comparability_told(const struct run_set *set, const char *value)
{
	return *value || !set->run[0].foreign;
}
/* Facts of the hosts, by the first run of each set. */
void comparability_check_facts(struct comparability *c,
			       const struct run_set *const *sets);

#endif
