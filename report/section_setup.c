// SPDX-License-Identifier: GPL-2.0-or-later
/* The setup at the end: what a reviewer asks for, per set, where it differs, and
 * once where it does not. */
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

struct pair {
	char *key, *value;
};

struct pairs {
	struct pair *v;
	size_t n, cap;
};

static void add_pair(struct pairs *p, const char *key, const char *value)
{
	GROW(p->v, p->n, p->cap);
	p->v[p->n++] = (struct pair){ xstrdup(key), xstrdup(value) };
}

static void pairs_release(struct pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].key);
		free(p->v[i].value);
	}
	free(p->v);
}

static char *cpus_of_node(const struct topology *t, int node)
{
	struct cpuset set = CPUSET_INIT;
	struct strbuf sb = STRBUF_INIT;

	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
		if (t->cpu[cpu].present && t->cpu[cpu].node == node)
			cpuset_set(&set, cpu);
	cpuset_format(&set, &sb);
	cpuset_release(&set);
	return strbuf_detach(&sb);
}

/* "Node 0: 0-63,128-191, 64.0 GiB; distances 10 21" */
static void add_nodes(struct pairs *out, const struct topology *t, bool known_memory)
{
	for (unsigned i = 0; i < t->nr_nodes && i < 32; i++) {
		char *cpus = cpus_of_node(t, (int)i), size[32];
		struct strbuf sb = STRBUF_INIT, key = STRBUF_INIT;

		strbuf_addf(&sb, "CPUs %s", *cpus ? cpus : "none");
		if (known_memory)
			strbuf_addf(&sb, ", %s",
				    t->node[i].mem_bytes ?
					    format_bytes(size, sizeof(size),
							 t->node[i].mem_bytes) :
					    "no memory");
		if (t->nr_nodes > 1 && topology_node_distance(t, 0, 1)) {
			strbuf_addstr(&sb, ", distances");
			for (unsigned j = 0; j < t->nr_nodes; j++)
				strbuf_addf(&sb, " %u",
					    topology_node_distance(t, (int)i, (int)j));
		}
		strbuf_addf(&key, "node %u", t->node[i].os_id);
		add_pair(out, key.buf, sb.buf);
		strbuf_release(&key);
		strbuf_release(&sb);
		free(cpus);
	}
}

/* Facts shown by key, in this order; a trailing dot takes all below it. */
static const char *const shown[] = { "version",	      "distribution",	"cpu.model",
				     "cpu.microcode", "cpu.governor",	"cpu.driver",
				     "hypervisor",    "clocksource",	"thp",
				     "cmdline",	      "sched.",
				     "sysctl.kernel.numa_balancing" };

static bool wanted(const char *key, const char *pattern)
{
	size_t len = strlen(pattern);

	return pattern[len - 1] == '.' ? !strncmp(key, pattern, len) : !strcmp(key, pattern);
}

/* Words of the kernel's command line that change how it schedules. */
static const char *const telling[] = {
	"isolcpus",	"nohz_full",	"nohz",	       "rcu_nocbs",	"maxcpus",
	"nr_cpus",	"nosmt",	"possible_cpus", "mitigations", "preempt",
	"numa",		"numa_balancing", "threadirqs", "irqaffinity",	"idle",
	"intel_idle.max_cstate", "processor.max_cstate", "intel_pstate", "amd_pstate",
	"cpufreq.default_governor", "transparent_hugepage", "hugepages", "clocksource",
	"tsc",		"skew_tick",	"psi",	       "cgroup_disable", "schedstats",
	"sched_verbose", "relax_domain_level", "workqueue.power_efficient", "audit",
	"spectre_v2",	"retbleed",	"pti",	       "nopti",		"nokaslr",
	"kaslr",	"debug",	"slub_debug",  "memmap",	"mem",
	"nosmp",	"smt",		"mds",	       "l1tf",		"mmio_stale_data",
	"spec_store_bypass_disable", "noibrs", "noibpb", "nmi_watchdog", "nowatchdog",
	"kthread_cpus",	"acpi_cpufreq", "governor", "tickless", "highres", "nohugevmalloc",
};

