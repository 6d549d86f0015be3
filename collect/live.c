// SPDX-License-Identifier: GPL-2.0-or-later
/* The sched source without a run directory; the contract is in live.h. */
#include "schedblame/live.h"

#include <stdlib.h>

#include "schedblame/alloc.h"
#include "sched_source.h"

struct live {
	struct topology topology;
	struct collect_config config;
	struct session session;
	struct source *src;
};

static int start(struct live *l, struct err *err)
{
	int ret = topology_load_system(&l->topology, err);

	if (ret < 0)
		return ret;
	cpuset_copy(&l->session.online, &l->config.cpus);
	if (!cpuset_count(&l->session.online))
		for (unsigned cpu = 0; cpu < l->topology.nr_cpus; cpu++)
			if (l->topology.cpu[cpu].online)
				cpuset_set(&l->session.online, cpu);
	ret = source_sched.open(&l->src, &l->session, err);
	return ret < 0 ? ret : source_sched.start(l->src, &l->session, err);
}

int live_open(struct live **live, const struct collect_config *config, struct err *err)
{
	struct live *l = xcalloc(1, sizeof(*l));
	int ret;

	if (config) {
		l->config = *config;
		l->config.cpus = (struct cpuset)CPUSET_INIT;
		cpuset_copy(&l->config.cpus, &config->cpus);
	}
	topology_init(&l->topology);
	l->session = (struct session){ .config = &l->config, .topology = &l->topology,
				       .dirfd = -1, .dir = "" };
	ret = start(l, err);
	if (ret < 0) {
		live_close(l);
		l = NULL;
	}
	*live = l;
	return ret;
}

int live_snapshot(struct live *live, struct series_set *out, uint64_t *duration_ns,
		  struct err *err)
{
	return sched_snapshot(live->src, &live->session.online, out, duration_ns, err);
}

const struct topology *live_topology(const struct live *live)
{
	return &live->topology;
}

void live_close(struct live *live)
{
	if (!live)
		return;
	source_sched.close(live->src);
	cpuset_release(&live->session.online);
	cpuset_release(&live->config.cpus);
	topology_release(&live->topology);
	free(live);
}
