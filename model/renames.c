// SPDX-License-Identifier: GPL-2.0-or-later
/* What functions were called before, and the suffixes of compilers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/symbols.h"
#include "tsv.h"

#define CHAIN_MAX 16

static const char *const suffixes[] = {
	"isra", "constprop", "part", "cold", "llvm", "lto_priv",
};

/* Is [s, s + len) a suffix word or a number? */
static bool is_suffix(const char *s, size_t len)
{
	size_t digits = strspn(s, "0123456789");

	if (digits && digits == len)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (len == strlen(suffixes[i]) && !memcmp(s, suffixes[i], len))
			return true;
	return false;
}

size_t symbol_strip(const char *name, const char **start)
{
	size_t len;

	if (!strncmp(name, "__pfx_", 6) && name[6])
		name += 6;
	*start = name;
	len = strlen(name);
	for (;;) {
		const char *dot = memrchr(name, '.', len);

		if (!dot || dot == name ||
		    !is_suffix(dot + 1, (size_t)(name + len - dot - 1)))
			return len;
		len = (size_t)(dot - name);
	}
}

/* "sys_*" -> "__x64_sys_*" is a prefix rule: both sides end in the star. */
struct renames_row {
	uint32_t old_name, new_name; /* without the star */
	bool prefix;
};

static int add_row(struct renames *r, const struct tsv_line *line, struct err *err)
{
	size_t lo, ln;
	bool prefix;

	if (line->n < 3 || !*line->field[0] || !*line->field[1])
		return err_set(err, EINVAL,
			       "%s line %lu: expected old name, new name and kernel version, "
			       "separated by tabs", line->path, line->number);
	lo = strlen(line->field[0]);
	ln = strlen(line->field[1]);
	prefix = line->field[0][lo - 1] == '*';
	if (prefix != (line->field[1][ln - 1] == '*'))
		return err_set(err, EINVAL, "%s line %lu: a star must end both names or none",
			       line->path, line->number);
	GROW(r->row, r->n, r->cap);
	r->row[r->n++] = (struct renames_row){
		strmap_add(&r->names, line->field[0], lo - prefix),
		strmap_add(&r->names, line->field[1], ln - prefix), prefix };
	return 0;
}

static int add_line(void *arg, const struct tsv_line *line, struct err *err)
{
	return add_row(arg, line, err);
}

int renames_load(struct renames *r, const char *path, struct err *err)
{
	int ret;

	memset(r, 0, sizeof(*r));
	strmap_init(&r->names);
	ret = tsv_read(path, "renames.tsv", add_line, r, err);
	if (ret < 0)
		renames_release(r);
	return ret;
}

void renames_release(struct renames *r)
{
	strmap_release(&r->names);
	free(r->row);
	memset(r, 0, sizeof(*r));
}

/* One step: the rule for name, NULL when there is none. */
static const struct renames_row *rule_for(const struct renames *r, const char *name)
{
	uint32_t id = strmap_finds(&r->names, name);

	for (size_t i = 0; i < r->n; i++) {
		const char *old = r->names.name[r->row[i].old_name];

		if (r->row[i].prefix ? !strncmp(name, old, strlen(old)) :
				       r->row[i].old_name == id)
			return &r->row[i];
	}
	return NULL;
}

bool renames_newest(const struct renames *r, const char *name, char *buf, size_t size)
{
	char now[512], next[512];
	bool found = false;

	if (strlen(name) >= sizeof(now))
		return false;
	strcpy(now, name);
	for (int i = 0; i < CHAIN_MAX; i++) {
		const struct renames_row *row = rule_for(r, now);
		const char *rest = "";

		if (!row)
			break;
		if (row->prefix)
			rest = now + strlen(r->names.name[row->old_name]);
		if ((size_t)snprintf(next, sizeof(next), "%s%s",
				     r->names.name[row->new_name], rest) >= sizeof(next))
			break;
		strcpy(now, next);
		found = true;
	}
	if (!found || strlen(now) >= size)
		return false;
	strcpy(buf, now);
	return true;
}
