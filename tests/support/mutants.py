"""Sitemaps with one to three faults, or none: mostly right, so that faults stand deep inside."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from typing import TypeVar

from .sitemaps import SPACE

_T = TypeVar("_T")
Choose = Callable[[Sequence[_T]], _T]

DECLARATIONS = ('<?xml version="1.0" encoding="UTF-8"?>', '<?xml version="1.0"?>', "")
BAD_DECLARATIONS = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>', '<?xml version="1.0" encoding="UTF-16"?>', "<?xml?>", "text",
    '<?xml version="1.1"?>', '<?xml version="1.0" encoding="none-such"?>', "<!DOCTYPE urlset>", "<!-- a -- b -->",
    '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>', '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x">', "\ufeff\ufeff",
)  # fmt: skip
URLS = (
    "https://example.com/", "https://example.com/a?b=c&amp;d=e", "https://example.com/%C3%BC", "https://example.com/a/b/",
)  # fmt: skip
VALUES = {
    "loc": (
        "", " ", "/a/", "a", "ftp://example.com/a", "https://example.com/über", "https://example.com/a b", "https://",
        "https://example.com/" + "a" * 2040, "https://example.com/<b/>", "https://example.com/a&b", "https://example.com/#a#b",
        "https://example.com/%zz", "https://[example.com/", "https://example.com:a/", "https://example.com:99999/",
        "https://example.com/&nbsp;", "https://example.com/&#0;", "https://example.com/&#xA0;", "\n https://example.com/c\n ", "https://a@example.com/", "//example.com/a/b", "<![CDATA[https://example.com/d]]>", "https:///a/b/c",
        "https://example.com/[a]", "https://example.com/a|b", "https://example.com/a\\b", "https://example.com/&quot;", "\u00a0",
    ),
    "lastmod": (
        "", "2026-01-01", "2026-13-01", "2026-02-30", "01/02/2026", "2026", "2026-01", "2026-1-1", "now", "20260101", "0000-01-01",
        "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+15:00", "2026-01-01T24:00:00Z", "2026-01-01 00:00:00",
        "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.5Z", "2026-01-01T25:00:00Z", "٢٠٢٦-01-01", "99999-01-01", "2999-01-01",
        " 2026-01-01\n", "2026-01-01\u00a0", "2026-01-01T00:00:00+0100", "-2026-01-01", "2026-01-01<x/>",
    ),
    "changefreq": ("", "Daily", "daily", " daily ", "dail", "always never", "\u00a0daily", "<b>daily</b>", "d<!-- -->aily", "\n"),
    "priority": (
        "", "0", "1", "1.0", "0.5", "1.1", "-0.1", "+0.5", ".5", "1.", "1e-1", "0,5", "٠.٥", "NaN", "INF", "0x1", " 0.5\n", "0.5\u00a0",
        "high", "-0", "0.5 0.6", "1.00000000000000000001",
    ),
}  # fmt: skip
ODD = (
    "text", "&nbsp;", "&#0;", "\u00a0", "\x01", "<", ">", "&", "]]>", "<!-- c -->", "<!-- a -- b -->", "<?php echo 1 ?>", "<![CDATA[x]]>",
    "<a/>", '<a xmlns=""/>', "<x:a/>", f'<a xmlns="{SPACE}"/>', "<url/>", "</url>", "<loc/>", "<lastmod/>", "<priority/>", "<url></url>",
    "<sitemap/>", "<changefreq>daily</changefreq>", "<lastmod>2026-01-01</lastmod>", '<url xmlns="http://www.sitemaps.org/0.8"/>',
    '<lastmod xmlns="http://www.sitemaps.org/0.8">2026-01-01</lastmod>', "<!DOCTYPE a>", "<a>" * 40 + "</a>" * 40, "<a>" * 40,
    '<?xml version="1.0"?>', "<url><loc>https://example.com/z</loc></url>", "&#32;", "\ufeff", "\ufffe",
)  # fmt: skip
ATTRIBUTES = (
    ' a="b"', ' xml:lang="de"', ' x:a="b"', ' a="b" a="b"', " a", ' a="<"', ' xmlns=""', ' xmlns="http://www.sitemaps.org/0.8"',
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"', f' xmlns:s="{SPACE}"', ' xmlns:x="x" x:a="b"', ' a="&b;"',
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b"', ' id=""', " \n",
)  # fmt: skip
NAMES = (*"Loc LOC lastMod lastmodified link item priorty x:loc url urlset sitemap loc".split(), "")


def text(choose: Choose[str], pick: Choose[int], root: str = "urlset") -> str:
    """A sitemap or an index, as text."""
    return "\n".join(_mutated(_parts(choose, pick, root), choose, pick, root))


def data(choose: Choose[str], pick: Choose[int], root: str = "urlset") -> bytes:
    """The same as bytes, in an encoding that may be wrong, and damaged now and then."""
    made = text(choose, pick, root)
    raw = made.encode(choose(("utf-8",) * 12 + ("utf-16", "utf-16-le", "utf-8-sig")), "replace")
    raw = made.encode("latin-1", "replace") if not pick(range(20)) else raw
    place = pick(range(len(raw) + 1))
    match pick(range(24)):
        case 0:
            raw = raw[:place]
        case 1:
            raw = raw[:place] + bytes([pick(range(256))]) + raw[place:]
        case 2:
            raw = raw[:place] + raw[place + 1 :]
        case 3:
            raw = raw[:place] + bytes([pick(range(256))]) + raw[place + 1 :]
    return raw


def packed(raw: bytes, pick: Choose[int]) -> bytes:
    """A gzip file of it, which may be cut, damaged, in several parts, or followed by something."""
    place = pick(range(len(raw) + 1))
    whole = gzip.compress(raw, mtime=0)
    match pick(range(8)):
        case 0:
            return whole[: pick(range(len(whole)))]
        case 1:
            at = pick(range(len(whole)))
            return whole[:at] + bytes([pick(range(256))]) + whole[at + 1 :]
        case 2:
            return gzip.compress(raw[:place], mtime=0) + gzip.compress(raw[place:], mtime=0)
        case 3:
            return whole + bytes([pick(range(256))] * (1 + pick(range(9))))
    return whole


def _parts(choose: Choose[str], pick: Choose[int], root: str) -> list[str]:
    name = "url" if root == "urlset" else "sitemap"
    parts = [choose(DECLARATIONS), f'<{root} xmlns="{SPACE}">']
    for n in range(1 + pick(range(4))):
        loc = choose(URLS) + str(n) if name == "url" else f"https://example.com/pages-{n}.xml"
        parts += [f"<{name}>", f"<loc>{loc}</loc>"]
        parts += [f"<lastmod>2026-01-0{n + 1}</lastmod>"] * pick((0, 1))
        if name == "url":
            parts += ["<changefreq>weekly</changefreq>"] * pick((0, 1))
            parts += [f"<priority>0.{n}</priority>"] * pick((0, 1))
        parts.append(f"</{name}>")
    return [*parts, f"</{root}>"]


def _mutated(parts: list[str], choose: Choose[str], pick: Choose[int], root: str) -> list[str]:
    if not pick(range(8)):
        return parts
    for _ in range(pick((1, 1, 1, 2, 3))):
        inside = [n for n, part in enumerate(parts) if n > 2 and part.startswith("<")] or [0]
        n = pick(inside)
        match pick(range(10)):
            case 0:
                parts.insert(n, parts[n])
            case 1:
                del parts[n]
            case 2:
                m = pick(inside)
                parts[n], parts[m] = parts[m], parts[n]
            case 3:
                old = parts[n].strip("</").partition(">")[0].partition(" ")[0]
                parts[n] = parts[n].replace(old, choose(NAMES)) if old else "<>"
            case 4 | 5 | 6:
                field = choose(tuple(VALUES))
                known = [m for m, part in enumerate(parts) if part.startswith(f"<{field}>")]
                if known:
                    parts[pick(known)] = f"<{field}>{choose(VALUES[field])}</{field}>"
            case 7:
                parts.insert(n, choose(ODD))
            case 8:
                start = pick(
                    [m for m, part in enumerate(parts) if part[:1] == "<" and part[1:2].isalpha()]
                    or [0]
                )
                parts[start] = parts[start].replace(">", choose(ATTRIBUTES) + ">", 1)
            case _:
                parts[0] = choose(BAD_DECLARATIONS)
    if not pick(range(12)):
        parts[1] = parts[1].replace(root, choose(("rss", "urlSet", "sitemapindex", "x:urlset")), 1)
    return parts
