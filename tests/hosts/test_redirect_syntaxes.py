"""The parts of a rule: a name that a syntax cannot write has no start, or no end."""

from __future__ import annotations

import pytest

from sitemapper.hosts.redirect_syntaxes import BY_HOST, TABLE


@pytest.mark.parametrize("host", ["apache", "caddy", "firebase", "iis", "nginx"])
@pytest.mark.parametrize("path", ["/%E9", "/a%0Ab", "/a%E2%80%A8b"])
def test_what_is_no_text_on_one_line_is_not_written_decoded(host: str, path: str) -> None:
    assert BY_HOST[host].start(path) == ""


@pytest.mark.parametrize(
    ("host", "path", "start"),
    [
        ("nginx", "/it's", 'location = "/it\'s" { '),
        ("nginx", "/%22a%22", "location = '/\"a\"' { "),
        ("nginx", "/%22it's%22", ""),
        ("nginx", "/a%5Cb", ""),
        ("caddy", "/%22a%22", 'redir `/"a"` '),
        ("caddy", "/a%60b", ""),
        ("apache", "/%22a%22", 'RedirectMatch 301 "^/\\x22a\\x22$" '),
        ("apache", "/a%5Cb", 'RedirectMatch 301 "^/a\\x5Cb$" '),
        ("vercel", "/a:b(c)", '{"source": "/a\\\\:b\\\\(c\\\\)", '),
        ("cloudflare", "/a:b", ""),
        ("cloudflare", "/10:30", "/10:30 "),
    ],
)
def test_quotes_and_signs_are_escaped(host: str, path: str, start: str) -> None:
    assert BY_HOST[host].start(path) == start


@pytest.mark.parametrize(
    ("host", "target", "end"),
    [
        ("apache", "/$1%20%22a%22", '"/\\$1 \\"a\\""'),
        ("apache", "/a%3Fb", ""),  # a query
        ("nginx", "/$a;b", 'return 301 "/%24a;b"; }'),
        ("nginx", "https://example.com/docs/a/", "return 301 https://example.com/docs/a/; }"),
        ("cloudflare", "https://example.com/a:b", "https://example.com/a%3Ab 301"),
        ("vercel", "/c++", '"destination": "/c%2B%2B", "statusCode": 301}'),
    ],
)
def test_a_target_means_itself(host: str, target: str, end: str) -> None:
    assert BY_HOST[host].end(target) == end


def test_a_table_has_both_paths() -> None:
    assert TABLE.start("/a") + TABLE.end("/b") == "/a\t/b"
