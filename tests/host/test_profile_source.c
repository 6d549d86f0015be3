// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The profile source against this kernel: perf must open what we write and
 * count the same samples; a disk that fills up leaves a file that opens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schedblame/file.h"
#include "schedblame/kallsyms.h"
#include "schedblame/source.h"

static char dir[] = "/tmp/test-profile-XXXXXX";
static struct collect_config config;
static struct session session = { .config = &config, .dirfd = -1, .dir = dir };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Burns a CPU in user mode and in the kernel, and execs something. */
static void work(const struct source_ops *ops, struct source *src, double seconds)
{
	double end = now() + seconds;
	pid_t pid = fork();

	if (!pid) {
		execlp("sh", "sh", "-c", "i=0; while :; do i=$((i+1)); done", (char *)NULL);
		_exit(127);
	}
	while (now() < end) {
		for (int i = 0; i < 1000; i++)
			getppid();
		ops->poll(src, &session, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Records; the result of write, whose info the caller gets. */
static int record(double seconds, json_t *info, struct err *err)
{
	const struct source_ops *ops = &source_profile;
	struct source *src = NULL;
	int ret;

	assert_int_equal(ops->open(&src, &session, err), 0);
	assert_int_equal(ops->start(src, &session, err), 0);
	work(ops, src, seconds);
	assert_int_equal(ops->stop(src, &session, err), 0);
	ret = ops->write(src, &session, info, err);
	ops->close(src);
	return ret;
}

/* The sum of the numbers behind "SAMPLE events:" in perf's own statistics. */
static long perf_samples(void)
{
	char command[256], line[256];
	long n = -1;
	FILE *f;

	snprintf(command, sizeof(command), "perf report --stats -i %s/profile.data 2>&1", dir);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "SAMPLE events:");

		if (at && n < 0)
			n = strtol(at + 14, NULL, 10);
	}
	assert_int_equal(pclose(f), 0);
	return n;
}

static void perf_counts_our_samples(void **state)
{
	json_t *info = json_object();
	struct err err = ERR_INIT;
	struct kallsyms ks;
	char *path;

	config.callchains = *state != NULL;
	assert_int_equal(record(0.5, info, &err), 0);
	assert_int_equal(json_u64(info, "lost", 99), 0);
	assert_true(json_u64(info, "samples", 0) > 100);
	assert_int_equal(perf_samples(), json_u64(info, "samples", 0));
	path = path_join(dir, "kallsyms.zst");
	assert_int_equal(kallsyms_open(&ks, path, &err), 0);
	assert_non_null(kallsyms_lookup(&ks, "schedule", ""));
	kallsyms_close(&ks);
	free(path);
	json_decref(info);
}

static void a_full_disk_keeps_what_it_took(void **state)
{
	struct rlimit old, small;
	json_t *info = json_object();
	struct err err = ERR_INIT;
	int ret;

	config.callchains = false;
	config.frequency = 20000;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 2500 << 10; /* one ring fits, two do not */
	setrlimit(RLIMIT_FSIZE, &small);
	ret = record(1.5, info, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	config.frequency = 0;
	assert_int_equal(ret, -EFBIG);
	assert_non_null(err.text);
	assert_true(json_u64(info, "lost", 0) > 100);
	assert_true(json_u64(info, "samples", 0) > 100);
	assert_int_equal(perf_samples(), json_u64(info, "samples", 0));
	json_decref(info);
	err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(perf_counts_our_samples, NULL),
		cmocka_unit_test_prestate(perf_counts_our_samples, dir),
		cmocka_unit_test(a_full_disk_keeps_what_it_took),
	};
	struct probe probe;
	int ret;

	for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		cpuset_set(&session.online, (unsigned)i);
	source_profile.probe(&session, &probe);
	if (probe.state == PROBE_FAILS) {
		printf("skipped: %s\n", probe.why);
		return 77;
	}
	if (system("perf --version >/dev/null 2>&1") != 0) {
		puts("skipped: there is no perf");
		return 77;
	}
	if (!mkdtemp(dir))
		return 1;
	session.dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	remove_tree(dir, NULL);
	return ret;
}
