// SPDX-License-Identifier: GPL-2.0-or-later
/* "# os release : 5.0.0": lines that perf puts above its texts. */
#include <stdlib.h>
#include <string.h>

#include "prof.h"
#include "schedblame/alloc.h"

static bool value_of(const struct prof_line *line, const char *key, struct prof_word *v)
{
	size_t n = strlen(key);
	const char *p = line->s + 1, *end = line->s + line->len;

	while (p < end && *p == ' ')
		p++;
	if ((size_t)(end - p) < n || memcmp(p, key, n))
		return false;
	p += n;
	while (p < end && strchr(" :", *p))
		p++;
	*v = (struct prof_word){ p, (size_t)(end - p) };
	return v->len > 0;
}

static void set(char **field, const struct prof_word *v)
{
	char *s = xstrndup(v->s, v->len);

	profile_set(field, s);
	free(s);
}

void prof_header_line(struct profile *p, const struct prof_line *line)
{
	struct prof_word v;
	uint64_t n;

	if (value_of(line, "os release", &v))
		set(&p->kernel_release, &v);
	else if (value_of(line, "arch", &v))
		set(&p->arch, &v);
	else if (value_of(line, "nrcpus online", &v) && prof_word_u64(&v, &n) && n < 1 << 20)
		p->nr_cpus = (unsigned)n;
	else if (value_of(line, "sample duration", &v)) {
		double ms;
		const char *s = v.s;

		if (prof_next_word(&s, v.s + v.len, &v) && prof_word_double(&v, &ms) &&
		    ms > 0 && ms < 1e12)
			p->duration_ns = (uint64_t)(ms * 1e6);
	}
}
