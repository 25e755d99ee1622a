"""Finds the source files of pages by their paths, by one rule for all generators. Pure.

A generator keeps the end of a source's path: from src/guide/tea.md it makes docs/guide/tea.html. So
the paths are compared from their ends, in four steps:

1. A page is compared with all sources whose paths have its last component, `tea`.
2. What both paths have at their ends goes, `guide/tea`. The folders `docs` and `src` are left.
3. A source belongs to the one page of which the fewest components are left.
4. It counts if the generator reads the folder that is left of its path, `src`. Or three pages below
   `docs` show the titles of their sources below `src`.

docs/dates.md lists what the rule leaves out to avoid wrong dates.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..model import PossibleSource, ShownBy
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
    """The folders by which the path of a page differs from that of its source.

    docs/guide/tea.html and src/guide/01/tea.md both end with `guide/tea`, apart from `01`:

    - `only_in_page` are the folders of the page before this common end: `docs`.
    - `only_in_source` are those of the source: `src`.
    - `skipped` is a folder within the common end that only the source has: `01`. "" for none.
    - `top_of_source` is the first folder of the source, whether the page has it or not: `src`. If
      text/tea.html is like text/tea.md, and notes/tea.html like notes/tea.md, only this differs.

    A generator makes pages of all files in a folder by one rule. So if two pages differ from their
    sources by the same folders, the same rule probably made them.
    """

    only_in_page: Parts
    only_in_source: Parts
    skipped: str
    top_of_source: Parts


class _PossiblePath(NamedTuple):
    """One of the paths that the page of a source may have. `rank` is 0 for the likeliest of them.

    text/03-tea.md may make text/tea.html (0) or text/03-tea.html (1).
    """

    source: Source
    path: Parts
    rank: int


class _Match(NamedTuple):
    """A page that a source may have made. The page with the smallest `distance` is the nearest.

    `distance` has three numbers. The first in which two matches differ decides:

    - the number of components of the page's path that the source's path lacks: 1 for
      docs/guide/tea.html and src/guide/tea.md
    - the negative number of components that both have: -2 for `guide` and `tea`, so that a match
      with more of them is nearer
    - the rank of the path among those that the source's page may have, 0 for the likeliest
    """

    distance: tuple[int, int, int]
    page: str
    possible: _PossiblePath
    folders: _Folders

    @property
    def file(self) -> PossibleSource:
        """The source file."""
        return self.possible.source.file


def _compare(page: str, page_path: Parts, possible: _PossiblePath) -> _Match | None:
    """Compares a page's path with one of the paths that the page of a source file may have.

    docs/guide/tea.html and src/guide/tea.md both end with `guide/tea`, and only the page has
    `docs`. The fewer such folders a page has, the nearer it is to the source.

    None if the source cannot have made the page.
    """
    source, source_path, rank = possible
    # With `permalink: /tea/`, tea.md makes only tea/index.html, and not docs/tea/index.html.
    if source.has_exact_path and page_path != source_path:
        return None
    # A source in i18n/fr/ makes only pages with `fr` in their paths.
    if source.required_language and source.required_language not in page_path:
        return None
    # By which folders the two paths differ: `docs` and `src`.
    folders = _compare_folders(page_path, source_path, source.dates_and_languages)
    # If tea.md has a translation beside it, tea.de.md, then de/tea.html is not made from tea.md.
    if not source.foreign_languages.isdisjoint(folders.only_in_page):
        return None
    count_only_in_page = len(folders.only_in_page)  # 1 for `docs`
    count_in_both = len(page_path) - count_only_in_page  # 2 for `guide/tea`
    return _Match((count_only_in_page, -count_in_both, rank), page, possible, folders)


def _compare_folders(page: Parts, source: Parts, dates_and_languages: Iterable[Parts]) -> _Folders:
    """Finds the folders by which the path of a page differs from that of its source.

    docs/guide/tea.html and src/guide/tea.md differ by `docs` and `src`. A date or a language of the
    source does not count: docs/2026/tea.html and src/tea.md also differ by `docs` and `src`.
    """
    page_left, source_left = _without_common_end(page, source, dates_and_languages)
    # A folder that only the source has often puts sources in order, as in src/guide/01/tea.md. One
    # such folder is skipped if the folder above it, `guide`, is also the last one left of the page.
    skipped = ""
    while page_left and len(source_left) > 1 and page_left[-1] == source_left[-2]:
        skipped = source_left[-1]  # `01`
        page_left, source_left = _without_common_end(
            page_left, source_left[:-1], dates_and_languages
        )
        # `_` has no letters or digits, so its component is "". It does not count as skipped.
        if skipped:
            break
    return _Folders(
        only_in_page=page_left,
        only_in_source=source_left,
        skipped=skipped,
        top_of_source=source[:1],
    )


def _without_common_end(
    page: Parts, source: Parts, dates_and_languages: Iterable[Parts]
) -> tuple[Parts, Parts]:
    """Removes from the paths of a page and a source the end that both have. Returns the two rests.

    docs/guide/tea, src/guide/tea         `docs` and `src`
    docs/2026/guide/tea, src/guide/tea    the same, if `2026` is a date or a language of the source
    """
    while page:
        if source and page[-1] == source[-1]:  # `tea`, and then `guide`
            page = page[:-1]
            source = source[:-1]
        elif length := _length_of_date_or_language(page, dates_and_languages):  # 1 for `2026`
            page = page[:-length]
        else:
            break
    return page, source


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
    """Lists the ends by which a path is found: its last component, and its last two.

    For posts/tea, these are `tea` and `posts/tea`. With the date 2026/05/17, the page may also be
    posts/2026/05/17/tea.html, which has the end `17/tea`. The ends of years, months and languages,
    such as `2026/tea`, are not listed: too many pages have them.
    """
    if not path:
        return {()}  # the home page, whose path has no components
    last = path[-1]
    last_two = path[-2:]  # only one if the path has no folder
    full_dates = [folders for folders in dates_and_languages if len(folders) == 3]
    ends_with_day = [(day, last) for _year, _month, day in full_dates]
    return {(last,), last_two, *ends_with_day}


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

    First `add` each page, then ask for the `files_by_page`. Only the five nearest pages of each
    source are kept, so memory grows with the sources and not with the pages.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        """Prepares a search for the sources that may have made a page, by the end of its path.

        The page of text/tea.md may be text/tea.html. Both `tea` and `text/tea` find it.
        """
        # The five nearest pages of each source, by the name of its file. Filled by `add`.
        self._matches: dict[str, list[_Match]] = {}
        # {end: paths of pages}, as {`tea`: [`text/tea`], `text/tea`: [`text/tea`]}.
        self._paths_by_end: dict[Parts, list[_PossiblePath]] = defaultdict(list)
        for source in sources:
            self._matches[source.file.name] = []
            for rank, path in enumerate(source.page_paths):  # the likeliest path has the rank 0
                # README.md at the root of a repository usually describes the project, and is no
                # source of the home page.
                is_home_page = not path
                if is_home_page:
                    continue
                possible = _PossiblePath(source, path, rank)
                for end in _ends_for_search(path, source.dates_and_languages):
                    self._paths_by_end[end].append(possible)

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
        for possible in same_end:
            match = _compare(path, page_path, possible)
            if match:
                self._keep(match)

    def _keep(self, match: _Match) -> None:
        """Keeps a match if its page is one of the five nearest to its source.

        A page may match several paths of a source, such as one by its name and one by its title.
        Only the match with the smallest distance is kept.
        """
        matches = self._matches[match.file.name]  # sorted by distance
        for other in matches:
            if other.page == match.page:
                if other.distance <= match.distance:
                    return
                matches.remove(other)
                break
        insort(matches, match)
        del matches[_MAX_PAGES_OF_SOURCE:]

    def files_by_page(
        self,
        titles_of: Callable[[str], Collection[str]],
        content_folders: Iterable[str],
        is_listed: Callable[[str], bool],
    ) -> dict[str, tuple[PossibleSource, ...]]:
        """Finds the possible source files of each page: {"tea.html": (text/tea.md,)}.

        A file goes only to the page with the most similar path. Pages that are not listed, such as
        redirects, take no file from others. The `shown_by` of a file says why it may be the source:

        - The generator reads its folder, which is one of the `content_folders`.
        - Three pages show the titles of files in its folder. `titles_of` reads a page's titles.
        """
        # 1. Find the page of each file.
        matches_by_page: dict[str, list[_Match]] = defaultdict(list)
        for matches in self._matches.values():
            nearest = _find_nearest(matches, is_listed)
            if nearest:
                matches_by_page[nearest.page].append(nearest)
        # 2. Find out why each file may be the source of its page.
        content = {folder_parts("" if name == "." else name) for name in content_folders}
        titled_folders = _find_titled_folders(matches_by_page, titles_of)
        return {
            page: tuple(
                _with_shown_by(match, content, titled_folders, is_only_file=len(matches) == 1)
                for match in matches
            )
            for page, matches in matches_by_page.items()
        }


def _with_shown_by(
    match: _Match,
    content_folders: Collection[Parts],
    titled_folders: Collection[_Folders],
    *,
    is_only_file: bool,
) -> PossibleSource:
    """Notes in a file, as `shown_by`, why it may be the source of the page with a similar path.

    For docs/tea.html and src/tea.md, one reason is that the generator reads src/. Without a reason,
    the paths may be similar by chance. `is_only_file` says that no other file has such a path.
    """
    file = match.file
    # The file states the path of its page: `permalink: /tea/`.
    if file.shown_by is ShownBy.OWN_PATH:
        return file
    # Three pages in docs/ show the titles of files in src/. But if there is src/tea.html beside
    # src/tea.md, it may be a copy of the built page, and no source.
    may_be_copy_of_page = not is_only_file and _is_plain_html(file)
    if match.folders in titled_folders and not may_be_copy_of_page:
        return file._replace(shown_by=ShownBy.TITLED_FOLDER)
    # The generator reads src/, by its settings.
    if _is_in_content_folder(match, content_folders):
        return file._replace(shown_by=ShownBy.CONTENT_FOLDER)
    return file


def _is_in_content_folder(match: _Match, content_folders: Collection[Parts]) -> bool:
    """Whether the generator makes this page of this source, by the folders that it reads.

    A generator that reads text/ makes guide/tea.html of text/guide/tea.md. The two paths differ
    only by `text`.
    """
    folders = match.folders  # by which the two paths differ
    # text/tea.md makes tea.html, without `guide`.
    if folders.only_in_page:
        return False
    # text/guide/old/tea.md makes guide/old/tea.html, with `old`.
    if folders.skipped:
        return False
    # text/guide/tea.md makes the page, and notes/guide/tea.md does not.
    return folders.only_in_source in content_folders


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without a title in front matter, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _find_titled_folders(
    matches_by_page: Mapping[str, Sequence[_Match]], titles_of: Callable[[str], Collection[str]]
) -> set[_Folders]:
    """Finds the folders of which at least three pages show the titles of their source files.

    If docs/a.html, docs/b.html and docs/c.html show the titles of text/a.md, text/b.md and
    text/c.md → `docs` and `text`. So docs/d.html is probably made from text/d.md, even if it is not
    known which folders the generator reads.

    `titles_of` reads a page, so at most 20 pages of a folder are read.
    """
    matches_by_folders: dict[_Folders, list[_Match]] = defaultdict(list)
    for matches in matches_by_page.values():
        if len(matches) > 1:  # it is not known which of the files made the page
            continue
        [match] = matches
        # If a source sets the path of its page, its folder says nothing about that of the page.
        if match.file.title and match.file.shown_by is not ShownBy.OWN_PATH:
            matches_by_folders[match.folders].append(match)
    titled_folders = set()
    for folders, alike in matches_by_folders.items():
        if len(alike) < _MIN_TITLED_PAGES:  # no page need be read
            continue
        showing = (
            match for match in alike[:_MAX_PAGES_READ] if match.file.title in titles_of(match.page)
        )
        first_three = list(islice(showing, _MIN_TITLED_PAGES))  # reads no page after these
        if len(first_three) == _MIN_TITLED_PAGES:
            titled_folders.add(folders)
    return titled_folders
