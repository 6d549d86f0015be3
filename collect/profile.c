// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source "profile": samples of every CPU, kernel and user, idle included,
 * written as profile.data while the workload runs; beside it the symbols and
 * modules of this boot, so that the samples keep their names elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf_event.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/kallsyms.h"
#include "schedblame/source.h"

#define DATA_FILE "profile.data"

struct source {
	struct sampler sampler;
	struct perf_writer writer;
	bool callchains; /* whole ones were asked for */
	uint64_t asked_frequency;
};

/* --------------------------------------------------------------- probe */

static const struct {
	int code;
	const char *why, *advice;
} refusals[] = {
	{ EACCES, "kernel.perf_event_paranoid forbids sampling a whole CPU to this user",
	  "run as root, or give the binary CAP_PERFMON, or set the sysctl to 0 or less" },
	{ EPERM, "this user may not sample the kernel (CAP_PERFMON, lockdown or seccomp)",
	  "run as root outside the container, or with CAP_PERFMON" },
	{ ENOSYS, "this kernel has no perf events (CONFIG_PERF_EVENTS)",
	  "use a kernel with CONFIG_PERF_EVENTS=y" },
	{ EMFILE, "too many open files: sampling needs two per CPU", "raise ulimit -n" },
};

static void say(struct probe *probe, enum probe_state state, const char *what,
		const char *why, const char *advice)
{
	probe->state = state;
	probe->what = what ? xstrdup(what) : NULL;
	probe->why = why ? xstrdup(why) : NULL;
	probe->advice = advice ? xstrdup(advice) : NULL;
}

static void say_refused(struct probe *probe, int code)
{
	say(probe, PROBE_FAILS, NULL, strerror(code), NULL);
	probe->code = code;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (refusals[i].code != code)
			continue;
		free(probe->why);
		say(probe, PROBE_FAILS, NULL, refusals[i].why, refusals[i].advice);
	}
}

static void profile_probe(const struct session *s, struct probe *probe)
{
	struct perf_event_attr attr;
	const char *event;
	int ret = sampler_choose(&attr, &event, s->config->frequency, &s->online);

	memset(probe, 0, sizeof(*probe));
	if (ret < 0)
		say_refused(probe, -ret);
	else if (attr.type == PERF_TYPE_HARDWARE)
		say(probe, PROBE_WORKS, "cycles, by a hardware counter", NULL, NULL);
	else
		say(probe, PROBE_LIMITED, "cpu-clock, by a timer",
		    "no hardware counter works here (a guest without a virtual PMU?), so "
		    "code that runs with interrupts off is charged to where they go on",
		    "enable the virtual PMU of the guest, or record on the bare machine");
}

/* ---------------------------------------------------------------- life */

static size_t describe(const struct source *src, struct perf_writer_attr attrs[2],
		       uint64_t **ids)
{
	const struct sampler *s = &src->sampler;
	uint64_t *id = xcalloc(s->nr_cpus * 2, sizeof(*id));

	for (size_t i = 0; i < s->nr_cpus; i++) {
		id[i] = s->cpu[i].id;
		id[s->nr_cpus + i] = s->cpu[i].dummy_id;
	}
	attrs[0] = (struct perf_writer_attr){ &s->attr, s->event, id, s->nr_cpus };
	attrs[1] = (struct perf_writer_attr){ &s->dummy, "dummy:HG", id + s->nr_cpus,
					      s->nr_cpus };
	*ids = id;
	return 2;
}

static int profile_open(struct source **out, const struct session *s, struct err *err)
{
	struct source *src = xcalloc(1, sizeof(*src));
	struct perf_writer_attr attrs[2];
	uint64_t *ids;
	size_t n;
	int ret;

	*out = src;
	src->writer.fd = -1;
	strbuf_init(&src->writer.pending);
	src->callchains = s->config->callchains;
	src->asked_frequency = s->config->frequency;
	ret = sampler_open(&src->sampler, &s->online, s->config->frequency,
			   s->config->callchains, err);
	if (ret < 0)
		return ret;
	n = describe(src, attrs, &ids);
	ret = perf_writer_open(&src->writer, s->dirfd, DATA_FILE, attrs, n, err);
	free(ids);
	return ret < 0 ? ret : perf_synth(&src->writer, err);
}

