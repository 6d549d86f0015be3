/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows on stderr what the workload appends to its output files. */
#ifndef COLLECT_TEE_H
#define COLLECT_TEE_H

#include <stdbool.h>
#include <sys/types.h>

struct tee {
	int fd; /* borrowed */
	off_t shown;
	bool quiet;
};

/* Shows what is new. */
void tee_pump(struct tee *tee);

#endif
