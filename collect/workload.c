// SPDX-License-Identifier: GPL-2.0-or-later
/* The benchmark: fork, exec, signals, rusage. What it prints is not read here. */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/units.h"

#define END_POLL_NS (20 * NSEC_PER_MSEC)
#define END_TERM_NS (2 * NSEC_PER_SEC)
#define END_KILL_NS (5 * NSEC_PER_SEC)

/* 0 when path is a file that may be executed, else errno. */
static int runnable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) < 0 ? errno : 0;
}

int workload_find(const char *name, char **path, struct err *err)
{
	const char *list = getenv("PATH");
	int worst = ENOENT;

	if (strchr(name, '/')) {
		int code = runnable(name);

		*path = xstrdup(name);
		return code ? err_errno(err, code, "cannot run the workload %s", name) : 0;
	}
	for (const char *p = list ? list : "/bin:/usr/bin"; *name;) {
		size_t len = strcspn(p, ":");
		int code;

		free(*path);
		*path = len ? xasprintf("%.*s/%s", (int)len, p, name) : xstrdup(name);
		code = runnable(*path);
		if (!code)
			return 0;
		if (code == EACCES)
			worst = code;
		if (!p[len])
			break;
		p += len + 1;
	}
	if (worst == EACCES)
		return err_errno(err, worst, "cannot run the workload %s", name);
	return err_set(err, ENOENT,
		       "there is no program '%s' in PATH: install it or give its path", name);
}

