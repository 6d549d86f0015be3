// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trace source against this kernel: what trace-cmd reads from our trace.dat
 * must be what the ring buffer says it gave; nothing stays behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/trace_instance.h"
#include "schedblame/file.h"
#include "schedblame/source.h"

static char dir[] = "/tmp/test-trace-XXXXXX";
static struct collect_config config;
static struct session session = { .config = &config, .dirfd = -1, .dir = dir };

static void ping_pong(int rounds)
{
	int a[2], b[2];
	char c = 0;

	assert_int_equal(pipe(a), 0);
	assert_int_equal(pipe(b), 0);
	if (!fork()) {
		for (int i = 0; i < rounds; i++)
			if (read(a[0], &c, 1) != 1 || write(b[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < rounds; i++) {
		assert_int_equal(write(a[1], &c, 1), 1);
		assert_int_equal(read(b[0], &c, 1), 1);
	}
	wait(NULL);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
}

static json_int_t record(int rounds, json_int_t *lost)
{
	const struct source_ops *ops = &source_trace;
	struct source *src = NULL;
	struct err err = ERR_INIT;
	json_t *info = json_object();
	json_int_t n;

	if (ops->open(&src, &session, &err) || ops->start(src, &session, &err))
		fail_msg("%s", err_text(&err));
	ping_pong(rounds);
	ops->poll(src, &session, &err);
	if (ops->stop(src, &session, &err) || ops->write(src, &session, info, &err))
		fail_msg("%s", err_text(&err));
	ops->close(src);
	n = json_integer_value(json_object_get(info, "events"));
	*lost = json_integer_value(json_object_get(info, "lost"));
	json_decref(info);
	return n;
}

static long count_lines(const char *command)
{
	FILE *f = popen(command, "r");
	long n = -1;

	assert_non_null(f);
	if (fscanf(f, "%ld", &n) != 1)
		n = -1;
	pclose(f);
	return n;
}

static int instances_of_us(void)
{
	DIR *d = opendir("/sys/kernel/tracing/instances");
	struct dirent *e;
	char mine[64];
	int n = 0;

	snprintf(mine, sizeof(mine), "schedblame-%d.", (int)getpid());
	while (d && (e = readdir(d)))
		n += !strncmp(e->d_name, mine, strlen(mine));
	if (d)
		closedir(d);
	return n;
}

static void trace_cmd_reads_what_the_kernel_gave(void **state)
{
	json_int_t lost, n = record(20000, &lost);

	assert_int_equal(lost, 0);
	assert_true(n > 60000); /* switch, waking, wakeup per half round */
	assert_int_equal(instances_of_us(), 0);
	if (chdir(dir) == 0 && !system("command -v trace-cmd >/dev/null")) {
		assert_int_equal(count_lines("trace-cmd report -i trace.dat 2>trace-cmd.err | "
					     "grep -c ': sched_\\|: task_'"), n);
		assert_int_equal(count_lines("trace-cmd report -i trace.dat 2>/dev/null | "
					     "grep -c '<\\.\\.\\.>-[0-9]* *\\[' "), 0);
		assert_int_equal(count_lines("grep -ic 'error\\|fail' trace-cmd.err"), 0);
	}
}

/* Less memory than two rounds of the pump bring. */
static void losses_are_counted(void **state)
{
	json_int_t lost, n;

	config.trace_buffer_kb = 16;
	n = record(50000, &lost);
	config.trace_buffer_kb = 0;
	assert_true(n > 0);
	assert_true(lost > 0);
}

static void stale_instances_go(void **state)
{
	struct trace_instance ti = TRACE_INSTANCE_INIT;
	struct notes notes = { 0 };
	char name[96] = "";
	int fd[2], status;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		if (trace_instance_create(&ti, "", NULL) == 0)
			(void)!write(fd[1], ti.name, sizeof(ti.name));
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(read(fd[0], name, sizeof(name)), sizeof(name));
	assert_int_equal(trace_instance_create(&ti, ".live", NULL), 0);
	trace_remove_stale(&notes);
	assert_true(notes.n >= 1);
	assert_int_equal(faccessat(ti.root, name, F_OK, 0), -1);
	assert_int_equal(faccessat(ti.root, ti.name, F_OK, 0), 0);
	trace_instance_remove(&ti);
	notes_release(&notes);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_cmd_reads_what_the_kernel_gave),
		cmocka_unit_test(losses_are_counted),
		cmocka_unit_test(stale_instances_go),
	};
	struct probe probe = { 0 };
	int ret;

	source_trace.probe(&session, &probe);
	if (probe.state == PROBE_FAILS) {
		printf("skipped: %s\n", probe.why);
		return 77;
	}
	free(probe.what);
	if (!mkdtemp(dir))
		return 1;
	session.dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		cpuset_set(&session.online, (unsigned)cpu);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	cpuset_release(&session.online);
	close(session.dirfd);
	remove_tree(dir, NULL);
	return ret;
}
