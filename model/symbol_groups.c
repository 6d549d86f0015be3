// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbol groups from a table of shell patterns. Exact names are found by hash;
 * patterns are tried in order once per distinct name. */
#include "schedblame/symbol_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/strmap.h"
#include "schedblame/text.h"

#define FILE_MAX (1 << 20)

struct rule {
	char *pattern;
	size_t group;
};

struct symbol_groups {
	struct strmap names; /* of groups */
	struct rule *rule;
	size_t nr_rules, cap_rules;
	struct strmap seen; /* symbols asked for */
	size_t *seen_group; /* by id in seen */
	size_t cap_seen;
	size_t other;
};

static int bad_line(const char *path, size_t line, struct err *err)
{
	return err_set(err, EINVAL,
		       "%s, line %zu: expected GROUP, a tab, and a pattern of function names",
		       path, line);
}

static int parse_line(struct symbol_groups *g, char *line, const char *path, size_t nr,
		      struct err *err)
{
	char *tab = strchr(line, '\t'), *pattern;

	if (!*line || *line == '#')
		return 0;
	if (!tab || tab == line)
		return bad_line(path, nr, err);
	*tab = '\0';
	pattern = tab + strspn(tab + 1, "\t ") + 1;
	if (!*pattern || strpbrk(pattern, "\t "))
		return bad_line(path, nr, err);
	GROW(g->rule, g->nr_rules, g->cap_rules);
	g->rule[g->nr_rules].pattern = xstrdup(pattern);
	g->rule[g->nr_rules++].group = strmap_adds(&g->names, line);
	return 0;
}

int symbol_groups_load(struct symbol_groups **groups, const char *path, struct err *err)
{
	char *own = path ? xstrdup(path) : path_join(data_dir(), "symbol-groups.tsv");
	struct symbol_groups *g = xcalloc(1, sizeof(*g));
	struct strbuf sb = STRBUF_INIT;
	int ret = file_read(&sb, own, FILE_MAX, err);
	char *rest = sb.buf, *line;
	size_t nr = 0;

	strmap_init(&g->names);
	strmap_init(&g->seen);
	while (!ret && (line = strsep(&rest, "\n")))
		ret = parse_line(g, line, own, ++nr, err);
	g->other = strmap_adds(&g->names, "other");
	strbuf_release(&sb);
	free(own);
	if (ret) {
		symbol_groups_free(g);
		g = NULL;
	}
	*groups = g;
	return ret;
}

void symbol_groups_free(struct symbol_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->nr_rules; i++)
		free(g->rule[i].pattern);
	free(g->rule);
	free(g->seen_group);
	strmap_release(&g->names);
	strmap_release(&g->seen);
	free(g);
}

size_t symbol_groups_count(const struct symbol_groups *g)
{
	return g->names.n;
}

const char *symbol_groups_name(const struct symbol_groups *g, size_t group)
{
	return group < g->names.n ? g->names.name[group] : "other";
}

static size_t match(const struct symbol_groups *g, const char *symbol)
{
	/* suffixes .isra.0, .constprop.0, .part.0, .cold, .llvm.123 begin at the first
	 * dot; .text.lock.file_table of old kernels is no suffix */
	size_t len = *symbol == '.' ? strlen(symbol) : strcspn(symbol, ".");
	char *name = xstrndup(symbol, len);
	size_t group = g->other;

	for (size_t i = 0; i < g->nr_rules; i++) {
		if (!text_glob(g->rule[i].pattern, name))
			continue;
		group = g->rule[i].group;
		break;
	}
	free(name);
	return group;
}

size_t symbol_groups_of(struct symbol_groups *g, const char *symbol)
{
	uint32_t id = strmap_finds(&g->seen, symbol);

	if (id != STRMAP_NONE)
		return g->seen_group[id];
	id = strmap_adds(&g->seen, symbol);
	if (id >= g->cap_seen) {
		g->cap_seen = g->cap_seen ? g->cap_seen * 2 : 256;
		g->seen_group = xrealloc(g->seen_group, g->cap_seen,
					 sizeof(*g->seen_group));
	}
	g->seen_group[id] = match(g, symbol);
	return g->seen_group[id];
}
