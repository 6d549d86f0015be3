/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command of the binary: one const record, listed in schedblame.c and nowhere
 * else. The record lives beside the command's code in its stage's folder.
 */
#ifndef SCHEDBLAME_COMMAND_H
#define SCHEDBLAME_COMMAND_H

#include <argp.h>
#include <stdbool.h>

#include "schedblame/err.h"

struct command {
	const char *name;
	const char *summary; /* one line for the list of commands */
	/* argv[0] is "schedblame NAME"; returns an enum exit_code. */
	int (*run)(int argc, char **argv);
};

/* Prints "schedblame: SENTENCE" on stderr, releases err, gives EXIT_FAILED. */
int command_fail(struct err *err);
/* The same with EXIT_USAGE, plus "Try 'schedblame NAME --help'." */
int command_usage(const char *command, struct err *err);
/* Prints each note as "schedblame: note: ..." on stderr. */
void command_notes(const struct notes *notes);
/* fflush(stdout) and a check for write errors; code, or EXIT_FAILED. */
int command_flush(int code);

/* argp_parse() with our conventions: --help to stdout exits 0 and fits 80
 * columns, wrong usage exits EXIT_USAGE. Long options anywhere (GNU order)
 * unless flags has ARGP_IN_ORDER. */
int command_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
		  void *input);

/* Options that several commands share: one argp child. */
struct common_options {
	bool quiet;	  /* -q, --quiet: no progress */
	const char *format; /* --format text|json|...: checked by the command */
	bool force;	  /* --force */
	bool ascii;	  /* --ascii: no character outside ASCII */
};
extern const struct argp common_argp; /* input: struct common_options */

#endif
