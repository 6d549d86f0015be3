// SPDX-License-Identifier: GPL-2.0-or-later
/* Header lines of a message: checked, encoded (RFC 2047) and folded at 78. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mail.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"

#define WORD_MAX 70    /* a longer word cannot be folded: encoded words can */
#define PAYLOAD_MAX 50 /* of one encoded word, so that it fits behind any name */
#define ADDRESS_MAX 74 /* " <address>," on a line of its own */
#define VALUE_MAX 4000

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789";

/* A header line growing, folded before the token that does not fit. */
struct fold {
	struct strbuf *out;
	size_t start; /* of the line */
};

static struct fold fold_begin(struct strbuf *out, const char *name)
{
	struct fold f = { out, out->len };

	strbuf_addf(out, "%s:", name);
	return f;
}

static void fold_add(struct fold *f, const char *token)
{
	/* lines with encoded words are shorter by RFC 2047 */
	size_t width = strncmp(token, "=?", 2) ? MAIL_WIDTH : MAIL_WIDTH - 2;

	if (f->out->len - f->start + 1 + strlen(token) > width) {
		strbuf_addch(f->out, '\n');
		f->start = f->out->len;
	}
	strbuf_addf(f->out, " %s", token);
}

static int check(const char *value, const char *option, struct err *err)
{
	struct strbuf clean = STRBUF_INIT;
	int ret = 0;

	if (strpbrk(value, "\r\n"))
		return err_set(err, EINVAL, "%s holds a line break, which would begin another "
			       "header of the mail", option);
	text_add_utf8(&clean, value, strlen(value));
	if (strlen(value) > VALUE_MAX)
		ret = err_set(err, EINVAL, "%s is longer than %d bytes", option, VALUE_MAX);
	else if (strcmp(clean.buf, value))
		ret = err_set(err, EINVAL, "%s holds a control character or is not UTF-8",
			      option);
	strbuf_release(&clean);
	return ret;
}

static bool needs_encoding(const char *s)
{
	if (!text_is_ascii(s) || strstr(s, "=?"))
		return true;
	for (size_t n; *s; s += n + strspn(s + n, " ")) {
		n = strcspn(s, " ");
		if (n > WORD_MAX)
			return true;
	}
	return false;
}

static size_t char_length(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static void add_q(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == ' ')
			strbuf_addch(sb, '_');
		else if (s[i] && strchr(letters, s[i]))
			strbuf_addch(sb, s[i]);
		else
			strbuf_addf(sb, "=%02X", (unsigned char)s[i]);
	}
}

/* Encoded words, none of which splits a character. */
static void add_encoded(struct fold *f, const char *s)
{
	struct strbuf payload = STRBUF_INIT, word = STRBUF_INIT;

	while (*s) {
		size_t before = payload.len, n = char_length(s);

		add_q(&payload, s, n);
		s += n;
		if (payload.len > PAYLOAD_MAX) {
			strbuf_setlen(&payload, before);
			s -= n;
		} else if (*s) {
			continue;
		}
		strbuf_reset(&word);
		strbuf_addf(&word, "=?UTF-8?Q?%s?=", payload.buf);
		fold_add(f, word.buf);
		strbuf_reset(&payload);
	}
	strbuf_release(&payload);
	strbuf_release(&word);
}

static void add_words(struct fold *f, const char *s)
{
	while (*(s += strspn(s, " "))) {
		size_t n = strcspn(s, " ");
		char *word = xstrndup(s, n);

		fold_add(f, word);
		free(word);
		s += n;
	}
}

int mail_add_text(struct strbuf *out, const char *name, const char *value,
		  const char *option, struct err *err)
{
	struct fold f;
	int ret = check(value, option, err);

	if (ret < 0)
		return ret;
	if (!value[strspn(value, " ")])
		return err_set(err, EINVAL, "%s is empty", option);
	f = fold_begin(out, name);
	if (needs_encoding(value))
		add_encoded(&f, value);
	else
		add_words(&f, value);
	strbuf_addch(out, '\n');
	return 0;
}

/* ---- addresses ---- */

struct address {
	char *name; /* "": none */
	char *addr;
};

static void address_release(struct address *a)
{
	free(a->name);
	free(a->addr);
}

/* Bytes up to the comma that ends this address. */
static size_t address_length(const char *s)
{
	bool quoted = false, angle = false;
	size_t i;

	for (i = 0; s[i]; i++) {
		if (s[i] == '\\' && quoted && s[i + 1])
			i++;
		else if (s[i] == '"')
			quoted = !quoted;
		else if (!quoted && s[i] == '<')
			angle = true;
		else if (!quoted && s[i] == '>')
			angle = false;
		else if (!quoted && !angle && s[i] == ',')
			break;
	}
	return i;
}

