// SPDX-License-Identifier: GPL-2.0-or-later
/* Help: the view one came from, the keys from their list, the views. */
#include <string.h>

#include "app.h"
#include "view.h"

struct help {
	const struct view_ops *about; /* the view help was asked in */
};

static void help_open(struct view *v, const void *arg)
{
	((struct help *)v->model)->about = arg;
}

static void add_key(struct page *p, const struct action_info *i)
{
	struct area a = page_rows(p, 1);

	area_put(&a, 2, 0, STYLE_KEY, i->keys);
	area_put(&a, 24, 0, STYLE_NORMAL, i->help);
}

static void add_keys(struct page *p)
{
	const char *group = "";

	for (int a = ACT_NONE + 1; a < ACT_NR; a++) {
		const struct action_info *i = &action_info[a];

		if (strcmp(group, i->group))
			page_heading(p, "%s", i->group);
		group = i->group;
		add_key(p, i);
	}
}

static void help_build(struct view *v, struct page *p)
{
	const struct view_ops *about = ((struct help *)v->model)->about;

	if (about) {
		page_heading(p, "%s", about->title);
		page_paragraph(p, STYLE_NORMAL, 2, about->help);
	}
	add_keys(p);
	page_heading(p, "Views");
	for (int i = 0; i < APP_TABS; i++) {
		const struct view_ops *ops = app_tab_ops(i);

		page_line(p, STYLE_BOLD, "  %d  %s", (i + 1) % 10, ops->title);
		page_paragraph(p, STYLE_NORMAL, 5, ops->help);
	}
}

const struct view_ops view_help = {
	.name = "help",
	.title = "Help",
	.brief = "Help",
	.help = "All keys and all views.",
	.hint = "j k scroll  / search",
	.size = sizeof(struct help),
	.open = help_open,
	.build = help_build,
};
