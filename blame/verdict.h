/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict's kind and headline, and what would carry a better one. */
#ifndef BLAME_VERDICT_H
#define BLAME_VERDICT_H

#include "schedblame/blame.h"

/* Fills kind, headline, change, CI, p and sure. */
void verdict_judge(struct blame *blame, const struct blame_input *in,
		   const struct notes *not_comparable);
/* Adds to needs what the data lacked: repeats, sources, root. */
void verdict_needs(struct blame *blame, const struct blame_input *in);

#endif
