"""Paths become the URLs that a server would serve."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.syntax.urls import (
    SAFE,
    Locator,
    _resolve_any,
    comparison_key,
    normalise_base,
    normalise_extra,
)

BASE = "https://example.com/"


@pytest.mark.parametrize(
    ("style", "path", "expected"),
    [
        ("directory", "index.html", ""),
        ("directory", "a/index.html", "a/"),
        ("directory", "a/b.html", "a/b.html"),
        ("directory", "reindex.html", "reindex.html"),
        ("directory", "a/index.htm", "a/"),
        ("clean", "a/index.html", "a/"),
        ("clean", "a/b.html", "a/b"),
        ("clean", "a/b.htm", "a/b.htm"),
        ("clean", "a/.html", "a/.html"),
        ("slash", "a/b.html", "a/b/"),
        ("slash", "index.html", ""),
        ("bare", "index.html", ""),
        ("bare", "a/index.html", "a"),
        ("bare", "a/b.html", "a/b"),
        ("bare", "a/reindex.html", "a/reindex"),
        ("file", "a/index.html", "a/index.html"),
    ],
)
def test_styles(style: str, path: str, expected: str) -> None:
    assert Locator(BASE, style).loc(path) == BASE + expected


@pytest.mark.parametrize(
    ("name", "encoded"),
    [
        ("é.html", "%C3%A9.html"),
        ("a b.html", "a%20b.html"),
        ("100%.html", "100%25.html"),
        ("what?.html", "what%3F.html"),
        ("c#.html", "c%23.html"),
        ("a&b'.html", "a&b'.html"),
        ('"<>.html', "%22%3C%3E.html"),
        ("a+b,c;d=e@f:g!$*().html", "a+b,c;d=e@f:g!$*().html"),
        ("[x]|^`{}\\.html", "%5Bx%5D%7C%5E%60%7B%7D%5C.html"),
        ("\udce9.html", "%E9.html"),
        ("a\nb\x7f.html", "a%0Ab%7F.html"),
    ],
)
def test_every_byte_is_encoded_as_rfc_3986_has_it(name: str, encoded: str) -> None:
    assert Locator(BASE, "file").loc(name) == BASE + encoded


names = st.binary(min_size=1, max_size=12).map(
    lambda b: b.replace(b"\0", b"x").decode("utf-8", "surrogateescape")
)


@given(st.lists(names, min_size=1, max_size=4))
def test_a_url_decodes_to_the_bytes_of_the_path(paths: list[str]) -> None:
    for path, loc in zip(paths, Locator(BASE, "file").locs(paths), strict=True):
        assert loc.isascii()
        assert unquote_to_bytes(loc.removeprefix(BASE)) == path.encode("utf-8", "surrogateescape")
        assert Locator(BASE, "file").path_of(loc) == path


@pytest.mark.parametrize(
    ("given_base", "expected"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTPS://Example.COM/docs", "https://example.com/docs/"),
        ("https://example.com:443/docs/", "https://example.com/docs/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://i❤.ws", None),  # IDNA allows no symbols
        ("https://straße.de", "https://xn--strae-oqa.de/"),
        ("https://example.com/a b", None),
        ("https://example.com/ä", "https://example.com/%C3%A4/"),
        ("https://example.com/%c3%a4/", "https://example.com/%C3%A4/"),
        ("https://[::1]:8000/", "https://[::1]:8000/"),
        ("https://example.com//docs///v1//", "https://example.com/docs/v1/"),
        ("example.com", None),
        ("ftp://example.com/", None),
        ("https://example.com/?q=1", None),
        ("https://example.com/#top", None),
        ("https://user:pw@example.com/", None),
        ("https:///path", None),
        ("https://example..com/", None),
        ("https://example.com:99999", None),
        ("", None),
    ],
)
def test_base_url(given_base: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(ValueError):
            normalise_base(given_base)
    else:
        assert normalise_base(given_base) == expected
        assert normalise_base(expected) == expected


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("https:/host/x", "https://example.com/host/x"),
        ("http:/host/x", None),  # browsers take `host` for the host
        ("https:///host/x", "https://host/x"),
        ("//a/../..", "https://a/"),
        ("\\\\host\\x", "https://host/x"),
        ("a\\b?c\\d", "https://example.com/d/a/b?c%5Cd"),
    ],
)
def test_references_with_odd_slashes(reference: str, expected: str | None) -> None:
    assert _resolve_any(reference, "https://example.com/d/e") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/app", "https://example.com/app"),
        ("http://example.com/app", "https://example.com/app"),
        ("https://EXAMPLE.com:443/app", "https://example.com/app"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com/a#b", "https://example.com/a"),
        ("https://example.com/a?sid=1&x=2", "https://example.com/a?x=2"),
        ("https://example.com/a?SID=1", "https://example.com/a"),
        ("https://example.com/a;jsessionid=AB12?x=1", "https://example.com/a?x=1"),
        ("https://example.com/a;jsessionid=AB12/b", "https://example.com/a/b"),
        ("https://example.com/side?x=sid", "https://example.com/side?x=sid"),
        ("https://example.com/%7euser/%c3%a9", "https://example.com/~user/%C3%A9"),
        ("https://example.com/é?ü=ö", "https://example.com/%C3%A9?%C3%BC=%C3%B6"),
        ("https://example.com/100%", "https://example.com/100%25"),
    ],
)
def test_extra_urls_have_one_form(text: str, expected: str) -> None:
    assert normalise_extra(text, BASE) == expected
    assert normalise_extra(expected, BASE) == expected


@pytest.mark.parametrize(
    "text",
    ["https://other.com/", "https://example.com.evil/", "/app", "mailto:a@b", BASE + "a" * 2048],
)
def test_extra_urls_out_of_scope(text: str) -> None:
    with pytest.raises(ValueError):
        normalise_extra(text, BASE)


@given(st.text(alphabet="a/+%2B!é?", max_size=12))
def test_spellings_of_one_path_have_one_key(text: str) -> None:
    url = f"https://example.com/{quote(text, safe='/')}"
    assert (
        comparison_key(url) == comparison_key(comparison_key(url)) == BASE + quote(text, safe=SAFE)
    )
