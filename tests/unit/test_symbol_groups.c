// SPDX-License-Identifier: GPL-2.0-or-later
#include "cm.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/symbol_groups.h"

static void known_functions(void **state)
{
	static const struct {
		const char *symbol, *group;
	} t[] = {
		{ "select_idle_cpu", "idle search" },
		{ "select_idle_sibling.isra.0", "idle search" },
		{ "select_task_rq_fair", "idle search" },
		{ "load_balance", "load balance" },
		{ "sched_balance_rq", "load balance" },
		{ "newidle_balance", "load balance" },
		{ "update_sd_lb_stats.constprop.0", "load balance" },
		{ "__schedule", "switch" },
		{ "finish_task_switch.isra.0", "switch" },
		{ "do_schedule", "switch" },
		{ "try_to_wake_up", "wakeup" },
		{ "__copy_from_user", "copy" },
		{ "copy_page_to_iter", "copy" },
		{ "native_queued_spin_lock_slowpath", "locks" },
		{ "_raw_spin_lock_irqsave", "locks" },
		{ ".text.lock.file_table", "locks" },
		{ "task_numa_work", "NUMA balancing" },
		{ "do_numa_page", "NUMA balancing" },
		{ "do_anonymous_page", "memory" },
		{ "zap_pte_range", "memory" },
		{ "tcp_sendmsg_locked", "network" },
		{ "pipe_write", "file systems" },
		{ "d_lookup", "file systems" },
		{ "no_such_function", "other" },
		{ "", "other" },
	};
	struct symbol_groups *g;
	struct err err = ERR_INIT;

	assert_int_equal(symbol_groups_load(&g, NULL, &err), 0);
	for (int round = 0; round < 2; round++) /* the second from memory */
		for (size_t i = 0; i < ARRAY_SIZE(t); i++)
			assert_string_equal(
				symbol_groups_name(g, symbol_groups_of(g, t[i].symbol)),
				t[i].group);
	assert_string_equal(symbol_groups_name(g, symbol_groups_count(g) - 1), "other");
	symbol_groups_free(g);
}

static void bad_lines_are_named(void **state)
{
	static const char *const bad[] = { "group only\n", "\tpattern\n", "g\t\n",
					   "g\ta b\n" };
	char path[] = "/tmp/sb-groups-XXXXXX";
	struct symbol_groups *g;
	struct err err = ERR_INIT;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_true(pwrite(fd, bad[i], strlen(bad[i]), 0) > 0);
		assert_true(symbol_groups_load(&g, path, &err) < 0);
		assert_null(g);
		assert_non_null(strstr(err_text(&err), ", line 1: expected GROUP"));
	}
	close(fd);
	unlink(path);
	err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_functions),
		cmocka_unit_test(bad_lines_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
