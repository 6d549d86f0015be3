/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Foreign text made safe, and widths. */
#ifndef SCHEDBLAME_TEXT_H
#define SCHEDBLAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/strbuf.h"

/*
 * Appends at most len bytes of foreign text with every control character and
 * every byte outside ASCII replaced by '?': what a terminal or mail may see.
 */
void text_add_ascii(struct strbuf *sb, const char *s, size_t len);
/* The same, but well-formed printable UTF-8 stays. */
void text_add_utf8(struct strbuf *sb, const char *s, size_t len);
/* Appends one argument as a POSIX shell would want it, quoted where needed. Not
 * made safe for a terminal: the caller does that with the whole line. */
void text_add_shell(struct strbuf *sb, const char *arg);
/* Shell pattern (* ? [a-z] [!x]) against the whole of s, byte by byte: many times
 * faster than fnmatch(), which converts both to wide characters in UTF-8 locales. */
bool text_glob(const char *pattern, const char *s);
bool text_is_ascii(const char *s);
/* Appends paragraphs wrapped at width columns, each line after the first
 * indented by indent blanks. Words longer than a line stand alone. */
void text_wrap(struct strbuf *sb, const char *s, int width, int indent);
/* Appends a line of s padded (right: blanks in front) or cut to width. */
void text_pad(struct strbuf *sb, const char *s, int width, bool right);

#endif
