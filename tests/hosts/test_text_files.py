"""Lines of `_redirects`, and blocks of `_headers`."""

from __future__ import annotations

from sitemapper.hosts.text_files import header_blocks, redirect_lines


def test_the_words_of_lines_without_comments() -> None:
    text = "# all\n/a /b 301 # why\n/c\n\n /d\t/e #x\n"
    found = [(line.words, line.origin.line) for line in redirect_lines(text)]
    assert found == [(["/a", "/b", "301"], 2), (["/d", "/e"], 5)]


def test_the_headers_of_blocks() -> None:
    text = "X-A: lost\n/a\n  X-B: 1\n  # no\n  ! X-C\n  none\n/b\n"
    blocks = header_blocks(text, "/")
    names = [[(header.name, header.value) for header in block.headers] for block in blocks]
    assert [block.pattern for block in blocks] == ["/a", "/b"]
    assert names == [[("x-b", "1"), ("x-c", None)], []]
