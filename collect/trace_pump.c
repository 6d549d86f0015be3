// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies pages by splice, which moves whole pages only and so wakes rarely;
 * the half-filled last page of each CPU is taken by read at the end. Threads
 * sleep between rounds instead of blocking: a blocked reader would be woken by
 * the very events it records.
 */
#include "trace_pump.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define CPUS_PER_THREAD 16
#define PIPE_BYTES (1 << 20)
#define ROUND_NS 20000000L /* between rounds that found little */
#define BUSY_BYTES (256u << 10) /* a round that moved this much goes on at once */

static int open_temporary(int dirfd, unsigned cpu)
{
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[64];

	if (fd >= 0)
		return fd;
	/* a file system without O_TMPFILE */
	snprintf(name, sizeof(name), ".trace.cpu%u.%d", cpu, (int)getpid());
	fd = openat(dirfd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	unlinkat(dirfd, name, 0);
	return fd;
}

static void raise_file_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static int open_cpu(struct pump_cpu *c, const struct trace_instance *ti, int dirfd,
		    struct err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", c->cpu);
	c->raw = openat(ti->dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (c->raw < 0)
		return err_errno(err, errno, "cannot open %s/%s of tracefs", ti->name, name);
	c->file = open_temporary(dirfd, c->cpu);
	if (c->file < 0)
		return err_errno(err, -c->file, "cannot create a temporary file for the "
				 "trace of CPU %u", c->cpu);
	return 0;
}

static int open_thread(struct pump_thread *t, struct err *err)
{
	t->pipe[0] = t->pipe[1] = -1;
	t->page = xmalloc(t->pump->page_size);
	if (pipe2(t->pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_errno(err, errno, "cannot create a pipe for the trace");
	/* smaller is slower, not wrong */
	(void)!fcntl(t->pipe[0], F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

int trace_pump_open(struct trace_pump *p, const struct trace_instance *ti,
		    const struct cpuset *cpus, size_t page_size, int dirfd, struct err *err)
{
	int ret = 0;
	unsigned i = 0;

	memset(p, 0, sizeof(*p));
	raise_file_limit();
	p->page_size = page_size;
	p->nr_cpus = cpuset_count(cpus);
	p->cpu = xcalloc(p->nr_cpus, sizeof(*p->cpu));
	cpuset_for_each(cpu, cpus) {
		p->cpu[i].raw = p->cpu[i].file = -1;
		p->cpu[i++].cpu = (unsigned)cpu;
	}
	for (i = 0; i < p->nr_cpus && !ret; i++)
		ret = open_cpu(&p->cpu[i], ti, dirfd, err);
	p->nr_threads = (p->nr_cpus + CPUS_PER_THREAD - 1) / CPUS_PER_THREAD;
	p->thread = xcalloc(p->nr_threads, sizeof(*p->thread));
	for (i = 0; i < p->nr_threads; i++) {
		struct pump_thread *t = &p->thread[i];

		t->pump = p;
		t->cpu = p->cpu + i * CPUS_PER_THREAD;
		t->nr = p->nr_cpus - i * CPUS_PER_THREAD;
		if (t->nr > CPUS_PER_THREAD)
			t->nr = CPUS_PER_THREAD;
		if (open_thread(t, ret ? NULL : err) < 0 && !ret)
			ret = -errno;
	}
	return ret;
}

/* Empties the pipe into the CPU's file. */
static int drain_pipe(struct pump_thread *t, struct pump_cpu *c, size_t len)
{
	while (len) {
		ssize_t n = splice(t->pipe[0], NULL, c->file, NULL, len, SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		c->bytes += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* Moves whole pages; returns bytes moved or -errno. */
static ssize_t move_pages(struct pump_thread *t, struct pump_cpu *c)
{
	ssize_t moved = 0, n;

	for (;;) {
		n = splice(c->raw, NULL, t->pipe[1], NULL, PIPE_BYTES,
			   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno != EAGAIN ? -errno : moved;
		int ret = drain_pipe(t, c, (size_t)n);

		if (ret < 0)
			return ret;
		moved += n;
		if (n < PIPE_BYTES / 2)
			return moved;
	}
}

/* What splice leaves: the page that is being written. Tracing is off. */
static int read_rest(struct pump_thread *t, struct pump_cpu *c)
{
	for (;;) {
		ssize_t n = read(c->raw, t->page, t->pump->page_size);
		int ret;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno != EAGAIN ? -errno : 0;
		/* a short page would shift all that follow */
		memset((char *)t->page + n, 0, t->pump->page_size - (size_t)n);
		ret = write_full(c->file, t->page, t->pump->page_size);
		if (ret < 0)
			return ret;
		c->bytes += t->pump->page_size;
	}
}

static uint64_t one_round(struct pump_thread *t)
{
	uint64_t moved = 0;

	for (unsigned i = 0; i < t->nr; i++) {
		struct pump_cpu *c = &t->cpu[i];
		ssize_t n;

		if (c->code)
			continue;
		n = move_pages(t, c);
		if (n < 0)
			c->code = (int)-n;
		else
			moved += (uint64_t)n;
	}
	return moved;
}

static void *pump(void *arg)
{
	struct pump_thread *t = arg;
	const struct timespec round = { 0, ROUND_NS };
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_setname_np(pthread_self(), "schedblame-pump");
	while (!atomic_load(&t->pump->stop))
		if (one_round(t) < BUSY_BYTES)
			nanosleep(&round, NULL);
	one_round(t);
	for (unsigned i = 0; i < t->nr; i++)
		if (!t->cpu[i].code)
			t->cpu[i].code = -read_rest(t, &t->cpu[i]);
	return NULL;
}

int trace_pump_start(struct trace_pump *p, struct err *err)
{
	for (unsigned i = 0; i < p->nr_threads; i++) {
		int code = pthread_create(&p->thread[i].id, NULL, pump, &p->thread[i]);

		if (code)
			return err_errno(err, code, "cannot start a thread for the trace");
		p->thread[i].running = true;
	}
	return 0;
}

static void join(struct trace_pump *p)
{
	atomic_store(&p->stop, true);
	for (unsigned i = 0; i < p->nr_threads; i++)
		if (p->thread[i].running)
			pthread_join(p->thread[i].id, NULL);
	for (unsigned i = 0; i < p->nr_threads; i++)
		p->thread[i].running = false;
}

int trace_pump_stop(struct trace_pump *p, struct err *err)
{
	join(p);
	for (unsigned i = 0; i < p->nr_cpus; i++)
		if (p->cpu[i].code)
			return err_errno(err, p->cpu[i].code,
					 "cannot save the trace of CPU %u", p->cpu[i].cpu);
	return 0;
}

void trace_pump_close(struct trace_pump *p)
{
	join(p);
	for (unsigned i = 0; i < p->nr_cpus; i++) {
		if (p->cpu[i].raw >= 0)
			close(p->cpu[i].raw);
		if (p->cpu[i].file >= 0)
			close(p->cpu[i].file);
	}
	for (unsigned i = 0; i < p->nr_threads; i++) {
		if (p->thread[i].pipe[0] >= 0) {
			close(p->thread[i].pipe[0]);
			close(p->thread[i].pipe[1]);
		}
		free(p->thread[i].page);
	}
	free(p->thread);
	free(p->cpu);
	memset(p, 0, sizeof(*p));
}
