"""Finds the source files of pages by their paths, by one rule for all generators. Pure.

A generator keeps the end of a source's path: from src/guide/tea.md it makes docs/guide/tea.html. So
the paths are compared from their ends, in four steps:

1. A page is compared with all sources whose paths have its last component, `tea`.
2. What both paths have at their ends goes, `guide/tea`. The folders `docs` and `src` are left.
3. A source belongs to the one page of which the fewest components are left.
4. It counts if the generator reads the folder that is left of its path, `src`. Or three pages below
   `docs` show the titles of their sources below `src`.

docs/dates-reference.md lists what the rule leaves out to avoid wrong dates.
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
    """The folders that are left of the paths of a page and a source without their common end.

    docs/guide/tea.html and src/guide/01/tea.md both end with `guide/tea`, if `01` is skipped, which
    the page's path does not have → `of_page` is `docs`, `of_source` is `src`, `skipped` is `01`.

    `top_of_source` is the first folder of the source's path, `src`. If nothing is left of this
    path, as for text/tea.md and docs/text/tea.html, only the top tells text/ from other folders.
    """

    of_page: Parts
    of_source: Parts
    skipped: str
    top_of_source: Parts


class _Match(NamedTuple):
    """A page that a source may have made. The smallest match of a source is its nearest page.

    - `unmatched` is the number of components of the page's path that the source's path lacks: 1
      for docs/guide/tea.html and src/guide/tea.md.
    - `minus_matched` is the negative number of components that both have: -2 for `guide` and `tea`.
      So a match with more common components is smaller.
    - `path_number` is the index in `Source.page_paths`, whose first paths are the likeliest.
    """

    unmatched: int
    minus_matched: int
    path_number: int
    page: str
    folders: _Folders

    def is_as_near_as(self, other: _Match) -> bool:
        """Whether the pages of two matches are equally near to the source.

        For `tea.md`, a/tea.html and b/tea.html are. Nobody then knows which of the two it made.
        """
        # The first three fields: all but the page and the folders.
        return self[:3] == other[:3]


class _MatchedSource(NamedTuple):
    """A source file of a page, with what is left of the paths of the page and the file."""

    file: PossibleSource
    folders: _Folders


def _compare(page: str, page_path: Parts, source: Source, path_number: int) -> _Match | None:
    """Compares a page's path with one of the paths that the page of a source may have.

    Counts the components at their ends that are equal. For docs/guide/tea.html, `page_path` is
    `docs`, `guide`, `tea`. The source src/guide/tea.md also ends with `guide/tea`, so two
    components are matched, and `docs` is unmatched. The page with the fewest unmatched components
    will get the source.

    None if the source cannot have made the page, for example:

    - The source i18n/fr/…/tea.md has the locale `fr`, but the page's path has no `fr`.
    - The source tea.md is beside its translation tea.de.md, and the page is in de/.
    - The source tea.md sets `permalink: /tea/`, and the page has another path, docs/tea.html.
    """
    if source.locale and source.locale not in page_path:
        return None
    left = _without_common_end(
        page_path,
        source.page_paths[path_number],
        source.optional_folders,
        # A permalink is the whole path of the page, so nothing may be skipped.
        may_skip=not source.has_exact_path,
    )
    is_in_foreign_language = not source.foreign.isdisjoint(left.of_page)
    if is_in_foreign_language:
        return None
    if source.has_exact_path and (left.of_page or left.of_source):
        return None
    unmatched = len(left.of_page)
    matched = len(page_path) - unmatched
    return _Match(
        unmatched=unmatched,
        minus_matched=-matched,  # so that the smallest match is the one with most components
        path_number=path_number,
        page=page,
        folders=left,
    )


def _without_common_end(
    page: Parts, source: Parts, optional_folders: Iterable[Parts], *, may_skip: bool
) -> _Folders:
    """Removes the common end from the paths of a page and a source, and returns what is left.

    The paths are compared from right to left, one component after another:

    1. Equal components are removed: docs/guide/tea and src/guide/tea → `docs` and `src` are left.
    2. A date or a language that only the page has is removed. For the page blog/2026/tea and the
       source blog/tea, it is `2026`.
    3. With `may_skip`, one folder that only the source has is removed. For the page guide/tea and
       the source guide/01/tea, it is `01`. Such a folder often only puts the sources in order.

    At any other difference, the comparison ends.
    """
    top_of_source = source[:1]  # before anything is removed
    skipped = ""
    while page:
        if source and page[-1] == source[-1]:
            page = page[:-1]
            source = source[:-1]
            continue
        length = _length_of_optional_folder(page, optional_folders)
        if length:
            page = page[:-length]
            continue
        # If `guide` and `guide/01` are left, `01` may be skipped: `guide` stands before it.
        can_skip = may_skip and not skipped and len(source) > 1
        if not can_skip or page[-1] != source[-2]:
            break
        skipped = source[-1]
        source = source[:-1]
    return _Folders(of_page=page, of_source=source, skipped=skipped, top_of_source=top_of_source)


def _length_of_optional_folder(page: Parts, optional_folders: Iterable[Parts]) -> int:
    """Counts the components of a date or language at the end of a page's path, 0 for none.

    `page` is a path in components. For `blog`, `2026`, `05` and the optional folders `05` and
    `2026/05`, the result is 2, because the longest counts.
    """
    longest = 0
    for end in optional_folders:
        if len(end) > longest and page[-len(end) :] == end:
            longest = len(end)
    return longest


def _search_keys(path: Parts, optional_folders: Iterable[Parts]) -> set[Parts]:
    """Lists the last components of a path by which the source of a page is searched.

    For posts/tea, these are `tea` and `posts/tea`. A source is searched by the last component of a
    page's path. If that finds too many, it is searched by the last two.

    If the source has the date 2026-05-17, its page may be posts/2026/05/17/tea.html. So `17/tea` is
    also listed.
    """
    if not path:
        return set()
    keys = {path[-1:], path[-2:]}  # `tea`, and `posts/tea`
    for optional_folder in optional_folders:
        # Only for a whole date. Too many sources would share the key of a year or a language.
        is_whole_date = len(optional_folder) == 3  # year, month and day
        if is_whole_date:
            day = optional_folder[-1]
            keys.add((day, path[-1]))
    return keys


def _find_nearest(matches: Sequence[_Match], is_listed: Callable[[str], bool]) -> _Match | None:
    """Finds the nearest listed page of a source. `matches` are its pages, the nearest first.

    For tea.md, tea.html is nearer than docs/tea.html. But if tea.html is a redirect, it is not
    listed, and docs/tea.html is the nearest.

    None if none of several pages is listed. Also None if the first two listed pages are equally
    near, because it is not known which of them was made from the source.
    """
    if len(matches) == 1:
        return matches[0]  # it need not be read: a page that is not listed has no date anyway
    listed = (match for match in matches if is_listed(match.page))  # reads the pages, one by one
    first_two = list(islice(listed, 2))
    if not first_two:
        return None
    first, *others = first_two
    if others and others[0].is_as_near_as(first):
        return None
    return first


class Matching:
    """Finds for each source the page whose path is most like its own, compared from the ends.

    First `add` each page, then ask for the `possible_sources`. Only the five nearest pages of each
    source are kept, so memory grows with the sources and not with the pages.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        """Builds an index of the sources, by the last components of the paths of their pages.

        If the first source is src/tea.md, and its page may have the path `src/tea`, the index gets
        `(0, 0)` for `tea` and for `src/tea`: the first path of the first source.
        """
        self._sources = list(sources)
        # {last component or last two: (number of a source, number of the path among its paths)}
        self._by_key: dict[Parts, list[tuple[int, int]]] = defaultdict(list)
        for number, source in enumerate(self._sources):
            for path_number, path in enumerate(source.page_paths):
                for key in _search_keys(path, source.optional_folders):
                    self._by_key[key].append((number, path_number))
            # The home page has an empty path. Its source is known only if a rule of the generator
            # gives it this path: `slug: /` in Docusaurus.
            makes_home_page = source.has_path_of_route and not source.page_paths[0]
            if makes_home_page:
                self._by_key[()].append((number, 0))
        # Filled by `add`: the nearest pages of each source, in the order of the sources.
        self._matches: list[list[_Match]] = [[] for _ in self._sources]
        # Filled by `possible_sources`, {path of a page: files}: the files with a similar path, of
        # which nothing else shows that they made the page. `explain` names them.
        self.nearest: dict[str, tuple[PossibleSource, ...]] = {}

    def add(self, path: str) -> None:
        """Compares a page with the sources whose paths have the same last component.

        `docs/tea.html` is compared with `src/tea.md`. Each source keeps the five pages with the
        most similar paths. If more than a hundred sources have the name of the page, the folder
        must be the same, too: `api/overview.html` is then only compared with files overview.md in
        folders `api`.
        """
        page = page_parts(path)
        same_end = self._by_key.get(page[-1:], ())  # by the last component
        if len(same_end) > _MAX_SOURCES_OF_NAME:
            same_end = self._by_key.get(page[-2:], ())  # by the last two
        if len(same_end) > _MAX_SOURCES_OF_NAME:  # still too many, so the page has no source
            return
        # `path_number` says which of the paths that the source's page may have ends so.
        for number, path_number in same_end:
            match = _compare(path, page, self._sources[number], path_number)
            if match:
                self._keep(number, match)

    def _keep(self, source_number: int, match: _Match) -> None:
        """Keeps a match if its page is one of the five with the most similar paths to the source.

        A smaller match is a more similar path. A page may match several of the paths that the
        source's page may have. Only the smallest match of the page is kept.
        """
        matches = self._matches[source_number]  # sorted
        for other in matches:
            if other.page == match.page:
                if other <= match:
                    return
                matches.remove(other)
                break
        insort(matches, match)
        del matches[_MAX_PAGES_OF_SOURCE:]

    def possible_sources(
        self,
        titles_of: Callable[[str], Collection[str]],
        content_folders: Iterable[str],
        is_listed: Callable[[str], bool],
    ) -> dict[str, tuple[PossibleSource, ...]]:
        """Finds the files that may be the sources of each page: {path of the page: files}.

        First, each file goes to the page with the most similar path: text/tea.md to tea.html. But a
        similar path alone is no proof. So a page is in the result only if one of its files

        - is in one of the `content_folders`, of which the generator makes pages
          (`is_in_content_folder`)
        - is in a folder where at least three pages show the titles of their files, which
          `titles_of` reads (`is_in_titled_folder`)
        - sets the path of its page itself

        With `content_folders` [`text`], the result is {"tea.html": (text/tea.md,)}. If
        notes/brew.md has the most similar path to brew.html, but notes/ is no such folder, this
        file goes to `nearest`.

        A page for which `is_listed` is false, such as a redirect, takes no file from another page:
        the file goes to the next of its five pages that is listed.
        """
        content = {folder_parts("" if name == "." else name) for name in content_folders}
        sources_by_page = self._group_by_nearest_page(content, is_listed)
        titled_folders = set(_find_titled_folders(sources_by_page, titles_of))
        found: dict[str, tuple[PossibleSource, ...]] = {}
        self.nearest.clear()
        for path, sources in sources_by_page.items():
            files = []
            for file, folders in sources:
                # If there are several files, one that is HTML may be a committed copy of the page.
                may_be_copy = len(sources) > 1 and _is_plain_html(file)
                is_in_titled_folder = folders in titled_folders and not may_be_copy
                files.append(file._replace(is_in_titled_folder=is_in_titled_folder))
            # A file counts if it has one of the two fields, or sets the path of its page itself.
            if any(file.counts_by_path_and_title for file in files):
                found[path] = tuple(files)
            else:
                self.nearest[path] = tuple(files)
        return found

    def _group_by_nearest_page(
        self, content_folders: Collection[Parts], is_listed: Callable[[str], bool]
    ) -> dict[str, list[_MatchedSource]]:
        """Groups the sources by the page whose path is most like their own.

        If text/tea.md and text/tea.rst are both nearest to the page tea.html → {"tea.html":
        [text/tea.md, text/tea.rst]}. For each file, `is_in_content_folder` says whether the
        generator would look for the page's source there. Its `folders` are those in which both
        paths differ: `text` of the file, and none of the page.

        A source without a nearest page, or with two pages equally near, is in no group.
        """
        groups: dict[str, list[_MatchedSource]] = defaultdict(list)
        for source, matches in zip(self._sources, self._matches, strict=True):
            nearest = _find_nearest(matches, is_listed)
            if nearest is None:
                continue
            is_in_content_folder = _is_in_content_folder(nearest, source, content_folders)
            file = source.file._replace(is_in_content_folder=is_in_content_folder)
            groups[nearest.page].append(_MatchedSource(file=file, folders=nearest.folders))
        return groups


