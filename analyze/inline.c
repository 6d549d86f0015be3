// SPDX-License-Identifier: GPL-2.0-or-later
/* Inlined functions at an address, by libdw. */
#include "schedblame/inline.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "dwarf_scopes.h"
#include "schedblame/alloc.h"

#define DEPTH_MAX 64

struct inliner {
	Dwarf *dwarf;
	int fd;
	Dwarf_Die unit; /* of the last address */
	bool known;
};

int inliner_open(struct inliner **in, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf;

	*in = NULL;
	if (fd < 0)
		return err_errno(err, errno, "cannot open %s", path);
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (!dwarf) {
		close(fd);
		return err_set(err, ENODATA,
			       "%s has no debug information (%s); the vmlinux of a -dbg package has",
			       path, dwarf_errmsg(-1));
	}
	*in = xcalloc(1, sizeof(**in));
	(*in)->dwarf = dwarf;
	(*in)->fd = fd;
	return 0;
}

void inliner_close(struct inliner *in)
{
	if (!in)
		return;
	dwarf_end(in->dwarf);
	close(in->fd);
	free(in);
}

/* Scopes around the innermost one, as they lie in the code: dwarf_getscopes()
 * itself goes on with where an inlined function was defined. */
static int scopes_at(Dwarf_Die *unit, uint64_t addr, Dwarf_Die **scopes)
{
	Dwarf_Die *inner = NULL;
	int n;

	if (dwarf_getscopes(unit, addr, &inner) <= 0)
		return 0;
	n = dwarf_getscopes_die(&inner[0], scopes);
	free(inner);
	return n;
}

bool dwarf_unit_at(Dwarf *dwarf, uint64_t addr, Dwarf_Die *unit, bool *known)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;

	if (*known && dwarf_haspc(unit, addr) == 1)
		return true;
	*known = dwarf_addrdie(dwarf, addr, unit) != NULL;
	/* clang writes no .debug_aranges */
	while (!*known && dwarf_get_units(dwarf, cu, &cu, NULL, &type, unit, NULL) == 0)
		*known = dwarf_haspc(unit, addr) == 1;
	return *known;
}

size_t dwarf_inlined_at(Dwarf_Die *unit, uint64_t addr, const char **names, size_t max)
{
	const char *found[DEPTH_MAX];
	Dwarf_Die *scopes = NULL;
	int n = scopes_at(unit, addr, &scopes);
	size_t depth = 0, given = 0;

	for (int i = 0; i < n && depth < DEPTH_MAX; i++) {
		const char *name = dwarf_diename(&scopes[i]);

		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine && name)
			found[depth++] = name;
	}
	if (n > 0)
		free(scopes);
	while (depth && given < max)
		names[given++] = found[--depth];
	return given;
}

size_t inliner_names(struct inliner *in, uint64_t addr, const char **names, size_t max)
{
	return dwarf_unit_at(in->dwarf, addr, &in->unit, &in->known) ?
		       dwarf_inlined_at(&in->unit, addr, names, max) : 0;
}

static size_t expand(void *data, struct strmap *strings, uint32_t module,
		     const char *symbol, uint64_t addr, uint32_t *names, uint32_t *files,
		     size_t max)
{
	const char *found[DEPTH_MAX];
	size_t n;

	if (*strings->name[module])
		return 0;
	n = inliner_names(data, addr, found, max < DEPTH_MAX ? max : DEPTH_MAX);
	for (size_t i = 0; i < n; i++) {
		names[i] = strmap_adds(strings, found[i]);
		files[i] = 0; /* one function, one row: files would part it */
	}
	return n;
}

struct profile_inliner inliner_hook(struct inliner *in)
{
	return (struct profile_inliner){ expand, in };
}
