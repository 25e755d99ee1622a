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
    `news`.
    """

    page: Parts
    source: Parts
    skipped: str
    top: str = ""


class _Distance(NamedTuple):
    """How far the paths of a page and a source are apart. The smallest is the nearest.

    `unmatched` components of the page's path are not in that of the source. The more components
    match, the smaller is `minus_matched`. `path_number` is the index in `Source.page_paths`, whose
    first paths are the likeliest.
    """

    unmatched: int
    minus_matched: int
    path_number: int


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


def _compare(page: Parts, source: Source, path_number: int) -> tuple[_Distance, _Folders] | None:
    """Measures how far a page is from one of the paths of a source. Also returns their folders.

    docs/guide/tea.html and `guide/tea` → one component of the page is unmatched, `docs`, and two
    are matched. None if the source cannot have made the page.
    """
    if source.locale and source.locale not in page:
        return None  # it is a translation, and the page is not in that language
    path = source.page_paths[path_number]
    is_exact = source.file.sets_path or source.is_routed
    left = _without_common_end(page, path, source.optional_ends, may_skip=not is_exact)
    if not source.foreign.isdisjoint(left.page):
        return None  # another file has the text in the page's language
    if is_exact and (left.page or left.source):
        return None  # the page of a permalink or a route has exactly that path
    unmatched = len(left.page)
    distance = _Distance(unmatched, minus_matched=unmatched - len(page), path_number=path_number)
    is_at_top = path and not left.source
    return distance, left._replace(top=path[0] if is_at_top else "")


def _without_common_end(
    page: Parts, source: Parts, optional_ends: Iterable[Parts], *, may_skip: bool
) -> _Folders:
    """Compares the paths of a page and a source from their ends on, and returns what is left.

    - Equal components go: `docs/guide/tea` and `src/guide/tea` → `docs` and `src`.
    - A date or language that only the page has goes: `blog/2026/tea` and `blog/tea` → nothing.
    - With `may_skip`, one folder that only the source has goes: `guide/tea` and `guide/01/tea` →
      nothing, and `01` is skipped. It may only order the sources.
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
        # The last component is the name of the source, which is never skipped.
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


def _reverse_letters(path: str) -> str:
    """Reverses a path without its ending and `index`: `tea/index.md` → `aet`."""
    stem = without_endings(path)
    if stem.endswith(("/index", "/README")):
        stem = stem.rpartition("/")[0]
    return stem[::-1]


def _count_common_letters(page: str, source: str) -> int:
    """Counts the letters that two reversed paths share at their beginning.

    `aet/a` and `aet/b` → 4.
    """
    letters = 0
    for of_page, of_source in zip(page, source, strict=False):
        if of_page != of_source:
            break
        letters += 1
    return letters


