// SPDX-License-Identifier: GPL-2.0-or-later
/* A message put together, and its options. */
#include "mail.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/strmap.h"
#include "schedblame/text.h"

#define INTRO_MAX (1 << 20)

enum { OPT_FROM = 0x200, OPT_TO, OPT_CC, OPT_SUBJECT, OPT_REPLY, OPT_INTRO };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The mail (--format mbox):", 50 },
	{ "to", OPT_TO, "ADDRESS", 0, "To whom, with commas between; repeatable", 50 },
	{ "cc", OPT_CC, "ADDRESS", 0, "Who gets a copy; repeatable", 50 },
	{ "subject", OPT_SUBJECT, "TEXT", 0, "Subject; by default the verdict", 50 },
	{ "in-reply-to", OPT_REPLY, "ID", 0, "Message id of the mail it answers", 50 },
	{ "from", OPT_FROM, "ADDRESS", 0, "Sender; by default $EMAIL", 50 },
	{ "intro", OPT_INTRO, "FILE", 0, "Text put above the report", 50 },
	{ 0 },
};

static void add_to_list(struct strbuf *list, const char *arg)
{
	if (list->len)
		strbuf_addstr(list, ", ");
	strbuf_addstr(list, arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct mail_options *o = state->input;

	switch (key) {
	case OPT_FROM:
		o->from = arg;
		return 0;
	case OPT_TO:
		add_to_list(&o->to, arg);
		return 0;
	case OPT_CC:
		add_to_list(&o->cc, arg);
		return 0;
	case OPT_SUBJECT:
		o->subject = arg;
		return 0;
	case OPT_REPLY:
		o->in_reply_to = arg;
		return 0;
	case OPT_INTRO:
		o->intro = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp mail_argp = { options, parse_option };

void mail_options_init(struct mail_options *o)
{
	memset(o, 0, sizeof(*o));
	strbuf_init(&o->to);
	strbuf_init(&o->cc);
}

void mail_options_release(struct mail_options *o)
{
	strbuf_release(&o->to);
	strbuf_release(&o->cc);
}

bool mail_options_given(const struct mail_options *o)
{
	return o->from || o->to.len || o->cc.len || o->subject || o->in_reply_to || o->intro;
}

/* $EMAIL, else login@host: what a mail program without a configuration says. */
static char *default_from(void)
{
	const char *email = getenv("EMAIL");
	const struct passwd *pw = getpwuid(getuid());
	struct utsname u;

	if (email && *email)
		return xstrdup(email);
	uname(&u);
	return xasprintf("%s@%s", pw ? pw->pw_name : "nobody", u.nodename);
}

/* $SOURCE_DATE_EPOCH stands for now, as for builds that can be repeated. */
static time_t now(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");

	return fixed && *fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
}

/* Names of RFC 5322, whatever the locale. */
static void add_date(struct strbuf *out, time_t t)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	struct tm tm = { 0 };
	long zone;

	localtime_r(&t, &tm);
	zone = labs(tm.tm_gmtoff) / 60;
	strbuf_addf(out, "Date: %s, %02d %s %04d %02d:%02d:%02d %c%02ld%02ld\n",
		    days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900,
		    tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_gmtoff < 0 ? '-' : '+', zone / 60,
		    zone % 60);
}

/* The line that begins a message in a mailbox: sender and time, in UTC. */
static void add_from_line(struct strbuf *out, const char *addr, time_t t)
{
	struct tm tm = { 0 };
	char when[64];

	gmtime_r(&t, &tm);
	strbuf_addf(out, "From %s %s", addr, asctime_r(&tm, when));
}

/* Unique by time and content; the same report gives the same id. */
static void add_message_id(struct strbuf *out, const char *from, const char *body, time_t t)
{
	char *addr = mail_first_address(from), *at = strrchr(addr, '@');
	const char *host = at && strlen(at) < 40 ? at + 1 : "schedblame.invalid";
	struct tm tm = { 0 };

	gmtime_r(&t, &tm);
	strbuf_addf(out, "Message-ID: <%04d%02d%02d%02d%02d%02d.%08x.schedblame@%s>\n",
		    tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		    tm.tm_sec, hash_bytes(body, strlen(body)) ^ hash_bytes(out->buf, out->len),
		    host);
	free(addr);
}

static int add_headers(struct strbuf *out, const struct mail_options *o, const char *from,
		       const char *subject, const char *body, struct err *err)
{
	bool seven = mail_encoding_of(body) == MAIL_7BIT;
	time_t t = now();
	int ret = mail_add_addresses(out, "From", from, "--from", err);

	if (!ret && o->to.len)
		ret = mail_add_addresses(out, "To", o->to.buf, "--to", err);
	if (!ret && o->cc.len)
		ret = mail_add_addresses(out, "Cc", o->cc.buf, "--cc", err);
	if (!ret)
		ret = mail_add_text(out, "Subject", o->subject ? o->subject : subject,
				    "--subject", err);
	if (!ret && o->in_reply_to)
		ret = mail_add_id(out, "In-Reply-To", o->in_reply_to, "--in-reply-to", err);
	if (!ret && o->in_reply_to)
		ret = mail_add_id(out, "References", o->in_reply_to, "--in-reply-to", err);
	if (ret < 0)
		return ret;
	add_date(out, t);
	add_message_id(out, from, body, t);
	strbuf_addf(out, "MIME-Version: 1.0\nContent-Type: text/plain; charset=%s\n"
		    "Content-Transfer-Encoding: %s\nX-Mailer: schedblame %s\n",
		    seven ? "us-ascii" : "utf-8", seven ? "7bit" : "quoted-printable",
		    SCHEDBLAME_VERSION);
	return 0;
}

static bool is_clean(const char *s, size_t len)
{
	struct strbuf safe = STRBUF_INIT;
	bool clean;

	text_add_utf8(&safe, s, len);
	clean = safe.len == len && !memcmp(safe.buf, s, len);
	strbuf_release(&safe);
	return clean;
}

/* The file's text with Unix line ends and an empty line behind it. */
static int add_intro(struct strbuf *out, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(&text, path, INTRO_MAX, err);
	const char *p = text.buf;

	while (!ret && p < text.buf + text.len) {
		size_t n = strcspn(p, "\n\r\t");

		if (p[n] == '\0' && p + n < text.buf + text.len)
			n++; /* a NUL inside */
		if (!is_clean(p, n))
			ret = err_set(err, EINVAL, "--intro %s holds control characters or is "
				      "not UTF-8", path);
		strbuf_add(out, p, n);
		if (p[n] && p[n] != '\r')
			strbuf_addch(out, p[n]);
		p += n + 1;
	}
	strbuf_rtrim(out);
	if (out->len)
		strbuf_addstr(out, "\n\n");
	strbuf_release(&text);
	return ret;
}

int mail_write(struct strbuf *out, const struct mail_options *o, const char *subject,
	       const char *report, struct err *err)
{
	char *from = o->from ? xstrdup(o->from) : default_from(), *addr;
	struct strbuf body = STRBUF_INIT, head = STRBUF_INIT;
	int ret = o->intro ? add_intro(&body, o->intro, err) : 0;

	strbuf_addstr(&body, report);
	if (!ret)
		ret = add_headers(&head, o, from, subject, body.buf, err);
	if (!ret) {
		addr = mail_first_address(from);
		add_from_line(out, addr, now());
		free(addr);
		strbuf_addf(out, "%s\n", head.buf);
		mail_add_body(out, body.buf, mail_encoding_of(body.buf));
		strbuf_addch(out, '\n');
	}
	strbuf_release(&body);
	strbuf_release(&head);
	free(from);
	return ret;
}
