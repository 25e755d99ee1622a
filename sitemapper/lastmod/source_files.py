"""Finds the source of a page, by one rule for all generators. Pure.

The paths of a page and its source have the same ending. A source belongs to the one page that it
fits best. It counts if its folder is proved: three pages of the site show the titles of sources in
it. docs/dates-reference.md lists what the rule leaves out to avoid wrong dates.
"""

from __future__ import annotations

import re
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..model import PossibleSource
from .source_paths import Parts, Source, folder_parts, page_parts, without_endings

MAX_SOURCES = 100_000
_PROOFS, _SAMPLE = 3, 20  # pages that prove a folder, and how many are checked
_OFFERS = 5  # pages that a source may have made; more of them than redirects lead to a page
_CROWD = 100  # sources of one name, beyond which the folder above must fit too
# A folder of pages, the folder of their sources, the component of these that the pages lack, and of
# sources at the top of the repository the first component: one folder proves no other.
_Pair = tuple[Parts, Parts, str, str]
_Misfit = tuple[int, int, int]  # components that do not match, those that do (negative), the way


class _Remainder(NamedTuple):
    """What is left of two paths without their common end, and the component that was skipped.

    docs/guide/tea.html and src/guide/01/tea.md: `docs`, `src`, and `01` was skipped.
    """

    page: Parts
    source: Parts
    skipped: str


def _fit(page: Parts, source: Source, way: int) -> tuple[_Misfit, _Pair] | None:
    """How well the ends of both paths match, and the folders above them."""
    if source.locale and source.locale not in page:
        return None
    path = source.ways[way]
    is_exact = source.file.sets_path or source.is_routed
    left = _without_common_end(page, path, source.others, may_skip=not is_exact)
    if not source.foreign.isdisjoint(left.page):
        return None
    if is_exact and (left.page or left.source):
        return None
    unmatched = len(left.page)
    misfit = (unmatched, unmatched - len(page), way)
    top = "" if left.source or not path else path[0]
    return misfit, (*left, top)


def _without_common_end(
    page: Parts, path: Parts, others: Iterable[Parts], *, may_skip: bool
) -> _Remainder:
    """Takes equal components from the ends of two paths, and a date or language from the page's.

    With `may_skip`, the page may lack one component of the source, but not the last one.
    """
    skipped = ""
    end = len(page)
    while page:
        if path and page[-1] == path[-1]:
            page = page[:-1]
            path = path[:-1]
            continue
        other = _other_before(page, others)
        if other:
            page = page[:-other]
            continue
        can_skip = may_skip and not skipped and len(path) > 1 and len(page) < end
        if not can_skip or page[-1] != path[-2]:
            break
        skipped = path[-1]
        path = path[:-1]
    return _Remainder(page, path, skipped)


def _other_before(page: Parts, others: Iterable[Parts]) -> int:
    """The length of the source's date or language at the end of a path, 0 for none."""
    longest = 0
    for other in others:
        if len(other) > longest and page[-len(other) :] == other:
            longest = len(other)
    return longest


def _backwards(path: str) -> str:
    """A path from its end on, without what the names of pages and of sources may end in."""
    path = without_endings(path)
    if path.endswith(("/index", "/README")):
        path = path.rpartition("/")[0]
    return path[::-1]


def _alike(page: str, name: str) -> int:
    """The number of letters that two reversed paths share exactly."""
    letters = 0
    for of_page, of_name in zip(page, name, strict=False):
        if of_page != of_name:
            break
        letters += 1
    return letters


def _ends(path: Parts, others: Iterable[Parts]) -> set[Parts]:
    """The ends of a page's path that may belong to a source's: one component, or two.

    The day of the source's date may stand before its name.
    """
    if not path:
        return set()
    ends = {path[-1:], path[-2:]}
    for other in others:
        is_whole_date = len(other) == 3
        if is_whole_date:
            ends.add((other[-1], path[-1]))
    return ends


class _Offer(NamedTuple):
    """A page that a source may have made, and how well they fit. The smallest fits best.

    `unlike` is less if more letters of their paths are the same.
    """

    misfit: _Misfit
    unlike: int
    path: str
    pair: _Pair

    def is_as_good_as(self, other: _Offer) -> bool:
        """Whether nothing but the names of the pages tells the two apart."""
        return self[:2] == other[:2]


class _Choice(NamedTuple):
    """A source that chose a page, and their folders."""

    file: PossibleSource
    pair: _Pair


