#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_html.py FILE TEXT...: FILE must be one well-formed page that stands alone
(no script, nothing loaded, no handler), whose graphics have titles, whose ids are
unique and whose links have targets; every TEXT must be in it as text."""
import html.parser
import re
import sys

VOID = {"meta", "link", "br", "img", "hr"}
SVG_VOID = {"rect", "line", "circle", "path"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.ids, self.links, self.text = [], [], [], []
        self.titled = []

    def fail(self, what):
        sys.exit("%s:%d: %s" % (sys.argv[1], self.getpos()[0], what))

    def attributes(self, tag, attrs):
        for name, value in attrs:
            value = value or ""
            if name.startswith("on"):
                self.fail("a handler: %s" % name)
            if name in ("src", "srcset", "action", "data", "xlink:href"):
                self.fail("%s loads %s" % (tag, value))
            if name == "href":
                if value.startswith("#"):
                    self.links.append(value[1:])
                elif value != "data:,":
                    self.fail("a link out: %s" % value)
            if name == "id":
                self.ids.append(value)
            if re.search(r"url\((?!#)", value):
                self.fail("%s loads %s" % (tag, value))

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "iframe", "object", "embed", "form", "img", "foreignobject"):
            self.fail("<%s>" % tag)
        self.attributes(tag, attrs)
        if tag == "title" and self.stack and self.stack[-1] == "svg":
            self.titled[-1] = True
        if tag == "svg":
            attrs = dict(attrs)
            self.titled.append("role" not in attrs or "aria-label" in attrs)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag not in SVG_VOID:
            self.fail("<%s/> closes itself" % tag)
        self.attributes(tag, attrs)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.fail("</%s> closes nothing" % tag)
        if tag == "svg" and not self.titled.pop():
            self.fail("a graphic without a title")

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "style" and re.search(r"@import|url\(", data):
            self.fail("the style loads something")
        self.text.append(data)


page = Page()
with open(sys.argv[1], encoding="utf-8") as f:
    source = f.read()
page.feed(source)
page.close()
assert source.startswith("<!DOCTYPE html>\n")
assert not page.stack, page.stack
assert len(page.ids) == len(set(page.ids)), "an id twice"
assert set(page.links) <= set(page.ids), set(page.links) - set(page.ids)
text = re.sub(r"\s+", " ", "".join(page.text))
for want in sys.argv[2:]:
    assert want in text, "'%s' is not in %s" % (want, sys.argv[1])
print("%s is well-formed" % sys.argv[1])
