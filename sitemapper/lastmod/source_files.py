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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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

_FilesByPage = dict[str, tuple[PossibleSource, ...]]  # by the path of the page


class _Folders(NamedTuple):
    """The folders by which the paths of a page and a source differ, before their common end.

    docs/guide/tea.html and src/guide/01/tea.md both end with `guide/tea`, if `01` is skipped, which
    the page's path does not have → `only_in_page` is `docs`, `only_in_source` is `src`.

    `top_of_source` is the first folder of the source's path, `src`. If nothing is left of this
    path, as for text/tea.md and docs/text/tea.html, only the top tells text/ from other folders.
    """

    only_in_page: Parts
    only_in_source: Parts
    skipped: str
    top_of_source: Parts


class _Match(NamedTuple):
    """A page that a source may have made. The page with the smallest `distance` is the nearest.

    `distance` has three numbers. The first in which two matches differ decides:

    - the number of components of the page's path that the source's path lacks: 1 for
      docs/guide/tea.html and src/guide/tea.md
    - the negative number of components that both have: -2 for `guide` and `tea`, so that a match
      with more of them is nearer
    - the index of `source_path` among the paths that the source's page may have, of which the first
      are the likeliest
    """

    distance: tuple[int, int, int]
    page: str
    source_path: Parts
    folders: _Folders


class _MatchedSource(NamedTuple):
    """A file that may be the source of a page, and the folders by which their paths differ."""

    file: PossibleSource
    folders: _Folders


def _compare(page: str, page_path: Parts, source: Source, path_index: int) -> _Match | None:
    """Compares a page's path with one of the paths that the page of a source file may have.

    docs/guide/tea.html and src/guide/tea.md both end with `guide/tea`, and only the page has
    `docs`. The fewer such folders a page has, the nearer it is to the source.

    None if the source cannot have made the page.
    """
    source_path = source.page_paths[path_index]
    # With `permalink: /tea/`, tea.md makes only tea/index.html, and not docs/tea/index.html.
    if source.has_exact_path and page_path != source_path:
        return None
    # A source in i18n/fr/ makes only pages with `fr` in their paths.
    if source.required_language and source.required_language not in page_path:
        return None
    # By which folders the two paths differ: `docs` and `src`.
    folders = _without_common_end(page_path, source_path, source.dates_and_languages)
    # If tea.md has a translation beside it, tea.de.md, then de/tea.html is not made from tea.md.
    if not source.foreign_languages.isdisjoint(folders.only_in_page):
        return None
    count_only_in_page = len(folders.only_in_page)  # 1 for `docs`
    count_in_both = len(page_path) - count_only_in_page  # 2 for `guide/tea`
    return _Match(
        # The smallest distance is the nearest. The more components are in both, the nearer, so
        # their number is negative. The first paths of a source are its likeliest.
        distance=(count_only_in_page, -count_in_both, path_index),
        page=page,
        source_path=source_path,
        folders=folders,
    )


def _without_common_end(
    page: Parts, source: Parts, dates_and_languages: Iterable[Parts]
) -> _Folders:
    """Removes the common end from the paths of a page and a source. Returns the folders before it.

    docs/guide/tea, src/guide/tea    `docs` and `src`
    blog/2026/tea, blog/tea          nothing: a date or a language of the page is removed, too
    guide/tea, guide/01/tea          nothing: one folder of the source is `skipped`
    """
    top_of_source = source[:1]  # `src`, which may be removed below
    skipped = ""
    while page:
        if page[-1:] == source[-1:]:  # `tea`, and then `guide`
            page = page[:-1]
            source = source[:-1]
            continue
        length = _length_of_date_or_language(page, dates_and_languages)
        if length:  # `2026`
            page = page[:-length]
            continue
        # A folder that only the source has, `01`, often puts sources in order. It is skipped if the
        # folder above it is that of the page, `guide`.
        folder_above = source[-2:-1]
        if skipped or page[-1:] != folder_above:
            break
        skipped = source[-1]
        source = source[:-1]
    return _Folders(
        only_in_page=page, only_in_source=source, skipped=skipped, top_of_source=top_of_source
    )


def _length_of_date_or_language(path: Parts, dates_and_languages: Iterable[Parts]) -> int:
    """Counts the last components of a path that are one of some dates or languages, 0 for none.

    With the dates `05` and `2026/05`, the result for blog/2026/05 is 2: the longer one counts.
    """
    longest = 0
    for folders in dates_and_languages:
        length = len(folders)
        if length > longest and path[-length:] == folders:
            longest = length
    return longest


