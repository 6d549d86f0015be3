// SPDX-License-Identifier: GPL-2.0-or-later
/* Which event of a perf.data a profile is of: the one asked for, or the first. */
#include "perf_choose.h"

#include <errno.h>
#include <string.h>

#include "schedblame/strbuf.h"

static bool same_event(const char *name, const char *want)
{
	size_t n = strlen(want);

	return !strncmp(name, want, n) && (!name[n] || name[n] == ':');
}

static uint32_t named_event(const struct perf_file *pf, const char *want)
{
	for (size_t i = 0; i < pf->nr_attrs; i++)
		if (same_event(pf->attr[i].name, want))
			return (uint32_t)i;
	return PERF_FILE_NO_ATTR;
}

/* The first event that has samples, which takes a walk only where several do. */
static uint32_t first_event(struct perf_file *pf)
{
	uint32_t best = PERF_FILE_NO_ATTR;
	struct perf_record rec;
	struct perf_sample s;

	while (best && perf_file_next(pf, &rec, NULL) > 0)
		if (rec.type == PERF_RECORD_SAMPLE && perf_sample_parse(pf, &rec, &s) &&
		    s.attr < best)
			best = s.attr;
	perf_file_rewind(pf);
	return best;
}

int perf_choose_event(struct perf_file *pf, const char *want, uint32_t *attr, struct err *err)
{
	struct strbuf names = STRBUF_INIT;

	*attr = want ? named_event(pf, want) : first_event(pf);
	if (!want || *attr != PERF_FILE_NO_ATTR)
		return 0;
	for (size_t i = 0; i < pf->nr_attrs && i < 8; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", pf->attr[i].name);
	err_set(err, EINVAL, "%s has no event '%s'; it has %s", pf->in.name, want,
		names.len ? names.buf : "none");
	strbuf_release(&names);
	return -EINVAL;
}
