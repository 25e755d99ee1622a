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

    docs/guide/tea.html and src/guide/01/tea.md both end with `guide/tea` → `of_page` is `docs`,
    `of_source` is `src`, and `skipped` is `01`, which the page's path does not have.

    `top_of_source` is the first folder of the source's path, `src`. For docs/text/tea.html and
    text/tea.md, nothing is left of the source's path. Only its top says that it is in text/, and
    not in news/.
    """

    of_page: Parts
    of_source: Parts
    skipped: str
    top_of_source: Parts


class _Match(NamedTuple):
    """A page that a source may have made. The smallest of the matches of a source is the nearest.

    - `unmatched` is the number of components of the page's path that the source's path lacks: 1
      for docs/guide/tea.html and src/guide/tea.md.
    - `minus_matched` is the number of the others, but negative: -2 for `guide` and `tea`. So the
      match with more of them is smaller.
    - `path_number` is the index in `Source.page_paths`, whose first paths are the likeliest.
    """

    unmatched: int
    minus_matched: int
    path_number: int
    page: str
    folders: _Folders

    def is_as_near_as(self, other: _Match) -> bool:
        """Whether the pages of two matches are equally near to the source, so that neither has it.

        They are, if the first three fields are the same: a/tea.html and b/tea.html for `tea.md`.
        """
        return self[:3] == other[:3]


class _MatchedSource(NamedTuple):
    """A source file of a page, with what is left of the paths of the page and the file."""

    file: PossibleSource
    folders: _Folders


def _compare(page: str, page_path: Parts, source: Source, path_number: int) -> _Match | None:
    """Compares the path of a page with one path of a source, from their ends on.

    For docs/guide/tea.html, `page_path` is `docs`, `guide`, `tea`. The source src/guide/tea.md also
    ends with `guide/tea`. So two components of the page are matched, and one is not, `docs`. The
    page with the fewest unmatched components gets the source.

    None if the source cannot have made the page:

        i18n/fr/…/tea.md                for a page without `fr` in its path (`locale`)
        tea.md beside tea.de.md         for a page in de/ (`foreign`)
        tea.md with `permalink: /tea/`  for a page with another path, such as docs/tea.html
                                        (`has_no_other_path`)
    """
    if source.locale and source.locale not in page_path:
        return None
    left = _without_common_end(
        page_path,
        source.page_paths[path_number],
        source.optional_ends,
        may_skip=not source.has_no_other_path,
    )
    is_in_foreign_language = not source.foreign.isdisjoint(left.of_page)
    if is_in_foreign_language:
        return None
    if source.has_no_other_path and (left.of_page or left.of_source):
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
    page: Parts, source: Parts, optional_ends: Iterable[Parts], *, may_skip: bool
) -> _Folders:
    """Removes the common end from the paths of a page and a source, and returns what is left.

    Both paths have the same last component, because `Matching.add` finds sources by it. From there
    on to the left:

        page             source
        docs/guide/tea   src/guide/tea   what is equal goes → `docs` and `src` are left
        blog/2026/tea    blog/tea        a date or a language of the page goes: `2026`
        guide/tea        guide/01/tea    with `may_skip`, one folder of the source is skipped: `01`

    A folder like `01` often only puts the sources in order, and is not in the URL of the page.
    """
    top_of_source = source[:1]
    skipped = ""
    while page:
        if source and page[-1] == source[-1]:
            page = page[:-1]
            source = source[:-1]
            continue
        length = _length_of_optional_end(page, optional_ends)
        if length:
            page = page[:-length]
            continue
        # `guide` and `guide/01` are left: the page's last component stands before `01`.
        can_skip = may_skip and not skipped and len(source) > 1
        if not can_skip or page[-1] != source[-2]:
            break
        skipped = source[-1]
        source = source[:-1]
    return _Folders(of_page=page, of_source=source, skipped=skipped, top_of_source=top_of_source)


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
    """Lists the ends of a source's path by which a page finds the source.

    `posts/tea` → `tea` and `posts/tea`. A page looks for the sources with its last component. Only
    if too many sources have this, it looks for those with its last two.

    `optional_ends` are dates and languages that the page's path may also have. For
    2026-05-17-tea.md, one is the whole date, `2026/05/17`. Its page may be 2026/05/17/tea.html, of
    which the last two components are `17/tea`, so these are listed, too. Years, months and
    languages need no such end: too many sources share them.
    """
    if not path:
        return set()
    ends = {path[-1:], path[-2:]}
    for optional_end in optional_ends:
        is_whole_date = len(optional_end) == 3  # year, month and day
        if is_whole_date:
            day = optional_end[-1]
            ends.add((day, path[-1]))
    return ends


def _find_nearest(matches: Sequence[_Match], is_listed: Callable[[str], bool]) -> _Match | None:
    """Finds the nearest listed page among the matches of a source, which are sorted.

    For tea.md, tea.html is nearer than docs/tea.html. But if tea.html is a redirect, it is not
    listed, and docs/tea.html is the nearest. None if no page is listed. Also None if two listed
    pages are equally near, because nobody knows which of them the source made.
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
        """Lists the sources by the ends of their paths, by which `add` finds them for a page.

        The page of src/tea.md may have the path `src/tea`. If that is the first source, and the
        first of its paths, the lists for the ends `tea` and `src/tea` get `(0, 0)`.
        """
        self._sources = list(sources)
        # By an end: the number of a source, and the number of its path that has this end.
        self._by_end: dict[Parts, list[tuple[int, int]]] = defaultdict(list)
        for number, source in enumerate(self._sources):
            for path_number, path in enumerate(source.page_paths):
                for end in _ends(path, source.optional_ends):
                    self._by_end[end].append((number, path_number))
            # The home page has an empty path, without an end. Only the generator's own rules say
            # which source makes it, as `slug: /` in Docusaurus does.
            makes_home_page = source.has_path_of_route and not source.page_paths[0]
            if makes_home_page:
                self._by_end[()].append((number, 0))
        # Filled by `add`: the nearest pages of each source, in the order of the sources.
        self._matches: list[list[_Match]] = [[] for _ in self._sources]
        # Filled by `possible_sources`: the files that came nearest to a page, by its path, but of
        # which nothing shows that they made it.
        self.nearest: dict[str, tuple[PossibleSource, ...]] = {}

    def add(self, path: str) -> None:
        """Compares a page with the sources whose paths end like its own.

        `docs/tea.html` is compared with `src/tea.md`. Each source keeps its five nearest pages. If
        too many sources have the name of the page, the folder must be the same, too: with a hundred
        files overview.md, `docs/overview.html` is only compared with those in folders `docs`.
        """
        page = page_parts(path)
        last_part, last_two_parts = page[-1:], page[-2:]
        same_end = self._by_end.get(last_part, ())
        if len(same_end) > _MAX_SOURCES_OF_NAME:
            same_end = self._by_end.get(last_two_parts, ())
        if len(same_end) > _MAX_SOURCES_OF_NAME:  # still too many, so the page has no source
            return
        for number, path_number in same_end:
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

    def possible_sources(
        self,
        titles_of: Callable[[str], Collection[str]],
        content_folders: Iterable[str],
        is_listed: Callable[[str], bool],
    ) -> dict[str, tuple[PossibleSource, ...]]:
        """Finds the files that may be the sources of each page: {path of the page: files}.

        Of all pages, tea.html has the path most like that of text/tea.md. If `content_folders`
        contains `text` → {"tea.html": (text/tea.md,)}.

        The path alone is not enough, so each file gets two fields that may speak for it:

        - `is_in_content_folder`: the generator makes pages from files in this folder, as in text/.
        - `is_in_titled_folder`: three pages show the titles of the files in this folder that have
          their paths. `titles_of` reads the titles of a page.

        If nothing speaks for any file of a page, these files go to `nearest`, and not into the
        result. A page that `is_listed` excludes, such as a redirect, takes no file from another
        page: its sources go to the pages with the next nearest paths.
        """
        content = {folder_parts("" if name == "." else name) for name in content_folders}
        sources_by_page = self._group_by_nearest_page(content, is_listed)
        titled_folders = set(_find_titled_folders(sources_by_page, titles_of))
        found: dict[str, tuple[PossibleSource, ...]] = {}
        self.nearest.clear()
        for path, sources in sources_by_page.items():
            files = []
            for file, folders in sources:
                # Beside another file, built HTML may be a committed copy of the page itself.
                may_be_copy = len(sources) > 1 and _is_plain_html(file)
                is_in_titled_folder = folders in titled_folders and not may_be_copy
                files.append(file._replace(is_in_titled_folder=is_in_titled_folder))
            if any(file.counts_with_shown_title for file in files):
                found[path] = tuple(files)
            else:
                self.nearest[path] = tuple(files)
        return found

    def _group_by_nearest_page(
        self, content_folders: Collection[Parts], is_listed: Callable[[str], bool]
    ) -> dict[str, list[_MatchedSource]]:
        """Groups the sources by the page whose path is most like their own.

        text/tea.md and text/tea.rst are both nearest to tea.html → {"tea.html": both}, each with
        the folders that are left without the common end: none of the page, and `text` of the file.
        Each file also gets its `is_in_content_folder`.

        A source without a nearest page, or with two pages equally near, is in no group.
        """
        groups: dict[str, list[_MatchedSource]] = defaultdict(list)
        for source, matches in zip(self._sources, self._matches, strict=True):
            match = _find_nearest(matches, is_listed)
            if match:
                is_in = _is_in_content_folder(match, source, content_folders)
                file = source.file._replace(is_in_content_folder=is_in)
                groups[match.page].append(_MatchedSource(file=file, folders=match.folders))
        return groups


