// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <string.h>

#include "schedblame/inline.h"

static volatile int sink;

/* The address of a place inside the innermost inlined body. */
static inline __attribute__((always_inline)) uintptr_t inner_part(int x)
{
	uintptr_t here = 0;

#ifdef __x86_64__
	__asm__ volatile("lea 0(%%rip), %0" : "=r"(here));
#endif
	sink = x * 3;
	return here;
}

static inline __attribute__((always_inline)) uintptr_t outer_part(int x)
{
	sink += x;
	return inner_part(x + 1);
}

static __attribute__((noinline)) uintptr_t container(int x)
{
	uintptr_t here = outer_part(x);

	sink -= x;
	return here;
}

static void names_what_was_inlined(void **state)
{
	struct inliner *in;
	struct err err = ERR_INIT;
	uintptr_t here = container(2);
	const char *names[8];
	Dl_info info;
	size_t n;

	if (!here || !dladdr((void *)here, &info))
		skip();
	assert_int_equal(inliner_open(&in, "/proc/self/exe", &err), 0);
	n = inliner_names(in, here - (uintptr_t)info.dli_fbase, names, 8);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "outer_part");
	assert_string_equal(names[1], "inner_part");
	inliner_close(in);
}

static void says_when_there_is_nothing(void **state)
{
	struct inliner *in;
	struct err err = ERR_INIT;

	assert_int_equal(inliner_open(&in, "/dev/null", &err), -61);
	assert_non_null(strstr(err_text(&err), "no debug information"));
	err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_was_inlined),
		cmocka_unit_test(says_when_there_is_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
