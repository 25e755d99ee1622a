"""The images in the main content of a page."""

from __future__ import annotations

import pytest
from support.facts import ALL

from sitemapper.read.facts import extract_facts


def images(body: str) -> tuple[str, ...]:
    return extract_facts(
        "a.html", f"<html><body><main><p>text</p>{body}</main></body></html>".encode(), ALL
    ).images


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<img src=a.png>", ("a.png",)),
        ("<img src=a.png><img src=a.png>", ("a.png",)),
        ("<img src='a.png' srcset='a-1x.png 1x, a-2x.png 2x'>", ("a-2x.png",)),
        ("<img srcset='s.png 400w, l.png 1200w, m.png 800w'>", ("l.png",)),
        ("<picture><source srcset='a.avif'><img alt=''></picture>", ("a.avif",)),
        ("<picture><source srcset='a.avif'><img src=a.png></picture>", ("a.png",)),
        ("<img src='https://cdn.example/a,b.png'>", ("https://cdn.example/a,b.png",)),
        ("<img src='data:image/png;base64,AAAA'>", ()),
        ("<img src='blob:x'><img src='#a'><img src=''><img>", ()),
        ("<img src=pixel.gif width=1 height=1>", ()),
        ("<img src=line.png width=600 height=1>", ("line.png",)),
    ],
)
def test_images(body: str, expected: tuple[str, ...]) -> None:
    assert images(body) == expected


def test_a_page_has_no_more_images_than_the_protocol_allows() -> None:
    many = images("".join(f"<img src={n}.png>" for n in range(1_005)))
    assert (len(many), many[0], many[-1]) == (1_000, "0.png", "999.png")
