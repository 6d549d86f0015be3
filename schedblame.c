// SPDX-License-Identifier: GPL-2.0-or-later
/* The command table, nothing else: each command lives in its stage's folder. */
#include <libgen.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/command.h"
#include "schedblame/err.h"

#ifdef HAVE_TUI
#define COMMANDS_TUI(X) X(tui)
#else
#define COMMANDS_TUI(X)
#endif

/* one per line: sorted by how often one needs them */
#define COMMANDS(X)                                                            \
	X(collect)                                                             \
	X(report)                                                              \
	X(doctor)                                                              \
	X(migcost)                                                             \
	X(diffprofile)                                                         \
	COMMANDS_TUI(X)

#define X(name) extern const struct command command_##name;
COMMANDS(X)
#undef X

#define X(name) &command_##name,
static const struct command *const commands[] = { COMMANDS(X) NULL };
#undef X

static void usage(FILE *out)
{
	fputs("Usage: schedblame COMMAND [OPTION...]\n\n"
	      "Which scheduling decision made the benchmark slower?\n\n", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n'schedblame COMMAND --help' tells more; exit codes: 0 done, 1 --gate\n"
	      "found what it was told to look for, 2 wrong usage, 3 failed, 4 recorded\n"
	      "but the workload failed.\n", out);
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
	char *name = xasprintf("schedblame %s", command->name);

	argv[0] = name;
	return command_flush(command->run(argc, argv));
}

/* How many letters must change to make b of a; a swap of neighbours is two. */
static size_t letters_apart(const char *a, const char *b)
{
	size_t row[32], n = strlen(b);

	if (n >= ARRAY_SIZE(row))
		return n;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t corner = i;

		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			size_t best = corner + (a[i] != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

static int unknown_command(const char *name)
{
	const struct command *near = NULL;
	size_t least = 3;

	for (size_t i = 0; commands[i]; i++)
		if (letters_apart(name, commands[i]->name) < least) {
			near = commands[i];
			least = letters_apart(name, commands[i]->name);
		}
	fprintf(stderr, "schedblame: there is no command '%s'", name);
	if (near)
		fprintf(stderr, "; did you mean '%s'?\n", near->name);
	else
		fprintf(stderr, "; 'schedblame help' lists all\n");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct command *command;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	if (argc > 0 && (command = find(basename(argv[0]))))
		return run(command, argc, argv);
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		usage(stdout);
		return command_flush(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("schedblame " SCHEDBLAME_VERSION);
		return command_flush(EXIT_DONE);
	}
	command = find(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return run(command, argc - 1, argv + 1);
}
