// SPDX-License-Identifier: GPL-2.0-or-later
/* A perf.data as a run: its tracepoints through the passes, its samples as the
 * profile, its copies of /proc/schedstat as series, and what its header tells
 * about host, kernel and command. */
#include <errno.h>
#include <stdlib.h>

#include "perf_schedstat.h"
#include "perf_topology.h"
#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/perf_profile.h"
#include "schedblame/schedstat.h"

/* Into the field, and as a fact about the host; either may be NULL. */
static void take_string(struct run *run, char **field, const char *fact, char *value)
{
	if (field && value && *value)
		run_set_string(field, value);
	if (fact)
		run_add_fact(run, fact, value);
	free(value);
}

static void take_header(struct run *run, struct perf_file *pf)
{
	uint64_t kb = perf_file_total_mem_kb(pf);

	take_string(run, &run->kernel_release, "release",
		    perf_file_string(pf, PERF_FEATURE_OSRELEASE));
	take_string(run, &run->machine_name, "nodename",
		    perf_file_string(pf, PERF_FEATURE_HOSTNAME));
	take_string(run, NULL, "machine", perf_file_string(pf, PERF_FEATURE_ARCH));
	take_string(run, NULL, "cpu.model", perf_file_string(pf, PERF_FEATURE_CPUDESC));
	take_string(run, NULL, "mem.total_kb",
		    kb ? xasprintf("%llu", (unsigned long long)kb) : NULL);
	take_string(run, &run->command, NULL, perf_file_cmdline(pf));
}

/* `perf sched stats`: two copies of /proc/schedstat instead of samples. */
static void take_schedstat(struct run *run, struct perf_file *pf)
{
	struct strbuf text[2] = { STRBUF_INIT, STRBUF_INIT };
	struct schedstat before, after;
	struct err err = ERR_INIT;

	if (pf->nr_attrs || !perf_schedstat_text(pf, &text[0], &text[1]))
		goto out;
	if (schedstat_parse(&before, text[0].buf, run->path, &err) < 0)
		goto out;
	if (schedstat_parse(&after, text[1].buf, run->path, &err) == 0) {
		schedstat_add(&run->series, &before, &after, &run->topology, &run->notes);
		schedstat_release(&after);
	}
	schedstat_release(&before);
out:
	if (err.text)
		notes_add(&run->notes, "%s", err_text(&err));
	err_release(&err);
	strbuf_release(&text[0]);
	strbuf_release(&text[1]);
}

/* The first event that counts time or work, not tracepoints. */
static const char *sampled_event(const struct perf_file *pf)
{
	for (size_t i = 0; i < pf->nr_attrs; i++) {
		const struct perf_attr *a = pf->attr + i;

		if (a->type != PERF_TYPE_TRACEPOINT && strncmp(a->name, "dummy", 5))
			return a->name;
	}
	return NULL;
}

static void take_profile(struct run *run, struct perf_file *pf)
{
	struct profile_options options = { .event = sampled_event(pf), .unskid = profile_unskid(UNSKID_RUNS, run->foreign) };
	struct profile *p;
	struct err err = ERR_INIT;

	if (!options.event)
		return;
	p = xcalloc(1, sizeof(*p));
	if (profile_from_perf_file(p, pf, &options, &err) < 0) {
		notes_add(&run->notes, "%s", err_text(&err));
		err_release(&err);
		free(p);
		return;
	}
	notes_merge(&run->notes, &p->notes);
	if (!p->samples) {
		profile_release(p);
		free(p);
		return;
	}
	if (!run->duration_ns)
		run->duration_ns = p->duration_ns;
	run->profile = p;
}

int run_from_perf(struct run *run, const struct input *in, const struct run_options *opts,
		  struct err *err)
{
	struct err why = ERR_INIT;
	struct perf_file pf;
	int ret = run_from_trace(run, in, opts, &why);

	if (ret && ret != -ENODATA) {
		err_set(err, why.code, "%s", err_text(&why));
		err_release(&why);
		return ret;
	}
	err_release(&why);
	ret = perf_file_open_memory(&pf, in->data, in->len, in->name, err);
	if (ret)
		return ret;
	run->profile_tried = true;
	run->complete = true;
	if (!run->topology.nr_cpus && !opts->topology)
		perf_file_topology(&pf, &run->topology);
	take_profile(run, &pf);
	take_header(run, &pf);
	take_schedstat(run, &pf);
	perf_file_close(&pf);
	return 0;
}
