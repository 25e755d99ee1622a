"""Keys whose values are valid alone, but cannot hold together. Only the first conflict is reported.

They are checked last, when the base URL is there.
"""

import os
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from ..config.filenames import is_own_name
from ..config.settings import Settings
from ..syntax.urls import resolve, without_scheme

KEYS = {"sitemap", "sitemaps", "ledger", "submit"}  # without them, nothing can conflict
_RENAME = "choose another name"


class KeyConflict(NamedTuple):
    """A key, why it cannot hold together with another one, and what to do."""

    key: str
    what: str
    help: str


def find_conflict(settings: Settings, base_url: str) -> KeyConflict | None:
    """Finds the first conflict between keys, None if there is none.

    `[[sitemaps]]` with the names `blog` and `blog-2` → the key `sitemaps[1].name`, because the
    second file of `blog` would be named the same.
    """
    found = chain.from_iterable(check(settings, base_url) for check in _ALL)
    return next(found, None)


def _check_section_names(settings: Settings, _base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict for each section of `[[sitemaps]]` whose files another one would overwrite.

    | names | why the last one conflicts |
    |---|---|
    | `blog`, `blog` | both write sitemap-blog.xml |
    | `blog`, `blog-2` | the second file of a large `blog` is sitemap-blog-2.xml |
    """
    names = [section.name for section in settings.sitemaps]
    for index, name in enumerate(names):
        numbered = re.fullmatch(r"(.+)-\d+", name)
        is_overflow = numbered is not None and numbered[1] in names
        is_repeated = name in names[:index]
        if is_repeated or is_overflow:
            what = f"another sitemap would also be named {name!r}"
            yield KeyConflict(f"sitemaps[{index}].name", what, _RENAME)


def _check_ledger_name(settings: Settings, _base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict if the ledger would be written over another file of ours in the output.

    `[ledger] path = "sitemap-1.xml"` has the name of a sitemap.
    """
    sections = [section.name for section in settings.sitemaps]
    folder, name = os.path.split(settings.ledger.path)
    if folder not in (settings.output, settings.site):
        return
    stem = settings.sitemap.stem
    # The last one is the copy of the ledger that is published.
    others = ("robots.txt", f"{settings.submit.key}.txt", f"{stem}-ledger.txt")
    if name in others or is_own_name(name, stem, sections):
        what = f"{name} is also the name of another file that is written there"
        yield KeyConflict("ledger.path", what, _RENAME)


def _check_live_ledger(settings: Settings, _base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict if `[ledger] live = true`, but `lastmod` lists sources without `ledger`.

    `lastmod = ["mtime"]` would not use the ledger that is published.
    """
    sources = settings.lastmod
    lists_sources = sources not in ((), ("auto",))  # with `auto`, a live ledger is one of them
    if settings.ledger.live and lists_sources and "ledger" not in sources:
        what = "the ledger is not a source of dates"
        yield KeyConflict("ledger.live", what, 'write lastmod = ["ledger", "mtime"]')


def _check_key_location(settings: Settings, base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict if the file at `[submit] key_location` does not cover the base URL.

    https://example.com/a/key.txt covers only the URLs below example.com/a/, with http and https
    (IndexNow, Option 2).
    """
    location = settings.submit.key_location
    if not location:
        return
    folder = location.rpartition("/")[0]
    covered = without_scheme(folder) + "/"
    if not without_scheme(base_url).startswith(covered):
        what = f"a key in {covered} does not cover {base_url}"
        help = "put the key's file at base_url or above it"
        yield KeyConflict("submit.key_location", what, help)


def _check_other_sitemaps(settings: Settings, base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict for each of `[sitemap] others` that our index may not list.

    That is one which is not below the base URL, or which is a file of ours: sitemap-1.xml. An index
    may list only sitemaps of its own site (sitemaps.org, sitemap index files).
    """
    sections = [section.name for section in settings.sitemaps]
    for index, other in enumerate(settings.sitemap.others):
        key = f"sitemap.others[{index}]"
        url = resolve(other, base_url) or ""
        if not url.startswith(base_url):
            help = "an index may name only sitemaps of its own host, at or below its own folder"
            what = f"{other} is not below {base_url}"
            yield KeyConflict(key, what, f"{help}; name others in robots.txt")
        if is_own_name(url.removeprefix(base_url), settings.sitemap.stem, sections):
            what = f"{other} is a name of this sitemap's own files"
            yield KeyConflict(key, what, "change [sitemap] name, or remove it from the list")


_ALL: tuple[Callable[[Settings, str], Iterator[KeyConflict]], ...] = (
    _check_section_names,
    _check_ledger_name,
    _check_live_ledger,
    _check_key_location,
    _check_other_sitemaps,
)
