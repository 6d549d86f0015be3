// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/schedstat: two texts, split at the first NUL or in the middle, parsed and
 * subtracted. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/schedstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	size_t half = nul ? (size_t)(nul - data) : size / 2;
	char *a = xstrndup((const char *)data, half);
	char *b = xstrndup((const char *)data + half + (nul != NULL), size - half - (nul != NULL));
	struct schedstat before, after;

	if (!schedstat_parse(&before, a, "before", NULL)) {
		if (!schedstat_parse(&after, b, "after", NULL)) {
			struct notes notes = { NULL, 0 };
			struct series_set set;
			struct topology t;

			topology_init(&t);
			series_init(&set);
			schedstat_add(&set, &before, &after, &t, &notes);
			series_release(&set);
			notes_release(&notes);
			schedstat_release(&after);
		}
		schedstat_release(&before);
	}
	free(a);
	free(b);
	return 0;
}
