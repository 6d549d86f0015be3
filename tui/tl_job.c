// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a trace into a timeline's index in a thread: a pass of our own over the
 * run queue model, without the standard ones. */
#include "tl_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

struct adder {
	struct tl_job *job;
	struct walk *walk;
	uint32_t *comm; /* by task number: the name it has in the index */
	size_t nr_comms, cap_comms;
	unsigned steps;
	bool failed;
};

/* Lets a key that waits for the lock go first; a mutex alone would not. */
static void breathe(struct adder *a)
{
	const struct timespec pause = { 0, 20000 };
	struct tl_index *ix = &a->job->index;

	if (++a->steps % 4096 == 0 && a->walk->stream->total_bytes)
		ix->progress = (double)a->walk->stream->done_bytes /
			       (double)a->walk->stream->total_bytes;
	if (!atomic_load_explicit(&ix->waiting, memory_order_relaxed))
		return;
	pthread_mutex_unlock(&ix->lock);
	while (atomic_load(&ix->waiting))
		nanosleep(&pause, NULL);
	pthread_mutex_lock(&ix->lock);
}

/* Number of a task in the index; names it when it is new or called itself anew. */
static uint32_t number(struct adder *a, const struct task *task)
{
	uint32_t n;

	if (!task)
		return TL_IDLE;
	n = task->index + 1;
	while (a->nr_comms <= n) {
		GROW(a->comm, a->nr_comms, a->cap_comms);
		a->comm[a->nr_comms++] = COMM_NONE;
	}
	if (a->comm[n] != task->comm || n >= a->job->index.nr_tasks) {
		a->comm[n] = task->comm;
		tl_name_task(&a->job->index, n, task->row.pid,
			     event_stream_comm(a->walk->stream, task->comm));
	}
	return n;
}

static uint64_t since_start(const struct adder *a, uint64_t ts)
{
	return ts > a->walk->first_ts ? ts - a->walk->first_ts : 0;
}

static int add_switch(struct adder *a, const struct step *s)
{
	return tl_add_slice(&a->job->index, s->ev->cpu, since_start(a, s->ev->ts),
			    number(a, s->task), s->ev->state,
			    s->waited_ns > 0 ? (uint64_t)s->waited_ns : 0);
}

static int add_wakeup(struct adder *a, const struct step *s)
{
	if (s->to_cpu == CPU_NONE)
		return 0;
	return tl_add_mark(&a->job->index, s->to_cpu, since_start(a, s->ev->ts), TL_WAKEUP,
			   number(a, s->task), s->ev->cpu, 0);
}

static int add_migrate(struct adder *a, const struct step *s)
{
	if (s->to_cpu == CPU_NONE)
		return 0;
	return tl_add_mark(&a->job->index, s->to_cpu, since_start(a, s->ev->ts), TL_MIGRATE,
			   number(a, s->task), s->from_cpu, (unsigned)s->reason);
}

static int lose_cpu(struct adder *a, unsigned cpu, const struct event *ev)
{
	uint64_t ts = since_start(a, ev->ts);
	int ret = tl_add_mark(&a->job->index, cpu, ts, TL_LOST, TL_UNKNOWN, CPU_NONE, 0);

	return ret < 0 ? ret :
			 tl_add_slice(&a->job->index, cpu, ts, TL_UNKNOWN, TASK_OTHER, 0);
}

static int add_lost(struct adder *a, const struct step *s)
{
	int ret = 0;

	if (s->ev->cpu != CPU_NONE)
		return lose_cpu(a, s->ev->cpu, s->ev);
	for (unsigned cpu = 0; cpu < a->job->index.nr_cpus && !ret; cpu++)
		ret = lose_cpu(a, cpu, s->ev);
	return ret;
}

static void on_step(void *self, struct walk *w, const struct step *s)
{
	static int (*const add[STEP_NR])(struct adder *, const struct step *) = {
		[STEP_SWITCH] = add_switch,
		[STEP_WAKEUP] = add_wakeup,
		[STEP_MIGRATE] = add_migrate,
		[STEP_LOST] = add_lost,
	};
	struct adder *a = self;

	a->walk = w;
	if (!a->failed && add[s->kind](a, s) < 0) {
		a->failed = true; /* the disk is full: the sentence is in the index */
		atomic_store(&a->job->stop, true);
	}
	breathe(a);
}

static void *on_init(struct walk *w)
{
	return w->arg;
}

static void on_nothing(void *self, struct walk *w)
{
	(void)self;
	(void)w;
}

static void on_release(void *self)
{
	(void)self;
}

static const struct pass_ops pass_timeline = {
	.name = "timeline",
	.steps = 1u << STEP_SWITCH | 1u << STEP_WAKEUP | 1u << STEP_MIGRATE |
		 1u << STEP_LOST,
	.init = on_init,
	.step = on_step,
	.finish = on_nothing,
	.release = on_release,
};

static int read_events(struct tl_job *job, struct err *err)
{
	static const struct pass_ops *const passes[] = { &pass_timeline, NULL };
	struct adder adder = { job };
	const struct walk_options opts = { .extra = passes, .arg = &adder,
					   .stop = &job->stop, .quiet = true,
					   .alone = true };
	const struct event_input input = { job->path, 0 };
	struct trace_tables *tables = trace_tables_new();
	struct event_stream *stream = NULL;
	struct series_set series;
	int ret;

	series_init(&series);
	ret = event_stream_open(&stream, &input, 1, err);
	if (!ret) {
		pthread_mutex_lock(&job->index.lock);
		ret = walk_stream(stream, job->topology, &opts, &series, tables, err);
		pthread_mutex_unlock(&job->index.lock);
		event_stream_close(stream);
	}
	trace_tables_free(tables);
	series_release(&series);
	free(adder.comm);
	return ret;
}

static void *run(void *arg)
{
	struct tl_job *job = arg;
	struct err err = ERR_INIT;
	int ret = read_events(job, &err);

	pthread_mutex_lock(&job->index.lock);
	tl_finish(&job->index);
	if (ret < 0 && ret != -ECANCELED && !job->index.err.code) {
		job->index.err = err;
		err = (struct err)ERR_INIT;
	}
	pthread_mutex_unlock(&job->index.lock);
	err_release(&err);
	return NULL;
}

struct tl_job *tl_job_start(const char *path, const struct topology *topology,
			    struct err *err)
{
	struct tl_job *job = xcalloc(1, sizeof(*job));
	int ret;

	job->path = xstrdup(path);
	job->topology = topology;
	tl_init(&job->index, 1);
	ret = pthread_create(&job->thread, NULL, run, job);
	if (ret) {
		err_errno(err, ret, "no thread for reading can be started");
		tl_job_stop(job);
		return NULL;
	}
	job->running = true;
	return job;
}

void tl_job_stop(struct tl_job *job)
{
	if (!job)
		return;
	atomic_store(&job->stop, true);
	if (job->running)
		pthread_join(job->thread, NULL);
	tl_release(&job->index);
	free(job->path);
	free(job);
}
