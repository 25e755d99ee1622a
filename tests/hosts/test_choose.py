"""Each host by its own rules; if the host is not known, only what all would do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hosts import reason_at

from sitemapper.hosts.choose import GUESSED, choose, of_builder
from sitemapper.hosts.host import Host
from sitemapper.hosts.text_files import HEADERS, REDIRECTS
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
R, N = Reason.REDIRECT, Reason.NOINDEX


def rules(host: str, redirects: str = "", headers: str = "", *markers: str) -> Host:
    texts = {REDIRECTS: redirects, HEADERS: headers} | dict.fromkeys(markers, "")
    return choose(host, texts, "example.com", NOW)


def effect(host: str, path: str, *texts: str) -> Reason | None:
    found = [reason_at(one, path) for one in rules(host, *texts).rules]
    return None if not found or None in found else found[0]


@pytest.mark.parametrize(
    ("redirects", "path", "cloudflare", "netlify"),
    [
        ("/a /b", "/a", R, None),
        ("/a /b 301!", "/a", None, R),
        ("/a /b 302!  # why", "/a", None, R),
        ("/a /b 301\n/A/ /c 301!", "/a", R, None),
        ("/A /c 301!\n/a /b 301", "/a", R, R),
        ("/blog/:slug /news/:slug 301!", "/blog/x", None, R),
        ("/A /b 301!", "/a", None, R),
        ("/a", "/a", None, None),
    ],
)
def test_redirects(
    redirects: str, path: str, cloudflare: Reason | None, netlify: Reason | None
) -> None:
    assert effect("cloudflare", path, redirects) is cloudflare
    assert effect("netlify", path, redirects) is netlify
    assert effect("auto", path, redirects) is (R if cloudflare is netlify is R else None)
    assert effect("auto", path, redirects, "", "netlify.toml") is netlify
    assert effect("auto", path, redirects, "", "wrangler.toml") is cloudflare
    assert effect("none", path, redirects) is None


def test_hosts_agree_on_leaving_out_whatever_their_reasons() -> None:
    assert effect("auto", "/t/", "/t /b.html 301!", "/t/\n  X-Robots-Tag: noindex") is N


@pytest.mark.parametrize(
    ("headers", "path", "cloudflare", "netlify"),
    [
        ("/a\n  X-Robots-Tag: noindex", "/a", N, N),
        ("/*\n  X-Frame-Options: DENY\n  X-Robots-Tag: none", "/a/b", N, N),
        ("/a\n  X-Robots-Tag: otherbot: noindex", "/a", None, None),
        ("/*\n  X-Robots-Tag: noindex\n/a\n  ! X-Robots-Tag", "/a", None, N),
        ("https://:project.pages.dev/*\n  X-Robots-Tag: noindex", "/a", None, None),
        ("https://example.com/*\n  X-Robots-Tag: noindex", "/a", N, None),
        ("/a/\n  X-Robots-Tag: noindex", "/a", None, N),
        ("/a\n\n  # c\n  X-Robots-Tag: noindex", "/a", N, N),
    ],
)
def test_headers(
    headers: str, path: str, cloudflare: Reason | None, netlify: Reason | None
) -> None:
    assert effect("cloudflare", path, "", headers) is cloudflare
    assert effect("netlify", path, "", headers) is netlify


NO_LINE_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # but of str.splitlines


@given(
    st.text(max_size=9), st.sampled_from(NO_LINE_ENDS), st.sampled_from(["cloudflare", "netlify"])
)
def test_a_comment_ends_with_its_line(text: str, character: str, host: str) -> None:
    comment = f"# {text}".replace("\n", " ").replace("\r", " ")
    redirects = f"{comment}{character}/a /b 301!\n{comment}{character}/a /b 301"
    headers = f"/*\n  {comment}{character}X-Robots-Tag: noindex"
    assert effect(host, "/a", redirects, headers) is None


def line(host: Host, path: str) -> int | None:
    [one] = host.rules
    found = one.move_at(path) or one.header_at(path)
    return found.origin.line if found else None


def test_the_first_redirect_and_the_last_header_of_many() -> None:
    many = "\n".join(f"/a{n} /b 301!" for n in range(3_000)) + "\n/x/* /b 301!\n/x/y /b 200\n"
    assert line(rules("netlify", many), "/X/y/") == 3_001
    tags = (
        "/*\n  X-Robots-Tag: noindex\n" * 50 + "/x\n  ! X-Robots-Tag\n/x*\n  X-Robots-Tag: none\n"
    )
    assert line(rules("cloudflare", "", tags), "/x") == 104
    assert line(rules("cloudflare", "", tags), "/y") == 100


@pytest.mark.parametrize(
    ("env", "name"),
    [
        ({"NETLIFY": "true"}, "netlify"),
        ({"NETLIFY": "false"}, None),
        ({"VERCEL": "0"}, None),
        ({"CF_PAGES": ""}, None),
    ],
)
def test_a_builder_sets_its_variable_to_a_truth(env: dict[str, str], name: str | None) -> None:
    provider = of_builder(env)
    assert (provider and provider.name) == name


@pytest.mark.parametrize(
    ("netloc", "expected"),
    [("you.github.io", "github"), ("YOU.GitHub.io", "github"), ("group.gitlab.io", "gitlab"), ("github.io", ""), ("agithub.io", "")],
)  # fmt: skip
def test_the_domain_of_a_host(netloc: str, expected: str) -> None:
    host = choose("auto", {}, f"https://{netloc}/", NOW)
    assert host.names == ((expected,) if expected else GUESSED)
