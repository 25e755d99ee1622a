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
from .source_paths import Parts, Source, folder_parts, page_parts

MAX_SOURCES = 100_000
# Pages of a folder that must show the titles of their sources. By chance, one or two may: many
# sites have a page "About" and an unrelated file with that title.
_MIN_TITLED_PAGES = 3
_MAX_PAGES_READ = 20  # pages of a folder that are read to find them
# Pages that are kept for a source. Some of the nearest may be redirects, which do not count.
_MAX_PAGES_OF_SOURCE = 5
# Sources with one name, such as `index`, beyond which the folder above must be the same, too.
# Without this limit, the time would grow with their number times that of pages.
_MAX_SOURCES_OF_NAME = 100


class _Folders(NamedTuple):
    """What is left of the paths of a page and its source without their common end.

    docs/guide/tea.html and src/guide/01/tea.md → page `docs`, source `src`, and skipped `01`.

    If the whole path of the source is in that of the page, nothing is left of it. `top` is then its
    first component, `text` for text/tea.md. So pages from `text` are not counted with those from
    `news`, when three pages must show the titles of their sources.
    """

    page: Parts
    source: Parts
    skipped: str
    top: str = ""


class _Match(NamedTuple):
    """A page that a source may have made. The smallest is the nearest.

    `unmatched` components of the page's path are not in that of the source. The more components
    match, the smaller is `minus_matched`. `path_number` is the index in `Source.page_paths`, whose
    first paths are the likeliest.
    """

    unmatched: int
    minus_matched: int
    path_number: int
    page: str
    folders: _Folders

    def is_as_near_as(self, other: _Match) -> bool:
        """Whether nothing but the names of the pages tells the two apart."""
        return self[:3] == other[:3]


class _Chosen(NamedTuple):
    """A source that chose a page as the nearest, and the folders of both."""

    file: PossibleSource
    folders: _Folders


def _compare(path: str, page: Parts, source: Source, path_number: int) -> _Match | None:
    """Measures how far the page at `path` is from one of the paths of a source.

    `page` are the parts of its path: docs/guide/tea.html is compared with `guide/tea` → one part
    of the page is unmatched, `docs`, and two are matched. None if the source cannot have made it:

    - The source is a translation, and the page is not in that language.
    - The page is in a language that has a file of its own, `tea.de.md` beside `tea.md`.
    - The source states its path or has a route, and the page has another path.
    """
    if source.locale and source.locale not in page:
        return None
    source_path = source.page_paths[path_number]
    is_exact = source.file.sets_path or source.is_routed
    left = _without_common_end(page, source_path, source.optional_ends, may_skip=not is_exact)
    if not source.foreign.isdisjoint(left.page):
        return None
    if is_exact and (left.page or left.source):
        return None
    is_whole_source_matched = source_path and not left.source
    if is_whole_source_matched:
        left = left._replace(top=source_path[0])
    unmatched = len(left.page)
    return _Match(
        unmatched=unmatched,
        minus_matched=unmatched - len(page),
        path_number=path_number,
        page=path,
        folders=left,
    )


def _without_common_end(
    page: Parts, source: Parts, optional_ends: Iterable[Parts], *, may_skip: bool
) -> _Folders:
    """Compares the paths of a page and a source from their ends on, and returns what is left.

    - Equal components go: `docs/guide/tea` and `src/guide/tea` → `docs` and `src`.
    - A date or language that only the page has goes: `blog/2026/tea` and `blog/tea` → nothing.
    - With `may_skip`, one folder that only the source has goes: `guide/tea` and `guide/01/tea` →
      nothing, and `01` is skipped. Such a folder often only puts the sources in order, and is not
      in the URL of the page.
    """
    skipped = ""
    page_length = len(page)
    while page:
        if source and page[-1] == source[-1]:
            page = page[:-1]
            source = source[:-1]
            continue
        length = _length_of_optional_end(page, optional_ends)
        if length:
            page = page[:-length]
            continue
        # The last component is the name of the source, which is never skipped. Then `guide` of the
        # page is equal to the component before `01`.
        has_compared_names = len(page) < page_length
        can_skip = may_skip and not skipped and len(source) > 1 and has_compared_names
        if not can_skip or page[-1] != source[-2]:
            break
        skipped = source[-1]
        source = source[:-1]
    return _Folders(page=page, source=source, skipped=skipped)