def _ends(path: Parts, optional_ends: Iterable[Parts]) -> set[Parts]:
    """Lists the ends of a source's path under which a page finds it: its last part, its last two.

    `blog/tea.md` → `tea` and `blog/tea`. `optional_ends` are parts that the URL of the page may
    have before its name: the language, or the date of `2026-05-17-tea.md`. The page of that source
    may be `2026/05/17/tea/`, whose last two parts are `17/tea`. So a whole date adds `17/tea`.
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
        self._sources = list(sources)
        # The number of a source and that of one of its paths, by the ends of that path.
        self._by_end: dict[Parts, list[tuple[int, int]]] = defaultdict(list)
        for number, source in enumerate(self._sources):
            for path_number, path in enumerate(source.page_paths):
                for end in _ends(path, source.optional_ends):
                    self._by_end[end].append((number, path_number))
            # Only the generator's own rules name the source of a home page.
            if source.has_route and not source.page_paths[0]:
                self._by_end[()].append((number, 0))
        # Filled by `add`: the nearest pages of each source, by its number.
        self._matches: list[list[_Match]] = [[] for _ in self._sources]
        # Filled by `possible_sources`: the files that came nearest to a page, by its path, but of
        # which nothing shows that they made it.
        self.nearest: dict[str, tuple[PossibleSource, ...]] = {}

    def add(self, path: str) -> None:
        """Compares a page with the sources whose paths end like its own.

        `docs/tea.html` is compared with `src/tea.md`. Each source keeps its five nearest pages.
        """
        page = page_parts(path)
        near = self._by_end.get(page[-1:], ())
        if len(near) > _MAX_SOURCES_OF_NAME:  # such as all sources called `overview`
            near = self._by_end.get(page[-2:], ())
        if not near or len(near) > _MAX_SOURCES_OF_NAME:
            return
        reversed_path = _reverse_letters(path)
        for number, path_number in near:
            source = self._sources[number]
            compared = _compare(page, source, path_number)
            if compared:
                distance, folders = compared
                reversed_name = _reverse_letters(source.file.name)
                letters = _count_common_letters(reversed_path, reversed_name)
                match = _Match(distance, minus_letters=-letters, page=path, folders=folders)
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

        A redirect may be nearer than the page that it leads to, so it does not count. A source with
        only one page gets it without asking `is_listed`, which reads pages.
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

        A file in one of the `content_folders`, where the generator looks for sources, always
        counts. Elsewhere, three pages of its folder must show the titles of their sources, which
        `titles_of` reads. Redirects and other pages that `is_listed` excludes get no source.

        If none of the files of a page counts, they go to `nearest`, and the page has no source.
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
                files.append(file._replace(titled_pages=_MIN_TITLED_PAGES if counts else 0))
            if any(file.counts_with_title for file in files):
                found[path] = tuple(files)
            else:
                self.nearest[path] = tuple(files)
        return found

    def _choose_pages(
        self, content_folders: Collection[Parts], is_listed: Callable[[str], bool]
    ) -> dict[str, list[_Chosen]]:
        """Groups the sources by their nearest page: {path of the page: its sources}.

        For tea.html with `text/tea.md` and `text/tea.rst` → {"tea.html": both}. A source without a
        nearest page, or with two pages equally near, is in no group. The caller then decides which
        sources count: each gets `is_in_content_folder`, which is true in the `content_folders`,
        where the generator looks for sources.
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

    For `guide/tea.html` and the folder `docs`, it finds `docs/guide/tea.md`, but not
    `docs/old/guide/tea.md`. It also finds a source at the path that its own rules give. A source
    that it finds counts, whatever titles the other pages show.
    """
    # The page has a folder that the source does not have, or the source one in the middle.
    if match.folders.page or match.folders.skipped:
        return False
    # The first path of a source with a route is the one by the generator's own rules.
    has_path_of_route = source.has_route and match.distance.path_number == 0
    if has_path_of_route and not match.folders.source:
        return True
    # What comes before the common end must be one of the folders.
    return match.folders.source in folders


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without a title in front matter, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _folders_with_titles(
    choices: Mapping[str, Sequence[_Chosen]],
    titles_of: Callable[[str], Collection[str]],
) -> Iterator[_Folders]:
    """Finds the pairs of folders of which three pages show the titles of their sources.

    a.html, b.html and c.html show the titles of text/a.md, text/b.md and text/c.md → the root of
    the site with `text`. A page with several sources does not count. Neither does a source with a
    permalink, because its own folder says nothing of the page's.
    """
    # Pages with one titled source each, by the folders of both.
    titled: dict[_Folders, list[tuple[str, str]]] = defaultdict(list)
    for path, sources in choices.items():
        [(source, folders), *others] = sources
        if source.title and not others and not source.sets_path:
            titled[folders].append((path, source.title))
    # Read the pages of each pair until three show the titles.
    for folders, pages in titled.items():
        if len(pages) < _MIN_TITLED_PAGES:
            continue
        showing = (path for path, title in pages[:_MAX_PAGES_READ] if title in titles_of(path))
        first = list(islice(showing, _MIN_TITLED_PAGES))  # reads no more pages than needed
        if len(first) == _MIN_TITLED_PAGES:
            yield folders
