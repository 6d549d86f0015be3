// SPDX-License-Identifier: GPL-2.0-or-later
/* Ways into and out of an inlined body, on a few bytes of code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "schedblame/alloc.h"

#if __has_include("sched_shared.h") /* built with BPF */
#include "collect/latency_private.h"

#define BASE 0x1000

static struct inlined_body body_of(uint64_t lo, uint64_t hi)
{
	struct inlined_body b = { .range = xcalloc(1, sizeof(*b.range)), .nr_ranges = 1 };

	b.range[0] = (struct address_range){ lo, hi };
	return b;
}

static void same(const struct addresses *a, const uint64_t *want, size_t n)
{
	assert_int_equal(a->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(a->v[i], want[i]);
}

static void jumps_and_falling_through_are_edges(void **state)
{
	static const uint8_t code[] = {
		0x85, 0xc0,		      /* 1000 test */
		0x74, 0x06,		      /* 1002 je 100a */
		0x31, 0xc0,		      /* 1004 xor, the body */
		0x75, 0x04,		      /* 1006 jne 100c, the body */
		0x90,			      /* 1008 nop */
		0xc3,			      /* 1009 ret */
		0xeb, 0xf8,		      /* 100a jmp 1004 */
		0xe9, 0x00, 0x10, 0x00, 0x00, /* 100c jmp far away */
	};
	struct code_part part = { BASE, sizeof(code), code };
	struct inlined_body b = body_of(0x1004, 0x1008);

	assert_int_equal(inlined_edges(&b, &part, 1, NULL, 0, NULL), 0);
	same(&b.entries, (const uint64_t[]){ 0x1004 }, 1);
	same(&b.landings, (const uint64_t[]){ 0x1008, 0x100c }, 2);
	inlined_body_release(&b);
}

static void leaving_the_container_is_no_landing(void **state)
{
	static const uint8_t code[] = {
		0x90,			      /* 1000 nop */
		0x74, 0x05,		      /* 1001 je 1008, the body */
		0xe9, 0x00, 0x10, 0x00, 0x00, /* 1003 jmp far away, the body */
		0xc3,			      /* 1008 ret, the body */
	};
	struct code_part part = { BASE, sizeof(code), code };
	struct inlined_body b = body_of(0x1001, 0x1009);

	assert_int_equal(inlined_edges(&b, &part, 1, NULL, 0, NULL), 0);
	same(&b.entries, (const uint64_t[]){ 0x1001 }, 1);
	same(&b.landings, NULL, 0);
	inlined_body_release(&b);
}

static void a_static_branch_goes_both_ways(void **state)
{
	static const uint8_t code[] = {
		0x0f, 0x1f, 0x44, 0x00, 0x00, /* 1000 nop, the branch is off */
		0xc3,			      /* 1005 ret */
		0x90,			      /* 1006 nop, the body */
		0xeb, 0x01,		      /* 1007 jmp 100a, the branch is on */
		0x90,			      /* 1009 nop, the body again */
		0xc3,			      /* 100a ret */
	};
	static const struct code_jump jumps[] = { { 0x1000, 0x1006 }, { 0x1007, 0x100a } };
	struct code_part part = { BASE, sizeof(code), code };
	struct inlined_body b = body_of(0x1006, 0x1007);

	assert_int_equal(inlined_edges(&b, &part, 1, jumps, 2, NULL), 0);
	same(&b.entries, (const uint64_t[]){ 0x1006 }, 1);
	same(&b.landings, (const uint64_t[]){ 0x1007 }, 1);
	inlined_body_release(&b);
	b = body_of(0x1009, 0x100a); /* reached only while the branch is off */
	assert_int_equal(inlined_edges(&b, &part, 1, jumps, 2, NULL), 0);
	same(&b.entries, (const uint64_t[]){ 0x1009 }, 1);
	inlined_body_release(&b);
}

static void a_cold_part_belongs_to_the_container(void **state)
{
	static const uint8_t hot[] = {
		0x0f, 0x84, 0xfa, 0x0f, 0x00, 0x00, /* 1000 je 2000 */
		0xc3,				    /* 1006 ret */
	};
	static const uint8_t cold[] = {
		0x90,				    /* 2000 nop, the body */
		0xe9, 0x00, 0xf0, 0xff, 0xff,	    /* 2001 jmp 1006, the body */
	};
	struct code_part part[] = { { 0x1000, sizeof(hot), hot },
				    { 0x2000, sizeof(cold), cold } };
	struct inlined_body b = body_of(0x2000, 0x2006);

	assert_int_equal(inlined_edges(&b, part, 2, NULL, 0, NULL), 0);
	same(&b.entries, (const uint64_t[]){ 0x2000 }, 1);
	same(&b.landings, (const uint64_t[]){ 0x1006 }, 1);
	inlined_body_release(&b);
}

static void what_cannot_be_followed_is_refused(void **state)
{
	static const uint8_t indirect[] = { 0x90, 0xff, 0xe0 }; /* jmp *%rax */
	static const uint8_t broken[] = { 0x90, 0x06 };
	struct code_part part = { BASE, sizeof(indirect), indirect };
	struct inlined_body b = body_of(0x1001, 0x1003);
	struct err err = ERR_INIT;

	assert_int_equal(inlined_edges(&b, &part, 1, NULL, 0, &err), -ENOTSUP);
	assert_non_null(strstr(err_text(&err), "0x1001"));
	b.range[0] = (struct address_range){ 0x1000, 0x1001 };
	assert_int_equal(inlined_edges(&b, &part, 1, NULL, 0, &err), 0);
	part = (struct code_part){ BASE, sizeof(broken), broken };
	assert_int_equal(inlined_edges(&b, &part, 1, NULL, 0, &err), -ENOTSUP);
	err_release(&err);
	inlined_body_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_and_falling_through_are_edges),
		cmocka_unit_test(leaving_the_container_is_no_landing),
		cmocka_unit_test(a_static_branch_goes_both_ways),
		cmocka_unit_test(a_cold_part_belongs_to_the_container),
		cmocka_unit_test(what_cannot_be_followed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return 0;
}
#endif
