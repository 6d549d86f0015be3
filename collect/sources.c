// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of sources. */
#include "sources.h"

#include <errno.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/strbuf.h"

/* Dear ones first, so that the cheap copies stand closest to the workload. */
const struct source_ops *const sources[] = {
	&source_host,
	&source_trace,
	&source_sched,
	&source_numa,
	&source_profile,
	&source_latency,
	&source_counters,
	NULL,
};

void probe_say(struct probe *probe, enum probe_state state, int code, const char *what,
	       const char *why, const char *advice)
{
	probe->state = state;
	probe->code = code;
	probe->what = what ? xstrdup(what) : NULL;
	probe->why = why ? xstrdup(why) : NULL;
	probe->advice = advice ? xstrdup(advice) : NULL;
}

void probe_release(struct probe *probe)
{
	free(probe->what);
	free(probe->why);
	free(probe->advice);
	memset(probe, 0, sizeof(*probe));
}

void sources_default(enum source_wish wish[SOURCES_MAX])
{
	for (size_t i = 0; sources[i]; i++)
		wish[i] = sources[i]->by_default ? SOURCE_DEFAULT : SOURCE_OFF;
}

static int unknown(const char *name, size_t len, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int ret;

	for (size_t i = 0; sources[i]; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", sources[i]->name);
	ret = err_set(err, EINVAL, "there is no source '%.*s'; there are %s", (int)len,
		      name, names.buf);
	strbuf_release(&names);
	return ret;
}

static bool is_name(const char *item, size_t len, const char *name)
{
	return strlen(name) == len && !strncmp(item, name, len);
}

int sources_choose(enum source_wish wish[SOURCES_MAX], const char *list,
		   enum source_wish value, struct err *err)
{
	for (const char *p = list; *p;) {
		size_t len = strcspn(p, ",");
		bool all = is_name(p, len, "all"), found = all || !len;

		for (size_t i = 0; sources[i]; i++) {
			if (!all && !is_name(p, len, sources[i]->name))
				continue;
			found = true;
			wish[i] = value;
		}
		if (!found)
			return unknown(p, len, err);
		p += len + (p[len] == ',');
	}
	return 0;
}
