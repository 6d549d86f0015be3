// SPDX-License-Identifier: GPL-2.0-or-later
/* The child process: exec, exit codes, signals, affinity, nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/interrupt.h"
#include "collect/lockfile.h"
#include "collect/workload.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/units.h"

static int start(struct workload *w, const char *script, int out, const struct cpuset *cpus)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct workload_spec spec = { "/bin/sh", argv, cpus, out, out, "a-token" };

	assert_int_equal(workload_prepare(w, &spec, NULL), 0);
	return workload_go(w, "sh", NULL);
}

static void wait_for(struct workload *w)
{
	while (!workload_reap(w))
		interrupt_wait(NSEC_PER_SEC);
}

static void test_exit(void **state)
{
	static const struct {
		const char *script;
		int status, sig;
	} table[] = {
		{ "exit 0", 0, 0 },
		{ "exit 3", 3, 0 },
		{ "exit 255", 255, 0 },
		{ "kill -SEGV $$", -1, SIGSEGV },
		{ "kill -9 $$", -1, SIGKILL },
	};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct workload w;

		assert_int_equal(start(&w, table[i].script, null, NULL), 0);
		wait_for(&w);
		assert_int_equal(workload_exit_status(&w), table[i].status);
		assert_int_equal(workload_term_signal(&w), table[i].sig);
		assert_int_equal(workload_failed(&w), table[i].status != 0);
		assert_true(w.end_ns > w.start_ns);
		workload_release(&w);
	}
	close(null);
}

static void test_environment(void **state)
{
	char name[] = "/tmp/test_workload.XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);
	struct cpuset cpus = CPUSET_INIT;
	struct strbuf text = STRBUF_INIT;
	struct workload w;

	(void)state;
	cpuset_set(&cpus, 0);
	/* token, signals unblocked and at their defaults, affinity, a group of its own */
	assert_int_equal(start(&w, "echo $SCHEDBLAME_SESSION; grep -E 'Sig(Blk|Ign)' /proc/self/status; "
				   "grep Cpus_allowed_list /proc/self/status; ls /proc/self/fd | wc -l; "
				   "[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo leader",
			       fd, &cpus), 0);
	wait_for(&w);
	assert_int_equal(workload_exit_status(&w), 0);
	assert_int_equal(file_read(&text, name, 0, NULL), 0);
	assert_non_null(strstr(text.buf, "a-token\n"));
	assert_non_null(strstr(text.buf, "SigBlk:\t0000000000000000\n"));
	assert_non_null(strstr(text.buf, "SigIgn:\t0000000000000000\n"));
	assert_non_null(strstr(text.buf, "Cpus_allowed_list:\t0\n"));
	assert_non_null(strstr(text.buf, "leader\n"));
	workload_release(&w);
	strbuf_release(&text);
	cpuset_release(&cpus);
	unlink(name);
	close(fd);
}

static void test_missing(void **state)
{
	char *argv[] = { (char *)"x", NULL };
	struct workload_spec spec = { "/nonexistent/x", argv, NULL, 1, 2, "" };
	struct err err = ERR_INIT;
	struct workload w;
	char *path = NULL;

	(void)state;
	assert_int_equal(workload_prepare(&w, &spec, NULL), 0);
	assert_int_equal(workload_go(&w, "x", &err), -ENOENT);
	assert_non_null(strstr(err_text(&err), "cannot run the workload x"));
	workload_release(&w);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */

	assert_int_equal(workload_find("sh", &path, NULL), 0);
	assert_string_equal(strrchr(path, '/'), "/sh");
	free(path);
	path = NULL;
	assert_int_equal(workload_find("no such program", &path, NULL), -ENOENT);
	free(path);
	path = NULL;
	assert_int_equal(workload_find("", &path, NULL), -ENOENT);
	free(path);
	path = NULL;
	assert_int_equal(workload_find("/tmp", &path, NULL), -EISDIR);
	free(path);
	err_release(&err);
}

static void test_never_started(void **state)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"touch /tmp/must-not-be", NULL };
	struct workload_spec spec = { "/bin/sh", argv, NULL, 1, 2, "" };
	struct workload w;

	(void)state;
	assert_int_equal(workload_prepare(&w, &spec, NULL), 0);
	workload_release(&w);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_false(file_exists("/tmp/must-not-be"));
}

static void test_lock(void **state)
{
	char path[] = "/tmp/test_lock.XXXXXX";
	int fd;

	(void)state;
	close(mkstemp(path));
	assert_false(lockfile_held(path));
	assert_false(file_exists(path)); /* a lock nobody holds is removed */
	fd = lockfile_take(path, false);
	assert_true(fd >= 0);
	assert_true(lockfile_held(path));
	assert_int_equal(lockfile_take(path, false), -EWOULDBLOCK);
	lockfile_drop(path, fd);
	assert_false(file_exists(path));
	assert_int_equal(lockfile_take("/nonexistent/lock", false), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit),	    cmocka_unit_test(test_environment),
		cmocka_unit_test(test_missing),	    cmocka_unit_test(test_never_started),
		cmocka_unit_test(test_lock),
	};

	interrupt_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