def _is_in_content_folder(
    match: _Match, source: Source, content_folders: Collection[Parts]
) -> bool:
    """Whether a source is where the generator would look for the source of the matched page.

    The generator reads the `content_folders`, such as text/. From text/guide/tea.md, it makes
    guide/tea.html. For this page:

    | source                   | result                                             |
    |--------------------------|----------------------------------------------------|
    | text/guide/tea.md        | True                                               |
    | notes/guide/tea.md       | False: the generator does not read notes/          |
    | text/tea.md              | False: it makes tea.html                           |
    | text/guide/old/tea.md    | False: it makes guide/old/tea.html                 |
    | one with a route         | True, if the route leads to guide/tea.html         |

    A route is a rule of the generator: the pages of a folder have another folder.
    """
    # The folders without the common end of both paths. Nothing may be left of the page.
    left = match.folders
    if left.of_page or left.skipped:
        return False
    # The first path of a source with a route is the one that the route gives.
    is_matched_by_route = source.has_path_of_route and match.path_number == 0
    if is_matched_by_route and not left.of_source:
        return True
    # Only the folder that the generator reads may be left of the source: `text`.
    return left.of_source in content_folders


def _is_plain_html(file: PossibleSource) -> bool:
    """Whether a file is HTML without a title in front matter, as built pages are."""
    return file.name.lower().endswith((".html", ".htm", ".xhtml")) and not file.has_own_title


