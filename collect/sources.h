/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which sources there are, and which of them a command line asks for. */
#ifndef COLLECT_SOURCES_H
#define COLLECT_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/err.h"
#include "schedblame/source.h"

/* NULL-terminated, in the order in which they are started. */
extern const struct source_ops *const sources[];
#define SOURCES_MAX 16

/* Why a source takes part or not. */
enum source_wish { SOURCE_OFF, SOURCE_DEFAULT, SOURCE_ASKED };

/* One wish per entry of sources[]. */
void sources_default(enum source_wish wish[SOURCES_MAX]);
/* "sched,profile" or "all"; an unknown name is -EINVAL with the list of names. */
int sources_choose(enum source_wish wish[SOURCES_MAX], const char *list,
		   enum source_wish value, struct err *err);

#endif
