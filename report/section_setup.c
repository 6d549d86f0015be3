// SPDX-License-Identifier: GPL-2.0-or-later
/* The setup at the end: what a reviewer asks for, per set, where it differs, and
 * once where it does not. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

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
static void add_nodes(struct strbuf *out, const struct topology *t, bool known_memory)
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
		report_pair(out, key.buf, 16, sb.buf);
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
};

static bool is_telling(const char *word, size_t len)
{
	size_t n = strcspn(word, "=");

	n = n < len ? n : len;
	for (size_t i = 0; i < ARRAY_SIZE(telling); i++)
		if (strlen(telling[i]) == n && !strncmp(telling[i], word, n))
			return true;
	return false;
}

/* The words that matter here, and how many others there are. */
static void add_cmdline(struct strbuf *out, const char *line)
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
		strbuf_addf(&sb, "%s%zu word%s%s (--verbose shows all)", sb.len ? " and " : "",
			    others, others == 1 ? "" : "s",
			    sb.len ? " more" : ", none about scheduling");
	if (sb.len)
		report_pair(out, "cmdline", 16, sb.buf);
	strbuf_release(&sb);
}

static void add_fact(struct strbuf *out, const struct host_fact *f, struct strbuf *on,
		     struct strbuf *off, bool verbose)
{
	static const char feature[] = "sched.features.";

	if (!verbose && !strcmp(f->key, "cmdline")) {
		add_cmdline(out, f->value);
		return;
	}
	if (strncmp(f->key, feature, strlen(feature))) {
		report_pair(out, f->key, 16, f->value);
		return;
	}
	strbuf_addf(!strcmp(f->value, "on") ? on : off, " %s", f->key + strlen(feature));
}

static void add_facts(struct strbuf *out, const struct run *run, bool verbose)
{
	struct strbuf on = STRBUF_INIT, off = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		for (size_t j = 0; j < run->nr_facts; j++)
			if (wanted(run->fact[j].key, shown[i]))
				add_fact(out, &run->fact[j], &on, &off, verbose);
	if (on.len)
		report_pair(out, "features on", 16, on.buf + 1);
	if (off.len)
		report_pair(out, "features off", 16, off.buf + 1);
	strbuf_release(&on);
	strbuf_release(&off);
}

static void add_mitigations(struct strbuf *out, const struct run *run)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < run->nr_facts; i++) {
		const struct host_fact *f = &run->fact[i];

		if (strncmp(f->key, "mitigations.", 12) || !strcmp(f->value, "Not affected"))
			continue;
		strbuf_addf(&sb, "%s%s (%s)", sb.len ? "; " : "", f->key + 12, f->value);
	}
	if (sb.len)
		report_pair(out, "mitigations", 16, sb.buf);
	strbuf_release(&sb);
}

static void add_sources(struct strbuf *out, const struct run *run)
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
		report_pair(out, "recorded", 16, sb.buf);
	strbuf_release(&sb);
}

static void add_knobs(struct strbuf *out, const struct run *run)
{
	const json_t *knobs = json_object_get(run->manifest, "knobs"), *k;
	size_t i;

	json_array_foreach(knobs, i, k) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_addf(&sb, "%s (was %s)", json_str(k, "new", "?"),
			    json_str(k, "old", "?"));
		report_pair(out, json_str(k, "name", "?"), 16, sb.buf);
		strbuf_release(&sb);
	}
}

static char *setup_of(const struct run *run, bool verbose)
{
	struct strbuf sb = STRBUF_INIT;

	add_facts(&sb, run, verbose);
	add_mitigations(&sb, run);
	add_knobs(&sb, run);
	add_sources(&sb, run);
	/* the topology of a foreign file was described by hand */
	add_nodes(&sb, &run->topology, !run->foreign);
	return strbuf_detach(&sb);
}

/* Only the lines of text that other lacks. */
static void add_own_lines(struct strbuf *out, const char *text, const char *other)
{
	while (*text) {
		size_t n = strcspn(text, "\n") + 1;
		char *line = xstrndup(text, n);

		if (!strstr(other, line))
			strbuf_addstr(out, line);
		free(line);
		text += n;
	}
}

void section_setup_text(const struct report *r, struct strbuf *out)
{
	char *base = setup_of(&r->set[0].run[0], r->verbose);

	if (*base)
		strbuf_addf(out, "%s:\n%s", r->name[0], base);
	for (size_t i = 1; i < r->nr_sets; i++) {
		char *setup = setup_of(&r->set[i].run[0], r->verbose);
		struct strbuf own = STRBUF_INIT;

		add_own_lines(&own, setup, base);
		if (own.len)
			strbuf_addf(out, "%s, where it differs:\n%s", r->name[i], own.buf);
		else if (*setup)
			strbuf_addf(out, "%s: the same\n", r->name[i]);
		strbuf_release(&own);
		free(setup);
	}
	free(base);
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
