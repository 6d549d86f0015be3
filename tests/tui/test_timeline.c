// SPDX-License-Identifier: GPL-2.0-or-later
/* The timeline's index against what was put into it: at every zoom, across the
 * doubling of buckets, and its jumps. */
#include <string.h>

#include "cm.h"
#include "tui/tl_lane.h"

#define CPUS 3
#define US 1000ull

/* CPU c runs task c + 1 for 30 us of every 100 us, and idles in between; every
 * 1000th period of CPU 1 begins with a steal from CPU 0. */
static void fill(struct tl_index *ix, unsigned periods)
{
	tl_init(ix, CPUS);
	for (uint32_t task = 1; task <= CPUS; task++)
		tl_name_task(ix, task, (int32_t)task + 100, "worker");
	for (unsigned i = 0; i < periods; i++)
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			uint64_t ts = i * 100 * US + cpu;

			if (cpu == 1 && i % 1000 == 999)
				tl_add_mark(ix, 1, ts, TL_MIGRATE, 2, 0,
					    REASON_STEAL_NEWIDLE);
			tl_add_mark(ix, cpu, ts, TL_WAKEUP, cpu + 1, 0, 0);
			tl_add_slice(ix, cpu, ts, cpu + 1, 1, i == 4321 ? 77 * US : 2 * US);
			tl_add_slice(ix, cpu, ts + 30 * US, TL_IDLE, 1, 0);
		}
	tl_finish(ix);
}

static void check_window(const struct tl_index *ix, uint64_t from, uint64_t to, int columns)
{
	struct tl_window w = { from, to, columns };
	struct tl_column c[200];
	uint32_t task = 2;
	double busy = 0, ran = 0;
	unsigned switches = 0;

	tl_lane_cpu(ix, 1, &w, c);
	for (int i = 0; i < columns; i++) {
		busy += c[i].busy;
		switches += c[i].switches;
		if (c[i].busy > 0)
			assert_int_equal(c[i].task, 2);
	}
	assert_float_equal(busy / columns, 0.3, 0.02);
	assert_in_range(switches, (to - from) / (50 * US) * 98 / 100 - 1,
			(to - from) / (50 * US) * 102 / 100 + 1);
	tl_lane_tasks(ix, &task, 1, &w, c);
	for (int i = 0; i < columns; i++) {
		ran += c[i].busy;
		if (c[i].busy > 0)
			assert_int_equal(c[i].cpu, 1);
	}
	assert_float_equal(ran / columns, 0.3, 0.02);
}

static void test_zoom(void **state)
{
	struct tl_index ix;

	(void)state;
	fill(&ix, 100000); /* 10 s: buckets were doubled many times */
	assert_true(ix.bucket_ns > 1024);
	check_window(&ix, 0, ix.end, 100);
	check_window(&ix, 0, ix.end, 199);
	check_window(&ix, 1000000 * US, 1100000 * US, 80);
	check_window(&ix, 5000000 * US, 5001000 * US, 100);
	tl_release(&ix);
}

static void test_exact(void **state)
{
	struct tl_window w = { 1000 * US, 1100 * US, 100 };
	struct tl_column c[100];
	struct tl_index ix;

	(void)state;
	fill(&ix, 100);
	tl_lane_cpu(&ix, 0, &w, c);
	for (int i = 0; i < 100; i++)
		assert_float_equal(c[i].busy, i < 30 ? 1 : 0, 0.001);
	assert_int_equal(c[0].wakeups, 1);
	assert_int_equal(c[0].switches, 1);
	assert_int_equal(c[0].worst_wait, 2048 - 2048 % 64);
	tl_release(&ix);
}

static void test_jumps(void **state)
{
	struct tl_wait wait;
	struct tl_index ix;
	uint64_t ts = 0, before;
	unsigned cpu, steals = 0;

	(void)state;
	fill(&ix, 20000);
	while (tl_next_steal(&ix, ts, 1, &cpu, &ts)) {
		steals++;
		assert_int_equal(cpu, 1);
		assert_int_equal(ts, (steals * 1000ull - 1) * 100 * US + 1);
	}
	assert_int_equal(steals, 20);
	assert_true(tl_next_steal(&ix, ts, -1, &cpu, &before));
	assert_int_equal(before, (19 * 1000ull - 1) * 100 * US + 1);
	assert_true(tl_worst(&ix, 0, &wait));
	assert_int_equal(wait.ns, 77 * US);
	assert_int_equal(wait.end / (100 * US), 4321);
	assert_false(tl_worst(&ix, TL_WORST, &wait));
	tl_release(&ix);
}

/* Foreign times: backwards, far in the future, beyond what is kept; CPUs and tasks
 * nobody announced. */
static void test_odd(void **state)
{
	struct tl_window w = { 0, TL_MAX_TIME, 50 };
	struct tl_column c[50];
	struct tl_index ix;

	(void)state;
	tl_init(&ix, 1);
	tl_add_slice(&ix, 7, 1000, 99, 0, UINT64_MAX);
	tl_add_slice(&ix, 7, 10, 1, 0, 0);
	tl_add_slice(&ix, 7, TL_MAX_TIME, 1, 255, 5);
	tl_add_slice(&ix, 7, UINT64_MAX, 1, 0, 5);
	tl_add_slice(&ix, 1u << 20, 5, 1, 0, 5);
	tl_add_mark(&ix, 0, 500, TL_MIGRATE, 12345, 65535, 65535);
	tl_add_mark(&ix, 0, 5, TL_LOST, TL_UNKNOWN, 0, 0);
	tl_finish(&ix);
	assert_int_equal(ix.cpu[7].slice.n, 3);
	assert_int_equal(tl_slice(&ix, 7, 1)->ts, 1000);
	assert_string_equal(tl_comm(&ix, 99), "?");
	for (unsigned cpu = 0; cpu < 9; cpu++)
		tl_lane_cpu(&ix, cpu, &w, c);
	w.to = 80;
	tl_lane_cpu(&ix, 7, &w, c);
	tl_release(&ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
