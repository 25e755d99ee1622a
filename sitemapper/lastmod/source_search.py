"""Searches a repository for the files that may be the sources of a site's pages.

Reads the beginnings of these files, and a few pages. Some pages are read for their titles. Others
are near to one source together, and are read because only a listed page may have the source.
"""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from ..messages import Kind, Message
from ..model import PossibleSource, ShownBy
from ..read.content import read_titles
from ..read.server import read_at
from ..read.walk import SiteRoot, page_names
from ..syntax.html import all_tags, parse_tree
from ..syntax.source_text import read_source
from . import source_files
from .front_matter import day_of, read_change, without_shared_day
from .git import History
from .source_paths import (
    Source,
    has_name_of_page,
    languages_beside,
    make_source,
    names_like_sources,
    page_ends,
    without_endings,
)


class PossibleSources(NamedTuple):
    """The possible sources of pages, by the paths of the pages.

    `similar_by_chance` has the pages of which no source is known. It names a file for each that has
    a similar path, but is no source: notes/about.md for about.html. `note` says that there are too
    many files to compare.
    """

    by_page: Mapping[str, Sequence[PossibleSource]]
    similar_by_chance: Mapping[str, str]
    note: Message | None


def find_possible_sources(
    history: History, root: SiteRoot, is_page_listed: Callable[[str], bool]
) -> PossibleSources:
    """Finds for each page the files of the repository that may be its source.

    `text/tea.md`, titled "Tea", may be the source of `tea.html`. If more than 100,000 files of the
    repository may be sources, none is read, and the result has a note instead.

    `is_page_listed` says whether a page would be in the sitemap. A page that is not, such as a
    redirect, takes no file from another page.
    """
    names = _list_names_to_read(history, root)
    note = None
    if len(names) > source_files.MAX_SOURCES:
        note = Message(Kind.MANY_SOURCES, (f"{len(names):,}",))
        names = []
    sources = _read_sources(history, names)
    # Give each file to the page with the most similar path. It may be similar only by chance.
    matching = source_files.Matching(sources)
    for path in page_names(root):
        matching.add(path)
    titles_of = cache(partial(_read_titles, root))
    files_by_page = matching.files_by_page(titles_of, history.source_folders, is_page_listed)
    by_page: dict[str, Sequence[PossibleSource]] = {}
    similar_by_chance: dict[str, str] = {}
    for page, files in files_by_page.items():
        if any(file.shown_by is not ShownBy.NOTHING for file in files):
            by_page[page] = files
        else:
            similar_by_chance[page] = files[0].name
    # The front matter of a file may state its last change. If most files state the same day, an
    # import wrote these lines, so they count for no file.
    days = Counter(day_of(source.file.change) for source in sources if source.file.change)
    return PossibleSources(
        by_page=without_shared_day(by_page, days), similar_by_chance=similar_by_chance, note=note
    )


def _list_names_to_read(history: History, root: SiteRoot) -> list[str]:
    """Lists the tracked files that are worth reading as possible sources of pages, sorted by name.

    The list is empty if the site is the whole repository, as on a branch `gh-pages`: its sources
    are in another branch or repository. It is also empty for a site that the tool mike wrote.
    """
    is_site_whole_repository = history.site_folder == "."
    # The tool mike writes this file. It keeps several versions of a documentation in one site, so
    # most pages were built from older versions of the sources.
    is_by_mike = os.path.isfile(root.file("versions.json"))
    if is_site_whole_repository or is_by_mike:
        return []
    project = "" if history.project == "." else history.project
    outputs = [history.site_folder, *history.output_folders]  # what is in these was built
    names = names_like_sources(history.tracked.names(), project, outputs)
    return sorted(_limit_names(names, history.source_folders, root))


def _limit_names(names: list[str], content_folders: Sequence[str], root: SiteRoot) -> list[str]:
    """Limits the files of a repository to those that are probably sources of the site's pages.

    A repository may contain many projects, and to open the files of all of them takes longer than
    the whole build. If the generator reads the folder text/, and the site has the page tea.html:

        text/new.md     kept, like all files of text/
        notes/tea.md    kept, because it has the name of a page
        notes/new.md    left out

    If more than 100,000 files would be kept, those in text/ also need the name of a page.
    """
    prefixes = tuple(f"{folder}/" for folder in content_folders)
    may_read_all_folders = not content_folders or "." in content_folders
    if may_read_all_folders:
        prefixes = ("",)  # with which all paths begin
    are_few = len(names) <= source_files.MAX_SOURCES
    if are_few and all(name.startswith(prefixes) for name in names):
        return names  # the pages of the site are not listed, which would take time
    names_of_pages = page_ends(page_names(root))
    kept = [
        name
        for name in names
        if name.startswith(prefixes) or has_name_of_page(name, names_of_pages)
    ]
    if len(kept) > source_files.MAX_SOURCES:
        return [name for name in kept if has_name_of_page(name, names_of_pages)]
    return kept


def _read_sources(history: History, names: Sequence[str]) -> list[Source]:
    """Reads the beginnings of files as sources. Drafts and other files without a page are left out.

    If tea.md has the translation tea.de.md beside it, it gets `de` as a foreign language. So it is
    not taken for the source of de/tea.html, which was made from the translation.
    """
    # {path without the language and the endings: languages}, as {"tea": {"de"}}. tea.md is found
    # in it as `tea`. tea.de.md is not, because without its endings, it is `tea.de`.
    languages_of = languages_beside(names)
    sources = []
    for name in names:
        source = _read_source(history, name)
        if source:
            languages = frozenset(languages_of.get(without_endings(name), ()))
            sources.append(source._replace(foreign_languages=languages))
    return sources


def _read_source(history: History, name: str) -> Source | None:
    """Reads the beginning of a source file, and lists the paths that its page may have.

    text/tea.md with the title "Green Tea" → a source whose page may have the path text/tea or, if
    the title is in its URL, text/greentea.

    None for a file that makes no page, such as a draft, and for one that is no regular file.
    """
    text = history.source_reader.read(name)
    if text is None:  # it is no regular file
        return None
    facts = read_source(text.data)
    if facts is None:  # it makes no page, such as a draft
        return None
    file = PossibleSource(
        name=name,
        size=text.size,
        title=facts.title,
        has_own_title=facts.has_own_title,
        parts=text.parts,  # the files that it includes
        is_stub=text.is_stub,
        change=read_change(text.data, name),
    )
    return make_source(file, facts)


def _read_titles(root: SiteRoot, path: str) -> tuple[str, ...]:
    """Reads the titles that a page shows. Empty if the page cannot be read."""
    data = read_at(root, path)
    if data is None:
        return ()
    tree = parse_tree(data)
    return read_titles(tree, all_tags(tree).metas)
