// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotation: of this very program, and the alignment of made-up instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "diffprofile/annotate_parts.h"
#include "schedblame/alloc.h"

static volatile int sink;
static uintptr_t inside;

static inline __attribute__((always_inline)) void inner_part(int x)
{
#ifdef __x86_64__
	__asm__ volatile("lea 0(%%rip), %0" : "=r"(inside));
#endif
	sink = x * 3;
}

static __attribute__((noinline)) void container(int x)
{
	sink += x;
	inner_part(x + 1);
	sink -= x;
}

struct self {
	char path[4096];
	uint64_t container, base;
};

static bool find_self(struct self *self)
{
	Dl_info info;
	ssize_t n = readlink("/proc/self/exe", self->path, sizeof(self->path) - 1);

	container(1);
	if (n <= 0 || !inside || !dladdr((void *)(uintptr_t)container, &info))
		return false;
	self->path[n] = '\0';
	self->base = (uintptr_t)info.dli_fbase;
	self->container = (uintptr_t)container - self->base;
	return true;
}

/* samples fall on the instruction behind the inlined lea, and on the first one. */
static struct profile *profile_of(const struct self *self, uint64_t hot, const char *name)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	struct profile_module *m;
	uint32_t symbol, body;

	profile_init(p);
	m = profile_add_module(p, "self");
	profile_set(&m->path, self->path);
	symbol = profile_symbol(p, name, "self", NULL, SPACE_USER);
	/* long enough for a build with sanitizers */
	body = profile_body(p, symbol, self->container, 512);
	profile_add(p, symbol, hot + 5, (double)hot + 5);
	profile_add_address(p, body, (uint32_t)(inside - self->base - self->container), symbol,
			    hot, (double)hot);
	/* as if charged to a caller: within the instruction, not at its start */
	profile_add_address(p, body, 1, symbol, 5, 5);
	return p;
}

static void drop(struct profile *p)
{
	profile_release(p);
	free(p);
}

static int annotate(struct annotation *a, struct profile *x, struct profile *y,
		    const char *name, struct err *err)
{
	const struct profile *pa = x, *pb = y;
	const struct profdiff_side side[2] = { { "a", &pa, 1, NULL }, { "b", &pb, 1, NULL } };
	const struct annotation_options options = { .source = { SOURCE_DIR, SOURCE_DIR } };
	struct profdiff d;
	uint32_t row;
	int ret;

	assert_int_equal(profdiff_make(&d, side, 2, &profdiff_default_options, err), 0);
	row = annotation_find(&d, name, NULL);
	ret = row == PROFILE_NONE ? -ENOENT : annotation_make(a, &d, 1, row, &options, err);
	profdiff_release(&d);
	return ret;
}

static void same_build_has_one_instruction_per_row(void **state)
{
	struct self self;
	struct annotation a;
	struct err err = ERR_INIT;
	struct profile *x, *y;
	bool inlined = false, found = false;

	if (!find_self(&self))
		skip();
	x = profile_of(&self, 100, "container");
	y = profile_of(&self, 130, "container");
	assert_int_equal(annotate(&a, x, y, "container", &err), 0);
	assert_true(a.value[0] == 105 && a.value[1] == 135);
	assert_true(a.elsewhere[0] == 0 && a.elsewhere[1] == 0);
	/* the instruction that holds byte 1, which may be the second (push is short) */
	assert_int_equal(a.row[0].offset[0], 0);
	assert_true(a.row[a.row[1].offset[0] == 1].value[0] == 5);
	assert_int_equal(a.nr_bodies, 1);
	for (size_t i = 0; i < a.nr_rows; i++) {
		const struct annotation_row *r = a.row + i;

		assert_true(r->same && r->text[0] == r->text[1]);
		assert_int_equal(r->addr[0], self.container + r->offset[0]);
		if (r->addr[0] == inside - self.base) {
			const struct annotation_line *l = a.line + r->line;

			found = r->value[0] == 100 && r->value[1] == 130;
			inlined = !strcmp(annotation_text(&a, l->inlined), "inner_part");
			assert_non_null(strstr(annotation_text(&a, l->file), "test_annotation.c"));
			assert_non_null(strstr(annotation_text(&a, l->text), "lea 0("));
			assert_true(l->value[1] == 130);
		}
	}
	assert_true(found && inlined);
	annotation_release(&a);
	drop(x);
	drop(y);
}

