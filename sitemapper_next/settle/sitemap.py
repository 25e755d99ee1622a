"""What a sitemap in the output shows: the base URL, and the URL forms."""

import os
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice

from ..files import read_inside
from ..protocol import MARK
from ..read.sitemap import SitemapFault, read_sitemap
from ..syntax.urls import origin_of, page_at, resolve

_MAX_URLS = 200  # that are read of a sitemap


def listed_in(folder: str, name: str, *, is_ours: bool) -> list[str]:
    """The first URLs of a sitemap, or of the first part of an index; none of one that is damaged.

    `is_ours` says whether it must have our mark, or must not.
    """
    try:
        data = read_inside(folder, name)
    except OSError:
        return []
    if data is None or (MARK in data[:512]) is not is_ours:
        return []
    urls: list[str] = []
    try:
        for entry in islice(read_sitemap(data), _MAX_URLS):
            url = resolve(entry.loc, "") or ""
            part = os.path.basename(url)
            if entry.is_sitemap:
                return listed_in(folder, part, is_ours=is_ours) if part not in ("", name) else []
            urls.append(url)
    except SitemapFault:
        return []
    return urls


def base_of_sitemap(urls: Sequence[str], paths: Collection[str]) -> str | None:
    """The base URL below which nine of ten URLs are pages of the site, None if there is none.

    `https://a.example/docs/b/` with the page `b/index.html` → `https://a.example/docs/`.
    """
    if not urls:
        return None
    bases = [f"{origin_of(urls[0])}/"]
    for name in urls[0][len(bases[0]) :].split("/")[:-1]:
        bases.append(f"{bases[-1]}{name}/")
    counts = Counter(
        {base: sum(page_at(url, base, paths) is not None for url in urls) for base in bases}
    )
    [(best, fitting)] = counts.most_common(1)
    return best if fitting * 10 >= len(urls) * 9 else None
