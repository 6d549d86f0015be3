// SPDX-License-Identifier: GPL-2.0-or-later
#include "cm.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedblame/file.h"
#include "schedblame/input.h"

static char dir[] = "/tmp/test-input-XXXXXX";

/* Runs a shell command in dir; the tools are those of scripts/deps. */
static void shell(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", dir, command);
	assert_int_equal(system(line), 0);
}

static void opens_as(const char *name, const char *wrapper, size_t len)
{
	char *path = path_join(dir, name);
	struct err err = ERR_INIT;
	struct input in;

	assert_int_equal(input_open(&in, path, &err), 0);
	assert_int_equal(in.len, len);
	if (wrapper)
		assert_string_equal(in.wrapper, wrapper);
	else
		assert_null(in.wrapper);
	if (len)
		assert_memory_equal(in.data, "hello\n", 6);
	input_close(&in);
	free(path);
}

static void every_wrapper_opens(void **state)
{
	shell("yes hello | head -100000 > a; : > empty");
	shell("gzip -k a; xz -k a; zstd -q a; cat a.gz a.gz > twice.gz; gzip -c a.zst > a.zst.gz");
	opens_as("a", NULL, 600000);
	opens_as("a.gz", "gzip", 600000);
	opens_as("a.xz", "xz", 600000);
	opens_as("a.zst", "zstd", 600000);
	opens_as("twice.gz", "gzip", 1200000);
	opens_as("a.zst.gz", "gzip", 600000);
	opens_as("empty", NULL, 0);
	shell("mkfifo pipe; cat a.gz > pipe &");
	opens_as("pipe", "gzip", 600000);
}

static void refused(const char *name, int code)
{
	char *path = path_join(dir, name);
	struct err err = ERR_INIT;
	struct input in;

	assert_int_equal(input_open(&in, path, &err), -code);
	assert_non_null(strstr(err_text(&err), name));
	input_close(&in);
	err_release(&err);
	free(path);
}

static void damaged_wrappers_are_refused(void **state)
{
	shell("for f in gz xz zst; do head -c 60 a.$f > cut.$f; done");
	shell("gzip -c a | gzip -c | gzip -c | gzip -c > deep.gz");
	refused("cut.gz", EINVAL);
	refused("cut.xz", EINVAL);
	refused("cut.zst", EINVAL);
	refused("deep.gz", EINVAL);
	refused("none", ENOENT);
	refused("", EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wrapper_opens),
		cmocka_unit_test(damaged_wrappers_are_refused),
	};
	int ret;

	if (!mkdtemp(dir))
		return 1;
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	remove_tree(dir, NULL);
	return ret;
}