class Matching:
    """The sources of a project, each with the pages that it fits best. Keeps few pages a source."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = list(sources)
        self.unproved: dict[str, tuple[PossibleSource, ...]] = {}
        self._by_end: dict[Parts, list[tuple[int, int]]] = defaultdict(list)
        self._offers: list[list[_Offer]] = [[] for _ in self._sources]
        for number, source in enumerate(self._sources):
            for way, path in enumerate(source.ways):
                for end in _ends(path, source.others):
                    self._by_end[end].append((number, way))
            # Only the generator's own rules name the source of a home page.
            if source.has_route and not source.ways[0]:
                self._by_end[()].append((number, 0))

    def add(self, path: str) -> None:
        """Adds a page of the site."""
        page = page_parts(path)
        near = self._by_end.get(page[-1:], ())
        if len(near) > _CROWD:
            near = self._by_end.get(page[-2:], ())
        if not near or len(near) > _CROWD:
            return
        reversed_path = _backwards(path)
        for number, way in near:
            source = self._sources[number]
            fit = _fit(page, source, way)
            if fit:
                misfit, pair = fit
                unlike = -_alike(reversed_path, _backwards(source.file.name))
                self._offer(number, _Offer(misfit, unlike, path, pair))

    def _offer(self, number: int, offer: _Offer) -> None:
        """Offers a page to a source, which keeps the best offers, and one for a page."""
        offers = self._offers[number]
        for known in offers:
            if known.path == offer.path:
                if known <= offer:
                    return
                offers.remove(known)
                break
        insort(offers, offer)
        del offers[_OFFERS:]

    def _chosen(self, number: int, is_listed: Callable[[str], bool]) -> _Offer | None:
        """The listed page that a source fits best. None if it fits two equally.

        A redirect may fit better than the page that it leads to. Where there is only one page, it
        need not be read.
        """
        offers = self._offers[number]
        if len(offers) > 1:
            offers = list(islice((offer for offer in offers if is_listed(offer.path)), 2))
        if not offers:
            return None
        best, *others = offers
        if others and others[0].is_as_good_as(best):
            return None
        return best

    def possible_sources(
        self,
        titles_of: Callable[[str], Collection[str]],
        trusted: Iterable[str],
        is_listed: Callable[[str], bool] = lambda _: True,
    ) -> dict[str, tuple[PossibleSource, ...]]:
        """The candidates for each page that has a usable one.

        `titles_of` reads the titles that a page shows. `trusted` are the folders in which the
        generator looks for sources. In these, a title is enough evidence. `is_listed` tells whether
        a page is listed: redirects and other pages that are left out take no source from others.
        """
        folders = {folder_parts("" if name == "." else name) for name in trusted}
        chosen: dict[str, list[_Choice]] = defaultdict(list)
        for number, source in enumerate(self._sources):
            best = self._chosen(number, is_listed)
            if best:
                page_folder, folder, skipped, _ = best.pair
                is_whole = not (page_folder or skipped)
                is_on_route = source.has_route and best.misfit[-1] == 0 and not folder
                is_in_content_folder = is_whole and (is_on_route or folder in folders)
                file = source.file._replace(is_in_content_folder=is_in_content_folder)
                chosen[best.path].append(_Choice(file, best.pair))
        proved = set(_proved(chosen, titles_of))
        found: dict[str, tuple[PossibleSource, ...]] = {}
        self.unproved.clear()
        for path, choices in chosen.items():
            usable = []
            for file, pair in choices:
                # Beside another file, built HTML may be a committed copy of the page itself.
                may_be_copy = len(choices) > 1 and _is_plain_html(file)
                titled_pages = _PROOFS if pair in proved and not may_be_copy else 0
                usable.append(file._replace(titled_pages=titled_pages))
            if any(candidate.counts_with_title for candidate in usable):
                found[path] = tuple(usable)
            else:
                self.unproved[path] = tuple(usable)
        return found


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without metadata that name its title, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _proved(
    choices: Mapping[str, Sequence[_Choice]],
    titles_of: Callable[[str], Collection[str]],
) -> Iterator[_Pair]:
    """The folders of which enough pages show the titles of their sources.

    A page with several sources proves nothing, nor does a source that sets the path of its page.
    """
    titled: dict[_Pair, list[tuple[str, str]]] = defaultdict(list)
    for path, sources in choices.items():
        [(source, pair), *others] = sources
        if source.title and not others and not source.sets_path:
            titled[pair].append((path, source.title))
    for pair, pages in titled.items():
        if len(pages) < _PROOFS:
            continue
        showing = (path for path, title in pages[:_SAMPLE] if title in titles_of(path))
        titled_pages = list(islice(showing, _PROOFS))  # reads no more pages than needed
        if len(titled_pages) == _PROOFS:
            yield pair


def _split_endings(name: str) -> tuple[str, str]:
    """A source without what its page does not have: `a.en.md` → `a`, `b/index.md` → `b`.

    The second value is what was cut off, "" if the name has no ending.
    """
    stem = name
    while True:
        rest, dot, ending = stem.rpartition(".")
        if not dot or not re.fullmatch(r"\w+", ending):
            break
        stem = rest
    if stem != name:
        for index in ("/index", "/README"):
            if stem.endswith(index):
                stem = stem.removesuffix(index)
                break
    return stem, name[len(stem) :]


def template(path: str, name: str) -> tuple[str, str] | None:
    """The `[[git.map]]` from a page to its source, if the ends of their paths are the same."""
    form = re.fullmatch(r"(.*?)(/index\.html|\.html)", path)
    stem, ending = _split_endings(name)
    if not (form and ending):
        return None
    page, file = form[1].split("/"), stem.split("/")
    while page and file and page[-1] == file[-1]:
        page, file = page[:-1], file[:-1]
    if len(page) == form[1].count("/") + 1:
        return None
    return "/".join([*page, "{path}"]) + form[2], "/".join([*file, "{path}"]) + ending
