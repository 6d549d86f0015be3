// SPDX-License-Identifier: GPL-2.0-or-later
/* What every command does alike: messages, exit codes, shared options. */
#include "schedblame/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/progress.h"
#include "schedblame/strbuf.h"
#include "schedblame/text.h"

/* Sentences may quote foreign bytes: a terminal must not see those raw. */
static void say(const char *kind, const char *sentence)
{
	struct strbuf sb = STRBUF_INIT;

	text_add_utf8(&sb, sentence, strlen(sentence));
	progress_end();
	fflush(stdout);
	fprintf(stderr, "schedblame: %s%s\n", kind, sb.buf);
	strbuf_release(&sb);
}

int command_fail(struct err *err)
{
	say("", err_text(err));
	err_release(err);
	return EXIT_FAILED;
}

int command_usage(const char *command, struct err *err)
{
	say("", err_text(err));
	fprintf(stderr, "Try 'schedblame %s --help'.\n", command);
	err_release(err);
	return EXIT_USAGE;
}

void command_notes(const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		say("note: ", notes->v[i]);
}

int command_flush(int code)
{
	struct err err = ERR_INIT;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (errno == EPIPE)
		return code;
	err_errno(&err, errno ? errno : EIO, "cannot write the output");
	return command_fail(&err);
}

int command_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
		  void *input)
{
	argp_err_exit_status = EXIT_USAGE;
	return argp_parse(argp, argc, argv, flags, NULL, input);
}

enum { OPT_FORMAT = 0x5000, OPT_FORCE, OPT_ASCII };

static const struct argp_option common_options[] = {
	{ "quiet", 'q', NULL, 0, "show no progress", 90 },
	{ "format", OPT_FORMAT, "FORMAT", 0, "text (default), json; some commands have more", 90 },
	{ "force", OPT_FORCE, NULL, 0, "overwrite what exists", 90 },
	{ "ascii", OPT_ASCII, NULL, 0, "no character outside ASCII", 90 },
	{ 0 },
};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct common_options *common = state->input;

	switch (key) {
	case 'q':
		common->quiet = true;
		progress_quiet(true);
		return 0;
	case OPT_FORMAT:
		common->format = arg;
		return 0;
	case OPT_FORCE:
		common->force = true;
		return 0;
	case OPT_ASCII:
		common->ascii = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp common_argp = { common_options, parse_common };
