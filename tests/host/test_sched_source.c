// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sched source against this kernel: its counts against those of perf's own
 * counters on the same tracepoints over the same time, sums that must agree,
 * reasons that the test itself causes, and nothing left behind.
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
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schedblame/file.h"
#include "schedblame/live.h"
#include "schedblame/series.h"
#include "schedblame/source.h"

#define MAX_CPUS 256

static char dir[] = "/tmp/test-sched-XXXXXX";
static struct topology topology;
static struct collect_config config = { .grace_ns = 1000000 };
static struct session session = { .config = &config, .dirfd = -1, .dir = dir,
				  .topology = &topology };

/* What one recording gave. */
struct recording {
	struct series_set set;
	uint64_t duration_ns;
	uint64_t switches, migrations; /* as perf's counters saw them */
};

/* ------------------------------------------------- the independent count */

struct counter {
	int fd[MAX_CPUS];
	unsigned n;
};

static long tracepoint_id(const char *name)
{
	char path[128], line[32];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/sched/%s/id", name);
	return file_read_line(path, line, sizeof(line)) < 0 ? -1 : strtol(line, NULL, 10);
}

static void counter_open(struct counter *c, const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.disabled = 1,
	};
	long id = tracepoint_id(name);

	c->n = 0;
	if (id < 0)
		return;
	attr.config = (uint64_t)id;
	cpuset_for_each(cpu, &session.online) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

		assert_true(fd >= 0 && c->n < MAX_CPUS);
		c->fd[c->n++] = fd;
	}
}

static void counter_switch(struct counter *c, unsigned long how)
{
	for (unsigned i = 0; i < c->n; i++)
		ioctl(c->fd[i], how, 0);
}

static uint64_t counter_close(struct counter *c)
{
	uint64_t sum = 0, v;

	for (unsigned i = 0; i < c->n; i++) {
		assert_int_equal(read(c->fd[i], &v, sizeof(v)), sizeof(v));
		sum += v;
		close(c->fd[i]);
	}
	return sum;
}

/* --------------------------------------------------------- a recording */

static void load_series(struct recording *r)
{
	struct err err = ERR_INIT;
	char *path = path_join(dir, "sched.json");
	json_t *root;

	assert_int_equal(json_file_load(&root, path, &err), 0);
	assert_int_equal(json_check_version(root, path, 1, &err), 0);
	series_init(&r->set);
	assert_int_equal(series_from_json(&r->set, root, path, &err), 0);
	r->duration_ns = json_u64(root, "duration_ns", 0);
	json_decref(root);
	free(path);
}

static void record(struct recording *r, void (*work)(void))
{
	const struct source_ops *ops = &source_sched;
	struct counter switches, migrations;
	struct source *src = NULL;
	struct err err = ERR_INIT;
	json_t *info = json_object();

	counter_open(&switches, "sched_switch");
	counter_open(&migrations, "sched_migrate_task");
	if (ops->open(&src, &session, &err) < 0)
		fail_msg("%s", err_text(&err));
	assert_int_equal(ops->start(src, &session, &err), 0);
	counter_switch(&switches, PERF_EVENT_IOC_ENABLE);
	counter_switch(&migrations, PERF_EVENT_IOC_ENABLE);
	work();
	counter_switch(&switches, PERF_EVENT_IOC_DISABLE);
	counter_switch(&migrations, PERF_EVENT_IOC_DISABLE);
	assert_int_equal(ops->stop(src, &session, &err), 0);
	assert_int_equal(ops->write(src, &session, info, &err), 0);
	ops->close(src);
	assert_int_equal(json_u64(info, "lost", 99), 0);
	json_decref(info);
	r->switches = counter_close(&switches);
	r->migrations = counter_close(&migrations);
	load_series(r);
}

static uint64_t sum(const struct recording *r, const char *name)
{
	return series_sum(&r->set, name, NO_LABELS);
}

static void within(uint64_t a, uint64_t b, double share, const char *what)
{
	uint64_t far = a > b ? a - b : b - a;

	if ((double)far > share * (double)b + 20)
		fail_msg("%s: we have %llu, the other count %llu", what,
			 (unsigned long long)a, (unsigned long long)b);
}

static void run(const char *command)
{
	int status = system(command);

	if (status)
		fail_msg("%s: status %d", command, status);
}

/* ---------------------------------------------------------------- tests */

static void hackbench(void)
{
	run("exec hackbench -g 4 -f 10 -l 400 >/dev/null");
}

static void counts_agree_with_perf(void **state)
{
	struct recording r;
	uint64_t waits, wakeups;

	record(&r, hackbench);
	if (r.switches) {
		within(sum(&r, "switches"), r.switches, 0.01, "switches");
		within(sum(&r, "migrations"), r.migrations, 0.01, "migrations");
	}
	assert_true(sum(&r, "switches") > 1000);
	assert_int_equal(sum(&r, "switches"), sum(&r, "cpu_switches"));
	assert_int_equal(sum(&r, "migrations"), sum(&r, "cpu_migrations"));
	wakeups = series_sum(&r.set, "wakeups", LABELS("kind", "wakeup"));
	waits = sum(&r, "wakeup_latency");
	assert_true(waits <= wakeups + 20);
	within(waits, wakeups, 0.02, "waits that ended, of wakeups");
	within(sum(&r, "fork_wait"), series_sum(&r.set, "wakeups", LABELS("kind", "new")),
	       0.02, "first waits, of new tasks");
	within(sum(&r, "preemption_wait"),
	       series_sum(&r.set, "switches", LABELS("kind", "preempted")), 0.02,
	       "waits of preempted tasks, of preemptions");
	assert_true(sum(&r, "since_last_ran") <= sum(&r, "migrations"));
	assert_int_equal(series_sum(&r.set, "dropped", LABELS("what", "task_storage")), 0);
	series_release(&r.set);
}

