// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of mechanisms, in the order in which they claim ledger rows: the
 * scheduler's own decisions first, what merely grew after them. */
#include "mechanisms.h"

#include <stddef.h>

#define X(name) &mechanism_##name,
const struct mechanism *const mechanisms[] = { MECHANISM_LIST(X) NULL };
#undef X
