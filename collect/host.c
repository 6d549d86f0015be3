// SPDX-License-Identifier: GPL-2.0-or-later
/* Source "host": facts about kernel and machine, topology and configuration. */
#include "host.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "compress.h"
#include "kernelfs.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/source.h"

#define KEY_PART_MAX 64

struct source {
	json_t *host;
	struct strbuf config;
};

static void set_value(json_t *host, const char *key, json_t *value)
{
	const char *dot;

	while ((dot = strchr(key, '.'))) {
		char part[KEY_PART_MAX];
		json_t *sub;

		snprintf(part, sizeof(part), "%.*s", (int)(dot - key), key);
		sub = json_object_get(host, part);
		if (!json_is_object(sub)) {
			sub = json_object();
			json_object_set_new(host, part, sub);
		}
		host = sub;
		key = dot + 1;
	}
	json_object_set_new(host, key, value);
}

void host_set(json_t *host, const char *key, const char *value)
{
	set_value(host, key, json_text(value, strlen(value)));
}

void host_set_number(json_t *host, const char *key, long long value)
{
	set_value(host, key, json_integer(value));
}

void host_set_file(json_t *host, const char *key, const char *path)
{
	char line[4096];

	if (file_read_line(path, line, sizeof(line)) == 0)
		host_set(host, key, host_choice(line));
}

char *host_choice(char *text)
{
	static const char pairs[][2] = { { '[', ']' }, { '(', ')' } };

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		char *open = strchr(text, pairs[i][0]);
		char *close = open ? strchr(open, pairs[i][1]) : NULL;

		/* a choice stands among blanks: not "#1 SMP (Debian 6.1)" */
		if (!close || (open != text && open[-1] != ' ') ||
		    (close[1] && close[1] != ' ') ||
		    memchr(open, ' ', (size_t)(close - open)))
			continue;
		*close = '\0';
		return open + 1;
	}
	return text;
}

static void add_distribution(json_t *host)
{
	struct strbuf text = STRBUF_INIT;
	char *name;

	if (file_read(&text, "/etc/os-release", 65536, NULL) == 0 &&
	    (name = strstr(text.buf, "PRETTY_NAME="))) {
		name += strlen("PRETTY_NAME=");
		name[strcspn(name, "\n")] = '\0';
		if (*name == '"')
			name++;
		name[strcspn(name, "\"")] = '\0';
		host_set(host, "distribution", name);
	}
	strbuf_release(&text);
}

/* securityfs is seldom mounted on small systems. */
static void add_lockdown(json_t *host)
{
	struct strbuf text = STRBUF_INIT;

	if (kernelfs_read(&text, "securityfs", "lockdown", 4096, NULL) == 0) {
		strbuf_rtrim(&text);
		host_set(host, "lockdown", host_choice(text.buf));
	}
	strbuf_release(&text);
}

void host_add_kernel(json_t *host)
{
	static const struct {
		const char *key, *path;
	} facts[] = {
		{ "boot_id", "/proc/sys/kernel/random/boot_id" },
		{ "taint", "/proc/sys/kernel/tainted" },
		{ "clocksource",
		  "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
		{ "thp", "/sys/kernel/mm/transparent_hugepage/enabled" },
		{ "hypervisor", "/sys/hypervisor/type" },
		{ "dmi.product", "/sys/class/dmi/id/product_name" },
		{ "dmi.bios", "/sys/class/dmi/id/bios_version" },
	};
	struct utsname u;
	char line[4096];

	if (uname(&u) == 0) {
		host_set(host, "release", u.release);
		host_set(host, "version", u.version);
		host_set(host, "machine", u.machine);
		host_set(host, "nodename", u.nodename);
	}
	if (file_read_line("/proc/cmdline", line, sizeof(line)) == 0)
		host_set(host, "cmdline", line);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		host_set_file(host, facts[i].key, facts[i].path);
	host_set(host, "btf", file_exists("/sys/kernel/btf/vmlinux") ? "yes" : "no");
	add_lockdown(host);
	add_distribution(host);
}

static int write_topology(const struct session *s, struct err *err)
{
	char *xml = NULL;
	int ret = topology_system_xml(&xml, err);

	if (!ret)
		ret = file_write_at(s->dirfd, "topology.xml", xml, strlen(xml), 0644, err);
	free(xml);
	return ret;
}

static void host_probe(const struct session *s, struct probe *probe)
{
	struct utsname u;

	probe->state = PROBE_WORKS;
	uname(&u);
	probe->what = xasprintf("%s, %u CPUs, %u node%s", u.release,
				cpuset_count(&s->online), s->topology->nr_nodes,
				s->topology->nr_nodes == 1 ? "" : "s");
}

/* All is read here, with the knobs set and before the clock runs. */
static int host_open(struct source **src, const struct session *s, struct err *err)
{
	struct source *self = xcalloc(1, sizeof(*self));

	self->host = json_object();
	strbuf_init(&self->config);
	host_add_kernel(self->host);
	host_add_cpu(self->host);
	host_add_memory(self->host);
	host_add_sched(self->host);
	host_add_config(self->host, &self->config);
	*src = self;
	return 0;
}

static int host_nothing(struct source *src, const struct session *s, struct err *err)
{
	return 0;
}

static int host_write(struct source *src, const struct session *s, json_t *info,
		      struct err *err)
{
	int ret = write_topology(s, err);

	json_object_set(info, "host", src->host);
	if (!ret && src->config.len)
		ret = zstd_write_at(s->dirfd, "config.zst", src->config.buf,
				    src->config.len, err);
	return ret;
}

static void host_close(struct source *src)
{
	json_decref(src->host);
	strbuf_release(&src->config);
	free(src);
}

const struct source_ops source_host = {
	.name = "host",
	.help = "kernel, configuration, tunables, CPUs, topology",
	.by_default = true,
	.probe = host_probe,
	.open = host_open,
	.start = host_nothing,
	.stop = host_nothing,
	.write = host_write,
	.close = host_close,
};
