// SPDX-License-Identifier: GPL-2.0-or-later
#include "cm.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "perf_builder.h"
#include "schedblame/perf_profile.h"

#define KERNEL PERF_RECORD_MISC_KERNEL
#define USER PERF_RECORD_MISC_USER

static char kallsyms[] = "/tmp/test-perf-profile-XXXXXX";

static void begin(struct pb *b, uint64_t more)
{
	pb_header(b, 2, 136);
	for (size_t i = 0; i < 2; i++) {
		pb_attr(b, 136, PERF_TYPE_SOFTWARE, i, PB_SAMPLE_TYPE | more, 0, PB_ID_ALL);
		pb_ids(b, i);
	}
	pb_begin(b);
}

static void load(struct profile *p, struct pb *b, const struct profile_options *options)
{
	struct err err = ERR_INIT;
	struct perf_file pf;

	pb_end(b);
	assert_int_equal(perf_file_open_memory(&pf, b->sb.buf, b->sb.len, "x", &err), 0);
	assert_int_equal(profile_from_perf_file(p, &pf, options, &err), 0);
	perf_file_close(&pf);
}

static uint64_t samples(struct profile *p, const char *name, const char *module,
			enum profile_space space)
{
	return p->symbol[profile_symbol(p, name, module, NULL, space)].samples;
}

static void kernel_by_symbol_and_user_as_one_line(void **state)
{
	const struct profile_options options = { .kallsyms = kallsyms };
	struct pb b = { .sb = STRBUF_INIT };
	struct profile p;

	begin(&b, 0);
	pb_sample(&b, KERNEL, 100, 0xffffffff81000104, 1, 10);
	pb_sample(&b, KERNEL, 100, 0xffffffff81000108, 1, 11);
	pb_sample(&b, KERNEL, 100, 0xffffffff81000208, 0, 12);
	pb_sample(&b, USER, 100, 0x1234, 1, 13);
	pb_sample(&b, USER, 101, 0x1234, 1, 13); /* another event */
	pb_sample(&b, KERNEL, 100, 0x10, 1, 14);
	pb_sample(&b, PERF_RECORD_MISC_GUEST_KERNEL, 100, 0xffffffff81000104, 1, 20);
	load(&p, &b, &options);
	assert_int_equal(p.samples, 6);
	assert_int_equal((int)p.weight, 42);
	assert_int_equal(p.idle_samples, 1);
	assert_int_equal(samples(&p, "schedule", "", SPACE_KERNEL), 2);
	assert_int_equal(samples(&p, "default_idle", "", SPACE_KERNEL), 1);
	assert_int_equal(p.symbol[PROFILE_USER].samples, 1);
	assert_int_equal(samples(&p, "[unknown]", "", SPACE_KERNEL), 1);
	assert_string_equal(p.event, "cpu-clock");
	assert_string_equal(p.unit, "ns");
	assert_true(p.fixed_period);
	assert_int_equal(p.duration_ns, 10);
	profile_release(&p);
	strbuf_release(&b.sb);
}

/*
 * A child sees its parent's mappings until it execs; a mapping may stand in
 * the file before the fork or the exec that it follows in time.
 */
static void user_samples_find_the_mapping_of_their_time(void **state)
{
	const struct profile_options options = { .kallsyms = kallsyms,
						 .user_symbols = true };
	struct pb b = { .sb = STRBUF_INIT };
	struct profile p;

	begin(&b, 0);
	pb_mmap(&b, 1, 0x1000, 0x1000, "/none/parent", 5);
	pb_mmap(&b, 2, 0x1000, 0x1000, "/none/child", 31);
	pb_sample(&b, USER, 100, 0x1100, 2, 25); /* forked, not yet execed */
	pb_sample(&b, USER, 100, 0x1100, 2, 35);
	pb_comm(&b, 2, "child", PERF_RECORD_MISC_COMM_EXEC, 30);
	pb_fork(&b, 2, 1, 20);
	pb_sample(&b, USER, 100, 0x1100, 1, 36);
	pb_sample(&b, USER, 100, 0x5000, 1, 36); /* nothing there */
	pb_mmap(&b, 1, 0x1800, 0x100, "/none/over", 40);
	pb_sample(&b, USER, 100, 0x1880, 1, 39);
	pb_sample(&b, USER, 100, 0x1880 + 1, 1, 41);
	load(&p, &b, &options);
	assert_int_equal(samples(&p, "[unknown]", "parent", SPACE_USER), 3);
	assert_int_equal(samples(&p, "[unknown]", "child", SPACE_USER), 1);
	assert_int_equal(samples(&p, "[unknown]", "over", SPACE_USER), 1);
	assert_int_equal(samples(&p, "[unknown]", "", SPACE_USER), 1);
	profile_release(&p);
	strbuf_release(&b.sb);
}

