// SPDX-License-Identifier: GPL-2.0-or-later
/* A place for the profile diff until its data can be read. */
#include "view.h"

static void profile_build(struct view *v, struct page *p)
{
	(void)v;
	page_line(p, STYLE_DIM, "  the profile diff: not in this version yet");
}

const struct view_ops view_profile = {
	.name = "profile",
	.title = "Profile",
	.brief = "Prof",
	.help = "Not in this version yet.",
	.build = profile_build,
};