static char *trimmed(const char *s, size_t len)
{
	while (len && *s == ' ')
		s++, len--;
	while (len && s[len - 1] == ' ')
		len--;
	return xstrndup(s, len);
}

/* "\"Doe, Jane\"" -> "Doe, Jane" */
static void unquote(char *s)
{
	size_t len = strlen(s), to = 0;

	if (len < 2 || *s != '"' || s[len - 1] != '"')
		return;
	for (size_t i = 1; i < len - 1; i++) {
		if (s[i] == '\\' && i + 1 < len - 1)
			i++;
		s[to++] = s[i];
	}
	s[to] = '\0';
}

static bool address_valid(const char *a)
{
	const char *at = strchr(a, '@');

	return text_is_ascii(a) && at && at != a && at[1] && !strchr(at + 1, '@') &&
	       strlen(a) <= ADDRESS_MAX && !strpbrk(a, " <>()[],;:\\\"") && *a != '-';
}

static int address_parse(struct address *a, const char *s, size_t len, const char *option,
			 struct err *err)
{
	char *text = trimmed(s, len), *open = strrchr(text, '<');
	size_t n = strlen(text);
	int ret = 0;

	if (open && text[n - 1] == '>') {
		a->addr = xstrndup(open + 1, (size_t)(text + n - 1 - (open + 1)));
		a->name = trimmed(text, (size_t)(open - text));
		unquote(a->name);
	} else {
		a->addr = xstrdup(text);
		a->name = xstrdup("");
	}
	if (!address_valid(a->addr))
		ret = err_set(err, EINVAL, "%s: '%s' is no mail address; wanted are ones like "
			      "linux-kernel@vger.kernel.org or 'Jane Doe <jd@example.org>', with "
			      "commas between", option, text);
	free(text);
	return ret;
}

/* A name: as it is, as a quoted string, or as encoded words. */
static void add_name(struct fold *f, const char *name)
{
	struct strbuf quoted = STRBUF_INIT;

	if (needs_encoding(name)) {
		add_encoded(f, name);
	} else if (!name[strcspn(name, "()<>[]:;@\\,.\"")]) {
		add_words(f, name);
	} else {
		strbuf_addch(&quoted, '"');
		for (const char *p = name; *p; p++) {
			if (*p == '"' || *p == '\\')
				strbuf_addch(&quoted, '\\');
			strbuf_addch(&quoted, *p);
		}
		strbuf_addch(&quoted, '"');
		if (quoted.len > WORD_MAX)
			add_encoded(f, name);
		else
			fold_add(f, quoted.buf);
	}
	strbuf_release(&quoted);
}

int mail_add_addresses(struct strbuf *out, const char *name, const char *list,
		       const char *option, struct err *err)
{
	struct fold f;
	int ret = check(list, option, err);

	if (ret < 0)
		return ret;
	f = fold_begin(out, name);
	for (size_t n; !ret; list += n + 1) {
		struct address a = { NULL, NULL };
		char *token;

		n = address_length(list);
		ret = address_parse(&a, list, n, option, err);
		if (!ret) {
			token = xasprintf(*a.name ? "<%s>%s" : "%s%s", a.addr,
					  list[n] ? "," : "");
			if (*a.name)
				add_name(&f, a.name);
			fold_add(&f, token);
			free(token);
		}
		address_release(&a);
		if (!list[n])
			break;
	}
	strbuf_addch(out, '\n');
	return ret;
}

char *mail_first_address(const char *list)
{
	struct address a = { NULL, NULL };
	char *addr;

	address_parse(&a, list, address_length(list), "", NULL);
	addr = a.addr;
	free(a.name);
	return addr;
}

int mail_add_id(struct strbuf *out, const char *name, const char *id, const char *option,
		struct err *err)
{
	size_t len = strlen(id);
	bool bare = *id != '<';
	struct fold f;
	char *token;
	int ret = check(id, option, err);

	if (ret < 0)
		return ret;
	if (!text_is_ascii(id) || strpbrk(id, " ,;\"") || !strchr(id, '@') ||
	    len > MAIL_WIDTH - 3 || strcspn(id + !bare, "<>") != len - (bare ? 0 : 2) ||
	    (!bare && id[len - 1] != '>'))
		return err_set(err, EINVAL, "%s: '%s' is no message id; it looks like "
			       "<20220310005228.11737-1-yu.c.chen@example.com>", option, id);
	token = xasprintf(bare ? "<%s>" : "%s", id);
	f = fold_begin(out, name);
	fold_add(&f, token);
	strbuf_addch(out, '\n');
	free(token);
	return 0;
}