def _is_in_content_folder(
    match: _Match, source: Source, content_folders: Collection[Parts]
) -> bool:
    """Whether a source is where the generator would look for the source of the matched page.

    The generator reads the `content_folders`, such as text/. From text/guide/tea.md, it makes
    guide/tea.html. For this page and these sources, the result is

        text/tea.md              False: the generator makes tea.html from it
        text/guide/old/tea.md    False: the generator makes guide/old/tea.html from it
        notes/guide/tea.md       False: the generator does not read notes/
        text/guide/tea.md        True

    Also true if a route leads from the source's folder to guide/tea.html. A route is a rule of the
    generator: the pages of one folder of sources are in another folder.
    """
    # What is left of both paths without their common end, such as guide/tea: nothing of the page,
    # and `text` of the source.
    left = match.folders
    if left.of_page or left.skipped:  # the page has another folder, or the source has one more
        return False
    # The first path of a source with a route is the one that the route gives.
    is_matched_by_route = source.has_path_of_route and match.path_number == 0
    if is_matched_by_route and not left.of_source:
        return True
    return left.of_source in content_folders


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without a title in front matter, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _find_titled_folders(
    sources_by_page: Mapping[str, Sequence[_MatchedSource]],
    titles_of: Callable[[str], Collection[str]],
) -> Iterator[_Folders]:
    """Yields the folders of pages and sources that belong together, because pages show the titles.

    At least three pages of one folder must show the titles of their sources in another folder. If
    docs/a.html, docs/b.html and docs/c.html show the titles of text/a.md, text/b.md and text/c.md →
    `docs` and `text`. So text/d.md may be the source of docs/d.html, even if it is not known which
    folders the generator reads.

    At most 20 pages of a folder are read.
    """
    # By the two folders: each page with only one source, and the title of that source.
    pages_by_folders: dict[_Folders, list[tuple[str, str]]] = defaultdict(list)
    for path, sources in sources_by_page.items():
        if len(sources) > 1:  # it is not known which of them made the page
            continue
        file, folders = sources[0]
        # If a source sets the path of its page, its folder says nothing about that of the page.
        if file.title and not file.sets_path:
            pages_by_folders[folders].append((path, file.title))
    for folders, pages in pages_by_folders.items():
        if len(pages) < _MIN_TITLED_PAGES:
            continue
        # `titles_of` reads a page. After three that show their titles, no other page is read.
        showing = (path for path, title in pages[:_MAX_PAGES_READ] if title in titles_of(path))
        enough = list(islice(showing, _MIN_TITLED_PAGES))
        if len(enough) == _MIN_TITLED_PAGES:
            yield folders
