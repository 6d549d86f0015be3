// SPDX-License-Identifier: GPL-2.0-or-later
/* One repeat: folder, sources, workload, manifest. */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "manifest.h"
#include "metrics.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/progress.h"
#include "schedblame/units.h"
#include "tee.h"
#include "workload.h"

#define POLL_NS (100 * NSEC_PER_MSEC)

struct one_run {
	struct recording *rec;
	struct run_writer writer;
	struct workload workload;
	struct tee out, err;
	struct manifest manifest;
	char what[64]; /* "run 2 of 5" */
	uint64_t start_ns;
	bool begun; /* the workload ran: from now on the run is worth keeping */
};

static int64_t wall_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec;
}

static bool has_command(const struct one_run *run)
{
	return *run->rec->opts->command != NULL;
}

static int create_outputs(struct one_run *run, struct err *err)
{
	bool quiet = run->rec->opts->common.quiet;

	run->out = (struct tee){ .fd = -1, .quiet = quiet };
	run->err = (struct tee){ .fd = -1, .quiet = quiet };
	if (!has_command(run))
		return 0;
	run->out.fd = run_writer_create(&run->writer, "workload.out", err);
	if (run->out.fd < 0)
		return run->out.fd;
	run->err.fd = run_writer_create(&run->writer, "workload.err", err);
	return run->err.fd < 0 ? run->err.fd : 0;
}

static void show_outputs(struct one_run *run)
{
	if (has_command(run)) {
		tee_pump(&run->out);
		tee_pump(&run->err);
	}
}

static int prepare_workload(struct one_run *run, struct err *err)
{
	const struct collect_options *opts = run->rec->opts;
	struct workload_spec spec = { run->rec->program, opts->command,
				      &opts->config.cpus, run->out.fd, run->err.fd,
				      state_token(run->rec->state) };
	int ret;

	if (!has_command(run))
		return 0;
	ret = workload_prepare(&run->workload, &spec, err);
	if (!ret)
		run->rec->recorder->session.workload_pid = run->workload.pid;
	return ret;
}

static int write_manifest(struct one_run *run, struct err *err)
{
	json_t *root = manifest_to_json(&run->manifest);
	int ret = run_writer_manifest(&run->writer, root, err);

	json_decref(root);
	return ret;
}

/* After a kill -9 the next command finds the run and keeps what there is. */
static int remember_partial(struct one_run *run, struct err *err)
{
	char *full = realpath(run->writer.dir, NULL);
	int ret = state_set(run->rec->state, "partial",
			    full ? json_string(full) : NULL, err);

	free(full);
	return ret;
}

/* All that is slow: after this, start is short. */
static int prepare(struct one_run *run, struct err *err)
{
	struct recording *rec = run->rec;
	int ret = run_writer_open(&run->writer, rec->set, err);

	if (!ret)
		ret = remember_partial(run, err);
	if (!ret)
		ret = create_outputs(run, err);
	/* a run.json from the first moment: whatever happens, it can be opened */
	if (!ret)
		ret = write_manifest(run, err);
	if (!ret)
		ret = recorder_open(rec->recorder, run->writer.dirfd, run->writer.dir, err);
	if (!ret)
		ret = prepare_workload(run, err);
	return ret;
}

static int start(struct one_run *run, struct err *err)
{
	int ret = recorder_start(run->rec->recorder, err);

	run->manifest.start_unix_ns = wall_clock_ns();
	run->start_ns = monotonic_ns();
	if (!ret && has_command(run)) {
		ret = workload_go(&run->workload, run->rec->opts->command[0], err);
		run->manifest.workload = &run->workload;
	}
	run->begun = !ret;
	return ret;
}

/* Time until the next look, or 0 when --duration is over. */
static uint64_t time_left(const struct one_run *run)
{
	uint64_t limit = run->rec->opts->duration_ns, gone = monotonic_ns() - run->start_ns;

	if (!limit)
		return POLL_NS;
	if (gone >= limit)
		return 0;
	return limit - gone < POLL_NS ? limit - gone : POLL_NS;
}

/* Until the workload ends, the time is over, a signal comes or a source that
 * was asked for fails. */
static int watch(struct one_run *run, struct err *err)
{
	struct workload *w = &run->workload;
	uint64_t left;
	int ret = 0;

	while (!has_command(run) || !workload_reap(w)) {
		if (interrupt_signal()) {
			run->manifest.complete = false;
			workload_end(w, interrupt_signal());
			break;
		}
		left = time_left(run);
		if (!left) {
			run->manifest.stopped = has_command(run);
			workload_end(w, SIGTERM);
			break;
		}
		ret = recorder_poll(run->rec->recorder, err);
		if (ret < 0) {
			workload_end(w, SIGTERM);
			break;
		}
		show_outputs(run);
		progress_update("%s, %.1f s", run->what,
				(double)(monotonic_ns() - run->start_ns) / 1e9);
		interrupt_wait(left);
	}
	return ret;
}

