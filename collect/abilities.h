/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What doctor looks at besides the sources themselves. */
#ifndef COLLECT_ABILITIES_H
#define COLLECT_ABILITIES_H

#include "schedblame/source.h"

struct ability {
	const char *name;
	const char *help; /* what schedblame uses it for */
	void (*probe)(const struct session *s, struct probe *probe);
};

extern const struct ability abilities[]; /* ends with name NULL */

#endif