static const char *const telling_families[] = { "cpuidle.", "cpufreq.", "rcutree.",
						"rcupdate.", "nospectre", "sched", "kvm",
						"processor.", "intel_idle.", "amd_",
						"intel_pstate", "workqueue." };

static bool is_telling(const char *word, size_t len)
{
	size_t n = strcspn(word, "=");

	n = n < len ? n : len;
	for (size_t i = 0; i < ARRAY_SIZE(telling_families); i++)
		if (!strncmp(word, telling_families[i], strlen(telling_families[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(telling); i++)
		if (strlen(telling[i]) == n && !strncmp(telling[i], word, n))
			return true;
	return false;
}

/* The words that matter here, and how many others there are. */
static void add_cmdline(struct pairs *out, const char *line)
{
	struct strbuf sb = STRBUF_INIT;
	size_t others = 0;

	while (*(line += strspn(line, " "))) {
		size_t n = strcspn(line, " ");

		if (is_telling(line, n)) {
			strbuf_addf(&sb, "%s", sb.len ? " " : "");
			strbuf_add(&sb, line, n);
		} else {
			others++;
		}
		line += n;
	}
	if (others)
		strbuf_addf(&sb, "%s%zu other word%s (--verbose shows all)",
			    sb.len ? " and " : "", others, others == 1 ? "" : "s");
	if (sb.len)
		add_pair(out, "cmdline", sb.buf);
	strbuf_release(&sb);
}

static void add_fact(struct pairs *out, const struct host_fact *f, struct strbuf *on,
		     struct strbuf *off, bool verbose)
{
	static const char feature[] = "sched.features.";

	if (!verbose && !strcmp(f->key, "cmdline")) {
		add_cmdline(out, f->value);
		return;
	}
	if (strncmp(f->key, feature, strlen(feature))) {
		add_pair(out, f->key, f->value);
		return;
	}
	strbuf_addf(!strcmp(f->value, "on") ? on : off, " %s", f->key + strlen(feature));
}

static void add_facts(struct pairs *out, const struct run *run, bool verbose)
{
	struct strbuf on = STRBUF_INIT, off = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		for (size_t j = 0; j < run->nr_facts; j++)
			if (wanted(run->fact[j].key, shown[i]))
				add_fact(out, &run->fact[j], &on, &off, verbose);
	if (on.len)
		add_pair(out, "features on", on.buf + 1);
	if (off.len)
		add_pair(out, "features off", off.buf + 1);
	strbuf_release(&on);
	strbuf_release(&off);
}

static void add_mitigations(struct pairs *out, const struct run *run)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < run->nr_facts; i++) {
		const struct host_fact *f = &run->fact[i];

		if (strncmp(f->key, "mitigations.", 12) || !strcmp(f->value, "Not affected"))
			continue;
		strbuf_addf(&sb, "%s%s (%s)", sb.len ? "; " : "", f->key + 12, f->value);
	}
	if (sb.len)
		add_pair(out, "mitigations", sb.buf);
	strbuf_release(&sb);
}

static void add_sources(struct pairs *out, const struct run *run)
{
	const json_t *sources = json_object_get(run->manifest, "sources");
	struct strbuf sb = STRBUF_INIT;
	const char *name;
	json_t *s;

	json_object_foreach((json_t *)sources, name, s) {
		const char *state = json_str(s, "state", "");

		if (!strcmp(state, "off"))
			continue;
		strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", name);
		if (strcmp(state, "ok"))
			strbuf_addf(&sb, " (%s)", state);
		if (*json_str(s, "reasons", ""))
			strbuf_addf(&sb, " (reasons by %s)", json_str(s, "reasons", ""));
		if (*json_str(s, "event", ""))
			strbuf_addf(&sb, " (%s)", json_str(s, "event", ""));
	}
	if (sb.len)
		add_pair(out, "recorded", sb.buf);
	strbuf_release(&sb);
}

static void add_knobs(struct pairs *out, const struct run *run)
{
	const json_t *knobs = json_object_get(run->manifest, "knobs"), *k;
	size_t i;

	json_array_foreach(knobs, i, k) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_addf(&sb, "%s (was %s)", json_str(k, "new", "?"),
			    json_str(k, "old", "?"));
		add_pair(out, json_str(k, "name", "?"), sb.buf);
		strbuf_release(&sb);
	}
}

