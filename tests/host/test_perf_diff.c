// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Our shares and their changes against `perf diff`, on two recordings of this
 * machine and on pairs of the corpus: kernel functions by symbol (recordings of
 * this machine only: perf names the corpus' kernels by this machine's symbols), user
 * mode by file. perf prints two decimals and rounds base and change apart: what
 * is compared agrees within 0.01 points beyond that rounding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "perf_tests.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/profdiff.h"
#include "schedblame/strmap.h"

#define ROUNDING 0.005
#define POINTS 0.01

static char dir[] = "/tmp/test-perf-diff-XXXXXX";

/* Per cent of all samples by key; base and change. */
struct shares {
	struct strmap key;
	double (*v)[2]; /* base, change */
	size_t cap;
};

static double *share(struct shares *s, const char *key)
{
	size_t known = s->key.n;
	uint32_t id = strmap_adds(&s->key, key);

	if (id == known) {
		GROW(s->v, known, s->cap);
		s->v[id][0] = s->v[id][1] = 0;
	}
	return s->v[id];
}

static void shares_release(struct shares *s)
{
	strmap_release(&s->key);
	free(s->v);
}

/* What a row of either is called in the comparison; NULL: not compared. */
typedef const char *name_fn(const char *symbol, const char *module, bool kernel);

static const char *kernel_symbol(const char *symbol, const char *module, bool kernel)
{
	return !kernel ? NULL : strncmp(symbol, "0x", 2) ? symbol : "[unknown]";
}

static const char *user_file(const char *symbol, const char *module, bool kernel)
{
	(void)symbol;
	return perf_test_file(module, kernel);
}

/* "BASE;CHANGE%;KEY": base empty: new; change empty: gone. By symbol the key is
 * "FILE;[k] NAME": by name alone perf takes a function of user mode for the
 * kernel's of that name. */
static void perf_diff(struct shares *s, const char *a, const char *b, bool by_symbol,
		      name_fn *name)
{
	char command[4096], line[8192];
	int tables = 0;
	FILE *f;

	snprintf(command, sizeof(command), "perf diff -t ';' --sort %s '%s' '%s' 2>/dev/null",
		 by_symbol ? "dso,sym" : "dso", a, b);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *change = strchr(line, ';'), *key = change ? strchr(change + 1, ';') : NULL;
		const char *n, *symbol;
		double base;
		char *end;

		tables += !strncmp(line, "# Event", 7);
		if (line[0] == '#' || !key || tables > 1)
			continue;
		key++;
		for (size_t len = strlen(key); len && strchr(" \n", key[len - 1]); len--)
			key[len - 1] = '\0';
		symbol = by_symbol ? strchr(key, ';') : NULL;
		n = !by_symbol ? name("", key, false) :
		    symbol     ? name(symbol + 5, "", !strncmp(symbol + 1, "[k] ", 4)) : NULL;
		if (!n)
			continue;
		base = strtod(line, NULL);
		share(s, n)[0] += base;
		strtod(change + 1, &end);
		share(s, n)[1] += end == change + 1 ? -base : strtod(change + 1, NULL);
	}
	pclose(f);
}

/* All symbols of a side, at what the diff makes of their weight. */
static void add_side(struct shares *s, const struct profdiff *d, const struct profile *p,
		     size_t side, name_fn *name)
{
	double scale = profdiff_scale(d, side);

	for (uint32_t i = 0; i < p->nr_symbols; i++) {
		const char *n = name(profile_name(p, i), profile_module_name(p, i),
				     p->symbol[i].space != SPACE_USER);
		double v = 100 * p->symbol[i].weight * scale / d->total[side];

		if (!n || !(v > 0))
			continue;
		share(s, n)[0] += side ? 0 : v;
		share(s, n)[1] += side ? v : -v;
	}
}

/* False: no samples on one side, or of different events. What perf compares must
 * open here. */
