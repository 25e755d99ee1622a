"""Finds the source files of pages by their paths, by one rule for all generators. Pure.

The paths of a page and its source end alike. A source belongs to the one page whose path is nearest
to its own. Outside of the generator's folders, three pages must show the titles of the sources in
a folder before the folder counts. docs/dates-reference.md lists what the rule leaves out to avoid
wrong dates.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..model import PossibleSource
from .source_paths import Parts, Source, folder_parts, page_parts, without_endings

MAX_SOURCES = 100_000
# Pages of a folder that must show the titles of their sources. By chance, one or two may: many
# sites have a page "About" and an unrelated file with that title.
_TITLED_PAGES = 3
_SAMPLE = 20  # pages of a folder that are read to find them
# Pages that are kept for a source. Some of the nearest may be redirects, which do not count.
_PAGES_OF_SOURCE = 5
# Sources with one name, such as `index`, beyond which the folder above must be the same, too.
# Without this limit, the time would grow with their number times that of pages.
_MANY_OF_NAME = 100


class _Folders(NamedTuple):
    """What is left of the paths of a page and its source without their common end.

    docs/guide/tea.html and src/guide/01/tea.md: `docs`, `src`, and `01` was skipped. `top` is the
    first component of a source whose whole path is that of its page: pages of `text/tea.md` at
    text/tea.html say nothing of `news/tea.md`.
    """

    page: Parts
    source: Parts
    skipped: str
    top: str = ""


class _Distance(NamedTuple):
    """How far the paths of a page and a source are apart. The smallest is the nearest.

    `unmatched` components of the page's path are not in that of the source. The more components
    match, the smaller is `minus_matched`. `way` is the place of the path among those that the page
    of the source may have.
    """

    unmatched: int
    minus_matched: int
    way: int


class _Match(NamedTuple):
    """A page that a source may have made. The smallest is the nearest.

    The more letters at the ends of their paths are the same, the smaller is `minus_letters`:
    `Tea.html` is nearer to `Tea.md` than `tea.html`.
    """

    distance: _Distance
    minus_letters: int
    page: str
    folders: _Folders

    def is_as_near_as(self, other: _Match) -> bool:
        """Whether nothing but the names of the pages tells the two apart."""
        return self[:2] == other[:2]


class _Chosen(NamedTuple):
    """A source that chose a page as the nearest, and the folders of both."""

    file: PossibleSource
    folders: _Folders


def _compare(page: Parts, source: Source, way: int) -> tuple[_Distance, _Folders] | None:
    """How far a page is from one of the paths of a source, None if it cannot be its page."""
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
    distance = _Distance(unmatched, minus_matched=unmatched - len(page), way=way)
    is_at_top = path and not left.source
    return distance, left._replace(top=path[0] if is_at_top else "")


def _without_common_end(
    page: Parts, path: Parts, others: Iterable[Parts], *, may_skip: bool
) -> _Folders:
    """Takes equal components from the ends of two paths, and a date or language from the page's.

    With `may_skip`, the page may lack one component of the source, but not the last one: a folder
    that only orders the sources, as in `guide/01/tea.md` → `guide/tea.html`.
    """
    skipped = ""
    end = len(page)
    while page:
        if path and page[-1] == path[-1]:
            page = page[:-1]
            path = path[:-1]
            continue
        other = _length_of_other(page, others)
        if other:
            page = page[:-other]
            continue
        can_skip = may_skip and not skipped and len(path) > 1 and len(page) < end
        if not can_skip or page[-1] != path[-2]:
            break
        skipped = path[-1]
        path = path[:-1]
    return _Folders(page=page, source=path, skipped=skipped)


def _length_of_other(page: Parts, others: Iterable[Parts]) -> int:
    """The length of the source's date or language at the end of a page's path, 0 for none."""
    longest = 0
    for other in others:
        if len(other) > longest and page[-len(other) :] == other:
            longest = len(other)
    return longest


def _reversed(path: str) -> str:
    """A path from its end on, without its ending and `index`: `a/tea/index.html` → `aet/a`."""
    path = without_endings(path)
    if path.endswith(("/index", "/README")):
        path = path.rpartition("/")[0]
    return path[::-1]


def _count_common_letters(page: str, source: str) -> int:
    """The number of letters that two reversed paths share from the beginning."""
    letters = 0
    for of_page, of_source in zip(page, source, strict=False):
        if of_page != of_source:
            break
        letters += 1
    return letters


def _ends(path: Parts, others: Iterable[Parts]) -> set[Parts]:
    """The ends of a page's path by which a source is found: its last component, and the last two.

    `blog`, `tea` → `tea` and `blog/tea`. With the date 2026-05-17 also `17/tea`, because the page
    may be `2026/05/17/tea/`.
    """
    if not path:
        return set()
    ends = {path[-1:], path[-2:]}
    for other in others:
        is_whole_date = len(other) == 3
        if is_whole_date:
            ends.add((other[-1], path[-1]))
    return ends


class Matching:
    """The sources of a project, each with the pages that are nearest to it.

    It keeps at most five pages a source, so memory grows with the sources and not with the pages.
    `nearest` are files that chose a page, and do not count: nothing shows that they made it.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = list(sources)
        self.nearest: dict[str, tuple[PossibleSource, ...]] = {}
        self._by_end: dict[Parts, list[tuple[int, int]]] = defaultdict(list)
        self._matches: list[list[_Match]] = [[] for _ in self._sources]
        for number, source in enumerate(self._sources):
            for way, path in enumerate(source.ways):
                for end in _ends(path, source.others):
                    self._by_end[end].append((number, way))
            # Only the generator's own rules name the source of a home page.
            if source.has_route and not source.ways[0]:
                self._by_end[()].append((number, 0))

    def add(self, path: str) -> None:
        """Adds a page of the site to the sources whose paths end like its own.

        Each keeps the page if it is one of the nearest.
        """
        page = page_parts(path)
        near = self._by_end.get(page[-1:], ())
        if len(near) > _MANY_OF_NAME:  # such as all sources called `overview`
            near = self._by_end.get(page[-2:], ())
        if not near or len(near) > _MANY_OF_NAME:
            return
        reversed_path = _reversed(path)
        for number, way in near:
            source = self._sources[number]
            compared = _compare(page, source, way)
            if compared:
                distance, folders = compared
                letters = _count_common_letters(reversed_path, _reversed(source.file.name))
                match = _Match(distance, minus_letters=-letters, page=path, folders=folders)
                self._keep(number, match)

    def _keep(self, number: int, match: _Match) -> None:
        """Keeps a match of a source if it is one of the nearest, and the nearest of its page."""
        matches = self._matches[number]
        for other in matches:
            if other.page == match.page:
                if other <= match:
                    return
                matches.remove(other)
                break
        insort(matches, match)
        del matches[_PAGES_OF_SOURCE:]

    def _nearest(self, number: int, is_listed: Callable[[str], bool]) -> _Match | None:
        """The listed page that is nearest to a source. None if two are equally near.

        A redirect may be nearer than the page that it leads to, so it does not count. Where there
        is only one page, it need not be read.
        """
        matches = self._matches[number]
        if len(matches) > 1:
            matches = list(islice((match for match in matches if is_listed(match.page)), 2))
        if not matches:
            return None
        nearest, *others = matches
        if others and others[0].is_as_near_as(nearest):
            return None
        return nearest

    def possible_sources(
        self,
        titles_of: Callable[[str], Collection[str]],
        content_folders: Iterable[str],
        is_listed: Callable[[str], bool] = lambda _: True,
    ) -> dict[str, tuple[PossibleSource, ...]]:
        """The possible sources of pages, by the paths of the pages.

        `titles_of` reads the titles that a page shows. In the `content_folders`, the generator
        looks for sources, so a title is enough. `is_listed` says whether a page is listed:
        redirects and other pages that are left out take no source from others.
        """
        folders = {folder_parts("" if name == "." else name) for name in content_folders}
        chosen = self._choose_pages(folders, is_listed)
        with_titles = set(_folders_with_titles(chosen, titles_of))
        found: dict[str, tuple[PossibleSource, ...]] = {}
        self.nearest.clear()
        for path, choices in chosen.items():
            files = []
            for file, of_both in choices:
                # Beside another file, built HTML may be a committed copy of the page itself.
                may_be_copy = len(choices) > 1 and _is_plain_html(file)
                counts = of_both in with_titles and not may_be_copy
                files.append(file._replace(titled_pages=_TITLED_PAGES if counts else 0))
            if any(file.counts_with_title for file in files):
                found[path] = tuple(files)
            else:
                self.nearest[path] = tuple(files)
        return found

    def _choose_pages(
        self, content_folders: Collection[Parts], is_listed: Callable[[str], bool]
    ) -> dict[str, list[_Chosen]]:
        """The sources that chose each page as the nearest, by the paths of the pages."""
        chosen: dict[str, list[_Chosen]] = defaultdict(list)
        for number, source in enumerate(self._sources):
            nearest = self._nearest(number, is_listed)
            if nearest:
                is_in = _is_in_content_folder(nearest, source, content_folders)
                file = source.file._replace(is_in_content_folder=is_in)
                chosen[nearest.page].append(_Chosen(file=file, folders=nearest.folders))
        return chosen


