/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the stats_*.c files share. */
#ifndef DIFFPROFILE_STATS_PRIVATE_H
#define DIFFPROFILE_STATS_PRIVATE_H

#include <stddef.h>

/* GSL's default handler ends the program; ours lets NaN through. */
void stats_quiet_gsl(void);

#endif
