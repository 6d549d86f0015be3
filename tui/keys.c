// SPDX-License-Identifier: GPL-2.0-or-later
/* The key notation, the dispatch from keys to actions, the manual's table. */
#include "keys.h"

#include <errno.h>
#include <string.h>

#include "schedblame/alloc.h"

#define X(id, group, keys, help) { #id, group, keys, help },
const struct action_info action_info[ACT_NR] = { { "NONE", "", "", "" },
						 ACTION_LIST(X) };
#undef X

#define X(id, name) { name, SKEY_##id },
static const struct {
	const char *name;
	uint32_t key;
} named[] = { { "lt", '<' }, { "Space", ' ' }, SPECIAL_KEY_LIST(X) };
#undef X

#define CONTROL(c) ((uint32_t)(c) & 0x1f)

static bool find_name(const char *s, size_t len, uint32_t *key)
{
	if (len == 3 && !strncmp(s, "C-", 2) && s[2] >= 'a' && s[2] <= 'z') {
		*key = CONTROL(s[2]);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (strlen(named[i].name) == len && !strncmp(named[i].name, s, len)) {
			*key = named[i].key;
			return true;
		}
	}
	return false;
}

int key_parse(const char **s, uint32_t *key, struct err *err)
{
	const unsigned char *p = (const unsigned char *)*s;
	const char *end;
	int more;

	if (!*p)
		return 0;
	if (*p == '<') {
		end = strchr(*s, '>');
		if (!end || !find_name(*s + 1, (size_t)(end - *s - 1), key))
			return err_set(err, EINVAL,
				       "'%.12s' is no key; write <Enter>, <C-d>, or <lt> "
				       "for the character itself",
				       *s);
		*s = end + 1;
		return 1;
	}
	more = *p < 0xc0 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
	*key = more ? *p & (0x3fu >> more) : *p;
	for (p++; more && (*p & 0xc0) == 0x80; more--)
		*key = *key << 6 | (*p++ & 0x3f);
	*s = (const char *)p;
	return 1;
}

void key_format(uint32_t key, struct strbuf *sb)
{
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (named[i].key == key) {
			strbuf_addf(sb, "<%s>", named[i].name);
			return;
		}
	}
	if (key < 32)
		strbuf_addf(sb, "<C-%c>", (char)(key + 'a' - 1));
	else
		strbuf_addch(sb, key < 127 ? (char)key : '?');
}

static bool keys_hold(const char *keys, uint32_t key)
{
	uint32_t k;

	while (*keys) {
		if (*keys == ' ') {
			keys++;
			continue;
		}
		if (key_parse(&keys, &k, NULL) <= 0)
			return false;
		if (k == key)
			return true;
	}
	return false;
}

enum action key_action(uint32_t key)
{
	for (int a = ACT_NONE + 1; a < ACT_NR; a++)
		if (keys_hold(action_info[a].keys, key))
			return (enum action)a;
	return ACT_NONE;
}

/* scdoc takes these for markup. */
static void add_escaped(struct strbuf *sb, const char *s)
{
	for (; *s; s++) {
		if (strchr("\\*_<>#|[]~`.-+&", *s))
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, *s);
	}
}

void keys_table(struct strbuf *sb)
{
	const char *group = "";

	for (int a = ACT_NONE + 1; a < ACT_NR; a++) {
		const struct action_info *i = &action_info[a];

		if (strcmp(group, i->group)) {
			strbuf_addf(sb, "%s## %s\n\n", *group ? "\n" : "", i->group);
			group = i->group;
		}
		strbuf_addch(sb, '*');
		add_escaped(sb, i->keys);
		strbuf_addstr(sb, "*\n\t");
		add_escaped(sb, i->help);
		strbuf_addch(sb, '\n');
		if (a + 1 < ACT_NR && !strcmp(action_info[a + 1].group, group))
			strbuf_addch(sb, '\n');
	}
}
