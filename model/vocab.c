// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of distances, reasons and CPU modes, from the lists in vocab.h. */
#include "schedblame/vocab.h"

#include <stddef.h>
#include <string.h>

struct word {
	const char *name, *title;
};

#define X(id, name, title) { name, title },
static const struct word distances[] = { DISTANCE_LIST(X) };
static const struct word reasons[] = { REASON_LIST(X) };
static const struct word cpu_modes[] = { CPU_MODE_LIST(X) };
#undef X

static const struct word *get(const struct word *list, int n, int i)
{
	static const struct word none = { "invalid", "invalid" };

	return i >= 0 && i < n ? &list[i] : &none;
}

static int find(const struct word *list, int n, const char *name)
{
	for (int i = 0; name && i < n; i++)
		if (!strcmp(list[i].name, name))
			return i;
	return -1;
}

const char *distance_name(enum distance d)
{
	return get(distances, DIST_NR, (int)d)->name;
}

const char *distance_title(enum distance d)
{
	return get(distances, DIST_NR, (int)d)->title;
}

const char *reason_name(enum reason r)
{
	return get(reasons, REASON_NR, (int)r)->name;
}

const char *reason_title(enum reason r)
{
	return get(reasons, REASON_NR, (int)r)->title;
}

const char *cpu_mode_name(enum cpu_mode m)
{
	return get(cpu_modes, CPU_MODE_NR, (int)m)->name;
}

const char *cpu_mode_title(enum cpu_mode m)
{
	return get(cpu_modes, CPU_MODE_NR, (int)m)->title;
}

int distance_by_name(const char *name)
{
	return find(distances, DIST_NR, name);
}

int reason_by_name(const char *name)
{
	return find(reasons, REASON_NR, name);
}

int cpu_mode_by_name(const char *name)
{
	return find(cpu_modes, CPU_MODE_NR, name);
}
