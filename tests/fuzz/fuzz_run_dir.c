// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run directory of which one file is the fuzzer's: the first byte says which. The
 * others are small and whole. The run is opened, compared with itself and printed,
 * as text and as JSON.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HIST "{\"count\":2,\"sum\":20,\"max\":12,\"buckets\":[[8,1],[12,1]]}"
#define STAT "cpu  1 0 1 5 0 0 0 0\ncpu0 %s 0 1 5 0 0 0 0\nctxt 5\n"

static const struct {
	const char *name, *text;
} files[] = {
	{ "run.json", "{\"version\":1,\"complete\":true,\"command\":[\"a\"],\"duration_ns\":1000000000,"
		      "\"workload\":{\"wall_ns\":1000},\"cpus\":\"0-1\",\"host\":{\"release\":\"6\"},"
		      "\"sources\":{\"sched\":{\"state\":\"ok\"}},\"knobs\":[]}" },
	{ "metrics.json", "{\"version\":1,\"workload\":\"w\",\"metrics\":[{\"name\":\"time\","
			  "\"unit\":\"s\",\"better\":\"lower\",\"value\":1.5,\"work\":false}]}" },
	{ "sched.json", "{\"version\":1,\"declared\":[\"migrations\"],\"counters\":[{\"name\":"
			"\"migrations\",\"labels\":{\"reason\":\"wakeup\",\"distance\":\"llc\","
			"\"from_node\":\"0\",\"to_node\":\"0\"},\"value\":5}],\"histograms\":["
			"{\"name\":\"wakeup_latency\",\"labels\":{},\"hist\":" HIST "}]}" },
	{ "latency.json", "{\"version\":1,\"histograms\":[{\"name\":\"function_latency\","
			  "\"labels\":{\"function\":\"f\"},\"hist\":" HIST "}]}" },
	{ "topology.xml", "" },
	{ "before/proc/stat", "cpu0 1 0 1 5 0 0 0 0\nctxt 5\n" },
	{ "after/proc/stat", "cpu0 9 0 3 7 0 0 0 0\nctxt 15\n" },
	{ "after/proc/vmstat", "pgfault 10\n" },
	{ "after/proc/interrupts", "  CPU0\n RES: 5 x\n" },
	{ "after/proc/softirqs", "  CPU0\n SCHED: 5\n" },
	{ "after/proc/pressure/cpu", "some avg10=0 total=100\n" },
	{ "before/proc/vmstat", "pgfault 1\n" },
	{ "before/proc/interrupts", "  CPU0\n RES: 1 x\n" },
	{ "before/proc/softirqs", "  CPU0\n SCHED: 1\n" },
	{ "before/proc/pressure/cpu", "some avg10=0 total=10\n" },
	{ "profile.data", NULL },
	{ "set.json", NULL },
};

static char dir[64];

static void write_file(const char *name, const void *data, size_t len)
{
	char *path = path_join(dir, name), *slash = strrchr(path, '/');
	FILE *f;

	*slash = '\0';
	make_dirs(path, NULL);
	*slash = '/';
	f = fopen(path, "w");
	if (f) {
		fwrite(data, 1, len, f);
		fclose(f);
	}
	free(path);
}

static void write_default(size_t i)
{
	char *path = path_join(dir, files[i].name);

	if (files[i].text && *files[i].text)
		write_file(files[i].name, files[i].text, strlen(files[i].text));
	else
		unlink(path);
	free(path);
}

static void remove_at_exit(void)
{
	remove_tree(dir, NULL);
}

static void make_dir(void)
{
	snprintf(dir, sizeof(dir), "/tmp/fuzz_run_dir.XXXXXX");
	if (!mkdtemp(dir))
		abort();
	atexit(remove_at_exit);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		write_default(i);
}

static void print_all(struct report *r)
{
	bool *selected = xcalloc(report_nr_sections(), sizeof(*selected));
	struct strbuf out = STRBUF_INIT;

	r->style = benchmark_style("kernel");
	memset(selected, 1, report_nr_sections() * sizeof(*selected));
	report_text(r, selected, &out);
	/* a mail carries nothing but ASCII of at most 78 columns */
	for (const char *p = out.buf; *p; p += strcspn(p, "\n") + 1)
		if (strcspn(p, "\n") > REPORT_WIDTH)
			abort();
	if (!text_is_ascii(out.buf))
		abort();
	json_decref(report_json(r, selected));
	strbuf_release(&out);
	free(selected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report r = { 0 };
	char *paths[2] = { dir, dir };
	struct err err = ERR_INIT;
	size_t which;

	if (!*dir)
		make_dir();
	if (!size)
		return 0;
	which = data[0] % ARRAY_SIZE(files);
	write_file(files[which].name, data + 1, size - 1);
	if (!report_open(&r, paths, 2, &(struct report_options){ .run = NULL }, &err)) {
		print_all(&r);
		report_close(&r);
	}
	err_release(&err);
	write_default(which);
	return 0;
}