def _find_titled_folders(
    sources_by_page: Mapping[str, Sequence[_MatchedSource]],
    titles_of: Callable[[str], Collection[str]],
) -> Iterator[_Folders]:
    """Yields pairs of folders, if at least three pages of the one show titles from the other.

    docs/a.html shows the title of text/a.md, and b.html and c.html show those of b.md and c.md →
    the folders `docs` and `text`. So text/d.md may be the source of docs/d.html, even if nobody
    knows which folders the generator reads.

    Pages with several sources do not count. Neither do sources that set the path of their page,
    because their folder says nothing about the folder of the page. At most 20 pages of a folder are
    read.
    """
    # By the two folders: each page with only one source, and the title of that source.
    pages_by_folders: dict[_Folders, list[tuple[str, str]]] = defaultdict(list)
    for path, sources in sources_by_page.items():
        if len(sources) > 1:
            continue
        file, folders = sources[0]
        if file.title and not file.sets_path:
            pages_by_folders[folders].append((path, file.title))
    for folders, pages in pages_by_folders.items():
        if len(pages) < _MIN_TITLED_PAGES:
            continue
        # Read pages until three show their titles. Then no other page needs to be read.
        showing = (path for path, title in pages[:_MAX_PAGES_READ] if title in titles_of(path))
        enough = list(islice(showing, _MIN_TITLED_PAGES))
        if len(enough) == _MIN_TITLED_PAGES:
            yield folders
