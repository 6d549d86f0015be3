// SPDX-License-Identifier: GPL-2.0-or-later
/* A place for tables of tasks until its data can be read. */
#include "view.h"

static void tasks_build(struct view *v, struct page *p)
{
	(void)v;
	page_line(p, STYLE_DIM, "  tables of tasks: not in this version yet");
}

const struct view_ops view_tasks = {
	.name = "tasks",
	.title = "Tasks",
	.brief = "Tasks",
	.help = "Not in this version yet.",
	.build = tasks_build,
};
