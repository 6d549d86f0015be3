// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "schedblame/symbols.h"

static const char *strip(const char *name)
{
	static char buf[100];
	const char *start;
	size_t len = symbol_strip(name, &start);

	memcpy(buf, start, len);
	buf[len] = '\0';
	return buf;
}

static void suffixes_are_stripped(void **state)
{
	assert_string_equal(strip("finish_task_switch.isra.0"), "finish_task_switch");
	assert_string_equal(strip("f.constprop.12.isra.3.cold"), "f");
	assert_string_equal(strip("g.llvm.1234567890"), "g");
	assert_string_equal(strip("__pfx_h.part.0"), "h");
	assert_string_equal(strip("static_name.4711"), "static_name");
	assert_string_equal(strip(".text.lock.file_table"), ".text.lock.file_table");
	assert_string_equal(strip("libc.so"), "libc.so");
	assert_string_equal(strip(""), "");
	assert_string_equal(strip("."), ".");
}

static void renames_follow_chains_and_prefixes(void **state)
{
	struct renames r;
	struct err err = ERR_INIT;
	char buf[100];

	assert_int_equal(renames_load(&r, NULL, &err), 0);
	assert_true(renames_newest(&r, "idle_balance", buf, sizeof(buf)));
	assert_string_equal(buf, "sched_balance_newidle");
	assert_true(renames_newest(&r, "load_balance", buf, sizeof(buf)));
	assert_string_equal(buf, "sched_balance_rq");
	assert_true(renames_newest(&r, "SyS_read", buf, sizeof(buf)));
	assert_string_equal(buf, "__x64_sys_read");
	assert_false(renames_newest(&r, "sched_balance_rq", buf, sizeof(buf)));
	assert_false(renames_newest(&r, "load_balance", buf, 5));
	renames_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes_are_stripped),
		cmocka_unit_test(renames_follow_chains_and_prefixes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