static bool our_diff(struct shares *s, const char *a, const char *b, name_fn *name)
{
	const struct profile_options load = { .user_symbols = true };
	struct profdiff_options options = profdiff_default_options;
	struct profdiff_input in[2];
	struct err err = ERR_INIT;
	struct profdiff d;
	bool good;

	profdiff_input_init(&in[0]);
	profdiff_input_init(&in[1]);
	if (profdiff_input_add(&in[0], a, &load, &err) < 0 ||
	    profdiff_input_add(&in[1], b, &load, &err) < 0)
		fail_msg("%s", err_text(&err));
	good = in[0].profile[0]->samples && in[1].profile[0]->samples &&
	       !strcmp(in[0].profile[0]->event, in[1].profile[0]->event);
	if (good) {
		if (profdiff_make_inputs(&d, in, 2, &options, &err) < 0)
			fail_msg("%s", err_text(&err));
		good = d.total[0] > 0 && d.total[1] > 0;
		for (size_t side = 0; good && side < 2; side++)
			add_side(s, &d, in[side].profile[0], side, name);
		profdiff_release(&d);
	}
	profdiff_input_release(&in[0]);
	profdiff_input_release(&in[1]);
	return good;
}

/* Rows of perf's list that differ; those it leaves out must be small. rows: how
 * many of perf's were summed in the worst case. */
static size_t differences(struct shares *ours, struct shares *theirs, double rounding)
{
	size_t bad = 0;

	for (size_t i = 0; i < ours->key.n; i++)
		share(theirs, ours->key.name[i]);
	for (size_t i = 0; i < theirs->key.n; i++) {
		const double *t = theirs->v[i], *o = share(ours, theirs->key.name[i]);

		if (fabs(t[0] - o[0]) <= POINTS + rounding && fabs(t[1] - o[1]) <= POINTS + rounding)
			continue;
		bad++;
		print_error("%s: we %.4f %+.4f, perf %.2f %+.2f\n", theirs->key.name[i], o[0],
			    o[1], t[0], t[1]);
	}
	return bad;
}

static size_t compared; /* pairs */

static size_t compare(const char *a, const char *b, bool by_symbol, double rounding)
{
	name_fn *name = by_symbol ? kernel_symbol : user_file;
	struct shares ours = { .cap = 0 }, theirs = { .cap = 0 };
	size_t bad = 0;

	strmap_init(&ours.key);
	strmap_init(&theirs.key);
	perf_diff(&theirs, a, b, by_symbol, name);
	if (theirs.key.n && our_diff(&ours, a, b, name)) {
		bad = differences(&ours, &theirs, rounding);
		compared++;
	}
	if (by_symbol)
		assert_true(theirs.key.n > 50);
	shares_release(&ours);
	shares_release(&theirs);
	return bad;
}

static char *record(const char *name, const char *work)
{
	char *path = path_join(dir, name);
	char *command = xasprintf("perf record -q -a -e cpu-clock -F 4000 -o %s -- sh -c '%s' "
				  ">/dev/null 2>&1", path, work);

	assert_int_equal(system(command), 0);
	free(command);
	return path;
}

static void own_recordings_agree(void **state)
{
	char *a = record("a", "for i in 1 2 3; do ls -lR /proc/self >/dev/null 2>&1; done; "
			      "head -c 30000000 /dev/zero | gzip -1 >/dev/null");
	char *b = record("b", "for i in 1 2 3 4 5; do ls -lR /proc/self >/dev/null 2>&1; done; "
			      "head -c 10000000 /dev/zero | md5sum >/dev/null");

	assert_int_equal(compare(a, b, true, ROUNDING), 0);
	/* several of perf's rows are one here: code without a file */
	assert_int_equal(compare(a, b, false, 10 * ROUNDING), 0);
	free(a);
	free(b);
}

/* Each file against the next one. */
static size_t compare_with_last(const char *path)
{
	static char last[1024];
	size_t bad = *last ? compare(last, path, false, 10 * ROUNDING) : 0;

	if (bad)
		print_error("^ %s against %s\n", last, path);
	snprintf(last, sizeof(last), "%s", path);
	return bad;
}

static void corpus_agrees(void **state)
{
	assert_int_equal(perf_test_corpus(compare_with_last), 0);
	print_message("%zu pairs of the corpus compared\n", compared - 2);
	assert_true(compared >= 2 + 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_recordings_agree),
		cmocka_unit_test(corpus_agrees),
	};

	return perf_test_main(dir, tests, ARRAY_SIZE(tests));
}