static void refuses_another_build_and_what_has_no_addresses(void **state)
{
	struct self self;
	struct annotation a;
	struct err err = ERR_INIT;
	struct profile *x, *y;

	if (!find_self(&self))
		skip();
	x = profile_of(&self, 100, "container");
	y = profile_of(&self, 100, "container");
	x->module[0].build_id_len = y->module[0].build_id_len = 20;
	assert_int_equal(annotate(&a, x, y, "container", &err), -ENODATA);
	assert_non_null(strstr(err_text(&err), "another build"));
	err_release(&err);
	x->nr_addresses = y->nr_addresses = 0;
	assert_int_equal(annotate(&a, x, y, "container", &err), -ENODATA);
	assert_non_null(strstr(err_text(&err), "recordings"));
	err_release(&err);
	assert_int_equal(annotate(&a, x, y, "no_such_function", &err), -ENOENT);
	drop(x);
	drop(y);
}

static void a_function_is_found_by_any_of_its_names(void **state)
{
	struct profdiff_row row[2] = { { .name = "load_balance -> sched_balance_rq",
					 .module = "" },
				       { .name = "balance", .module = "m" } };
	struct profdiff_cell cell[2][2] = { { { .value = 1 }, { .value = 2 } },
					    { { .value = 5 }, { .value = 5 } } };
	struct profdiff d = { .row = row, .n = 2, .nr_sides = 2 };

	row[0].cell = cell[0];
	row[1].cell = cell[1];
	assert_int_equal(annotation_find(&d, "sched_balance_rq", NULL), 0);
	assert_int_equal(annotation_find(&d, "load_balance", NULL), 0);
	assert_int_equal(annotation_find(&d, "load_balance.isra.0", NULL), 0);
	assert_int_equal(annotation_find(&d, row[0].name, ""), 0);
	assert_int_equal(annotation_find(&d, "balance", NULL), 1);
	assert_int_equal(annotation_find(&d, "balance", ""), PROFILE_NONE);
	assert_int_equal(annotation_find(&d, "rq", NULL), PROFILE_NONE);
}

/* ------------------------------------------------------------ alignment */

struct pairs {
	char text[256];
};

static void note(void *data, size_t i, size_t j)
{
	struct pairs *p = data;
	size_t n = strlen(p->text);

	snprintf(p->text + n, sizeof(p->text) - n, "%c%c ", i == SIZE_MAX ? '-' : 'a' + (char)i,
		 j == SIZE_MAX ? '-' : 'a' + (char)j);
}

/* Upper case: same kind as its lower case, another key; digits: all alone. */
static struct insn insn(char c)
{
	uint32_t lower = (uint32_t)(c | 0x20);

	return (struct insn){ .key = (uint32_t)c, .kind = lower, .mnemonic = lower };
}

static void aligned(const char *a, const char *b, const char *want)
{
	struct insn x[16], y[16];
	struct pairs p = { "" };

	for (size_t i = 0; a[i]; i++)
		x[i] = insn(a[i]);
	for (size_t i = 0; b[i]; i++)
		y[i] = insn(b[i]);
	annotate_align(x, strlen(a), y, strlen(b), note, &p);
	assert_string_equal(p.text, want);
}

static void instructions_are_aligned(void **state)
{
	aligned("mov", "mov", "aa bb cc ");
	aligned("mxov", "mov", "aa b- cb dc ");
	aligned("mov", "", "a- b- c- ");
	aligned("", "mo", "-a -b ");
	aligned("mOv", "mov", "aa bb cc ");
	aligned("mov", "m12v", "aa b- -b -c cd ");
	/* one exact match outweighs two alike in kind */
	aligned("aB", "Bz", "a- ba -b ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_build_has_one_instruction_per_row),
		cmocka_unit_test(refuses_another_build_and_what_has_no_addresses),
		cmocka_unit_test(a_function_is_found_by_any_of_its_names),
		cmocka_unit_test(instructions_are_aligned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
