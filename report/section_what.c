// SPDX-License-Identifier: GPL-2.0-or-later
/* What ran where: the sets by name, and what is the same in all of them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

static size_t boots(const struct run_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		size_t j = 0;

		while (j < i && strcmp(set->run[j].boot_id, set->run[i].boot_id))
			j++;
		n += j == i && *set->run[i].boot_id;
	}
	return n;
}

static void add_day(struct strbuf *sb, int64_t unix_ns)
{
	time_t t = (time_t)(unix_ns / 1000000000);
	struct tm tm;

	if (unix_ns > 0 && gmtime_r(&t, &tm))
		strbuf_addf(sb, ", %04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1,
			    tm.tm_mday);
}

void report_what_runs(struct strbuf *sb, const struct run_set *set)
{
	size_t n = boots(set);
	uint64_t sum = 0;
	char buf[32];

	for (size_t i = 0; i < set->n; i++)
		sum += set->run[i].duration_ns;
	strbuf_addf(sb, "%zu run%s", set->n, set->n == 1 ? "" : "s");
	if (sum)
		strbuf_addf(sb, " of %s", format_ns(buf, sizeof(buf), sum / set->n));
	if (n)
		strbuf_addf(sb, ", %zu boot%s", n, n == 1 ? "" : "s");
	add_day(sb, set->run[0].start_unix_ns);
	if (*set->run[0].kernel_release)
		strbuf_addf(sb, ", Linux %s", set->run[0].kernel_release);
	if (set->run[0].foreign)
		strbuf_addf(sb, ", read from %s", set->run[0].path);
}

/* A value that all sets share, or NULL. */
static const char *shared(const struct report *r, const char *(*get)(const struct run *run))
{
	const char *first = get(&r->set[0].run[0]);

	for (size_t i = 1; i < r->nr_sets; i++)
		if (strcmp(get(&r->set[i].run[0]), first))
			return NULL;
	return *first ? first : NULL;
}

static const char *get_command(const struct run *run)
{
	return run->command;
}

static const char *get_machine(const struct run *run)
{
	return run->machine_name;
}

static const char *get_cpu(const struct run *run)
{
	const char *model = run_fact(run, "cpu.model");

	return model ? model : "";
}

void report_what_shared(const struct report *r, struct strbuf *out, report_pair_fn *pair)
{
	static const struct {
		const char *key;
		const char *(*get)(const struct run *run);
	} facts[] = { { "command", get_command },
		      { "machine", get_machine },
		      { "CPU", get_cpu } };
	bool same = true;
	char *topology;

	if (r->nr_cells > 1 && r->focus < r->nr_cells)
		pair(out, "detail", 8, r->cell[r->focus].title);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (shared(r, facts[i].get))
			pair(out, facts[i].key, 8, shared(r, facts[i].get));
	for (size_t i = 1; i < r->nr_sets; i++)
		same &= topology_same(&r->set[0].run[0].topology, &r->set[i].run[0].topology);
	if (!same)
		return;
	topology = topology_summary(&r->set[0].run[0].topology);
	pair(out, "topology", 8, topology);
	free(topology);
}

void section_what_text(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_sets; i++) {
		struct strbuf sb = STRBUF_INIT, name = STRBUF_INIT;

		report_what_runs(&sb, &r->opened[i]);
		strbuf_addf(&name, "%-*s ", r->nr_sets > 1 ? 20 : 1, r->name[i]);
		report_wrap(out, name.buf, sb.buf, (int)name.len);
		strbuf_release(&name);
		strbuf_release(&sb);
	}
	report_what_shared(r, out, report_pair);
}

static json_t *text_json(const char *s)
{
	return json_text(s, strlen(s));
}

static json_t *facts_json(const struct run *run)
{
	json_t *facts = json_object();

	for (size_t i = 0; i < run->nr_facts; i++) {
		json_t *value = text_json(run->fact[i].value);

		/* keys come from a JSON file, so they are UTF-8 */
		json_object_set_new(facts, run->fact[i].key, value);
	}
	return facts;
}

static json_t *set_json(const struct report *r, size_t i)
{
	const struct run *run = &r->set[i].run[0];
	char *topology = topology_summary(&run->topology);
	json_t *obj = json_object(), *runs = json_array();

	json_object_set_new(obj, "name", json_string(r->name[i]));
	json_object_set_new(obj, "label", text_json(r->set[i].label));
	json_object_set_new(obj, "path", text_json(r->set[i].path));
	json_object_set_new(obj, "command", text_json(run->command));
	json_object_set_new(obj, "kernel_release", text_json(run->kernel_release));
	json_object_set_new(obj, "kernel_version", text_json(run->kernel_version));
	json_object_set_new(obj, "machine", text_json(run->machine_name));
	json_object_set_new(obj, "topology", text_json(topology));
	json_object_set_new(obj, "boots", json_integer((json_int_t)boots(&r->set[i])));
	json_object_set_new(obj, "facts", facts_json(run));
	for (size_t j = 0; j < r->set[i].n; j++) {
		const struct run *one = &r->set[i].run[j];
		json_t *o = json_pack("{s:o,s:b,s:I,s:i,s:f}", "path", text_json(one->path),
				      "complete", one->complete, "duration_ns",
				      (json_int_t)one->duration_ns, "exit_status",
				      one->exit_status, "work", one->work);

		json_array_append_new(runs, o);
	}
	json_object_set_new(obj, "runs", runs);
	free(topology);
	return obj;
}

json_t *section_what_json(const struct report *r)
{
	json_t *sets = json_array();

	for (size_t i = 0; i < r->nr_sets; i++)
		json_array_append_new(sets, set_json(r, i));
	return sets;
}