static void chains_become_a_tree(void **state)
{
	const struct profile_options options = { .kallsyms = kallsyms, .chains = true };
	static const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000104,
					  /* return address at the very end of the caller */
					  0xffffffff81000200, (uint64_t)PERF_CONTEXT_USER,
					  0x1234, 0x2345 };
	struct pb b = { .sb = STRBUF_INIT };
	uint64_t totals[8];
	struct profile p;

	begin(&b, PERF_SAMPLE_CALLCHAIN);
	for (int i = 0; i < 3; i++) {
		pb_sample(&b, KERNEL, 100, 0xffffffff81000104, 1, 10);
		pb_u64(&b, 6);
		for (int k = 0; k < 6; k++)
			pb_u64(&b, chain[k]);
		pb_done(&b);
	}
	load(&p, &b, &options);
	/* user mode -> schedule -> schedule */
	assert_int_equal(p.nr_nodes, 4);
	assert_int_equal(p.node[1].symbol, PROFILE_USER);
	profile_tree_totals(&p, totals, NULL);
	assert_int_equal(totals[0], 3);
	assert_int_equal(totals[3], 3);
	assert_int_equal(p.node[3].samples, 3);
	assert_int_equal(samples(&p, "schedule", "", SPACE_KERNEL), 3);
	profile_release(&p);
	strbuf_release(&b.sb);
}

/* A timer's samples that fall where interrupts go on belong to the caller. */
static void timer_samples_are_charged_to_the_caller(void **state)
{
	struct profile_options options = { .kallsyms = kallsyms };
	static const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000308,
					  0xffffffff81000405, 0xffffffff81000105 };
	struct pb b = { .sb = STRBUF_INIT };
	struct profile p;

	for (int round = 0; round < 3; round++) {
		begin(&b, PERF_SAMPLE_CALLCHAIN);
		pb_sample(&b, KERNEL, 100, 0xffffffff81000308, 1, 10);
		pb_u64(&b, 4);
		for (int k = 0; k < 4; k++)
			pb_u64(&b, chain[k]);
		pb_done(&b);
		pb_sample(&b, KERNEL, 100, 0xffffffff81000308, 1, 11);
		pb_u64(&b, 0); /* nobody known to charge it to */
		pb_done(&b);
		options.unskid = round > 0;
		options.chains = round > 1;
		load(&p, &b, &options);
		assert_int_equal(samples(&p, "schedule", "", SPACE_KERNEL), round ? 1 : 0);
		assert_int_equal(samples(&p, "_raw_spin_unlock_irqrestore", "", SPACE_KERNEL),
				 round ? 1 : 2);
		assert_int_equal(p.samples, 2);
		assert_int_equal(p.nr_nodes, round > 1 ? 2 : 1);
		profile_release(&p);
	}
	strbuf_release(&b.sb);
}

