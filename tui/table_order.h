/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the table widget that its drawing needs from its order. */
#ifndef TUI_TABLE_ORDER_H
#define TUI_TABLE_ORDER_H

#include "table.h"

bool table_has_children(const struct table *t, size_t row);
/* Folds or unfolds the row under the cursor; folding a leaf goes to its parent. */
bool table_fold(struct table *t, bool fold);

#endif
