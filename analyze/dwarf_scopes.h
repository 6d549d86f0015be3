/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to analyze: what DWARF says about an address, by libdw. */
#ifndef ANALYZE_DWARF_SCOPES_H
#define ANALYZE_DWARF_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The compilation unit that holds addr; *unit may hold the last one found, which
 * is tried first when *known. */
bool dwarf_unit_at(Dwarf *dwarf, uint64_t addr, Dwarf_Die *unit, bool *known);
/* Names of functions inlined at addr, outermost first, at most max; borrowed. */
size_t dwarf_inlined_at(Dwarf_Die *unit, uint64_t addr, const char **names, size_t max);

#endif