def _ends_for_search(path: Parts, dates_and_languages: Iterable[Parts]) -> set[Parts]:
    """Lists the ends that the path of a source's page may have: `tea` and `posts/tea`.

    A page is first searched by the last component of its path. If too many sources have the same,
    it is searched by the last two.

    `dates_and_languages` are folders that the page's path may have in addition. With the date
    2026/05/17, the page may be posts/2026/05/17/tea.html, so `17/tea` is also listed.
    """
    if not path:
        return {()}  # the home page, whose path has no components
    name = path[-1]
    ends = {(name,), path[-2:]}
    for folders in dates_and_languages:
        # A year or a language alone is left out: too many sources would have the end `2026/tea`.
        if len(folders) == 3:  # a whole date
            ends.add((folders[-1], name))
    return ends


def _find_nearest(matches: Sequence[_Match], is_listed: Callable[[str], bool]) -> _Match | None:
    """Finds the nearest listed page of a source. `matches` are its pages, the nearest first.

    For tea.md, tea.html is nearer than docs/tea.html. But if tea.html is a redirect, it is not
    listed, and docs/tea.html is the nearest.

    None if none of several pages is listed. Also None if the first two listed pages are equally
    near, as a/tea.html and b/tea.html are to tea.md. It is then unclear which of them it made.
    """
    if len(matches) == 1:
        return matches[0]  # it need not be read: a page that is not listed has no date anyway
    listed = (match for match in matches if is_listed(match.page))  # reads the pages, one by one
    first_two = list(islice(listed, 2))
    if not first_two:
        return None
    first, *others = first_two
    if others and others[0].distance == first.distance:
        return None
    return first


class Matching:
    """Finds for each source the page whose path is most like its own, compared from the ends.

    First `add` each page, then ask for the `possible_sources`. Only the five nearest pages of each
    source are kept, so memory grows with the sources and not with the pages.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        """Builds an index of the source files, by the last one or two components of pages' paths.

        If the page of the first source (0) may be src/tea.html (0) or src/green.html (1), this is

            {`tea`: [(0, 0)], `src/tea`: [(0, 0)], `green`: [(0, 1)], `src/green`: [(0, 1)]}
        """
        self._sources = list(sources)
        self._paths_by_end: dict[Parts, list[tuple[int, int]]] = defaultdict(list)
        for source_index, source in enumerate(self._sources):
            for path_index, path in enumerate(source.page_paths):
                # README.md at the root of a repository usually describes the project, and is no
                # source of the home page. Only a rule of the generator, a route, makes it one.
                is_home_page = not path
                if is_home_page and path != source.path_of_route:
                    continue
                for end in _ends_for_search(path, source.dates_and_languages):
                    self._paths_by_end[end].append((source_index, path_index))
        # Filled by `add`: the nearest pages of each source, in the order of the sources.
        self._matches: list[list[_Match]] = [[] for _ in self._sources]

    def add(self, path: str) -> None:
        """Compares the path of a page with the source files that have the same last component.

        `docs/tea.html` is compared with `src/tea.md`. Each source keeps the five pages with the
        most similar paths.

        If more than a hundred sources have the name of the page, the folder must be the same, too:
        `api/overview.html` is compared with files overview.md in folders `api`. If there are more
        than a hundred of these, the page gets no source.
        """
        page_path = page_parts(path)
        same_end = self._paths_by_end.get(page_path[-1:], ())  # `overview`
        if len(same_end) > _MAX_SOURCES_OF_NAME:
            same_end = self._paths_by_end.get(page_path[-2:], ())  # `api/overview`
        if len(same_end) > _MAX_SOURCES_OF_NAME:
            return
        for source_index, path_index in same_end:
            match = _compare(path, page_path, self._sources[source_index], path_index)
            if match:
                self._keep(source_index, match)

    def _keep(self, source_index: int, match: _Match) -> None:
        """Keeps a match of a source if its page is one of the five nearest to this source.

        A page may match several paths of a source, such as one by its name and one by its title.
        Only the match with the smallest distance is kept.
        """
        matches = self._matches[source_index]  # sorted by distance
        for other in matches:
            if other.page == match.page:
                if other.distance <= match.distance:
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
    ) -> tuple[_FilesByPage, _FilesByPage]:
        """Finds the files that may be the sources of each page: {path of the page: files}.

        Each file goes to the page with the most similar path: text/tea.md to tea.html. A page for
        which `is_listed` is false, such as a redirect, takes no file from a listed page.

        The generator reads the `content_folders`, such as text/. The second table has files whose
        path is similar by chance: notes/brew.md for brew.html. They are outside of these folders,
        and fewer than three pages show titles of files beside them. `titles_of` reads these titles.
        """
        content = {folder_parts("" if name == "." else name) for name in content_folders}
        sources_by_page = self._group_by_nearest_page(content, is_listed)
        titled_folders = _find_titled_folders(sources_by_page, titles_of)
        found: _FilesByPage = {}
        similar_by_chance: _FilesByPage = {}
        for path, sources in sources_by_page.items():
            files = _with_titled_folders(sources, titled_folders)
            # One of these files is the source if the page shows its title.
            if any(file.is_source_by_path_and_title for file in files):
                found[path] = files
            else:
                similar_by_chance[path] = files
        return found, similar_by_chance

    def _group_by_nearest_page(
        self, content_folders: Collection[Parts], is_listed: Callable[[str], bool]
    ) -> dict[str, list[_MatchedSource]]:
        """Groups the source files by the page whose path is most like their own.

        If tea.html is nearest to text/tea.md and to text/tea.rst → {"tea.html": [text/tea.md,
        text/tea.rst]}. A file to which no page or two pages are nearest is in no group.

        Also sets `is_in_content_folder` of each file: whether the generator, which reads the
        `content_folders`, makes this page from a file at this place.
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
    """Whether the generator, which reads the `content_folders`, makes this page of this source.

    For guide/tea.html, and a generator that reads text/:

        text/guide/tea.md        yes
        text/tea.md              no: it makes tea.html, without `guide`
        text/guide/old/tea.md    no: it makes guide/old/tea.html, with `old`
        notes/guide/tea.md       no: it is not in text/
        notes/tea.md             yes, if a route says that the pages of notes/ are in guide/
    """
    folders = match.folders  # by which the two paths differ
    if folders.only_in_page or folders.skipped:  # `guide` or `old`, as in the examples
        return False
    is_by_route = match.source_path == source.path_of_route
    is_whole_path_equal = not folders.only_in_source
    if is_by_route and is_whole_path_equal:
        return True
    return folders.only_in_source in content_folders  # `text`


