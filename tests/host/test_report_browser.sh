#!/bin/bash
# The page in a real browser: no console message, nothing asked of a network.
. "$(dirname "$0")/lib.sh"
. "$SOURCE_DIR/tests/cli/report.sh"
need python3
browser=
for b in chromium-headless-shell chromium google-chrome; do
	command -v $b >/dev/null && browser=$b && break
done
[ -n "$browser" ] || skip "chromium is not installed"
mkrun base label=vanilla
mkrun new label='<i onclick=x()>new</i>' value=11.3 time=11.3 search_us=41
"$SB" report --format html base new >page.html
browse() { # ARG...: the browser on the page; its words in log.txt
	timeout 100 $browser --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--disable-background-networking --disable-component-update --no-first-run \
		--user-data-dir="$PWD/profile" --enable-logging=stderr --log-level=0 \
		--log-net-log="$PWD/net.json" "$@" "file://$PWD/page.html" 2>>log.txt
}
browse --dump-dom >dom.html || skip "the browser does not run here: $(tail -1 log.txt)"
grep CONSOLE log.txt && fail "the console has something to say"
for text in 'slower than vanilla' 'select_idle_cpu() takes' 'idle search' '<svg' '&lt;i onclick' \
	'Migrations by reason' 'Setup'; do
	grep -qF "$text" dom.html || fail "not in the page: $text"
done
grep -q '<i onclick' dom.html && fail 'a name became an element'
python3 - net.json <<'END'
import re, sys
urls = set(re.findall(r'"url":"([^"]*)"', open(sys.argv[1], encoding="utf-8", errors="replace").read()))
asked = sorted(u for u in urls if not u.startswith(("file:", "data:", "about:")))
if asked:
    sys.exit("asked of a network: %s" % asked)
END
[ $? = 0 ] || fail "the page asks a network"
for width in 400 1400; do
	for scheme in 1 0; do # light, dark
		browse --hide-scrollbars --window-size=$width,1200 \
			--blink-settings=preferredColorScheme=$scheme \
			--screenshot="$PWD/$width-$scheme.png" >/dev/null
		[ "$(head -c 4 "$width-$scheme.png" 2>/dev/null)" = $'\x89PNG' ] || fail "no picture of $width"
	done
done
cmp -s 1400-1.png 1400-0.png && fail "dark looks as light"
grep CONSOLE log.txt && fail "the console has something to say"
finish
