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
]  # fmt: skip
# No garbage has a slash, a colon or a sign with a meaning, or it would be a rule again.
GARBAGE = st.text(st.characters(exclude_characters="/:#!=\n\r", exclude_categories=("C", "Z")))
UNREADABLE = ("/(", "/a/[", "/((?=a).*)", "/!(a)", "/{")


def listed(form: Format, lines: list[str]) -> set[str]:
    """The paths at which the host serves a page that may be indexed."""
    text = "\n".join(lines)
    if form.key:
        text = '{{"{}": [\n{}\n]}}'.format(form.key, ",\n".join(lines))
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
