/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `schedblame migcost` says: text of at most 78 columns, and the file. */
#ifndef COLLECT_MIGCOST_PRINT_H
#define COLLECT_MIGCOST_PRINT_H

#include "migcost.h"
#include "schedblame/strbuf.h"

void migcost_text(struct strbuf *sb, const struct migcost_result *r,
		  const struct topology *t);
/* The file's object, with what was measured where. A new reference. */
json_t *migcost_report(const struct migcost_result *r, const struct topology *t);

#endif