static int set_affinity(const struct cpuset *cpus)
{
	size_t size;
	cpu_set_t *set;
	unsigned nr = 1;
	int ret;

	if (!cpus || !cpuset_count(cpus))
		return 0;
	cpuset_for_each(cpu, cpus)
		nr = (unsigned)cpu + 1;
	set = CPU_ALLOC(nr);
	if (!set)
		return -ENOMEM;
	size = CPU_ALLOC_SIZE(nr);
	CPU_ZERO_S(size, set);
	cpuset_for_each(cpu, cpus)
		CPU_SET_S((size_t)cpu, size, set);
	ret = sched_setaffinity(0, size, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return ret;
}

/* A workload in a group of its own that read from the terminal would stop. */
static void detach_terminal(void)
{
	int fd;

	if (!isatty(STDIN_FILENO))
		return;
	fd = open("/dev/null", O_RDONLY);
	if (fd >= 0) {
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
}

static struct rlimit file_limit; /* before it was raised; rlim_max 0: it was not */

void workload_raise_files(void)
{
	struct rlimit wide;

	if (file_limit.rlim_max || getrlimit(RLIMIT_NOFILE, &file_limit) < 0)
		return;
	wide = file_limit;
	wide.rlim_cur = wide.rlim_max;
	setrlimit(RLIMIT_NOFILE, &wide);
}

static _Noreturn void child(const struct workload_spec *spec, int go_fd, int exec_fd)
{
	char go;
	int code;
	ssize_t n;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	interrupt_reset();
	detach_terminal();
	setenv(WORKLOAD_TOKEN, spec->token, 1);
	code = -set_affinity(spec->cpus);
	if (!code && (dup2(spec->out_fd, STDOUT_FILENO) < 0 ||
		      dup2(spec->err_fd, STDERR_FILENO) < 0))
		code = errno;
	do {
		n = read(go_fd, &go, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	if (file_limit.rlim_max)
		setrlimit(RLIMIT_NOFILE, &file_limit);
	if (!code) {
		execv(spec->path, spec->argv);
		code = errno;
	}
	write_full(exec_fd, &code, sizeof(code));
	_exit(127);
}

int workload_prepare(struct workload *w, const struct workload_spec *spec,
		     struct err *err)
{
	int go[2], exec[2];

	memset(w, 0, sizeof(*w));
	w->go_fd = w->exec_fd = -1;
	if (pipe2(go, O_CLOEXEC) < 0)
		return err_errno(err, errno, "cannot start the workload");
	if (pipe2(exec, O_CLOEXEC) < 0) {
		int code = errno;

		close(go[0]);
		close(go[1]);
		return err_errno(err, code, "cannot start the workload");
	}
	w->pid = fork();
	if (w->pid == 0) {
		close(go[1]);
		close(exec[0]);
		child(spec, go[0], exec[1]);
	}
	close(go[0]);
	close(exec[1]);
	w->go_fd = go[1];
	w->exec_fd = exec[0];
	if (w->pid < 0) {
		int code = errno;

		w->pid = 0;
		workload_release(w);
		return err_errno(err, code, "cannot start the workload");
	}
	setpgid(w->pid, w->pid); /* also in the child: whoever comes first */
	w->running = true;
	return 0;
}

int workload_go(struct workload *w, const char *name, struct err *err)
{
	int code = 0;
	ssize_t n;

	w->start_ns = monotonic_ns();
	if (write_full(w->go_fd, "g", 1) < 0)
		return err_errno(err, errno, "cannot start the workload");
	close(w->go_fd);
	w->go_fd = -1;
	do {
		n = read(w->exec_fd, &code, sizeof(code)); /* end of file: exec was done */
	} while (n < 0 && errno == EINTR);
	close(w->exec_fd);
	w->exec_fd = -1;
	if (n == (ssize_t)sizeof(code))
		return err_errno(err, code, "cannot run the workload %s%s", name,
				 code == ENOEXEC ? " (a script must begin with #!)" : "");
	return 0;
}

bool workload_reap(struct workload *w)
{
	pid_t got;

	if (!w->running)
		return true;
	got = wait4(w->pid, &w->status, WNOHANG, &w->usage);
	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	w->end_ns = monotonic_ns();
	w->running = false;
	return true;
}

void workload_kill(struct workload *w, int sig)
{
	if (w->pid > 0) {
		kill(-w->pid, sig);
		kill(-w->pid, SIGCONT);
	}
}

void workload_end(struct workload *w, int sig)
{
	uint64_t begin = monotonic_ns();
	int sent = sig;

	workload_kill(w, sig);
	while (!workload_reap(w)) {
		uint64_t waited = monotonic_ns() - begin;
		int next = sent;

		if (waited > END_KILL_NS || interrupt_count() >= 2)
			next = SIGKILL;
		else if (waited > END_TERM_NS && sent != SIGKILL)
			next = SIGTERM;
		if (next != sent)
			workload_kill(w, sent = next);
		interrupt_wait(END_POLL_NS);
	}
	workload_kill(w, SIGKILL); /* what is left of the group */
}

void workload_release(struct workload *w)
{
	if (w->go_fd >= 0)
		close(w->go_fd);
	if (w->exec_fd >= 0)
		close(w->exec_fd);
	w->go_fd = w->exec_fd = -1;
	if (w->running)
		workload_end(w, SIGKILL);
}

int workload_exit_status(const struct workload *w)
{
	return WIFEXITED(w->status) ? WEXITSTATUS(w->status) : -1;
}

int workload_term_signal(const struct workload *w)
{
	return WIFSIGNALED(w->status) ? WTERMSIG(w->status) : 0;
}

bool workload_failed(const struct workload *w)
{
	return workload_exit_status(w) != 0;
}

static json_t *timeval_ns(const struct timeval *tv)
{
	return json_integer((json_int_t)tv->tv_sec * (json_int_t)NSEC_PER_SEC +
			    (json_int_t)tv->tv_usec * (json_int_t)NSEC_PER_USEC);
}

json_t *workload_to_json(const struct workload *w)
{
	json_t *obj = json_object();
	const struct rusage *u = &w->usage;

	json_object_set_new(obj, "wall_ns", json_integer((json_int_t)(w->end_ns - w->start_ns)));
	json_object_set_new(obj, "user_ns", timeval_ns(&u->ru_utime));
	json_object_set_new(obj, "system_ns", timeval_ns(&u->ru_stime));
	json_object_set_new(obj, "max_rss_kb", json_integer(u->ru_maxrss));
	json_object_set_new(obj, "minor_faults", json_integer(u->ru_minflt));
	json_object_set_new(obj, "major_faults", json_integer(u->ru_majflt));
	json_object_set_new(obj, "voluntary_switches", json_integer(u->ru_nvcsw));
	json_object_set_new(obj, "involuntary_switches", json_integer(u->ru_nivcsw));
	json_object_set_new(obj, "exit_status", json_integer(workload_exit_status(w)));
	json_object_set_new(obj, "signal", json_integer(workload_term_signal(w)));
	return obj;
}
