// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest's times on its host's clock: the option as the recorder writes it, what a
 * damaged one may say, the arithmetic at its limits, and what is told the reader.
 */
#include "cm.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/trace_dat.h"
#include "schedblame/alloc.h"
#include "schedblame/event.h"
#include "schedblame/file.h"

#define SEEDS SOURCE_DIR "/tests/fuzz/seeds/trace_dat"
#define INTERPOLATE 1

struct option {
	uint8_t data[1024];
	size_t len;
};

static void put(struct option *o, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		o->data[o->len++] = (uint8_t)(v >> (8 * i));
}

/* Head, and the first CPU with samples of {time, offset, scaling}. */
static struct option option(uint32_t flags, uint32_t cpus, const uint64_t (*s)[3], uint32_t nr)
{
	struct option o = { .len = 0 };

	put(&o, 0x1234, 8);
	put(&o, flags, 4);
	put(&o, cpus, 4);
	put(&o, nr, 4);
	for (int k = 0; k < 3; k++)
		for (uint32_t i = 0; i < nr; i++)
			put(&o, s[i][k], 8);
	return o;
}

static struct time_shift read_option(const struct option *o)
{
	struct time_shift s = { 0 };
	/* of its exact size, so that sanitizers see a read beyond it */
	uint8_t *copy = xmalloc(o->len + !o->len);
	struct dat_cursor c = { copy, copy, copy + o->len, false, false };

	memcpy(copy, o->data, o->len);
	time_shift_read(&s, &c);
	free(copy);
	return s;
}

static const uint64_t three[][3] = { { 3000, 700, 1 }, { 1000, 100, 1 }, { 2000, 200, 1 } };

static void samples_are_steps_or_interpolated(void **state)
{
	static const struct {
		uint64_t ts, step, line;
	} at[] = { { 1000, 1100, 1100 }, { 1500, 1600, 1650 }, { 1999, 2099, 2199 },
		   { 2000, 2200, 2200 }, { 2001, 2201, 2202 }, { 2500, 2700, 2950 },
		   /* before and behind all samples the nearest two go on; -49.5
		    * becomes -49, as in trace-cmd */
		   { 500, 600, 551 }, { 4000, 4200, 5200 } };
	struct option o = option(0, 1, three, 3), p = option(INTERPOLATE, 1, three, 3);
	struct time_shift step = read_option(&o), line = read_option(&p);

	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		assert_int_equal(time_shift_apply(&step, 0, at[i].ts), at[i].step);
		assert_int_equal(time_shift_apply(&line, 0, at[i].ts), at[i].line);
		assert_int_equal(time_shift_apply(&line, 1, at[i].ts), at[i].ts);
	}
	time_shift_release(&step);
	time_shift_release(&line);
}

static void scaling_has_fraction_bits_and_one_sample_none(void **state)
{
	static const uint64_t two[][3] = { { 1000, 10, 3 }, { 2000, 10, 3 } };
	struct option o = option(0, 1, two, 2);
	struct time_shift s;

	put(&o, 1, 8); /* 3 / 2^1 */
	put(&o, 64 + 1, 8); /* only six bits count */
	s = read_option(&o);
	assert_int_equal(s.cpu[0].sample[1].fraction, 1);
	assert_int_equal(time_shift_apply(&s, 0, 1000), 1510);
	/* beyond 64 bits in between */
	assert_int_equal(time_shift_apply(&s, 0, UINT64_C(1) << 63),
			 (UINT64_C(1) << 63) + (UINT64_C(1) << 62) + 10);
	time_shift_release(&s);
	o = option(0, 1, two, 1);
	s = read_option(&o);
	assert_int_equal(time_shift_apply(&s, 0, 1000), 1010);
	time_shift_release(&s);
}

/* The steepest line that 64 bits hold: its product passes 128 bits with a time far
 * away, and then the sample before holds alone; what fits is exact. */
