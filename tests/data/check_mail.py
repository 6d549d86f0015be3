#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_mail.py MBOX BODY|SUBJECT: MBOX must hold one message that Python's own parsers
find whole and well-formed, and whose text is that of the file BODY, or whose subject is
SUBJECT."""
import email.policy
import email.utils
import mailbox
import re
import sys

with open(sys.argv[1], "rb") as f:
    raw = f.read()
box = mailbox.mbox(sys.argv[1], create=False)
assert len(box) == 1, "%d messages" % len(box)
assert re.match(rb"From \S+@\S+ \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\n", raw), "From_ line"
message = email.message_from_bytes(raw.split(b"\n", 1)[1], policy=email.policy.default)

defects = list(message.defects) + [d for h in message.values() for d in h.defects]
assert not defects, defects
assert raw.isascii() and b"\r" not in raw
assert all(len(line) <= 78 for line in raw.split(b"\n")), "a line is too long"
assert not message.is_multipart() and not list(message.iter_attachments())
assert message.get_content_type() == "text/plain"
if message["Subject"] == sys.argv[2]:
    assert len(message.get_all("Bcc", [])) == 0 and len(message.get_all("Subject")) == 1
    print("subject:", message["Subject"].encode("ascii", "backslashreplace").decode())
    sys.exit()
for name in "From To Cc Subject Date Message-ID In-Reply-To References MIME-Version".split():
    assert len(message.get_all(name, [])) == 1, name
assert message["From"].addresses[0].display_name == "Jörg"
assert [a.addr_spec for a in message["To"].addresses] == \
    ["jd@example.org", "linux-kernel@vger.kernel.org"]
assert message["To"].addresses[0].display_name == "Doe, Jané"
assert message["Subject"] == \
    "Re: größer als erwartet, und das über eine Zeile hinaus, die nicht reicht"
assert message["Date"].datetime.timestamp() == 1700000000
assert re.fullmatch(r"<[^<>@\s]+@[^<>@\s]+>", message["Message-ID"])

text = message.get_payload(decode=True).decode(message.get_content_charset())
if message["Content-Transfer-Encoding"] == "7bit":
    text = re.sub(r"(?m)^>(>*From )", r"\1", text)
with open(sys.argv[2], encoding="utf-8") as f:
    want = f.read()
assert text.rstrip("\n") == want.rstrip("\n"), "the text differs"
print(sys.argv[1], "is well-formed,", message["Content-Transfer-Encoding"])
