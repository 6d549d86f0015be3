// SPDX-License-Identifier: GPL-2.0-or-later
/* One sample of a text profile: frames leaf first, user mode folded if asked. */
#include <string.h>

#include "prof.h"

static bool is_user(const struct profile *p, uint32_t symbol)
{
	enum profile_space space = p->symbol[symbol].space;

	return space == SPACE_USER || space == SPACE_GUEST_USER;
}

void prof_chain_add(struct prof_chain *c, uint32_t symbol)
{
	if (c->n < PROFILE_CHAIN_MAX)
		c->id[c->n++] = symbol;
}

/* Everything from the first user frame on becomes the one line "user mode". */
static void fold_user(const struct profile *p, struct prof_chain *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_user(p, c->id[i])) {
			c->id[i] = PROFILE_USER;
			c->n = i + 1;
			return;
		}
}

void prof_chain_flush(struct profile *p, struct prof_chain *c,
		      const struct profile_options *options, uint64_t samples,
		      double weight)
{
	if (c->n && weight > 0) {
		if (!options->user_symbols)
			fold_user(p, c);
		if (options->chains)
			profile_add_chain(p, c->id, c->n, samples, weight);
		else
			profile_add(p, c->id[0], samples, weight);
	}
	c->n = 0;
}

/* Brackets that stand for user memory, not for a kernel module. */
static bool is_user_bracket(const char *s, size_t len)
{
	static const char *const names[] = { "[unknown]", "[vdso]", "[stack]", "[heap]",
					     "[anon]", "[vvar]", "[uprobes]" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len >= strlen(names[i]) - 1 &&
		    !memcmp(s, names[i], strlen(names[i]) - 1))
			return true;
	return false;
}

static bool has_prefix(const char *s, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(s, prefix, strlen(prefix));
}

enum profile_space prof_module(struct prof_word *m, uint64_t addr, bool has_addr)
{
	const char *slash = memrchr(m->s, '/', m->len);
	const char *base = slash ? slash + 1 : m->s;
	size_t len = (size_t)(m->s + m->len - base);

	if (has_prefix(m->s, m->len, "[guest")) {
		m->len = 0;
		return SPACE_GUEST_KERNEL;
	}
	if (has_prefix(m->s, m->len, "[kernel") || has_prefix(base, len, "vmlinu")) {
		m->len = 0;
		return SPACE_KERNEL;
	}
	if (len > 3 && memmem(base, len, ".ko", 3)) {
		m->s = base;
		m->len = (size_t)((const char *)memmem(base, len, ".ko", 3) - base);
		return SPACE_KERNEL;
	}
	if (m->len > 2 && *m->s == '[' && m->s[m->len - 1] == ']' &&
	    !is_user_bracket(m->s, m->len)) {
		m->s++;
		m->len -= 2;
		return SPACE_KERNEL;
	}
	m->s = base;
	m->len = len;
	if (has_prefix(base, len, "[unknown"))
		m->len = 0;
	/* the upper half of 64-bit address spaces is the kernel's */
	return has_addr && addr >> 63 ? SPACE_KERNEL : SPACE_USER;
}

uint32_t prof_symbol(struct profile *p, const struct prof_word *name,
		     const struct prof_word *module, enum profile_space space)
{
	uint32_t n, m;

	if (!name->len || prof_word_is(name, "[unknown]")) {
		if (space == SPACE_USER)
			return profile_symbol(p, "[unknown]", NULL, NULL, SPACE_USER);
		return PROFILE_UNKNOWN;
	}
	n = strmap_add(&p->strings, name->s, name->len);
	m = strmap_add(&p->strings, module->s, module->len);
	return profile_symbol_ids(p, n, m, 0, space);
}
