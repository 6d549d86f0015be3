// SPDX-License-Identifier: GPL-2.0-or-later
/* A place for the timeline until its data can be read. */
#include "view.h"

static void timeline_build(struct view *v, struct page *p)
{
	(void)v;
	page_line(p, STYLE_DIM, "  the timeline: not in this version yet");
}

const struct view_ops view_timeline = {
	.name = "timeline",
	.title = "Timeline",
	.brief = "Time",
	.help = "Not in this version yet.",
	.build = timeline_build,
};