def _is_in_content_folder(match: _Match, source: Source, folders: Collection[Parts]) -> bool:
    """Whether the whole path of a page leads to its source in one of the generator's folders.

    For `guide/tea.html` and the folder `docs`, `docs/guide/tea.md` is such a source, and
    `docs/old/guide/tea.md` is not. So is the source of which the generator's rules give the path.
    """
    if match.folders.page or match.folders.skipped:
        return False
    has_path_of_route = source.has_route and match.distance.way == 0
    if has_path_of_route and not match.folders.source:
        return True
    return match.folders.source in folders


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without metadata that have its title, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _folders_with_titles(
    choices: Mapping[str, Sequence[_Chosen]],
    titles_of: Callable[[str], Collection[str]],
) -> Iterator[_Folders]:
    """The folders of which enough pages show the titles of their sources.

    A page with several sources does not count, nor does a source that sets the path of its page.
    """
    titled: dict[_Folders, list[tuple[str, str]]] = defaultdict(list)
    for path, sources in choices.items():
        [(source, folders), *others] = sources
        if source.title and not others and not source.sets_path:
            titled[folders].append((path, source.title))
    for folders, pages in titled.items():
        if len(pages) < _TITLED_PAGES:
            continue
        showing = (path for path, title in pages[:_SAMPLE] if title in titles_of(path))
        first = list(islice(showing, _TITLED_PAGES))  # reads no more pages than needed
        if len(first) == _TITLED_PAGES:
            yield folders