static struct pairs setup_of(const struct run *run, bool verbose)
{
	struct pairs p = { NULL, 0, 0 };

	add_facts(&p, run, verbose);
	add_mitigations(&p, run);
	add_knobs(&p, run);
	add_sources(&p, run);
	/* the topology of a foreign file was described by hand */
	add_nodes(&p, &run->topology, !run->foreign);
	return p;
}

/* The value of the same key, one of several knobs or nodes by its own name. */
static const char *value_of(const struct pairs *p, const char *key)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].key, key))
			return p->v[i].value;
	return NULL;
}

/* Only what other lacks, or all. */
static void add_text(struct strbuf *out, const struct pairs *p, const struct pairs *other)
{
	for (size_t i = 0; i < p->n; i++) {
		const char *same = other ? value_of(other, p->v[i].key) : NULL;

		if (!same || strcmp(same, p->v[i].value))
			report_pair(out, p->v[i].key, 16, p->v[i].value);
	}
}

void section_setup_text(const struct report *r, struct strbuf *out)
{
	struct pairs base = setup_of(&r->set[0].run[0], r->verbose);

	if (base.n) {
		strbuf_addf(out, "%s:\n", r->name[0]);
		add_text(out, &base, NULL);
	}
	for (size_t i = 1; i < r->nr_sets; i++) {
		struct pairs setup = setup_of(&r->set[i].run[0], r->verbose);
		struct strbuf own = STRBUF_INIT;

		add_text(&own, &setup, &base);
		if (own.len)
			strbuf_addf(out, "%s, where it differs:\n%s", r->name[i], own.buf);
		else if (setup.n)
			strbuf_addf(out, "%s: the same\n", r->name[i]);
		strbuf_release(&own);
		pairs_release(&setup);
	}
	pairs_release(&base);
}

/* ---- the page ---- */

static void add_html_row(const struct report *r, struct strbuf *out,
			 const struct pairs *setup, const char *key)
{
	const char *first = value_of(&setup[0], key);
	bool same = true;

	for (size_t i = 1; i < r->nr_sets; i++) {
		const char *v = value_of(&setup[i], key);

		same &= first && v && !strcmp(first, v);
	}
	strbuf_addstr(out, "<tr><th scope=\"row\">");
	html_add(out, key);
	strbuf_addstr(out, "</th>");
	for (size_t i = 0; i < (same ? 1 : r->nr_sets); i++) {
		const char *v = value_of(&setup[i], key);

		strbuf_addf(out, same ? "<td colspan=\"%zu\">" : "<td>", r->nr_sets);
		html_add(out, v ? v : "-");
		strbuf_addstr(out, "</td>");
	}
	strbuf_addstr(out, "</tr>\n");
}

static bool in_earlier(const struct pairs *setup, size_t set, const char *key)
{
	for (size_t i = 0; i < set; i++)
		if (value_of(&setup[i], key))
			return true;
	return false;
}

void section_setup_html(const struct report *r, struct strbuf *out)
{
	struct pairs *setup = xcalloc(r->nr_sets, sizeof(*setup));

	for (size_t i = 0; i < r->nr_sets; i++)
		setup[i] = setup_of(&r->set[i].run[0], r->verbose);
	html_table(out, r->nr_sets > 1 ? "One value: the same in all sets" : "Kernel, tunables, "
									     "mitigations, nodes");
	strbuf_addstr(out, "<thead><tr><td></td>");
	html_set_heads(out, r, 0, 1);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->nr_sets; i++)
		for (size_t k = 0; k < setup[i].n; k++)
			if (!in_earlier(setup, i, setup[i].v[k].key))
				add_html_row(r, out, setup, setup[i].v[k].key);
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
	for (size_t i = 0; i < r->nr_sets; i++)
		pairs_release(&setup[i]);
	free(setup);
}

json_t *section_setup_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct run *run = &r->set[i].run[0];
		json_t *sources = json_object_get(run->manifest, "sources");
		json_t *knobs = json_object_get(run->manifest, "knobs");
		json_t *obj = json_object();

		if (sources)
			json_object_set(obj, "sources", sources);
		if (knobs)
			json_object_set(obj, "knobs", knobs);
		json_array_append_new(list, obj);
	}
	return list;
}