static int write_metrics(struct one_run *run, struct err *err)
{
	const struct workload *w = &run->workload;
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;
	struct metrics_input in = { .command = run->rec->opts->command,
				    .wall_s = (double)(w->end_ns - w->start_ns) / 1e9 };
	json_t *root;
	int ret;

	if (!has_command(run))
		return 0;
	ret = metrics_read(&out, run->out.fd, "workload.out", err);
	if (!ret)
		ret = metrics_read(&errors, run->err.fd, "workload.err", err);
	if (!ret) {
		in.out = out.buf;
		in.out_len = out.len;
		in.err = errors.buf;
		in.err_len = errors.len;
		root = metrics_find(&run->rec->opts->patterns, &in, run->rec->notes);
		ret = json_file_save(root, run->writer.dirfd, "metrics.json", err);
		json_decref(root);
	}
	strbuf_release(&out);
	strbuf_release(&errors);
	return ret;
}

/* After the workload: every step is tried, the first failure is told. */
static int finish(struct one_run *run, int ret, struct err *err)
{
	struct recorder *recorder = run->rec->recorder;
	int step;

	run->manifest.duration_ns = monotonic_ns() - run->start_ns;
	step = recorder_stop(recorder, ret ? NULL : err);
	ret = ret ? ret : step;
	show_outputs(run);
	progress_update("%s, writing", run->what);
	step = recorder_write(recorder, ret ? NULL : err);
	ret = ret ? ret : step;
	step = write_metrics(run, ret ? NULL : err);
	ret = ret ? ret : step;
	run->manifest.complete &= !ret;
	run->manifest.recorder = recorder;
	run->manifest.notes = run->rec->notes;
	step = write_manifest(run, ret ? NULL : err);
	ret = ret ? ret : step;
	step = run_writer_keep(&run->writer, ret ? NULL : err);
	return ret ? ret : step;
}

static void release(struct one_run *run)
{
	recorder_close(run->rec->recorder);
	if (run->workload.pid)
		workload_release(&run->workload);
	if (run->out.fd >= 0)
		close(run->out.fd);
	if (run->err.fd >= 0)
		close(run->err.fd);
	run_writer_release(&run->writer);
	state_set(run->rec->state, "partial", NULL, NULL);
	progress_end();
}

static void count_failure(struct recording *rec, const struct one_run *run)
{
	rec->workload_failures++;
	if (!rec->first_failure && run->writer.dir)
		rec->first_failure = xstrdup(run->writer.dir);
}

int recording_run(struct recording *rec, unsigned repeat, struct err *err)
{
	struct one_run *run = xcalloc(1, sizeof(*run));
	struct manifest *m = &run->manifest;
	int ret;

	run->rec = rec;
	run->out.fd = run->err.fd = -1;
	m->label = rec->set->label;
	m->kase = rec->opts->kase;
	m->load = rec->opts->load;
	m->repeat = repeat;
	m->repeats = (unsigned)rec->opts->repeats;
	m->command = rec->opts->command;
	m->cpus = rec->cpus;
	m->knobs = rec->knobs;
	snprintf(run->what, sizeof(run->what), "run %u of %u", repeat, m->repeats);
	ret = prepare(run, err);
	if (!ret && !interrupt_signal())
		ret = start(run, err);
	if (run->begun) {
		m->complete = true;
		ret = watch(run, err);
		ret = finish(run, ret, err);
		if (!m->complete)
			rec->incomplete++;
		else if (has_command(run) && !m->stopped && workload_failed(&run->workload))
			count_failure(rec, run);
	}
	release(run);
	free(run);
	return ret;
}

int recording_warmup(struct recording *rec, unsigned number, struct err *err)
{
	const struct collect_options *opts = rec->opts;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct workload_spec spec = { rec->program, opts->command, &opts->config.cpus,
				      null, null, state_token(rec->state) };
	struct workload w;
	int ret;

	if (null < 0)
		return err_errno(err, errno, "cannot open /dev/null");
	ret = workload_prepare(&w, &spec, err);
	if (!ret)
		ret = workload_go(&w, opts->command[0], err);
	while (!ret && !workload_reap(&w)) {
		if (interrupt_signal())
			workload_end(&w, interrupt_signal());
		progress_update("warm-up %u of %u", number, (unsigned)opts->warmup);
		interrupt_wait(POLL_NS);
	}
	workload_release(&w);
	close(null);
	progress_end();
	return ret;
}
