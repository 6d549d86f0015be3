// SPDX-License-Identifier: GPL-2.0-or-later
/* Rounds of a perf.data: random ones come out whole and by time, whenever they are
 * read; nothing goes before its round allows it; a loss ends at the next event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/perf_rounds.h"

#define CPUS 5

static struct event *push(struct perf_rounds *r, unsigned cpu, uint64_t ts)
{
	struct round_queue *q = rounds_queue(r, cpu);
	struct event *ev = rounds_slot(r, q);

	memset(ev, 0, sizeof(*ev));
	ev->ts = ts;
	ev->cpu = (uint16_t)cpu;
	rounds_push(r, q, ts);
	return ev;
}

/* One round after another, each reaching into the next: per CPU by time, all of a round
 * later than the rounds before the last. Takes some of the last round whenever it may. */
static void random_rounds_come_by_time(void **state)
{
	struct perf_rounds r = { 0 };
	struct event out[100];
	uint64_t pushed = 0, given = 0, last = 0, base = 1000, newest[CPUS] = { 0 };

	srand(7);
	for (int round = 0; round < 60; round++) {
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			uint64_t ts = base + (uint64_t)rand() % 500;

			ts = ts > newest[cpu] ? ts : newest[cpu];
			for (int n = rand() % 900; n > 0; n--, pushed++) {
				ts += (uint64_t)rand() % 2;
				push(&r, cpu, ts);
				if (rand() % 50 || !rounds_ready(&r))
					continue;
				/* of the round before, while this one is read */
				unsigned got = rounds_give(&r, out, 1 + (unsigned)rand() % 100);

				for (unsigned i = 0; i < got; i++) {
					assert_true(out[i].ts >= last);
					assert_true(out[i].ts <= r.give_until);
					last = out[i].ts;
				}
				given += got;
			}
			newest[cpu] = ts;
		}
		base += 700;
		for (unsigned got; rounds_ready(&r); given += got) {
			got = rounds_give(&r, out, 100);
			for (unsigned i = 0; i < got; i++) {
				assert_true(out[i].ts >= last);
				last = out[i].ts;
			}
		}
		rounds_end(&r);
	}
	rounds_end_all(&r);
	while (rounds_ready(&r)) {
		unsigned got = rounds_give(&r, out, 7);

		for (unsigned i = 0; i < got; i++) {
			assert_true(out[i].ts >= last);
			last = out[i].ts;
		}
		given += got;
	}
	assert_int_equal(given, pushed);
	assert_int_equal(r.queued, 0);
	rounds_release(&r);
}

static void nothing_goes_before_its_round(void **state)
{
	struct perf_rounds r = { 0 };
	struct event out[4];

	push(&r, 0, 10);
	push(&r, 1, 20);
	assert_false(rounds_ready(&r));
	rounds_end(&r); /* what is older may still come */
	assert_false(rounds_ready(&r));
	push(&r, 0, 15);
	push(&r, 1, 30);
	rounds_end(&r);
	assert_true(rounds_ready(&r));
	push(&r, 0, 5); /* too late for this round, whatever its time */
	assert_int_equal(rounds_give(&r, out, 4), 3);
	assert_int_equal(out[0].ts, 10);
	assert_int_equal(out[1].ts, 15);
	assert_int_equal(out[2].ts, 20);
	rounds_end_half(&r);
	assert_true(rounds_ready(&r));
	assert_int_equal(rounds_give(&r, out, 4), 1);
	assert_int_equal(out[0].ts, 5);
	assert_null(rounds_queue(&r, CPU_NONE));
	rounds_release(&r);
}

static void a_loss_ends_at_the_next_event(void **state)
{
	struct perf_rounds r = { 0 };
	struct event out[4];

	push(&r, 0, 10)->until = 11;
	r.queue[0].open_loss = true;
	push(&r, 0, 50);
	assert_false(r.queue[0].open_loss);
	push(&r, 0, 60);
	rounds_end_all(&r);
	assert_int_equal(rounds_give(&r, out, 4), 3);
	assert_int_equal(out[0].until, 50);
	rounds_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_rounds_come_by_time),
		cmocka_unit_test(nothing_goes_before_its_round),
		cmocka_unit_test(a_loss_ends_at_the_next_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