/* What is called for NUMA balancing is told apart, whatever function works. */
static void callers_tell_what_a_sample_is_part_of(void **state)
{
	static const uint64_t chain[][4] = {
		{ (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000508, 0xffffffff81000485,
		  0xffffffff81000105 }, /* last <- do_numa_page <- schedule */
		{ (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000508, 0xffffffff81000105,
		  0xffffffff81000405 },
		{ (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000508, (uint64_t)PERF_CONTEXT_USER,
		  0xffffffff81000485 }, /* an address of user mode */
		{ (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000508, 0xffffffff810004c5,
		  0xffffffff81000485 }, /* a softirq on top of do_numa_page */
	};
	struct profile_options options = { .kallsyms = kallsyms };
	struct pb b = { .sb = STRBUF_INIT };
	struct profile p;

	for (int round = 0; round < 2; round++) {
		uint32_t last;

		begin(&b, PERF_SAMPLE_CALLCHAIN);
		for (int i = 0; i < 4; i++) {
			pb_sample(&b, KERNEL, 100, 0xffffffff81000508, 1, 10u + (unsigned)i);
			pb_u64(&b, 4);
			for (int k = 0; k < 4; k++)
				pb_u64(&b, chain[i][k]);
			pb_done(&b);
		}
		options.unskid = round ? UNSKID_ALWAYS : UNSKID_NEVER;
		load(&p, &b, &options);
		last = profile_symbol(&p, "last", "", NULL, SPACE_KERNEL);
		assert_int_equal(p.symbol[last].samples, 4);
		assert_int_equal((int)p.symbol[last].weight, 28);
		assert_int_equal((int)p.symbol[last].part[PART_NUMA], 7);
		assert_int_equal((int)p.symbol[last].part[PART_SOFTIRQ], 7);
		assert_true(p.chained);
		profile_release(&p);
	}
	strbuf_release(&b.sb);
}

static void one_task_by_name(void **state)
{
	const struct profile_options options = { .kallsyms = kallsyms, .comm = "child" };
	struct pb b = { .sb = STRBUF_INIT };
	struct profile p;

	begin(&b, 0);
	pb_comm(&b, 1, "parent", 0, 1);
	pb_sample(&b, USER, 100, 0x1, 1, 2);
	pb_fork(&b, 2, 1, 3);
	pb_sample(&b, USER, 100, 0x1, 2, 4);
	pb_comm(&b, 2, "child", PERF_RECORD_MISC_COMM_EXEC, 5);
	pb_sample(&b, USER, 100, 0x1, 2, 6);
	load(&p, &b, &options);
	assert_int_equal(p.samples, 1);
	profile_release(&p);
	strbuf_release(&b.sb);
}

static void losses_are_told(void **state)
{
	struct pb b = { .sb = STRBUF_INIT };
	struct profile p;

	begin(&b, 0);
	pb_record(&b, PERF_RECORD_LOST, 0);
	pb_u64(&b, 100);
	pb_u64(&b, 17);
	pb_sample_id(&b, 0, 3, 100);
	pb_done(&b);
	pb_record(&b, PERF_RECORD_THROTTLE, 0);
	strbuf_addchn(&b.sb, '\0', 24);
	pb_sample_id(&b, 0, 4, 100);
	pb_done(&b);
	load(&p, &b, NULL);
	assert_int_equal(p.lost, 17);
	assert_int_equal(p.throttled, 1);
	assert_true(p.notes.n >= 2);
	assert_int_equal(p.samples, 0);
	profile_release(&p);
	strbuf_release(&b.sb);
}

static void an_event_that_is_not_there_is_named(void **state)
{
	const struct profile_options options = { .event = "cycles" };
	struct pb b = { .sb = STRBUF_INIT };
	struct err err = ERR_INIT;
	struct perf_file pf;
	struct profile p;

	begin(&b, 0);
	pb_end(&b);
	assert_int_equal(perf_file_open_memory(&pf, b.sb.buf, b.sb.len, "x", NULL), 0);
	assert_int_equal(profile_from_perf_file(&p, &pf, &options, &err), -EINVAL);
	assert_string_equal(err_text(&err),
			    "x has no event 'cycles'; it has cpu-clock, task-clock");
	err_release(&err);
	perf_file_close(&pf);
	strbuf_release(&b.sb);
}

int main(void)
{
	static const char symbols[] = "ffffffff81000000 T _text\n"
				      "ffffffff81000100 T schedule\n"
				      "ffffffff81000200 t default_idle\n"
				      "ffffffff81000300 T _raw_spin_unlock_irqrestore\n"
				      "ffffffff81000400 t finish_task_switch.isra.0\n"
				      "ffffffff81000480 t do_numa_page\n"
				      "ffffffff810004c0 t handle_softirqs\n"
				      "ffffffff81000500 t last\n";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_by_symbol_and_user_as_one_line),
		cmocka_unit_test(user_samples_find_the_mapping_of_their_time),
		cmocka_unit_test(chains_become_a_tree),
		cmocka_unit_test(timer_samples_are_charged_to_the_caller),
		cmocka_unit_test(callers_tell_what_a_sample_is_part_of),
		cmocka_unit_test(one_task_by_name),
		cmocka_unit_test(losses_are_told),
		cmocka_unit_test(an_event_that_is_not_there_is_named),
	};
	int fd = mkstemp(kallsyms), ret;

	if (fd < 0 || write(fd, symbols, sizeof(symbols) - 1) < 0)
		return 1;
	close(fd);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(kallsyms);
	return ret;
}