def _with_titled_folders(
    sources: Sequence[_MatchedSource], titled_folders: Collection[_Folders]
) -> tuple[PossibleSource, ...]:
    """Returns the possible source files of one page, each with its `is_in_titled_folder` set.

    If `titled_folders` has `docs` and `text`, three pages in docs/ show the titles of files in
    text/. So the generator probably makes pages of docs/ from all files of text/.
    """
    files = []
    for file, folders in sources:
        # text/tea.html beside text/tea.md may be a built page: the generator made it of tea.md, and
        # somebody committed a copy.
        may_be_built_page = len(sources) > 1 and _is_plain_html(file)
        is_in_titled_folder = folders in titled_folders and not may_be_built_page
        files.append(file._replace(is_in_titled_folder=is_in_titled_folder))
    return tuple(files)


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without a title in front matter, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _find_titled_folders(
    sources_by_page: Mapping[str, Sequence[_MatchedSource]],
    titles_of: Callable[[str], Collection[str]],
) -> set[_Folders]:
    """Finds the folders of which at least three pages show the titles of their source files.

    If docs/a.html, docs/b.html and docs/c.html show the titles of text/a.md, text/b.md and
    text/c.md → `docs` and `text`. So docs/d.html is probably made from text/d.md, even if it is not
    known which folders the generator reads.

    `titles_of` reads a page, so at most 20 pages of a folder are read.
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
    titled_folders = set()
    for folders, pages in pages_by_folders.items():
        if len(pages) < _MIN_TITLED_PAGES:  # no page need be read
            continue
        showing = (path for path, title in pages[:_MAX_PAGES_READ] if title in titles_of(path))
        first_three = list(islice(showing, _MIN_TITLED_PAGES))  # reads no page after these
        if len(first_three) == _MIN_TITLED_PAGES:
            titled_folders.add(folders)
    return titled_folders
