"""A line of a host's file that cannot be read takes no page away that was listed before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.hosts.choose import readers
from sitemapper.hosts.host import HostRules

NOW = 1_780_272_000  # 2026-06-01
PATHS = ("/", "/a", "/a.html", "/a/", "/a/index.html", "/a/b", "/b", "/x/y/z.html")
SOURCES = ("/", "/a", "/a/", "/a/*", "/*", "/:x", "/a.html", "/:x/b", "/x/*", "/*/b", "/a/:y")
NOINDEX = [{"key": "X-Robots-Tag", "value": "noindex"}]
INDEX = [{"key": "X-Robots-Tag", "value": "all"}]
COOKIE = [{"type": "cookie", "key": "a"}]


class Format(NamedTuple):
    """How the rules of a host stand in a file: those that take pages away, and those that keep them.

    `{}` is the pattern of a rule. In JSON, the rules are those of a list with this key.
    """

    host: str
    file: str
    key: str
    taking: tuple[object, ...]
    keeping: tuple[object, ...]


FORMATS = [
    Format("netlify", "_redirects", "", ("{} /z 301!", "{} /z 200!", "{} /z 302! Cookie=a"), ("{} /z", "{} /z 301 Language=de", "# {}")),
    Format("cloudflare", "_redirects", "", ("{} /z 301", "{} /z", "{} /z 200"), ("{} {} 200", "# {}", "{} /z 301!")),
    Format("netlify", "_headers", "", ("{}\n  X-Robots-Tag: noindex",), ("{}\n  X-Robots-Tag: all",)),
    Format("cloudflare", "_headers", "", ("{}\n  X-Robots-Tag: noindex",), ("{}\n  ! X-Robots-Tag", "{}\n  X-Robots-Tag: noindex\n  ! X-Robots-Tag")),
    Format("vercel", "vercel.json", "redirects", ({"source": "{}", "destination": "/z"},), ({"source": "{}", "statusCode": 200}, {"source": "{}", "statusCode": 200, "has": COOKIE})),
    Format("vercel", "vercel.json", "headers", ({"source": "{}", "headers": NOINDEX},), ({"source": "{}", "headers": INDEX}, {"source": "{}", "headers": INDEX, "has": COOKIE})),
    Format("firebase", "firebase.json", "redirects", ({"source": "{}", "destination": "/z"}, {"regex": "{}", "destination": "/z"}), ()),
    Format("firebase", "firebase.json", "headers", ({"source": "{}", "headers": NOINDEX},), ({"source": "{}", "headers": INDEX},)),
    Format("azure", "staticwebapp.config.json", "routes", ({"route": "{}", "redirect": "/z"}, {"route": "{}", "statusCode": 404}), ({"route": "{}"}, {"route": "{}", "headers": {"X-Robots-Tag": "all"}})),
]  # fmt: skip
# No garbage has a slash, a colon or a sign with a meaning, or it would be a rule again.
GARBAGE = st.text(st.characters(exclude_characters="/:#!=\n\r", exclude_categories=("C", "Z")))
UNREADABLE = ("/(", "/a/[", "/((?=a).*)", "/!(a)", "/{")


def listed(form: Format, lines: list[str]) -> set[str]:
    """The paths at which the host serves a page that may be indexed."""
    text = "\n".join(lines)
    if form.key:
        rules = '{{"{}": [\n{}\n]}}'.format(form.key, ",\n".join(lines))
        text = f'{{"hosting": {rules}}}' if form.host == "firebase" else rules
    texts: Mapping[str, str] = {form.file: text}
    found = readers()[form.host].read(texts, "example.com", NOW)
    return {path for path in PATHS if is_listed(found, path)}


def is_listed(rules: HostRules, path: str) -> bool:
    """Whether the rules leave a page alone at a path."""
    return rules.move_at(path) is None and rules.header_at(path) is None


def written(rule: object, source: str) -> str:
    if isinstance(rule, str):
        return rule.replace("{}", source)
    return json.dumps(rule).replace("{}", source)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: f"{form.host}-{form.file}-{form.key}")
@given(data=st.data())
def test_garbage_takes_no_page_away(form: Format, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    # Blocks of `_headers` with one pattern are one, in the place of the first.
    others = [other for other in SOURCES if other != source or form.file != "_headers"]
    rules = st.builds(written, st.sampled_from(form.taking + form.keeping), st.sampled_from(others))
    before = data.draw(st.lists(rules, max_size=4))
    after = data.draw(st.lists(rules, max_size=4))
    taking = data.draw(st.sampled_from(form.taking))
    whole = written(taking, source)
    unreadable = [written(taking, pattern) for pattern in UNREADABLE]
    if form.key:
        garbage = data.draw(st.sampled_from(["3", "null", '"x"', "{}", "[]", *unreadable]))
    elif form.file == "_headers":
        garbage = f"{source}\n  {data.draw(GARBAGE)}"
    else:
        garbage = data.draw(GARBAGE | st.builds("{} {} {}".format, GARBAGE, GARBAGE, GARBAGE))
    assert listed(form, [*before, whole, *after]) <= listed(form, [*before, garbage, *after])


@pytest.mark.parametrize("form", [form for form in FORMATS if form.key], ids=lambda form: form.host)
@given(garbage=GARBAGE)
def test_a_file_that_is_no_json_is_refused(form: Format, garbage: str) -> None:
    lines = [written(form.taking[0], "/a"), f"{garbage} {garbage}x"]
    with pytest.raises(ValueError, match="is not JSON"):
        listed(form, lines)


# Lines of `.htaccess` that take pages away, and those that keep them, or may.
TAKING = (
    "Redirect {} /z", "Redirect 301 {} /z", "Redirect gone {}", "RedirectMatch ^{}$ /z",
    "RewriteRule ^{}$ /z [R]", "RewriteRule ^{} - [F]", "RewriteRule . /z [R,L]",
    "RewriteCond %{{REQUEST_FILENAME}} -f", "RewriteCond %{{HTTP_COOKIE}} x",
    "RewriteCond %{{HTTPS}} off", "RewriteCond %{{HTTP_HOST}} ^www [OR]", "Require all denied",
    "Deny from all", "Require valid-user", "Header set X-Robots-Tag noindex", "AuthType Basic",
    "DirectoryIndex a.html", "ErrorDocument 404 {}", "Options -Indexes",
)  # fmt: skip
KEEPING = (
    "RewriteEngine On", "RewriteEngine Off", "RewriteRule ^{} - [L]", "RewriteRule ^{} - [S=1]",
    "RewriteRule ^{} - [C]", "RewriteRule ^{} /z", "Require all granted", "Allow from all",
    "Order allow,deny", "Header unset X-Robots-Tag", "Header set X-Robots-Tag noindex env=X",
)  # fmt: skip
SECTIONS = ('<Files "a.html">', "<IfModule mod_alias.c>", '<If "%{REQUEST_URI} =~ m#^/a#">')
APACHE_PATHS = ("/", "/a.html", "/a/", "/a/index.html", "/b.html", "/x/y/z.html")
APACHE_SOURCES = ("/", "a", "/a", "/a.html", "b.html", "x/", "index", ".*")


def shown_by_apache(lines: list[str]) -> set[str]:
    text = "\n".join(lines)
    rules = readers()["apache"].read({".htaccess": text}, "https://example.com/", NOW)
    return {path for path in APACHE_PATHS if is_listed(rules, path)}


@given(data=st.data())
def test_garbage_in_htaccess_takes_no_page_away(data: st.DataObject) -> None:
    """What a directive says may be garbage; an unknown directive is an error of the whole server."""
    taking = st.builds(str.format, st.sampled_from(TAKING), st.sampled_from(APACHE_SOURCES))
    keeping = st.builds(str.format, st.sampled_from(KEEPING), st.sampled_from(APACHE_SOURCES))
    lines = [*data.draw(st.sampled_from((["RewriteEngine On"], [])))]
    places: list[int] = []
    for _ in range(data.draw(st.integers(1, 4))):
        head = data.draw(st.sampled_from(("", "", *SECTIONS)))
        if head:
            lines.append(head)
        for _ in range(data.draw(st.integers(1, 3))):
            if data.draw(st.booleans()):
                places.append(len(lines))
                lines.append(data.draw(taking))
            else:
                lines.append(data.draw(keeping))
        if head:
            lines.append(f"</{head[1:].split()[0]}>")
    if not places:
        return
    number = data.draw(st.sampled_from(places))
    name = lines[number].partition(" ")[0]
    garbage = data.draw(st.sampled_from((f"{name} ((", name, f"{name} (?=a) /b [L,R]")))
    with_garbage = [*lines[:number], garbage, *lines[number + 1 :]]
    assert shown_by_apache(lines) <= shown_by_apache(with_garbage)
