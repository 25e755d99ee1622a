"""The base URL that the canonicals of a built site agree on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

from ..model import Detected, Origin
from ..syntax.html_files import is_page_name
from ..syntax.urls import normalise_base
from .candidate import check_base
from .generators import start_of

_PAGES = 200  # that are looked at
_HEAD = 1 << 16  # bytes of each
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=["']?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)


def find_base(site: str) -> Detected | None:
    """The base URL that nine of ten canonicals agree on with the home page; None where fewer than half of
    the pages have one, or where it is no address of a site, as that of a preview."""
    pages = list(islice(_pages(site), _PAGES))
    canonicals = {path: text for path in pages if (text := _canonical(os.path.join(site, path)))}
    home = next((path for path in canonicals if "/" not in path and path.startswith("index.")), None)
    if home is None or len(canonicals) * 2 < len(pages):
        return None
    for base in _bases(home, canonicals[home]):
        votes = sum(base in _bases(path, text) for path, text in canonicals.items())
        if votes * 10 >= len(canonicals) * 9 and check_base(base)[0]:
            return Detected(
                "base_url", base, Origin(f"{votes} of {len(canonicals)} canonicals that were read")
            )
    return None


def _pages(site: str) -> Iterator[str]:
    """The paths of pages, those of the upper folders first in each."""
    for folder, folders, names in os.walk(site):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        below = os.path.relpath(folder, site).replace(os.sep, "/")
        yield from (os.path.normpath(f"{below}/{name}") for name in sorted(names) if is_page_name(name))


def _canonical(file: str) -> str:
    match = _CANONICAL.search(start_of(file, _HEAD))
    return unquote(match[1].decode("utf-8", "replace")) if match else ""


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
