// SPDX-License-Identifier: GPL-2.0-or-later
/* schedblame doctor: what can be recorded here, why not, and what to do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "abilities.h"
#include "options.h"
#include "schedblame/alloc.h"
#include "schedblame/command.h"
#include "schedblame/json.h"
#include "schedblame/text.h"
#include "sources.h"
#include "stale.h"
#include "state.h"

#define DOCTOR_VERSION 1
#define WIDTH 78
#define TEXT_COLUMN 26

struct finding {
	const char *name, *help;
	bool source;
	struct probe probe;
};

struct doctor {
	struct topology topology;
	struct collect_config config;
	struct session session;
	struct state state;
	struct notes notes;
	struct finding *finding;
	size_t n, cap;
};

static const char *const state_name[] = { "works", "limited", "fails" };

static void look(struct doctor *d, const char *name, const char *help, bool source,
		 void (*probe)(const struct session *s, struct probe *probe))
{
	struct finding *f;

	GROW(d->finding, d->n, d->cap);
	f = &d->finding[d->n++];
	*f = (struct finding){ .name = name, .help = help, .source = source };
	probe(&d->session, &f->probe);
}

static void examine(struct doctor *d)
{
	for (size_t i = 0; sources[i]; i++)
		look(d, sources[i]->name, sources[i]->help, true, sources[i]->probe);
	for (size_t i = 0; abilities[i].name; i++)
		look(d, abilities[i].name, abilities[i].help, false, abilities[i].probe);
}

/* LEAD and text wrapped, every line but the first moved right to the column. */
static void print_paragraph(const char *lead, const char *text, bool first)
{
	struct strbuf line = STRBUF_INIT, wrapped = STRBUF_INIT;

	strbuf_addstr(&line, lead);
	text_add_ascii(&line, text, strlen(text));
	text_wrap(&wrapped, line.buf, WIDTH - TEXT_COLUMN, (int)strlen(lead));
	for (const char *p = wrapped.buf; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		printf("%*s%.*s\n", first ? 0 : TEXT_COLUMN, "", (int)strcspn(p, "\n"), p);
		first = false;
	}
	strbuf_release(&line);
	strbuf_release(&wrapped);
}

static void print_finding(const struct finding *f)
{
	const struct probe *p = &f->probe;

	printf("  %-8s %-14s ", state_name[p->state], f->name);
	print_paragraph("", p->what ? p->what : f->help, true);
	if (p->why)
		print_paragraph("why: ", p->why, false);
	if (p->advice)
		print_paragraph("do: ", p->advice, false);
}

static void print_text(const struct doctor *d)
{
	struct utsname u;
	char *machine = topology_summary(&d->topology);

	uname(&u);
	printf("Linux %s, %s\n%s, schedblame " SCHEDBLAME_VERSION "\n\nSources of collect\n",
	       u.release, machine, geteuid() ? "not root" : "root");
	for (size_t i = 0; i < d->n; i++) {
		if (i && d->finding[i - 1].source && !d->finding[i].source)
			printf("\nWhat they stand on\n");
		print_finding(&d->finding[i]);
	}
	free(machine);
}

static json_t *finding_json(const struct finding *f)
{
	const struct probe *p = &f->probe;
	json_t *obj = json_object();

	json_object_set_new(obj, "name", json_string(f->name));
	json_object_set_new(obj, "use", json_string(f->help));
	json_object_set_new(obj, "state", json_string(state_name[p->state]));
	if (p->code)
		json_object_set_new(obj, "errno", json_string(strerrorname_np(p->code)));
	if (p->what)
		json_object_set_new(obj, "what", json_text(p->what, strlen(p->what)));
	if (p->why)
		json_object_set_new(obj, "why", json_text(p->why, strlen(p->why)));
	if (p->advice)
		json_object_set_new(obj, "advice", json_text(p->advice, strlen(p->advice)));
	return obj;
}

static void print_json(const struct doctor *d)
{
	json_t *root = json_object(), *list[2] = { json_array(), json_array() };
	struct utsname u;
	char *text;

	uname(&u);
	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(list[!d->finding[i].source], finding_json(&d->finding[i]));
	json_object_set_new(root, "version", json_integer(DOCTOR_VERSION));
	json_object_set_new(root, "kernel", json_string(u.release));
	json_object_set_new(root, "root", json_boolean(geteuid() == 0));
	json_object_set_new(root, "sources", list[0]);
	json_object_set_new(root, "abilities", list[1]);
	text = json_dumps(root, JSON_INDENT(1));
	puts(text);
	free(text);
	json_decref(root);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

/* Registered like a collect, so that nobody takes our probes for leftovers. */
static int run(struct doctor *d, bool json, struct err *err)
{
	int ret = state_open(&d->state, NULL);

	(void)ret; /* "crash safety" tells */
	stale_cleanup(&d->notes);
	ret = topology_load_system(&d->topology, err);
	if (ret < 0)
		return ret;
	d->session.topology = &d->topology;
	for (unsigned cpu = 0; cpu < d->topology.nr_cpus; cpu++)
		if (d->topology.cpu[cpu].online)
			cpuset_set(&d->session.online, cpu);
	examine(d);
	if (json)
		print_json(d);
	else
		print_text(d);
	command_notes(&d->notes);
	return 0;
}

static void release(struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++)
		probe_release(&d->finding[i].probe);
	free(d->finding);
	cpuset_release(&d->session.online);
	topology_release(&d->topology);
	notes_release(&d->notes);
	state_close(&d->state);
}

static int doctor_main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp }, { 0 } };
	static const struct argp argp = {
		NULL, parse, "", "Tries what collect can record here, and says why not.",
		children,
	};
	struct doctor d = { .session = { .dirfd = -1 }, .state = { .lock_fd = -1 } };
	struct common_options common = { 0 };
	struct err err = ERR_INIT;
	int code = EXIT_DONE;
	bool json;

	if (command_parse(&argp, argc, argv, 0, &common))
		return EXIT_USAGE;
	json = common.format && !strcmp(common.format, "json");
	if (common.format && !json && strcmp(common.format, "text")) {
		err_set(&err, EINVAL, "doctor knows the formats text and json, not '%s'",
			common.format);
		return command_usage("doctor", &err);
	}
	topology_init(&d.topology);
	collect_config_init(&d.config);
	d.session.config = &d.config;
	if (run(&d, json, &err) < 0)
		code = command_fail(&err);
	release(&d);
	return code;
}

const struct command command_doctor = {
	"doctor",
	"tell what can be recorded here, and why not",
	doctor_main,
};
