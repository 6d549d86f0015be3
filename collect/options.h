/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of collect, parsed and checked. */
#ifndef COLLECT_OPTIONS_H
#define COLLECT_OPTIONS_H

#include "knobs.h"
#include "patterns.h"
#include "schedblame/command.h"
#include "schedblame/source.h"
#include "sources.h"

struct collect_options {
	struct common_options common;
	struct collect_config config;
	enum source_wish wish[SOURCES_MAX];
	char *output;	   /* owned: -o, or a name made of command and kernel */
	const char *label; /* NULL: not given */
	bool append;
	uint64_t repeats, warmup;
	uint64_t duration_ns;	      /* 0: until the command ends */
	struct knobs knobs;	      /* --set KNOB=VALUE, parsed */
	const char *kase, *load;      /* of run.json, for the benchmark table; NULL */
	const char *plan;	      /* --plan FILE; output is then the folder of its sets */
	bool dry_run;		      /* of the plan */
	struct patterns patterns;     /* --metric, --workload, installed ones */
	char *const *command;	      /* NULL-terminated, empty for --duration */
};

/* What holds when no option says otherwise. */
void collect_config_init(struct collect_config *config);
/* 0, or an exit code after a sentence was printed. */
int collect_options_parse(struct collect_options *opts, int argc, char **argv);
void collect_options_release(struct collect_options *opts);

#endif
