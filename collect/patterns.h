/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern files: which numbers a benchmark prints, as data (docs/workloads.md).
 * Expressions are POSIX extended ones, compiled once; what could make them
 * explode (back references, huge repeat counts) is refused when loading.
 */
#ifndef COLLECT_PATTERNS_H
#define COLLECT_PATTERNS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedblame/err.h"

#define PATTERN_GROUPS 10 /* \0 and $1 .. $9 */
#define FACTORS_MAX 8
#define OPTION_PATTERN "command line" /* of what --metric asks for */

enum rule_kind {
	RULE_METRIC,  /* a number in the output */
	RULE_VAR,     /* the same, used by computed ones only */
	RULE_COMMAND, /* a number in the command line, used by computed ones */
	RULE_COMPUTE, /* a product of others */
};

#define AGGREGATE_LIST(X) X(LAST, "last") X(FIRST, "first") X(SUM, "sum") \
	X(MEAN, "mean") X(MIN, "min") X(MAX, "max") X(COUNT, "count")
#define X(id, name) AGGREGATE_##id,
enum aggregate { AGGREGATE_LIST(X) };
#undef X

struct rule {
	enum rule_kind kind;
	char *name; /* may hold $1 .. $9 */
	char *unit;
	bool higher;
	enum aggregate aggregate;
	bool work;  /* counts units of work */
	bool clock; /* value reads h:mm:ss or 1m2.3s; gives seconds */
	double scale;
	size_t group; /* that holds the number; 0: the last one that matched */
	bool has_default; /* of RULE_COMMAND, when the command is the workload's */
	double fallback;
	int section; /* index, -1: anywhere */
	regex_t re;
	bool compiled;
	char *factor[FACTORS_MAX]; /* "0.25", "groups", "/fds" */
	size_t nr_factors;
};

struct section {
	char *name;
	regex_t re;
};

struct pattern {
	char *name; /* of the workload */
	bool forced; /* applies whatever the output looks like */
	regex_t command, output;
	bool has_command, has_output;
	struct rule *rule;
	size_t nr_rules, cap_rules;
	struct section *section;
	size_t nr_sections, cap_sections;
};

struct patterns {
	struct pattern *v;
	size_t n, cap;
};

/* Adds the one workload of a file; "FILE:LINE: what is wrong" on failure. A
 * pattern of the same name that is already there stays, the new one is dropped:
 * load the user's files first. */
int patterns_load(struct patterns *set, const char *path, bool forced, struct err *err);
/* From text in memory; name stands in sentences. */
int patterns_parse(struct patterns *set, const char *text, const char *name, bool forced,
		   struct err *err);
/* NAME:UNIT:higher|lower:REGEX of the command line. */
int patterns_add_option(struct patterns *set, const char *arg, struct err *err);
/* $SCHEDBLAME_WORKLOADS (files and folders, ':' between them), then those that
 * come with schedblame. What cannot be read becomes a note. */
void patterns_load_installed(struct patterns *set, struct notes *notes);
void patterns_release(struct patterns *set);

#endif
