"""The directives of a Caddyfile: their words, their lines and their blocks."""

from __future__ import annotations

import pytest

from sitemapper.hosts.caddy.text import read_blocks

TEXT = """\
{
    admin off  # none
}
example.com,
www.example.com {
    respond `a "b" { ` 200
    redir /a \\
        "/b \\" c"
    root * {$ROOT:/srv}/{path}
}
"""


def test_words_quotes_comments_and_lines() -> None:
    options, site = read_blocks(TEXT)
    assert (options.name, options.line) == ("", 1)
    assert (site.name, site.arguments, site.line) == ("example.com,", ("www.example.com",), 4)
    assert [(one.name, one.arguments, one.line) for one in site.block or []] == [
        ("respond", ('a "b" { ', "200"), 6),
        ("redir", ("/a", '/b \\" c'), 7),
        ("root", ("*", "/srv/{path}"), 9),
    ]


def test_one_site_needs_no_braces() -> None:
    [site] = read_blocks("example.com\nroot /srv\nhandle {\n  file_server\n}\n")
    assert [one.name for one in site.block or []] == ["root", "handle"]


@pytest.mark.parametrize(
    "text",
    ["a {", "}", 'a "b', "a `b", "a <<END\nb\nEND", "a {\nb }\n", "a {\n" * 30, "a\n" * 3_000],
)
def test_a_text_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d|does not end|too many"):
        read_blocks(text)
