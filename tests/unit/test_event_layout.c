// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From format texts to events, as kernels moved them: common headers of 8 and 12
 * bytes, prev_state of 4 and 8, the "preempted" bit of three eras, names in place
 * and as data_loc, fields in another order, the other byte order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <byteswap.h>
#include <stdio.h>
#include <string.h>

#include "analyze/event_decode.h"
#include "schedblame/alloc.h"

#define OLD_FLAGS /* before 4.8: the highest is 0x400 */ \
	"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, " \
	"{ 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" }"
#define MID_FLAGS OLD_FLAGS ", { 2048, \"n\" }" /* to 4.13 */
#define NEW_FLAGS                                                              \
	"{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }, { 0x10, \"X\" }, " \
	"{ 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }"

struct switch_case {
	unsigned header, state_size; /* bytes */
	const char *flags;
	uint32_t state;
	enum task_state want;
};

static void put(uint8_t *p, uint64_t v, unsigned size, bool swap)
{
	for (unsigned i = 0; i < size; i++)
		p[swap ? size - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

static char *switch_format(const struct switch_case *c, unsigned at[6])
{
	unsigned h = c->header;

	at[0] = h;
	at[1] = h + 16;
	at[2] = h + 24;
	at[3] = at[2] + c->state_size;
	at[4] = at[3] + 16;
	at[5] = at[4] + 8;
	return xasprintf("name: sched_switch\nID: 77\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			 "\tfield:char prev_comm[16];\toffset:%u;\tsize:16;\tsigned:0;\n"
			 "\tfield:pid_t prev_pid;\toffset:%u;\tsize:4;\tsigned:1;\n"
			 "\tfield:int prev_prio;\toffset:%u;\tsize:4;\tsigned:1;\n"
			 "\tfield:long prev_state;\toffset:%u;\tsize:%u;\tsigned:1;\n"
			 "\tfield:char next_comm[16];\toffset:%u;\tsize:16;\tsigned:0;\n"
			 "\tfield:pid_t next_pid;\toffset:%u;\tsize:4;\tsigned:1;\n"
			 "\tfield:int next_prio;\toffset:%u;\tsize:4;\tsigned:1;\n"
			 "\nprint fmt: \"%%s\", __print_flags(REC->prev_state, \"|\", %s)\n",
			 at[0], at[1], at[1] + 4, at[2], c->state_size, at[3], at[4], at[4] + 4,
			 c->flags);
}

struct decoder {
	struct event_layouts *layouts;
	struct event_scratch *scratch;
	struct strmap comms;
	pthread_mutex_t lock;
};

static void decoder_init(struct decoder *d, bool swap, const char *format)
{
	d->layouts = event_layouts_new(swap);
	event_layouts_add(d->layouts, format, strlen(format));
	d->scratch = xmalloc(sizeof(*d->scratch));
	strmap_init(&d->comms);
	pthread_mutex_init(&d->lock, NULL);
	event_scratch_init(d->scratch, &d->comms, &d->lock);
}

static void decoder_release(struct decoder *d)
{
	event_layouts_free(d->layouts);
	strmap_release(&d->comms);
	pthread_mutex_destroy(&d->lock);
	free(d->scratch);
}

static void check_switch(const struct switch_case *c, bool swap)
{
	unsigned at[6];
	char *format = switch_format(c, at);
	uint8_t rec[128] = { 0 };
	struct decoder d;
	struct event ev;

	decoder_init(&d, swap, format);
	put(rec, 77, 2, swap);
	memcpy(rec + at[0], "from", 5);
	put(rec + at[1], 11, 4, swap);
	put(rec + at[2], c->state, c->state_size, swap);
	memcpy(rec + at[3], "to", 3);
	put(rec + at[4], 12, 4, swap);
	put(rec + at[4] + 4, 98, 4, swap);
	assert_int_equal(event_decode(d.layouts, d.scratch, rec, at[5], &ev), EV_SWITCH);
	assert_int_equal(ev.pid2, 11);
	assert_int_equal(ev.pid, 12);
	assert_int_equal(ev.prio, 98);
	assert_string_equal(d.comms.name[ev.comm], "to");
	assert_string_equal(d.comms.name[ev.comm2], "from");
	assert_int_equal(ev.state, c->want);
	/* a record that ends before its last field is no event */
	assert_int_equal(event_decode(d.layouts, d.scratch, rec, at[5] - 1, &ev), EV_NR);
	decoder_release(&d);
	free(format);
}

static void switches_of_all_eras(void **state)
{
	static const struct switch_case cases[] = {
		{ 8, 8, NEW_FLAGS, 0x100, TASK_RUNNABLE }, { 8, 8, NEW_FLAGS, 0x1, TASK_SLEEPING },
		{ 8, 8, NEW_FLAGS, 0x2, TASK_DISK },	   { 8, 8, NEW_FLAGS, 0, TASK_RUNNABLE },
		{ 8, 4, NEW_FLAGS, 0x80, TASK_IDLE },	   { 12, 8, NEW_FLAGS, 0x20, TASK_ZOMBIE },
		{ 12, 4, OLD_FLAGS, 0x800, TASK_RUNNABLE }, { 8, 8, OLD_FLAGS, 0x10, TASK_ZOMBIE },
		{ 8, 8, MID_FLAGS, 0x1000, TASK_RUNNABLE }, { 8, 8, MID_FLAGS, 0x1, TASK_SLEEPING },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		check_switch(&cases[i], false);
		check_switch(&cases[i], true);
	}
}

/* Since 6.18 the name is __data_loc and pid moved in front. */
static void migration_with_a_name_elsewhere(void **state)
{
	static const char format[] =
		"name: sched_migrate_task\nID: 9\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		"\tfield:int prio;\toffset:16;\tsize:4;\tsigned:1;\n"
		"\tfield:int orig_cpu;\toffset:20;\tsize:4;\tsigned:1;\n"
		"\tfield:int dest_cpu;\toffset:24;\tsize:4;\tsigned:1;\n";
	uint8_t rec[40] = { 9 };
	struct decoder d;
	struct event ev;

	decoder_init(&d, false, format);
	put(rec + 4, 5, 4, false);
	put(rec + 8, 28 | 6 << 16, 4, false);
	put(rec + 12, 321, 4, false);
	put(rec + 16, 120, 4, false);
	put(rec + 20, 3, 4, false);
	put(rec + 24, 7, 4, false);
	memcpy(rec + 28, "mover", 6);
	assert_int_equal(event_decode(d.layouts, d.scratch, rec, sizeof(rec), &ev), EV_MIGRATE);
	assert_int_equal(ev.pid, 321);
	assert_int_equal(ev.pid2, 5);
	assert_int_equal(ev.cpu2, 3);
	assert_int_equal(ev.dest_cpu, 7);
	assert_string_equal(d.comms.name[ev.comm], "mover");
	/* a name that lies outside of the record is none */
	put(rec + 8, 38 | 60 << 16, 4, false);
	assert_int_equal(event_decode(d.layouts, d.scratch, rec, sizeof(rec), &ev), EV_MIGRATE);
	assert_int_equal(ev.comm, COMM_NONE);
	decoder_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches_of_all_eras),
		cmocka_unit_test(migration_with_a_name_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