static int profile_start(struct source *src, const struct session *s, struct err *err)
{
	return sampler_enable(&src->sampler, err);
}

/* The first failed write ends the recording, not the workload: what follows is
 * dropped and counted, and profile_write() tells. */
static int profile_poll(struct source *src, const struct session *s, struct err *err)
{
	sampler_drain(&src->sampler, &src->writer, false);
	return 0;
}

static int profile_stop(struct source *src, const struct session *s, struct err *err)
{
	sampler_disable(&src->sampler);
	return 0;
}

/* --------------------------------------------------------------- write */

static int copy_kallsyms(int dirfd, struct err *err)
{
	struct strbuf text = STRBUF_INIT, packed = STRBUF_INIT;
	int ret = file_read(&text, "/proc/kallsyms", 0, err);

	if (!ret)
		ret = kallsyms_pack(&packed, text.buf, text.len, err);
	if (!ret)
		ret = file_write_atomic(dirfd, "kallsyms.zst", packed.buf, packed.len, 0666,
					err);
	strbuf_release(&packed);
	strbuf_release(&text);
	return ret;
}

static int copy_plain(int dirfd, const char *to, const char *from, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = 0;

	if (file_read(&text, from, 0, NULL) == 0) /* absent: a kernel without modules */
		ret = file_write_atomic(dirfd, to, text.buf, text.len, 0666, err);
	strbuf_release(&text);
	return ret;
}

static void fill_info(const struct source *src, json_t *info)
{
	const struct sampler *s = &src->sampler;

	json_object_set_new(info, "event", json_string(s->event));
	json_object_set_new(info, "frequency", json_integer((json_int_t)s->attr.sample_freq));
	if (src->asked_frequency > s->attr.sample_freq)
		json_object_set_new(info, "frequency_asked",
				    json_integer((json_int_t)src->asked_frequency));
	json_object_set_new(info, "callchains", json_boolean(src->callchains));
	json_object_set_new(info, "chain_depth",
			    json_integer(s->attr.sample_type & PERF_SAMPLE_CALLCHAIN ?
						 s->attr.sample_max_stack : 0));
	json_object_set_new(info, "clock",
			    json_string(s->attr.use_clockid ? "monotonic" : "perf"));
	json_object_set_new(info, "cpus", json_integer((json_int_t)s->nr_cpus));
	json_object_set_new(info, "samples", json_integer((json_int_t)s->samples));
	json_object_set_new(info, "lost", json_integer((json_int_t)(s->lost + s->dropped)));
	json_object_set_new(info, "throttled", json_integer((json_int_t)s->throttled));
	json_object_set_new(info, "ring_kb", json_integer((json_int_t)(s->ring_size >> 10)));
}

static int profile_write(struct source *src, const struct session *s, json_t *info,
			 struct err *err)
{
	struct perf_writer_attr attrs[2];
	struct perf_writer_info about = { .attrs = attrs };
	uint64_t *ids;
	int ret;

	sampler_drain(&src->sampler, &src->writer, true);
	sampler_count_lost(&src->sampler, &src->writer);
	about.nr_attrs = describe(src, attrs, &ids);
	about.clock_monotonic = src->sampler.attr.use_clockid;
	about.first_ns = src->sampler.first_ns;
	about.last_ns = src->sampler.last_ns;
	ret = perf_writer_finish(&src->writer, &about, err);
	free(ids);
	fill_info(src, info);
	if (!ret)
		ret = copy_kallsyms(s->dirfd, err);
	if (!ret)
		ret = copy_plain(s->dirfd, "modules", "/proc/modules", err);
	return ret;
}

static void profile_close(struct source *src)
{
	if (!src)
		return;
	sampler_close(&src->sampler);
	perf_writer_close(&src->writer);
	free(src);
}

const struct source_ops source_profile = {
	.name = "profile",
	.help = "samples of every CPU, kernel and user (perf.data)",
	.by_default = true,
	.probe = profile_probe,
	.open = profile_open,
	.start = profile_start,
	.poll = profile_poll,
	.stop = profile_stop,
	.write = profile_write,
	.close = profile_close,
};
