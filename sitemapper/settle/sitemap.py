"""What a sitemap in the output shows: the base URL, and the URL forms."""

import os
from collections.abc import Collection, Sequence
from itertools import islice

from ..files import contents
from ..protocol import MARK
from ..read.sitemap import SitemapEntry, SitemapFault, read_sitemap
from ..syntax.urls import page_at, resolve

_MAX_URLS = 200  # that are read of a sitemap


def listed_in(folder: str, name: str, *, is_ours: bool) -> list[str]:
    """The first URLs of a sitemap, or of the first part of an index; none of one that is damaged.

    `is_ours` says whether it must have our mark, or must not.
    """
    entries = _first_entries(folder, name, is_ours=is_ours)
    if entries and entries[0].is_sitemap:
        entries = _first_entries(folder, os.path.basename(entries[0].loc), is_ours=is_ours)
    return [resolve(entry.loc, "") or "" for entry in entries]


def _first_entries(folder: str, name: str, *, is_ours: bool) -> list[SitemapEntry]:
    data = contents(folder, name)
    if (MARK in data[:512]) is not is_ours:
        return []
    try:
        return list(islice(read_sitemap(data), _MAX_URLS))
    except SitemapFault:
        return []


def base_of_sitemap(urls: Sequence[str], paths: Collection[str]) -> str | None:
    """The base URL below which nine of ten URLs are pages of the site, None if there is none.

    `https://a.example/docs/b/` with the page `b/index.html` → `https://a.example/docs/`.
    """
    if not urls:
        return None
    names = urls[0].split("/")
    for end in range(3, len(names)):
        base = "/".join(names[:end]) + "/"
        fitting = sum(page_at(url, base, paths) is not None for url in urls)
        if fitting * 10 >= len(urls) * 9:
            return base
    return None
