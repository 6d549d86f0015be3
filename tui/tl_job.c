// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a trace into a timeline's index in a thread. */
#include "tl_job.h"

#include <errno.h>
#include <stdlib.h>

#include "schedblame/alloc.h"

struct tl_job *tl_job_start(const char *path, const struct topology *topology,
			    struct err *err)
{
	(void)topology;
	err_set(err, ENOTSUP, "%s: traces cannot be shown in this version yet", path);
	return NULL;
}

void tl_job_stop(struct tl_job *job)
{
	if (!job)
		return;
	atomic_store(&job->stop, true);
	if (job->running)
		pthread_join(job->thread, NULL);
	tl_release(&job->index);
	free(job->path);
	free(job);
}
