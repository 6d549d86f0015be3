// SPDX-License-Identifier: GPL-2.0-or-later
/* The page: head, contents, sections; and what all sections write with. */
#include "html.h"

#include <math.h>
#include <string.h>

#include "schedblame/text.h"

void html_addn(struct strbuf *out, const char *s, size_t len)
{
	struct strbuf safe = STRBUF_INIT;

	text_add_utf8(&safe, s, len);
	for (const char *p = safe.buf; *p; p++) {
		if (*p == '<')
			strbuf_addstr(out, "&lt;");
		else if (*p == '>')
			strbuf_addstr(out, "&gt;");
		else if (*p == '&')
			strbuf_addstr(out, "&amp;");
		else if (*p == '"')
			strbuf_addstr(out, "&quot;");
		else if (*p == '\'')
			strbuf_addstr(out, "&#39;");
		else
			strbuf_addch(out, *p);
	}
	strbuf_release(&safe);
}

void html_add(struct strbuf *out, const char *s)
{
	html_addn(out, s, strlen(s));
}

void html_notes(struct strbuf *out, const struct notes *notes)
{
	if (!notes->n)
		return;
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < notes->n; i++) {
		strbuf_addstr(out, "<li>");
		html_add(out, notes->v[i]);
		strbuf_addstr(out, "</li>\n");
	}
	strbuf_addstr(out, "</ul>\n");
}

void html_set(struct strbuf *out, const struct report *r, size_t set)
{
	strbuf_addf(out, "<span class=\"key s%zu\"></span>", set % HTML_COLOURS);
	html_add(out, r->name[set]);
}

void html_number(struct strbuf *out, double v, const char *unit)
{
	report_add_number(out, v, unit, 0);
}

void html_std(struct strbuf *out, const struct compare_cell *cell)
{
	double std = compare_std_percent(cell);

	if (cell->n > 1 && isfinite(std))
		strbuf_addf(out, " <small>(%.1f)</small>", std < 999.9 ? std : 999.9);
}

void html_change(struct strbuf *out, const struct compare_row *row, size_t set)
{
	enum verdict verdict = row->cell[set].verdict;
	struct strbuf text = STRBUF_INIT;

	report_add_change(&text, row, set, 0);
	strbuf_rtrim(&text);
	strbuf_addf(out, "<td class=\"n%s\">", verdict == VERDICT_BETTER ? " better" :
		    verdict == VERDICT_WORSE ? " worse" : "");
	html_add(out, text.buf);
	strbuf_addstr(out, "</td>");
	strbuf_release(&text);
}

void html_table(struct strbuf *out, const char *caption)
{
	/* can be scrolled by keyboard, too */
	strbuf_addstr(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
	html_add(out, caption);
	strbuf_addstr(out, "\"><table><caption>");
	html_add(out, caption);
	strbuf_addstr(out, "</caption>\n");
}

void html_table_end(struct strbuf *out)
{
	strbuf_addstr(out, "</table></div>\n");
}

void html_set_heads(struct strbuf *out, const struct report *r, size_t from, int span)
{
	for (size_t i = from; i < r->nr_sets; i++) {
		strbuf_addf(out, "<th scope=\"col\" colspan=\"%d\">", i ? span : 1);
		html_set(out, r, i);
		strbuf_addstr(out, "</th>");
	}
}

void html_pair(struct strbuf *out, const char *key, int key_width, const char *value)
{
	(void)key_width;
	strbuf_addstr(out, "<dt>");
	html_add(out, key);
	strbuf_addstr(out, "</dt><dd>");
	html_add(out, value);
	strbuf_addstr(out, "</dd>\n");
}

static void add_title(const struct report *r, struct strbuf *out)
{
	struct strbuf title = STRBUF_INIT;

	report_headline(r, &title);
	html_add(out, title.buf);
	strbuf_release(&title);
}

static void add_head(const struct report *r, struct strbuf *out)
{
	strbuf_addstr(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		      "<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, "
		      "initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n"
		      /* whatever a name might smuggle in: nothing runs, nothing loads */
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		      "'none'; style-src 'unsafe-inline'; img-src data:\">\n"
		      "<meta name=\"generator\" content=\"schedblame " SCHEDBLAME_VERSION "\">\n"
		      "<link rel=\"icon\" href=\"data:,\">\n<title>");
	add_title(r, out);
	strbuf_addf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>",
		    html_style);
	add_title(r, out);
	strbuf_addstr(out, "</h1>\n<p class=\"legend\">");
	for (size_t i = 0; i < r->nr_sets; i++) {
		strbuf_addstr(out, "<span>");
		html_set(out, r, i);
		strbuf_addf(out, "%s</span> ", i || r->nr_sets == 1 || !strcmp(r->name[0], "base") ?
			    "" : " (base)");
	}
	strbuf_addstr(out, "</p>\n</header>\n");
}

static const char *title_of(const struct report_section *s)
{
	return s->title ? s->title : s->name;
}

static void add_body(const struct report *r, const struct report_section *s,
		     struct strbuf *body)
{
	struct strbuf text = STRBUF_INIT;

	if (s->html) {
		s->html(r, body);
		return;
	}
	s->text(r, &text);
	if (text.len) {
		strbuf_addstr(body, "<pre tabindex=\"0\">");
		for (const char *p = text.buf; *p; p += strcspn(p, "\n") + 1) {
			html_addn(body, p, strcspn(p, "\n"));
			strbuf_addch(body, '\n');
		}
		strbuf_addstr(body, "</pre>\n");
	}
	strbuf_release(&text);
}

void html_page(const struct report *r, const bool *selected, struct strbuf *out)
{
	struct strbuf nav = STRBUF_INIT, main = STRBUF_INIT;

	for (size_t i = 0; report_sections[i].name; i++) {
		const struct report_section *s = &report_sections[i];
		struct strbuf body = STRBUF_INIT;

		if (selected[i])
			add_body(r, s, &body);
		if (body.len) {
			strbuf_addf(&nav, "<a href=\"#%s\">%s</a>\n", s->name, title_of(s));
			strbuf_addf(&main, "<section id=\"%s\">\n<h2>%s</h2>\n%s</section>\n",
				    s->name, title_of(s), body.buf);
		}
		strbuf_release(&body);
	}
	add_head(r, out);
	strbuf_addf(out, "<nav aria-label=\"Sections\">\n%s</nav>\n<main>\n%s</main>\n"
		    "<footer>schedblame " SCHEDBLAME_VERSION "</footer>\n</body>\n</html>\n",
		    nav.buf, main.buf);
	strbuf_release(&nav);
	strbuf_release(&main);
}
