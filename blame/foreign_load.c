// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load that is none of the workload's: total busy time less the rusage of the
 * command and its children. Kernel threads count as others, and so does a server
 * that the benchmark talks to; interrupts do not, since the workload causes most.
 */
#include "foreign_load.h"

#include <math.h>
#include <stdlib.h>

#include "comparability_facts.h"
#include "schedblame/alloc.h"
#include "schedblame/ledger.h"

#define WORTH_A_NOTE 0.05   /* of the CPUs' time */
#define WORTH_A_WARNING 0.2
#define DIFFERS 0.05

double run_foreign_load(const struct run *run)
{
	double own = run_own_time(run, "user_ns") + run_own_time(run, "system_ns");
	double busy = 0, all = 0;

	for (int m = 0; m < CPU_MODE_NR; m++) {
		double ns = run_cpu_time(run, (enum cpu_mode)m, true);

		all += ns;
		if (m == CPU_MODE_USER || m == CPU_MODE_NICE || m == CPU_MODE_SYSTEM)
			busy += ns;
	}
	/* ticks of /proc/stat may be fewer than what rusage measured */
	return all > 0 && !isnan(own) ? fmax(0, busy - own) / all : NAN;
}

struct load {
	double mean, max;
	size_t n;
};

static struct load set_load(const struct run_set *set)
{
	struct load l = { 0 };

	for (size_t i = 0; i < set->n; i++) {
		double v = run_foreign_load(&set->run[i]);

		if (isnan(v))
			continue;
		l.mean = (l.mean * (double)l.n + v) / (double)(l.n + 1);
		l.max = fmax(l.max, v);
		l.n++;
	}
	return l;
}

/* One note for all sets: it says the same of each. */
static void add_note(struct comparability *c, const struct run_set *const *sets,
		     const struct load *l)
{
	struct strbuf who = STRBUF_INIT;
	double most = 0;

	for (size_t i = 0; i < c->nr_sets; i++) {
		if (!l[i].n || l[i].mean < WORTH_A_NOTE)
			continue;
		most = fmax(most, l[i].mean);
		strbuf_addf(&who, "%s%.0f %% of its CPUs' time in %s (worst run %.0f %%)",
			    who.len ? ", " : "", l[i].mean * 100, sets[i]->label,
			    l[i].max * 100);
	}
	if (who.len)
		notes_add(&c->notes, "%sothers than the workload used %s; unless they are part "
			  "of the benchmark (a server), expect noise, and repeat on a quiet "
			  "machine", most >= WORTH_A_WARNING ? "WARNING: " : "", who.buf);
	strbuf_release(&who);
}

void foreign_load_check(struct comparability *c, const struct run_set *const *sets)
{
	struct load *l = xcalloc(c->nr_sets, sizeof(*l));
	char **text = xcalloc(c->nr_sets, sizeof(*text));
	bool differ = false;

	for (size_t i = 0; i < c->nr_sets; i++) {
		l[i] = set_load(sets[i]);
		text[i] = l[i].n ? xasprintf("%.0f %%", l[i].mean * 100) : xstrdup("");
		differ |= l[i].n && l[0].n && fabs(l[i].mean - l[0].mean) >= DIFFERS;
	}
	add_note(c, sets, l);
	if (differ)
		comparability_add(c, DIFFER_NOTED, "foreign_load", "CPU time of others",
				  (const char *const *)text, "");
	for (size_t i = 0; i < c->nr_sets; i++)
		free(text[i]);
	free(text);
	free(l);
}
