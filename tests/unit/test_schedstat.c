// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "schedblame/file.h"
#include "schedblame/schedstat.h"

/* Groups hold g*100 + 1.. in the order of the version's columns. */
static void domain_line(struct strbuf *sb, unsigned version, const char *head, uint64_t add)
{
	unsigned width = version == 17 ? 11 : 8;

	strbuf_addstr(sb, head);
	for (unsigned g = 1; g <= 3; g++)
		for (unsigned i = 1; i <= width; i++)
			strbuf_addf(sb, " %llu", (unsigned long long)(g * 100 + i + add));
	for (unsigned i = 1; i <= 12; i++)
		strbuf_addf(sb, " %llu", (unsigned long long)(900 + i + add));
	strbuf_addch(sb, '\n');
}

static char *text_of(unsigned version, uint64_t add)
{
	const char *name = version == 17 ? "MC " : "";
	struct strbuf sb = STRBUF_INIT;
	char head[64];

	strbuf_addf(&sb, "version %u\ntimestamp 4295\n", version);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		strbuf_addf(&sb, "cpu%u%s", cpu, version == 14 ? " 7 7 7" : "");
		for (unsigned i = 1; i <= 9; i++)
			strbuf_addf(&sb, " %llu", (unsigned long long)(i + add));
		snprintf(head, sizeof(head), "\ndomain0 %s00000000,00000003", name);
		domain_line(&sb, version, head, add);
		strbuf_addstr(&sb, "eas 0 0 0 0\n");
	}
	return strbuf_detach(&sb);
}

static void parse(struct schedstat *s, unsigned version, uint64_t add)
{
	struct err err = ERR_INIT;
	char *text = text_of(version, add);

	if (schedstat_parse(s, text, "test", &err) < 0)
		fail_msg("%s", err_text(&err));
	free(text);
}

static void columns_of_each_version(void **state)
{
	for (unsigned version = 14; version <= 17; version++) {
		enum schedstat_idle first = version < 16 ? SCHEDSTAT_IDLE : SCHEDSTAT_BUSY;
		enum schedstat_idle second = version < 16 ? SCHEDSTAT_BUSY : SCHEDSTAT_IDLE;
		const struct schedstat_counts *c;
		struct schedstat s;

		parse(&s, version, 0);
		assert_int_equal(s.version, version);
		assert_int_equal(s.nr_cpus, 2);
		assert_int_equal(s.nr_domains, 2);
		assert_int_equal(s.cpu[1].cpu, 1);
		assert_int_equal(s.cpu[1].rq[SCHEDSTAT_RQ_YIELD], 1);
		assert_int_equal(s.cpu[1].rq[SCHEDSTAT_RQ_SCHEDULE], 3);
		assert_int_equal(s.cpu[1].rq[SCHEDSTAT_RQ_TIMESLICES], 9);
		c = &s.domain[1].counts;
		assert_int_equal(c->lb[first][SCHEDSTAT_LB_COUNT], 101);
		assert_int_equal(c->lb[second][SCHEDSTAT_LB_COUNT], 201);
		assert_int_equal(c->lb[SCHEDSTAT_NEWIDLE][SCHEDSTAT_LB_COUNT], 301);
		assert_int_equal(c->lb[SCHEDSTAT_NEWIDLE][SCHEDSTAT_LB_IMBALANCE],
				 version == 17 ? 304 + 305 + 306 + 307 : 304);
		assert_int_equal(c->lb[SCHEDSTAT_NEWIDLE][SCHEDSTAT_LB_GAINED],
				 version == 17 ? 308 : 305);
		assert_int_equal(c->lb[SCHEDSTAT_NEWIDLE][SCHEDSTAT_LB_NOBUSYG],
				 version == 17 ? 311 : 308);
		assert_int_equal(c->alb[2], 903);
		assert_int_equal(c->ttwu[0], 910);
		assert_int_equal(c->ttwu[2], 912);
		assert_int_equal(cpuset_count(&s.domain[0].span), 2);
		if (version == 17)
			assert_string_equal(s.domain[0].name, "MC");
		else
			assert_null(s.domain[0].name);
		schedstat_release(&s);
	}
}

