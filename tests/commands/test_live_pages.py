"""What an answer says about a page."""

from __future__ import annotations

import gzip
import time

import pytest

from sitemapper.commands.asking import Request, Scope
from sitemapper.commands.built_pages import BuiltPages
from sitemapper.commands.live_pages import NotFoundPage, read_live_page, unpack
from sitemapper.linter.rules.live import LivePage
from sitemapper.net.client import Answer
from sitemapper.read.content import make_rule

BASE = "https://example.com/docs/"
SCOPE = Scope(f"{BASE}sitemap.xml", BASE, BASE)
PREVIEW = SCOPE._replace(requested_base="https://preview.example/docs/")
NOW = 1_800_000_000
HTML = ("content-type", "text/html; charset=utf-8")


def live_page(answer: Answer, scope: Scope = SCOPE, lost: bytes = b"") -> LivePage:
    return read_live_page(
        Request(f"{BASE}a/", SCOPE.sitemap, 1),
        answer,
        scope,
        NotFoundPage(f"{BASE}0123456789abcdef", lost),
        NOW,
        BuiltPages([], None, "", make_rule(())),
    )


def page(body: str, *headers: tuple[str, str]) -> Answer:
    return Answer(200, (HTML, *headers), body.encode())


@pytest.mark.parametrize(
    ("values", "noindex"),
    [
        (["otherbot: noindex"], False),
        (["otherbot: nofollow", "noindex"], True),
        (["unavailable_after: 2010-06-25"], True),
        (["unavailable_after: 2100-06-25"], False),
    ],
)
def test_each_robots_header_counts_for_itself(values: list[str], noindex: bool) -> None:
    answer = page("", *(("x-robots-tag", value) for value in values))
    assert bool(live_page(answer).noindex) == noindex
    assert live_page(answer, PREVIEW).noindex == ""


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        ('<link rel="canonical" href="./">', ""),
        (f'<link rel="canonical" href="{BASE}a/#top">', ""),
        (f'<link rel="canonical" href="{BASE}a">', f"{BASE}a"),
        ('<link rel="canonical" href="http://example.com/docs/a/">', ""),
        ('<base href="/docs/b/"><link rel="canonical" href="../a/">', ""),
    ],
)
def test_a_canonical_is_compared_with_the_listed_url(head: str, canonical: str) -> None:
    for scope in (SCOPE, PREVIEW):
        assert live_page(page(f"<head>{head}</head><body>"), scope).canonical == canonical


@pytest.mark.slow
def test_a_bomb_is_cut() -> None:
    bomb = gzip.compress(b"\0" * 100_000_000)
    body, problem = unpack(Answer(200, (("content-encoding", "gzip"),), bomb), BASE)
    assert (len(body), problem) == (52_428_801, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", [b"<title>", b"<title", b"<a", b'<link rel="canonical" href="', b"<!--", b"<div>"]
)
def test_hostile_pages_take_no_long_time(piece: bytes) -> None:
    body = piece * (256 * 1024 // len(piece))
    headers = (HTML, ("link", "<>;" * 20_000), ("x-robots-tag", "," * 60_000))
    start = time.process_time()
    live_page(Answer(200, headers, body), lost=body)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("No page at /docs/old-tea.html!", True),
        ("No page at old tea", True),
        ("No page at /docs/other.html", False),
        ("No page at all", False),
        ("No page at /docs/old-tea.html, sorry", False),
    ],
)
def test_the_page_for_missing_paths_may_name_each_path_in_its_own_way(
    text: str, is_shown: bool
) -> None:
    body = b"<title>Oops</title><p>No page at /docs/0123456789abcdef"
    missing = NotFoundPage(f"{BASE}0123456789abcdef", body)
    shown = f"<title>Oops</title><p>{text}".encode()
    assert missing.is_shown_at(f"{BASE}old-tea.html", shown) is is_shown


def test_a_page_without_a_text_is_no_page_for_missing_paths() -> None:
    shell = b"<title>App</title><div id=app></div>"
    assert not NotFoundPage(f"{BASE}0123456789abcdef", shell).is_shown_at(f"{BASE}a/", shell)
