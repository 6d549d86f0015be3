/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of comparability; not for others. */
#ifndef BLAME_COMPARABILITY_FACTS_H
#define BLAME_COMPARABILITY_FACTS_H

#include "schedblame/comparability.h"

/* Copies all strings; one value per set. */
void comparability_add(struct comparability *c, enum difference_level level,
		       const char *key, const char *title, const char *const *value,
		       const char *why);
/* Facts of the hosts, by the first run of each set. */
void comparability_check_facts(struct comparability *c,
			       const struct run_set *const *sets);

#endif
