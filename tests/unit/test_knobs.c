// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of knobs: what is accepted, and that one knob has one name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "collect/host.h"
#include "collect/knobs.h"
#include "schedblame/alloc.h"

static void test_names(void **state)
{
	static const struct {
		const char *arg, *name, *value;
		enum knob_kind kind;
	} good[] = {
		{ "sched.migration_cost_ns=0", "sched.migration_cost_ns", "0", KNOB_SCHED },
		{ "sched.fair_server.cpu0.runtime=1", "sched.fair_server.cpu0.runtime", "1",
		  KNOB_SCHED },
		{ "sched.preempt=full", "sched.preempt", "full", KNOB_SCHED },
		{ "NO_SIS_UTIL", "sched.features.SIS_UTIL", "off", KNOB_FEATURE },
		{ "SIS_UTIL", "sched.features.SIS_UTIL", "on", KNOB_FEATURE },
		{ "SIS_UTIL=off", "sched.features.SIS_UTIL", "off", KNOB_FEATURE },
		{ "sched.features.TTWU_QUEUE=1", "sched.features.TTWU_QUEUE", "on", KNOB_FEATURE },
		{ "sched.features.NO_TTWU_QUEUE", "sched.features.TTWU_QUEUE", "off",
		  KNOB_FEATURE },
		{ "kernel.numa_balancing=0", "kernel.numa_balancing", "0", KNOB_SYSCTL },
		{ "/proc/sys/kernel/numa_balancing=0", "kernel.numa_balancing", "0", KNOB_SYSCTL },
		/* moved to debugfs in 5.13: the same knob */
		{ "kernel.sched_no_such_thing_ns=5", "sched.no_such_thing_ns", "5", KNOB_SCHED },
		{ "/sys/kernel/mm/transparent_hugepage/enabled=never",
		  "/sys/kernel/mm/transparent_hugepage/enabled", "never", KNOB_FILE },
		{ "vm.x=a=b", "vm.x", "a=b", KNOB_SYSCTL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct knobs knobs = { 0 };
		struct err err = ERR_INIT;

		if (knobs_parse(&knobs, good[i].arg, &err) < 0)
			fail_msg("%s: %s", good[i].arg, err_text(&err));
		assert_string_equal(knobs.v[0].name, good[i].name);
		assert_string_equal(knobs.v[0].asked, good[i].value);
		assert_int_equal(knobs.v[0].kind, good[i].kind);
		knobs_release(&knobs);
	}
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"", "=", "x", "x=1", "sched.x", "sched.x=", "sched.=1", "sched..x=1",
		"sched.x/../y=1", "sched.features.lower=on", "sched.features.X=perhaps",
		"NO_X=1", "kernel/../../x.y=1", "/etc/passwd=x", "/sys/../etc/passwd=x",
		"/proc/sysrq-trigger=b", "/sys/kernel/debug/sched/features=X", "vm.=1",
		"vm.x=1\n2",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct knobs knobs = { 0 };
		struct err err = ERR_INIT;

		if (knobs_parse(&knobs, bad[i], &err) != -22)
			fail_msg("'%s' was accepted", bad[i]);
		assert_non_null(err.text);
		assert_int_equal(knobs.n, 0);
		err_release(&err);
		knobs_release(&knobs);
	}
}

static void test_twice(void **state)
{
	struct knobs knobs = { 0 };

	(void)state;
	assert_int_equal(knobs_parse(&knobs, "NO_SIS_UTIL", NULL), 0);
	assert_int_equal(knobs_parse(&knobs, "SIS_PROP", NULL), 0);
	assert_int_equal(knobs_parse(&knobs, "sched.features.SIS_UTIL=on", NULL), -22);
	assert_int_equal(knobs.n, 2);
	knobs_release(&knobs);
}

static void test_choice(void **state)
{
	char thp[] = "always [madvise] never", preempt[] = "none voluntary (full)";
	char plain[] = "500000", version[] = "#1 SMP Debian 6.1.1-1 (2023-01-01)";
	char kernel[] = "#1 SMP (Debian 6.1) x", first[] = "[none] a";

	(void)state;
	assert_string_equal(host_choice(thp), "madvise");
	assert_string_equal(host_choice(preempt), "full");
	assert_string_equal(host_choice(plain), "500000");
	assert_string_equal(host_choice(first), "none");
	assert_string_equal(host_choice(kernel), "#1 SMP (Debian 6.1) x");
	(void)version;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
