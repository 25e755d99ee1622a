"""Our line in robots.txt, and every other byte as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.syntax.robots import sitemap_lines, with_sitemap

URL = "https://example.com/sitemap.xml"
LINE = b"Sitemap: https://example.com/sitemap.xml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", LINE + b"\n"),
        (b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow:\n" + LINE + b"\n"),
        (b"User-agent: *", b"User-agent: *\n" + LINE + b"\n"),
        (b"User-agent: *\r\n", b"User-agent: *\r\n" + LINE + b"\r\n"),
        (b"a: 1\r\nb: 2", b"a: 1\r\nb: 2\r\n" + LINE + b"\r\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf" + LINE + b"\n"),
        (b"\xef\xbb\xbf" + LINE, b"\xef\xbb\xbf" + LINE),
        (b"# x\n  SITEMAP :  " + LINE[9:] + b"  # ours\nDisallow: /a", None),
        (LINE.lower() + b"\r" + b"Disallow: /a", None),
        (
            b"Sitemap: https://example.com/sitemap.xml.gz",
            b"Sitemap: https://example.com/sitemap.xml.gz\n" + LINE + b"\n",
        ),
        (b"# " + LINE, b"# " + LINE + b"\n" + LINE + b"\n"),
    ],
)
def test_the_line_is_added_once(before: bytes, after: bytes | None) -> None:
    assert with_sitemap(before, URL) == (before if after is None else after)


@given(st.binary(max_size=200) | st.text(alphabet="Ssitemap: /hx#\r\n\t\ufeff").map(str.encode))
def test_a_second_run_changes_nothing_and_the_rest_stays(text: bytes) -> None:
    once = with_sitemap(text, URL)
    assert once.startswith(text)
    assert with_sitemap(once, URL) == once
    assert URL in sitemap_lines(once)
