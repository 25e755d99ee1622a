"""What the canonicals of a built site say of its address: the base URL that they agree on, or a preview."""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator
from html import unescape
from itertools import islice
from urllib.parse import unquote, urlsplit

from ..model import Detected, Origin
from ..syntax.urls import INDEXES, is_page_name, normalise_base, relative_path, resolve
from .candidate import INDEX, check_base, is_preview
from .generators import start_of

_PAGES = 200  # that are looked at
_HEAD = 1 << 16  # bytes of each
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=["']?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
_REFRESH = re.compile(rb"""<meta\s[^<>]*http-equiv=["']?refresh""", re.IGNORECASE)


def find_base(site: str) -> Detected | None:
    """The base URL that nine of ten canonicals agree on with the home page; None where fewer than half of
    the pages have one, or where it is no address of a site, as that of a preview."""
    above, version = os.path.split(site)
    home, start = home_page(site)
    pages = _canonicals(site) | {home: unquote(canonical_of(start))}
    named = {path: url for path, url in pages.items() if url}
    if home not in named or len(named) * 2 < len(pages):
        return None
    for base in _bases(home, named[home]):
        votes = sum(base in _bases(path, url) for path, url in named.items())
        # Of versions side by side, the canonicals of one may name another.
        others = b'"version"' in start_of(os.path.join(above, "versions.json"))
        is_own = base.split("/")[-2] == version or not others
        if votes * 10 >= len(named) * 9 and is_own and check_base(base)[0]:
            return Detected("base_url", base, Origin(f"{votes} of {len(named)} canonicals that were read"))
    return None


def find_preview(site: str, own: Collection[str]) -> str:
    """The host of a preview that most canonicals of a site name: by its form, or one of this build's own.

    "" if they name none.
    """
    hosts = [urlsplit(url).netloc.lower() for url in _canonicals(site).values() if url]
    [(host, count)] = Counter(hosts).most_common(1) or [("", 0)]
    return host if count * 2 > len(hosts) and (is_preview(host) or host in own) else ""


def home_page(site: str) -> tuple[str, bytes]:
    """The page that the site's root shows: the index page or the one it redirects to."""
    index = next((name for name in INDEXES if os.path.isfile(os.path.join(site, name))), INDEX)
    page = start_of(os.path.join(site, index), _HEAD)
    if b"http-equiv" not in page.lower():
        return index, page
    # Imported here: few home pages redirect, and the parser costs some 10 ms.
    from ..extract.metadata import read_metadata

    target, base = read_metadata(page).refresh, "https://site.invalid/"
    path = relative_path(resolve(target, base) or "", base) if target else None
    name = posixpath.normpath(f"/{path}").lstrip("/") if path else ""
    for file in (name, f"{name}.html", f"{name}/{INDEX}") if name else ():
        if os.path.isfile(os.path.join(site, file)):
            return file, start_of(os.path.join(site, file), _HEAD)
    return index, page


def _canonicals(site: str) -> dict[str, str]:
    """The canonicals of the first pages, "" for none; a page that redirects is none."""
    starts = ((path, start_of(os.path.join(site, path), _HEAD)) for path in islice(_pages(site), _PAGES))
    return {path: unquote(canonical_of(start)) for path, start in starts if not _REFRESH.search(start)}


def _pages(site: str) -> Iterator[str]:
    """The paths of pages, those of the upper folders first in each."""
    for folder, folders, names in os.walk(site):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        below = os.path.relpath(folder, site).replace(os.sep, "/")
        yield from (os.path.normpath(f"{below}/{name}") for name in sorted(names) if is_page_name(name))


def canonical_of(start: bytes) -> str:
    """The canonical in the first bytes of a page as it is written, "" for none."""
    # No parser, so that runs in which all pages are known need none.
    match = _CANONICAL.search(_COMMENT.sub(b"", start))
    return unescape(match[1].decode("utf-8", "replace")) if match else ""


def _bases(path: str, canonical: str) -> list[str]:
    """The base URLs below which a page has its canonical, whatever the style of its URL."""
    stem = os.path.splitext(path)[0]
    folder = stem.removesuffix("index") if stem == "index" or stem.endswith("/index") else f"{stem}/"
    ends = (path, stem, folder, folder.removesuffix("/"))
    found = (canonical.removesuffix(end) for end in ends if canonical.endswith(end))
    bases = []
    for text in found:
        try:
            bases += [normalise_base(text)] if text.endswith("/") or path.startswith("index.") else []
        except ValueError:
            continue
    return bases
