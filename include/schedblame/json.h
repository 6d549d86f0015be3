/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jansson with our sentences. Objects of foreign files are never trusted. */
#ifndef SCHEDBLAME_JSON_H
#define SCHEDBLAME_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "schedblame/err.h"

/* Loads a file of at most 256 MiB; the caller owns *root. The sentence names
 * file, line and column of a syntax error. */
int json_file_load(json_t **root, const char *path, struct err *err);
/* Writes indented, sorted keys kept in insertion order, newline at the end. */
int json_file_save(const json_t *root, int dirfd, const char *path,
		   struct err *err);
/* Checks root is an object whose "version" is 1..newest. */
int json_check_version(const json_t *root, const char *path, int newest,
		       struct err *err);

/* Getters: the default when the key is missing or of another type. */
const char *json_str(const json_t *obj, const char *key, const char *def);
int64_t json_i64(const json_t *obj, const char *key, int64_t def);
uint64_t json_u64(const json_t *obj, const char *key, uint64_t def);
double json_dbl(const json_t *obj, const char *key, double def);
bool json_bool(const json_t *obj, const char *key, bool def);

/* Foreign text (any bytes) as a JSON string; invalid UTF-8 becomes U+FFFD. */
json_t *json_text(const char *s, size_t len);
/* A finite number, or null for NaN and infinities. */
json_t *json_num(double v);

#endif
