"""Headers of an answer, and the variables on which they depend."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.answers import (
    HeaderLine,
    effects_of_headers,
    environment,
    read_header,
    read_variable,
)
from sitemapper.hosts.apache.request import Context, Files, Request, read_base
from sitemapper.model import Origin, Reason

LINE = Origin(".htaccess", 1, "")
FILES = Files("/", lambda _: "")
BASE = read_base("https://example.com/")


def header(text: str) -> HeaderLine:
    found = read_header(text.split(), LINE)
    assert found is not None
    line, _ = found
    return line


@pytest.mark.parametrize(
    ("lines", "is_noindex"),
    [
        (["set X-Robots-Tag noindex"], True),
        (["set X-Robots-Tag noindex", "unset X-Robots-Tag"], False),
        (["always set X-Robots-Tag noindex", "unset X-Robots-Tag"], True),  # two tables
        (["set X-Robots-Tag noindex", "set X-Robots-Tag all"], False),
        (["set X-Robots-Tag noindex", "append X-Robots-Tag nofollow"], True),
        (["set X-Robots-Tag all", "setifempty X-Robots-Tag noindex"], False),
        (["set X-Robots-Tag noindex env=SET"], True),
        (["set X-Robots-Tag noindex env=!SET"], False),
        (["set X-Robots-Tag noindex env=OTHER"], False),
        (["set X-Robots-Tag noindex", "unset X-Robots-Tag env=OTHER"], False),  # it may be removed
        (["set X-Robots-Tag noindex expr=%{REQUEST_URI}=='/a'"], True),
        (["set X-Robots-Tag noindex", "edit X-Robots-Tag a b"], False),
    ],
)
def test_headers_say_noindex_if_this_is_known(lines: list[str], is_noindex: bool) -> None:
    context = Context(BASE, Request("/a", "/a", env={"SET": "1"}), "/a")
    read = [header(line) for line in lines]
    effects = effects_of_headers([(line, line.applies(context, FILES)) for line in read], 0)
    reasons = [effect.reason for effect in effects if effect]
    assert (Reason.NOINDEX in reasons) is is_noindex


def test_other_headers_do_not_matter() -> None:
    assert read_header(["set", "Cache-Control", "no-store"], LINE) is None


def test_the_path_sets_variables() -> None:
    lines = [
        read_variable("setenvif", ["Request_URI", "^/a", "A", "B=2"]),
        read_variable("setenvif", ["Request_URI", "^/b", "C"]),
        read_variable("setenvif", ["Request_URI", "a", "!B"]),
        read_variable("browsermatch", ["bot", "D"]),
        read_variable("setenv", ["E"]),
    ]
    context = Context(BASE, Request("/a", "/a"), "/a")
    env = environment([(line, True) for line, _ in lines], context)
    assert env == {"A": "1", "B": "", "C": "", "D": None, "E": "1"}