def _length_of_optional_end(page: Parts, optional_ends: Iterable[Parts]) -> int:
    """Counts the components of a date or language at the end of a page's path, 0 for none.

    `blog/2026/05` with the optional ends `05` and `2026/05` → 2, because the longest counts.
    """
    longest = 0
    for end in optional_ends:
        if len(end) > longest and page[-len(end) :] == end:
            longest = len(end)
    return longest


def _ends(path: Parts, optional_ends: Iterable[Parts]) -> set[Parts]:
    """Lists the ends of a source's path by which pages find it.

    A page looks for sources with its last part, `tea`. Only if too many have this, it looks for
    those with its last two, `blog/tea`. So both are listed.

    The URL of a page may have a date before its name: `2026/05/17/tea/` for `2026-05-17-tea.md`.
    For a whole date in `optional_ends`, `17/tea` is listed, too. Years, months and languages need
    no such end: too many sources share them.
    """
    if not path:
        return set()
    ends = {path[-1:], path[-2:]}
    for optional_end in optional_ends:
        is_whole_date = len(optional_end) == 3
        if is_whole_date:
            day = optional_end[-1]
            ends.add((day, path[-1]))
    return ends


class Matching:
    """Matches the sources of a project with the pages of the site.

    First `add` each page, then ask for the `possible_sources`. Only the five nearest pages of each
    source are kept, so memory grows with the sources and not with the pages.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        """Lists the sources by the ends of their paths, to find them for a page."""
        self._sources = list(sources)
        # The number of a source and that of one of its paths, by the ends of that path.
        self._by_end: dict[Parts, list[tuple[int, int]]] = defaultdict(list)
        for number, source in enumerate(self._sources):
            for path_number, path in enumerate(source.page_paths):
                for end in _ends(path, source.optional_ends):
                    self._by_end[end].append((number, path_number))
            # The path of the home page is empty. Only the generator's own rules name its source.
            if source.has_route and not source.page_paths[0]:
                self._by_end[()].append((number, 0))
        # Filled by `add`: the nearest pages of each source, by its number.
        self._matches: list[list[_Match]] = [[] for _ in self._sources]
        # Filled by `possible_sources`: the files that came nearest to a page, by its path, but of
        # which nothing shows that they made it.
        self.nearest: dict[str, tuple[PossibleSource, ...]] = {}

    def add(self, path: str) -> None:
        """Compares a page with the sources whose paths end like its own.

        `docs/tea.html` is compared with `src/tea.md`. Each source keeps its five nearest pages. If
        even the last two parts of a path are those of too many sources, the page has none.
        """
        page = page_parts(path)
        near = self._by_end.get(page[-1:], ())
        if len(near) > _MAX_SOURCES_OF_NAME:  # such as all sources called `overview`
            near = self._by_end.get(page[-2:], ())
        if len(near) > _MAX_SOURCES_OF_NAME:
            return
        for number, path_number in near:
            match = _compare(path, page, self._sources[number], path_number)
            if match:
                self._keep(number, match)

    def _keep(self, number: int, match: _Match) -> None:
        """Keeps a match if it is one of the five nearest of its source.

        A page may match several paths of the source. Only its nearest match is kept.
        """
        matches = self._matches[number]
        for other in matches:
            if other.page == match.page:
                if other <= match:
                    return
                matches.remove(other)
                break
        insort(matches, match)
        del matches[_MAX_PAGES_OF_SOURCE:]

    def _nearest(self, number: int, is_listed: Callable[[str], bool]) -> _Match | None:
        """Finds the listed page that is nearest to a source. None if two are equally near.

        A redirect may be nearer than the page that it leads to, so it does not count. If a source
        has only one page, nobody asks `is_listed`, which reads it: a page that is not listed gets
        no date anyway.
        """
        matches = self._matches[number]
        if len(matches) > 1:
            # The two nearest are enough. Of the others, `is_listed` reads none.
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
        """Finds the possible sources of each page: {path of the page: files}. Fills `nearest`.

        Each file gets two facts, by which `counts_with_title` tells whether it counts at all:

        - `is_in_content_folder`: the generator looks for sources there, in `content_folders`.
        - `is_in_titled_folder`: three pages show the titles of their sources in its folder.
          `titles_of` reads those of a page.

        If none of the files of a page counts, they go to `nearest`, and the page has no source.
        Neither has a redirect, or another page that `is_listed` excludes.
        """
        folders = {folder_parts("" if name == "." else name) for name in content_folders}
        chosen = self._choose_pages(folders, is_listed)
        titled_folders = set(_find_titled_folders(chosen, titles_of))
        found: dict[str, tuple[PossibleSource, ...]] = {}
        self.nearest.clear()
        for path, choices in chosen.items():
            files = []
            for file, of_both in choices:
                # Beside another file, built HTML may be a committed copy of the page itself.
                may_be_copy = len(choices) > 1 and _is_plain_html(file)
                is_in_titled_folder = of_both in titled_folders and not may_be_copy
                files.append(file._replace(is_in_titled_folder=is_in_titled_folder))
            if any(file.counts_with_title for file in files):
                found[path] = tuple(files)
            else:
                self.nearest[path] = tuple(files)
        return found

    def _choose_pages(
        self, content_folders: Collection[Parts], is_listed: Callable[[str], bool]
    ) -> dict[str, list[_Chosen]]:
        """Groups the sources by their nearest page, each with the folders of both.

        For tea.html with `text/tea.md` and `text/tea.rst` → {"tea.html": both}. A source without a
        nearest page, or with two pages equally near, is in no group. Each source also gets its
        `is_in_content_folder`.
        """
        chosen: dict[str, list[_Chosen]] = defaultdict(list)
        for number, source in enumerate(self._sources):
            match = self._nearest(number, is_listed)
            if match:
                is_in = _is_in_content_folder(match, source, content_folders)
                file = source.file._replace(is_in_content_folder=is_in)
                chosen[match.page].append(_Chosen(file=file, folders=match.folders))
        return chosen


def _is_in_content_folder(match: _Match, source: Source, folders: Collection[Parts]) -> bool:
    """Whether the generator would find the source of a page in one of its folders, by its path.

    With the folder `text`, for the page guide/tea.html:

        text/guide/tea.md            true
        text/tea.md                  false: nothing says that it makes a page in guide/
        text/guide/old/tea.md        false: it would make guide/old/tea.html
        notes/guide/tea.md           false: it is in another folder
        a file with a route to it    true: the generator's own rules give that path
    """
    if match.folders.page or match.folders.skipped:
        return False
    # The first path of a source with a route is the one by the generator's own rules.
    has_path_of_route = source.has_route and match.path_number == 0
    if has_path_of_route and not match.folders.source:
        return True
    return match.folders.source in folders


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without a title in front matter, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _find_titled_folders(
    choices: Mapping[str, Sequence[_Chosen]],
    titles_of: Callable[[str], Collection[str]],
) -> Iterator[_Folders]:
    """Finds the folders of pages and sources of which three pages show the titles of their sources.

    a.html, b.html and c.html show the titles of text/a.md, text/b.md and text/c.md → ("", `text`).
    A page with several sources does not count. Neither does a source with a permalink, because its
    own folder says nothing of the page's.
    """
    # Pages with one titled source each, by the folders of both.
    titled: dict[_Folders, list[tuple[str, str]]] = defaultdict(list)
    for path, sources in choices.items():
        [(source, folders), *others] = sources
        if source.title and not others and not source.sets_path:
            titled[folders].append((path, source.title))
    # Read the pages of each two folders until three show the titles.
    for folders, pages in titled.items():
        if len(pages) < _MIN_TITLED_PAGES:
            continue
        showing = (path for path, title in pages[:_MAX_PAGES_READ] if title in titles_of(path))
        first = list(islice(showing, _MIN_TITLED_PAGES))  # reads no more pages than needed
        if len(first) == _MIN_TITLED_PAGES:
            yield folders