static void offsets_at_the_limits_do_not_overflow(void **state)
{
	static const uint64_t steep[][3] = { { 0, UINT64_C(1) << 63, 1 },
					     { 1, INT64_MAX, 1 } };
	static const uint64_t wide[][3] = { { 0, UINT64_C(1) << 63, 1 },
					    { UINT64_MAX, INT64_MAX, 1 } };
	struct option o = option(INTERPOLATE, 1, steep, 2);
	struct time_shift s = read_option(&o);

	assert_int_equal(time_shift_apply(&s, 0, 0), UINT64_C(1) << 63);
	assert_int_equal(time_shift_apply(&s, 0, 1), 1 + (uint64_t)INT64_MAX);
	/* UINT64_MAX times UINT64_MAX does not fit into 127 bits */
	assert_int_equal(time_shift_apply(&s, 0, UINT64_MAX), UINT64_MAX + (UINT64_C(1) << 63));
	time_shift_release(&s);
	o = option(INTERPOLATE, 1, wide, 2);
	s = read_option(&o);
	assert_int_equal(time_shift_apply(&s, 0, 0), UINT64_C(1) << 63);
	assert_int_equal(time_shift_apply(&s, 0, 1000), 1000 + (UINT64_C(1) << 63) + 1000);
	time_shift_release(&s);
}

static void what_does_not_fit_is_left_out(void **state)
{
	static const uint64_t same[][3] = { { 5, 1, 1 }, { 5, 2, 1 }, { 5, 3, 1 } };
	struct option o = option(0, UINT32_MAX, three, 3);
	struct time_shift s = read_option(&o);

	assert_int_equal(s.nr_cpus, 0); /* more CPUs than bytes */
	assert_int_equal(time_shift_apply(&s, 0, 77), 77);
	time_shift_release(&s);
	o = option(0, 1, three, 3);
	for (size_t len = 0; len <= o.len; len++) {
		struct option cut = o;

		cut.len = len;
		s = read_option(&cut);
		time_shift_apply(&s, 0, 1500);
		assert_true(s.nr_cpus <= 1);
		if (s.nr_cpus)
			assert_int_equal(s.cpu[0].nr, len == o.len ? 3 : 0);
		time_shift_release(&s);
	}
	o.data[16] = 4; /* one sample more than there are */
	s = read_option(&o);
	assert_int_equal(s.cpu[0].nr, 0);
	time_shift_release(&s);
	o = option(INTERPOLATE, 1, same, 3); /* one time counts once */
	s = read_option(&o);
	assert_int_equal(s.cpu[0].nr, 1);
	time_shift_release(&s);
}

/* Opens the bytes; true when a note holds the words, and no other speaks of guests. */
static bool says(const struct strbuf *sb, const char *words)
{
	struct err err = ERR_INIT;
	struct event_stream *s;
	struct input in;
	bool found = false, other = false;

	input_memory(&in, sb->buf, sb->len, "guest.dat");
	assert_int_equal(event_stream_open_input(&s, &in, &err), 0);
	for (size_t i = 0; i < s->notes.n; i++) {
		if (strstr(s->notes.v[i], words))
			found = true;
		else if (strstr(s->notes.v[i], "in a guest"))
			other = true;
	}
	event_stream_close(s);
	input_close(&in);
	return found && !other;
}

static void the_reader_is_told_whose_clock_it_is(void **state)
{
	static const uint8_t host[8] = { 0x34, 0x12 };
	struct strbuf all = STRBUF_INIT, one = STRBUF_INIT;
	char *at;

	assert_int_equal(file_read(&all, SEEDS "/guest.dat", 0, NULL), 0);
	assert_int_equal(file_read(&one, SEEDS "/guest-one-of-two.dat", 0, NULL), 0);
	assert_true(says(&all, "its times are the host's, by the correction"));
	assert_true(says(&one, "the times of 1 of its 2 CPUs are the host's"));
	at = memmem(one.buf, one.len, host, sizeof(host));
	assert_non_null(at);
	memset(at + 16, 0xff, 4); /* samples of the first CPU */
	assert_true(says(&one, "its times are the guest's own"));
	memset(at + 12, 0xff, 4); /* CPUs */
	assert_true(says(&one, "its times are the guest's own"));
	strbuf_release(&all);
	strbuf_release(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_steps_or_interpolated),
		cmocka_unit_test(scaling_has_fraction_bits_and_one_sample_none),
		cmocka_unit_test(offsets_at_the_limits_do_not_overflow),
		cmocka_unit_test(what_does_not_fit_is_left_out),
		cmocka_unit_test(the_reader_is_told_whose_clock_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