static void differences_by_level(void **state)
{
	struct schedstat a, b;
	struct notes notes = { NULL, 0 };
	struct series_set set;
	struct topology t;

	topology_init(&t);
	assert_int_equal(topology_load(&t, "node:1 core:1 pu:2", NULL), 0);
	series_init(&set);
	parse(&a, 15, 0);
	parse(&b, 15, 10);
	schedstat_add(&set, &a, &b, &t, &notes);
	assert_int_equal(notes.n, 0);
	assert_int_equal(series_sum(&set, "lb", LABELS("level", "SMT", "idle", "newidle",
						       "field", "gained")), 20);
	assert_int_equal(series_sum(&set, "rq", LABELS("field", "schedule")), 20);
	assert_int_equal(series_sum(&set, "rq", LABELS("cpu", "1")), 80);
	assert_int_equal(series_sum(&set, "alb", LABELS("level", "SMT", "field", "pushed")),
			 20);
	series_release(&set);
	/* without a topology the level is the domain's number */
	topology_release(&t);
	series_init(&set);
	schedstat_add(&set, &a, &b, &t, &notes);
	assert_int_equal(series_sum(&set, "ttwu", LABELS("level", "domain0")), 60);
	series_release(&set);
	schedstat_release(&a);
	schedstat_release(&b);
}

static void wraps_and_resets(void **state)
{
	struct schedstat a, b;
	struct notes notes = { NULL, 0 };
	struct series_set set;
	struct topology t;

	topology_init(&t);
	series_init(&set);
	parse(&a, 17, 4294967290u - 901);
	parse(&b, 17, 5);
	/* keep one counter that wraps: all others equal */
	for (int i = 0; i < 2; i++) {
		a.domain[i].counts = b.domain[i].counts;
		a.domain[i].counts.alb[0] = 4294967295u;
		b.domain[i].counts.alb[0] = 4;
	}
	schedstat_add(&set, &a, &b, &t, &notes);
	assert_int_equal(notes.n, 0);
	assert_int_equal(series_sum(&set, "alb", LABELS("field", "count")), 10);
	/* reset to zero: the domain is left out, and said so */
	b.domain[1].counts.alb[1] = 0;
	series_release(&set);
	series_init(&set);
	schedstat_add(&set, &a, &b, &t, &notes);
	assert_int_equal(notes.n, 1);
	assert_non_null(strstr(notes.v[0], "1 domains were rebuilt"));
	assert_int_equal(series_sum(&set, "alb", LABELS("field", "count")), 5);
	series_release(&set);
	notes_release(&notes);
	schedstat_release(&a);
	schedstat_release(&b);
}

static void refused(const char *text, const char *part)
{
	struct err err = ERR_INIT;
	struct schedstat s;

	assert_true(schedstat_parse(&s, text, "test", &err) < 0);
	if (!strstr(err_text(&err), part))
		fail_msg("'%s' lacks '%s'", err_text(&err), part);
	assert_int_equal(s.nr_cpus, 0);
	err_release(&err);
}

static void bad_text_is_refused(void **state)
{
	refused("", "holds no cpu line");
	refused("cpu0 1 2 3", "expected 'version N' first");
	refused("version 99\n", "version 99; versions 14 to 17");
	refused("version 15\ncpu0 1 2 3\n", "line 2 is not as");
	refused("version 15\ncpu0 1 2 3 4 5 6 7 8 9 10\n", "line 2");
	refused("version 15\ncpu99999 1 2 3 4 5 6 7 8 9\n", "a CPU number");
	refused("version 15\ndomain0 ff 1 2\n", "a domain of the CPU above it");
	refused("version 15\ncpu0 1 2 3 4 5 6 7 8 9\ndomain0 xy 1\n", "line 3");
	refused("version 17\ncpu0 1 2 3 4 5 6 7 8 9\ndomain0 MC ff 1 2 3\n", "line 3");
}

static void real_files(void **state)
{
	static const struct {
		const char *path;
		unsigned version, cpus;
	} files[] = {
		{ "prometheus+procfs/fixtures_proc_schedstat", 15, 2 },
		{ "intelsdi-x+snap-plugin-collector-schedstat/schedstat14", 14, 1 },
		{ "intelsdi-x+snap-plugin-collector-schedstat/schedstat", 15, 8 },
		{ "mchauras-linux+domain_nr_running/schedstat.txt", 15, 80 },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = path_join(SHARED_DIR "/corpus/schedstat", files[i].path);
		struct strbuf sb = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct schedstat s;

		if (!file_exists(path)) {
			free(path);
			skip();
		}
		assert_int_equal(file_read(&sb, path, 0, &err), 0);
		if (schedstat_parse(&s, sb.buf, path, &err) < 0)
			fail_msg("%s", err_text(&err));
		assert_int_equal(s.version, files[i].version);
		if (s.nr_cpus < files[i].cpus)
			fail_msg("%s: %zu CPUs", path, s.nr_cpus);
		schedstat_release(&s);
		strbuf_release(&sb);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_each_version),
		cmocka_unit_test(differences_by_level),
		cmocka_unit_test(wraps_and_resets),
		cmocka_unit_test(bad_text_is_refused),
		cmocka_unit_test(real_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