static void nap(void)
{
	usleep(300000);
}

static void idle_time_fits(void **state)
{
	struct recording r;
	uint64_t limit;

	record(&r, nap);
	limit = r.duration_ns * cpuset_count(&session.online);
	assert_true(r.duration_ns >= 300000000);
	assert_true(sum(&r, "idle_time") <= limit);
	series_release(&r.set);
}

static pid_t spin_on(int cpu)
{
	pid_t pid = fork();
	cpu_set_t set;

	if (pid)
		return pid;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;)
		;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#define MOVES 100

static void move_a_task(void)
{
	pid_t pid = spin_on(0);
	cpu_set_t set;

	for (int i = 0; i < MOVES; i++) {
		CPU_ZERO(&set);
		CPU_SET((i + 1) % 2, &set);
		assert_int_equal(sched_setaffinity(pid, sizeof(set), &set), 0);
		usleep(5000);
	}
	end(pid);
}

static void affinity_is_the_reason(void **state)
{
	struct recording r;
	uint64_t n, unknown;

	if (cpuset_count(&session.online) < 2)
		skip();
	record(&r, move_a_task);
	n = series_sum(&r.set, "migrations", LABELS("reason", "affinity"));
	unknown = series_sum(&r.set, "migrations", LABELS("reason", "unknown"));
	if (n < MOVES - 5 || n > MOVES + 50)
		fail_msg("%d moves by affinity, counted %llu", MOVES,
			 (unsigned long long)n);
	assert_int_equal(unknown, 0);
	series_release(&r.set);
}

static void crowd_one_cpu(void)
{
	pid_t a = spin_on(0), b = spin_on(0);

	usleep(1000000);
	end(a);
	end(b);
}

/* CPU 1 may idle, but the task that waits on CPU 0 may not go there. */
static void a_pinned_task_waits_in_vain(void **state)
{
	struct recording r;
	uint64_t idle, elsewhere, here;
	bool known;

	if (cpuset_count(&session.online) != 2)
		skip();
	record(&r, crowd_one_cpu);
	known = series_has(&r.set, "idle_while_waiting");
	idle = series_sum(&r.set, "idle_time", LABELS("cpu", "1"));
	elsewhere = series_sum(&r.set, "idle_while_waiting", LABELS("allowed", "no"));
	here = series_sum(&r.set, "idle_while_waiting", LABELS("allowed", "yes"));
	series_release(&r.set);
	if (!known) {
		print_message("[  SKIP    ] idle CPUs give no samples on this kernel\n");
		skip();
	}
	if (idle < 300000000)
		skip(); /* something else kept CPU 1 busy */
	if (elsewhere + here < idle / 2 || elsewhere > idle + idle / 5)
		fail_msg("CPU 1 idled for %llu ns, of which with a task waiting %llu, "
			 "allowed %llu", (unsigned long long)idle,
			 (unsigned long long)elsewhere, (unsigned long long)here);
}

static void live_counters_grow(void **state)
{
	struct series_set first, second;
	struct err err = ERR_INIT;
	struct live *live;
	uint64_t t1, t2;

	series_init(&first);
	series_init(&second);
	if (live_open(&live, &config, &err) < 0)
		fail_msg("%s", err_text(&err));
	nap();
	assert_int_equal(live_snapshot(live, &first, &t1, &err), 0);
	nap();
	assert_int_equal(live_snapshot(live, &second, &t2, &err), 0);
	live_close(live);
	assert_true(t1 >= 300000000 && t2 >= t1 + 300000000);
	assert_true(series_sum(&first, "switches", NO_LABELS) > 0);
	assert_true(series_sum(&second, "switches", NO_LABELS) >
		    series_sum(&first, "switches", NO_LABELS));
	series_release(&first);
	series_release(&second);
}

/* Programs live as long as a descriptor of theirs does. */
static void nothing_stays_loaded(void **state)
{
	DIR *fds = opendir("/proc/self/fd");
	char target[64];
	struct dirent *e;
	ssize_t n;

	(void)state;
	assert_non_null(fds);
	while ((e = readdir(fds))) {
		n = readlinkat(dirfd(fds), e->d_name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strstr(target, "bpf") || strstr(target, "perf_event"))
			fail_msg("%s is still open", target);
	}
	closedir(fds);
}

static void probe_says_it_works(void **state)
{
	struct probe probe;

	source_sched.probe(&session, &probe);
	assert_int_equal(probe.state, PROBE_WORKS);
	assert_non_null(probe.what);
	probe_release(&probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_says_it_works),
		cmocka_unit_test(counts_agree_with_perf),
		cmocka_unit_test(idle_time_fits),
		cmocka_unit_test(affinity_is_the_reason),
		cmocka_unit_test(a_pinned_task_waits_in_vain),
		cmocka_unit_test(live_counters_grow),
		cmocka_unit_test(nothing_stays_loaded),
	};
	struct err err = ERR_INIT;
	struct probe probe;
	char online[4096];
	int failed;

	source_sched.probe(NULL, &probe);
	if (probe.state == PROBE_FAILS) {
		printf("skipped: %s\n", probe.why);
		return 77;
	}
	probe_release(&probe);
	if (topology_load_system(&topology, &err) < 0 || !mkdtemp(dir) ||
	    file_read_line("/sys/devices/system/cpu/online", online, sizeof(online)) < 0 ||
	    cpuset_parse(&session.online, online, &err) < 0) {
		printf("skipped: %s\n", err_text(&err));
		return 77;
	}
	session.dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	close(session.dirfd);
	remove_tree(dir, NULL);
	topology_release(&topology);
	cpuset_release(&session.online);
	return failed;
}
