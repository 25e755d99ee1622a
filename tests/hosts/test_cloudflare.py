"""What Cloudflare Pages does with its files that other hosts do not."""

from __future__ import annotations

import pytest
from support.hosts import reason_at

from sitemapper.hosts.cloudflare import MAX_DYNAMIC, MAX_HEADERS, MAX_REDIRECTS, READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01


def reason(
    path: str, redirects: str = "", headers: str = "", netloc: str = "example.com"
) -> Reason | None:
    texts = {"_redirects": redirects, "_headers": headers}
    return reason_at(READER.read(texts, netloc, NOW), path)


@pytest.mark.parametrize(
    ("redirects", "path", "expected"),
    [
        ("/old /new", "/old", Reason.REDIRECT),  # although there is a file
        ("/old /new 301", "/OLD", None),
        ("/old /new 200", "/old", Reason.DUPLICATE),  # another page, or none
        ("/old /new 301!", "/old", None),  # Netlify's form
        ("old /new", "/old", Reason.REDIRECT),
        ("/old new", "/old", None),  # neither a path nor https
        ("/old http://other.example/", "/old", None),
        ("/old /new 200\n/old /newer", "/old", Reason.DUPLICATE),  # the first for a path counts
        ("/c /c 200\n/* /d 301", "/c", None),  # shows itself
        ("/x/../old#f /new", "/old", Reason.REDIRECT),
        ("/:a/:a /new", "/x/y", None),  # does not compile
        ("/old?a=1 /new", "/old", Reason.REDIRECT),
        ("/old /new 404", "/old", None),
        ("/old /new moved", "/old", None),
        ("/old /new\t# 302 x", "/old", Reason.REDIRECT),
        ("https://example.com/old /new", "/old", None),
        ("/ /index.html", "/", None),  # a loop, for the host
        ("/* /index.html 302", "/a", None),
        ("/ https://other.example/index.html", "/", Reason.REDIRECT),
        ("/a /index.html", "/a", Reason.REDIRECT),
    ],
)
def test_redirects_come_before_files(redirects: str, path: str, expected: Reason | None) -> None:
    assert reason(path, redirects) is expected


@pytest.mark.parametrize(
    ("pattern", "netloc", "expected"),
    [
        ("https://example.com/*", "example.com", Reason.NOINDEX),
        ("https://example.com/*", "www.example.com", None),
        ("https://:project.pages.dev/*", "kettle.pages.dev", Reason.NOINDEX),
        ("http://example.com/*", "example.com", None),
        ("  /*", "example.com", Reason.NOINDEX),  # lines are trimmed
        ("/*/*", "example.com", None),
        ("/a?b=c", "example.com", Reason.NOINDEX),
        ("https://example.com:443/*", "example.com", None),
        ("/:splat/*", "example.com", None),
        ("/:x/:x", "example.com", None),
    ],
)
def test_a_header_may_be_for_one_host_name(
    pattern: str, netloc: str, expected: Reason | None
) -> None:
    assert reason("/a", headers=f"{pattern}\n  X-Robots-Tag: noindex", netloc=netloc) is expected


def test_rules_beyond_its_limits_are_ignored() -> None:
    redirects = [f"/{n} /new" for n in range(MAX_REDIRECTS + 1)]
    assert reason(f"/{MAX_REDIRECTS - 1}", "\n".join(redirects)) is Reason.REDIRECT
    assert reason(f"/{MAX_REDIRECTS}", "\n".join(redirects)) is None
    dynamic = ["/d/:x /new"] + [f"/s{n} /new" for n in range(MAX_DYNAMIC)]
    assert reason(f"/s{MAX_DYNAMIC - 2}", "\n".join(dynamic)) is Reason.REDIRECT
    assert reason(f"/s{MAX_DYNAMIC - 1}", "\n".join(dynamic)) is None
    headers = [f"/{n}\n  X-Robots-Tag: noindex" for n in range(MAX_HEADERS + 1)]
    assert reason(f"/{MAX_HEADERS - 1}", headers="\n".join(headers)) is Reason.NOINDEX
    assert reason(f"/{MAX_HEADERS}", headers="\n".join(headers)) is None


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ("/a\n  X-Robots-Tag: noindex\n/a\n  X-Frame-Options: DENY", None),  # replaced
        ("/a\n  X-Robots-Tag: noindex\n/a", Reason.NOINDEX),  # a block without headers is none
        ("/*\n  X-Robots-Tag: noindex\n/a\n  !X-Robots-Tag", Reason.NOINDEX),  # a space is missing
        ("/a\n  X-Robots Tag: noindex", None),
        ("/a\nftp://x\n  X-Robots-Tag: noindex", None),
    ],
)
def test_blocks_of_headers(headers: str, expected: Reason | None) -> None:
    assert reason("/a", headers=headers) is expected


def test_a_link_header_names_the_canonical() -> None:
    headers = (
        '/a\n  Link: </b>; rel="canonical"\n/c/*\n  Link: </:splat>; rel=canonical, </x>; rel=next'
    )
    rules = READER.read({"_headers": headers}, "example.com", NOW)
    rule = rules.header_at("/a")
    assert rule and (rule.action, rule.target) == (Reason.CANONICAL, "/b")
    assert rules.header_at("/c/d") is None
