"""Sitemaps with a few faults, or none: mostly right, so that faults stand deep inside."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from typing import TypeVar

from .sitemaps import SPACE

_T = TypeVar("_T")
Choose = Callable[[Sequence[_T]], _T]

DECLARATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>', "", '<?xml version="1.0" encoding="ISO-8859-1"?>', '<?xml version="1.0" encoding="UTF-16"?>',
    "<?xml?>", "text", '<?xml version="1.0" encoding="none-such"?>', '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>', "\ufeff\ufeff",
)  # fmt: skip
# What stands in the place of a part, or before it.
ODD = (
    "", "text", "&nbsp;", "&#0;", "\u00a0", "\x01", "<", ">", "&", "]]>", "<!-- c -->", "<!-- a -- b -->", "<?php echo 1 ?>", "<![CDATA[x]]>",
    "<a/>", '<a xmlns=""/>', "<x:a/>", "<url/>", "</url>", "<url>", "<loc/>", "<sitemap/>", '<url xmlns="http://www.sitemaps.org/0.8"/>',
    "<!DOCTYPE a>", "<a>" * 40 + "</a>" * 40, "<a>" * 40, '<?xml version="1.0"?>', "\ufffe", "<loc>https://[example.com/</loc>",
    "<loc>https://example.com:99999/</loc>", "<loc><![CDATA[https://example.com/d]]></loc>", "<loc> </loc>", "<lastmod>0000-01-01</lastmod>",
    "<lastmod>٢٠٢٦-01-01</lastmod>", "<priority>1e-1</priority>", '<loc a="b" a="b">', '<loc x:a="b">', f'<loc xmlns:s="{SPACE}">',
)  # fmt: skip


def data(choose: Choose[str], pick: Choose[int], root: str = "urlset") -> bytes:
    """A sitemap or an index, in an encoding that may be wrong, and damaged now and then."""
    name = "url" if root == "urlset" else "sitemap"
    parts = [DECLARATIONS[0], f'<{root} xmlns="{SPACE}">']
    for n in range(1 + pick(range(4))):
        parts += [f"<{name}>", f"<loc>https://example.com/{n}</loc>"]
        parts += ["<lastmod>2026-01-01</lastmod>", f"</{name}>"]
    parts.append(f"</{root}>")
    for _ in range(pick((0, 1, 1, 1, 2, 3))):
        place = pick(range(len(parts)))
        parts[place : place + pick((0, 1))] = [choose(ODD)]
    if not pick(range(6)):
        parts[0] = choose(DECLARATIONS)
    encoding = choose(("utf-8",) * 12 + ("utf-16", "utf-16-le", "utf-8-sig", "latin-1"))
    return _damaged("\n".join(parts).encode(encoding, "replace"), pick)


def packed(raw: bytes, pick: Choose[int]) -> bytes:
    """A gzip file of it, which may be cut, damaged, in several parts, or followed by something."""
    place = pick(range(len(raw) + 1))
    parts = gzip.compress(raw[:place], mtime=0) + gzip.compress(raw[place:], mtime=0)
    return _damaged(parts, pick) + bytes(pick((0, 0, 0, 9)))


def _damaged(raw: bytes, pick: Choose[int]) -> bytes:
    """The bytes, of which one may be another one, or all that follow it be missing."""
    place = pick(range(len(raw) + 1))
    match pick(range(9)):
        case 0:
            return raw[:place]
        case 1:
            return raw[:place] + bytes([pick(range(256))]) + raw[place + 1 :]
    return raw
