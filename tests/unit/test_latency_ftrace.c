// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of the function graph tracer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#if __has_include("sched_shared.h") /* built with BPF */
#include "collect/latency_ftrace.h"
#include "schedblame/alloc.h"

static void test_lines(void **state)
{
	static const struct {
		const char *line;
		enum ftrace_line kind;
		const char *name;
		uint64_t value;
	} lines[] = {
		{ " 1)   1.234 us    |  select_task_rq_fair();", FTRACE_CALL,
		  "select_task_rq_fair", 1234 },
		{ " 0) + 15.082 us   |  } /* unix_stream_sendmsg */", FTRACE_CALL,
		  "unix_stream_sendmsg", 15082 },
		{ " 3) $ 1234567 us  |      } /* load_balance.isra.0 */", FTRACE_CALL,
		  "load_balance.isra.0", 1234567000 },
		{ " 3) * 12345.67 us |  } /* f */", FTRACE_CALL, "f", 12345670 },
		{ " 12.345678 |   0)  hackben-123  |   1.500 us    |  f();", FTRACE_CALL, "f", 1500 },
		{ " 10)   0.070 us    |  f(); /* = 0x0 */", FTRACE_CALL, "f", 70 },
		{ "CPU:1 [LOST 123 EVENTS]", FTRACE_LOST, NULL, 123 },
		{ " 0)               |  select_task_rq_fair() {", FTRACE_OTHER, NULL, 0 },
		{ " 0) + 15.082 us   |  }", FTRACE_OTHER, NULL, 0 },
		{ " 0)  hackben-123  =>  hackben-456", FTRACE_OTHER, NULL, 0 },
		{ " ------------------------------------------", FTRACE_OTHER, NULL, 0 },
		{ " us |  f();", FTRACE_OTHER, NULL, 0 },
		{ " 0) . us  |  f();", FTRACE_OTHER, NULL, 0 },
		{ " 0) 1.2.3 us  |  f();", FTRACE_OTHER, NULL, 0 },
		{ " 0) 99999999999999999999 us  |  f();", FTRACE_OTHER, NULL, 0 },
		{ "|", FTRACE_OTHER, NULL, 0 },
		{ "", FTRACE_OTHER, NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *name = NULL;
		uint64_t value = 0;
		size_t len = 0;
		enum ftrace_line kind = latency_ftrace_parse(lines[i].line, &name, &len,
							     &value);

		if (kind != lines[i].kind)
			fail_msg("'%s' is of kind %d", lines[i].line, (int)kind);
		if (kind == FTRACE_OTHER)
			continue;
		assert_int_equal(value, lines[i].value);
		if (lines[i].name) {
			assert_int_equal(len, strlen(lines[i].name));
			assert_memory_equal(name, lines[i].name, len);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return 77; /* skipped */
}
#endif
