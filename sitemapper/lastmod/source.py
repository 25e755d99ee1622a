"""Which source file makes a page, by one rule for all generators. Pure.

1. The files that `[[git.map]]` or a plugin names (history.py).
2. The exact path below a folder that the generator reads, or the path that a file sets itself.
3. Else the nearest path. A generator keeps the end of a path: from src/guide/03-tea.md it makes
   docs/guide/tea.html. So paths are compared from their ends, reduced to letters and digits. Each
   page and each source has at most one partner, and the nearest pairs are made first.
4. None if the page shows much more than the file, or if the file loops over other pages; and in a
   folder that the generator is not known to read, none without proof by titles.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from ..model import Facts
from ..syntax.source_text import SourceText, words
from ..syntax.urls import is_folder_page

_ENDINGS = re.compile(
    r"""(?ix)(?<=[^/])
    (?:\.(?:md|mdx|markdown|mdown|rst|txt|adoc|asciidoc|org|html|htm|xhtml|njk|liquid|hbs|ejs|pug|haml
    |slim|erb|astro|vue|svelte|ipynb|qmd|rmd|textile|rd|php|jinja|jinja2|j2|tmpl|webc|lr|wiki|djot))+$
    """
)
_HTML = (".html", ".htm", ".xhtml")
# Files that make no page of their own: hidden ones, templates, and files for many pages.
_HIDDEN = re.compile(
    r"(?:^|/)(?:\.|_includes/|_layouts/|node_modules/|_(?!index\.)[^/]*$)|[\[\]{}$]"
    r"|^(?:layouts|templates)/"
)
# Docusaurus keeps the next version in `docs`, and others in `versioned_docs/version-1.0`. Which one
# is published without a version in its path is not known.
_VERSIONED = {"docs", "versioned_docs", "i18n"}
_LOCALE = re.compile(r"(?:^|.*/)i18n/([^/]+)/docusaurus-plugin-content-(\w+)/(?:current/)?")
_INDEXES = ("index", "readme", "contents")  # files that make the page of their folder
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)[-_ ]*")  # 2026-05-17-tea.md
_ORDER = re.compile(r"^\d{1,4}(?:[-_. ]+(?=\D)|$)")  # 03-tea.md, and the folder 2026
_LANGUAGE = re.compile(r"\.([a-z]{2,3}(?:[-_][a-z]{2,4})?)$", re.IGNORECASE | re.ASCII)
_SEPARATOR = re.compile(r"\s+[-–—/~<>]+\s+|\s*[|»«·•:]\s+|\s+[|»«·•]")
# Pages that must show the titles of their sources, so that two folders belong together. By chance,
# one or two may: many sites have a page "About" and an unrelated file with that title.
_MIN_TITLED = 3

File = tuple[str, str]  # root of its repository, and name in it
Parts = tuple[str, ...]  # the components of a path, reduced to letters and digits


class Name(NamedTuple):
    """What the name of a file says of its page."""

    folder: str  # above the file, or above its folder for an index
    stems: tuple[str, ...]  # that may stand for it in the path of the page, the likeliest first
    day: str  # that the name begins with, as 2026-05-17, or ""
    language: str  # of its suffix, or ""


class Source(NamedTuple):
    """A file from which a page may be built, and the paths that its page may have."""

    file: File
    size: int
    text: SourceText
    exact_paths: Collection[Parts]  # its path in the generator's folders, or its permalink
    is_in_source_folder: bool = True  # such as docs/, and not only in the project
    likely_paths: Sequence[Parts] = ()  # the likeliest first
    optional_folders: Collection[Parts] = ()  # that a URL may insert: a date or a language


# A source, a path that its page may have, and the rank of this path among all of them.
Candidate = tuple[Source, Parts, int]


class Match(NamedTuple):
    """A page and a source whose paths end alike. The nearest pair has the smallest distance."""

    distance: tuple[int, ...]
    page: str
    source: Source
    is_exact: bool
    is_shown: bool  # the page shows the title of the source
    folders: tuple[Parts, Parts]  # of the page and the source before what both have


class Choice(NamedTuple):
    """The files of a page with the reason, or none; and a short cause for a page without a date."""

    files: tuple[File, ...] = ()
    why: str = "no source fits"
    cause: str = "no source"


def without_endings(path: str) -> str:
    """Removes the endings of pages and sources: `tea.html.md` → `tea`, `tea.v2.rst` → `tea.v2`."""
    return _ENDINGS.sub("", path)


def likely_sources(names: Iterable[str], outputs: Sequence[str]) -> list[str]:
    """Selects the tracked files that may be sources of pages by their names, such as `docs/tea.md`.

    Left out are templates, files without the ending of a text, and what a generator wrote below one
    of the `outputs`, such as `public/`. If a documentation has several versions, its folders are
    left out too, because it is not known which version makes which page.
    """
    written_by_generator = tuple(outputs)
    texts: list[str] = []
    for name in names:
        if name.startswith(written_by_generator) or _HIDDEN.search(name):
            continue
        if _ENDINGS.search(name):
            texts.append(name)
    if any("versioned_docs/" in name for name in texts):
        texts = [name for name in texts if _VERSIONED.isdisjoint(name.split("/"))]
    return sorted(texts)


@lru_cache(1 << 14)
def reduced(part: str) -> str:
    """Reduces a component of a path to letters and digits: `Über-uns` → `uberuns`, `03` → `3`.

    Generators write the same name in different ways, and so they become equal.
    """
    text = words(part).replace(" ", "")
    if text.isdecimal():
        return str(int(text))
    return text


def _parts(path: str) -> Parts:
    return tuple(filter(None, map(reduced, path.split("/"))))


def page_parts(path: str) -> Parts:
    """Splits a page's path into its components, reduced to letters and digits, to compare them.

    `docs/tea/index.html` → ("docs", "tea"), because an index is the page of its folder. The home
    page is ().
    """
    parts = _parts(without_endings(path))
    if parts and parts[-1] in _INDEXES:
        return parts[:-1]
    return parts


def read_name(name: str) -> Name:
    """Reads from the name of a source file what its page may be called, as a `Name`.

    From `blog/2026-05-17-tea.de.md`: the folder `blog`, the day, the language `de`, and the stems
    `2026-05-17-tea.de`, `2026-05-17-tea` and `tea`. Generators cut more or less of a name, so each
    stem may be that of the page.
    """
    folder, _, stem = without_endings(name).rpartition("/")
    full_stem = stem
    day = language = ""

    # The language: `tea.de` → `tea`.
    language_suffix = _LANGUAGE.search(stem)
    if language_suffix:
        language = language_suffix[1]
        stem = stem[: language_suffix.start()]

    # An index is called like its folder: `guide/tea/index` → `guide/tea`.
    if reduced(stem) in _INDEXES:
        folder, _, stem = folder.rpartition("/")
        full_stem = stem

    # The day, and the number that gives files their order: `03-tea` → `tea`.
    undated = stem
    day_prefix = _DAY.match(stem)
    if day_prefix:
        day = day_prefix[1]
        undated = stem[day_prefix.end() :]
    unnumbered = _ORDER.sub("", undated)
    return Name(folder, (full_stem, stem, undated, unnumbered), day, language)


def make_source(
    file: File, size: int, text: SourceText, folders: Sequence[str], project: str
) -> Source:
    """Makes a `Source` of a file: collects the paths that its page may have, to find the page.

    `exact_paths` are the path of the file below each of the `folders` that the generator reads.
    `likely_paths` join the folder of the file with each name that the page may have: for
    `03-guide/02-tea.md`, from `03guide/02tea` to `guide/tea`. `optional_folders` are the parts of
    its date and its language, which a URL may insert.

    `project` is the generator's folder. It and `folders` are paths in the file's repository that
    end with a slash, or "" for its root.
    """
    if text.permalink:  # a path that the file sets itself is its only one
        return Source(file, size, text, exact_paths={page_parts(text.permalink)})

    # The path below each folder of the generator is an exact one.
    path = _LOCALE.sub(r"\1/\2/", file[1])  # i18n/de/…-content-docs/current/a.md → de/docs/a.md
    folders_around = [folder for folder in folders if path.startswith(folder)]
    exact_paths = {page_parts(path[len(folder) :]) for folder in folders_around}
    # Being in a folder such as docs/ speaks for a file. The root and the whole project do not
    # count, because every file is in them.
    is_in_source_folder = any(folder not in ("", project) for folder in folders_around)

    # Likely paths: each folder joined with each name of the page. The order matters, because the
    # likeliest comes first. A dict keeps it, and has each path once.
    name = read_name(path)
    # Some generators keep the numbers by which folders are sorted, and some cut them.
    unnumbered = "/".join(_ORDER.sub("", part) for part in name.folder.split("/"))
    likely_paths: dict[Parts, None] = {}
    for folder in dict.fromkeys((name.folder, unnumbered)):
        parents = _parts(folder)
        for page_name in (*text.names, *name.stems, text.title):
            name_parts = _parts(page_name)  # a name may have slashes
            if not name_parts:  # the name has no letters or digits
                continue
            if name_parts == parents[-1:]:  # tea/tea.md may make the page of its folder
                likely_paths[parents] = None
            likely_paths[parents + name_parts] = None

    # Folders that a URL may insert: the language, and the year alone, with the month, or with the
    # day, as in 2026/05/17.
    optional_folders: set[Parts] = {(reduced(name.language),)}
    for day in (name.day, text.published):
        date = _parts(day.replace("-", "/"))
        optional_folders |= {date[:1], date[:2], date[:3]}
    return Source(
        file,
        size,
        text,
        exact_paths=exact_paths,
        is_in_source_folder=is_in_source_folder,
        likely_paths=list(likely_paths),
        optional_folders=optional_folders,
    )


def find_sources(sources: Iterable[Source], pages: Mapping[str, Facts]) -> dict[str, Choice]:
    """Finds the source of each page by its path and title, or says why the nearest file is none.

    `guide/tea.html` may have the source `docs/guide/03-tea.md`. `pages` has what each page shows,
    by its path. The result is a choice for each page: the file with the reason, or only the reason.
    A page is left out if no file has a path like its own, or if its nearest file is as near to
    another page or nearer.
    """
    # 1. Two indexes, so that not each page is compared with each source: by each exact path, and by
    # the end of each likely path, which is its last part or its last two parts.
    by_exact_path: dict[Parts, list[Candidate]] = defaultdict(list)
    by_end: dict[Parts, list[Candidate]] = defaultdict(list)
    for source in sources:
        for path in source.exact_paths:
            by_exact_path[path].append((source, path, 0))  # 0: the best rank
        for rank, path in enumerate(source.likely_paths):
            for end in {path[-1:], path[-2:]}:
                by_end[end].append((source, path, rank))

    # 2. Match each page with the sources that are nearest to it.
    matches: list[Match] = []
    for page, facts in pages.items():
        parts = page_parts(page)
        # Two parts first: hundreds of pages may have one name, such as `overview`.
        candidates = by_end.get(parts[-2:]) or by_end.get(parts[-1:], [])
        if parts in by_exact_path:
            candidates = by_exact_path[parts]
        matches_of_page = list(_find_matches(page, facts, candidates))
        matches += _keep_nearest(matches_of_page, attrgetter("page"))

    # 3. A source belongs to one page only: the one that is nearest to it.
    matches = _keep_nearest(matches, attrgetter("source.file"))
    by_page: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        by_page[match.page].append(match)

    # Several sources may be equally near to one page, and several pages to one source. Only a clear
    # pair of one page and one source is kept.
    pages_of_file = Counter(match.source.file for match in matches)
    choices: dict[str, Choice] = {}
    pairs: list[Match] = []
    for page, nearest in by_page.items():
        if len(nearest) > 1:
            names = " and ".join(match.source.file[1] for match in nearest)
            choices[page] = Choice((), f"fits {names}", "two sources")
        elif pages_of_file[nearest[0].source.file] == 1:
            pairs.append(nearest[0])

    # 4. Accept or refuse each pair. If several pages show the titles of their sources, the folders
    # of both belong together, and this proves the other pairs in these folders as well. Exact
    # matches do not count, because they need no proof.
    titled = Counter(match.folders for match in pairs if match.is_shown and not match.is_exact)
    lists = pages_above(pages)
    for match in pairs:
        is_proven = titled[match.folders] >= _MIN_TITLED
        choices[match.page] = _judge(match, pages[match.page], is_proven, match.page in lists)
    return choices


def _find_matches(page: str, facts: Facts, candidates: Iterable[Candidate]) -> Iterator[Match]:
    """Yields a match for each candidate that may be the source of the page.

    A candidate is a source with one path that its page may have, and the rank of this path. A match
    says by its distance how near page and source are: `guide/tea.html` is nearer to `guide/tea.md`
    than to `tea.md`. `facts` has the title and the heading of the page.
    """
    parts = page_parts(page)
    page_titles = _titles(facts.title, facts.h1)
    for source, path, rank in candidates:
        file_name = source.file[1].rpartition("/")[2].lower()
        has_own_title = source.text.has_own_title
        is_exact = parts in source.exact_paths
        is_shown = source.text.title in page_titles
        # A title that the page does not show is that of another page with a similar path.
        if has_own_title and not is_exact and not is_shown:
            continue
        # Most READMEs are for readers of the code, and make no page.
        if file_name.startswith("readme.") and not is_shown:
            continue

        # What differs between the two paths, and how much that counts.
        folders = _without_common_end(parts, path, source.optional_folders)
        # HTML without front matter is copied as it is, and a text beside it is a likelier source.
        is_copy = file_name.endswith(_HTML) and not has_own_title
        distance = (  # the first difference decides, and False is nearer than True
            not is_exact,
            is_copy,
            len(folders[0]),  # folders of the page that the source lacks
            -len(parts),  # of two pages, the one that has more in common with the source
            rank,
            not is_shown,
        )
        yield Match(distance, page, source, is_exact, is_shown, folders)


def _keep_nearest(matches: Sequence[Match], key: Callable[[Match], object]) -> list[Match]:
    """Keeps the nearest matches of each page, or of each source, and drops all that are farther.

    `key` returns the page or the source of a match, to say which of them is meant. Several matches
    may be equally near, and then all of these are kept.
    """
    # The shortest distance of each page or source.
    shortest: dict[object, tuple[int, ...]] = {}
    for match in matches:
        page_or_source = key(match)
        shortest_yet = shortest.get(page_or_source, match.distance)
        shortest[page_or_source] = min(match.distance, shortest_yet)
    return [match for match in matches if match.distance == shortest[key(match)]]


def _titles(*texts: str) -> set[str]:
    """Collects the titles that the source of a page may have, to compare them with its own.

    `texts` are the title and the heading of the page. Many themes add the name of the site or the
    section to the title, so `Tea | Drinks` gives `tea`, `drinks` and the whole, `tea drinks`.
    """
    titles: set[str] = set()
    for text in texts:
        titles.add(words(text))
        separators = list(_SEPARATOR.finditer(text))[:9]  # a text may be full of them
        for separator in separators:
            titles.add(words(text[: separator.start()]))
            titles.add(words(text[separator.end() :]))
    return titles - {""}


def _without_common_end(
    page: Parts, source: Parts, optional: Collection[Parts]
) -> tuple[Parts, Parts]:
    """Cuts off the end that the paths of a page and a source have in common, to see what differs.

    docs/guide/tea and src/guide/tea → `docs`, `src`. A URL may insert folders, such as a year, that
    the source's path lacks. They are cut off the page's path as well if they are among the
    `optional` ones. With 2026 among them, docs/2026/guide/tea gives the same result.
    """
    while page:
        if source and page[-1] == source[-1]:
            page = page[:-1]
            source = source[:-1]
            continue

        # The last parts differ. If the page's are not inserted folders, the common end is found.
        inserted = [folders for folders in optional if page[-len(folders) :] == folders]
        if not inserted:
            break
        longest = max(map(len, inserted))  # 2026/05/17 rather than 17
        page = page[:-longest]
    return page, source


def pages_above(paths: Iterable[str]) -> set[str]:
    """Finds the pages below which others lie: `a.html` and `a/index.html` are above `a/b.html`.

    Such a page often only lists the others. `paths` are those of all pages. The home page is always
    in the result if it is among them.
    """
    # The folder in which the pages below a page lie: `a` for `a.html` and for `a/index.html`.
    folders = {path: path.rpartition("/" if is_folder_page(path) else ".")[0] for path in paths}

    # All folders above a page. The loop ends at a known folder, whose parents are known too.
    folders_with_pages = {""}  # the home page is above all
    for folder in folders.values():
        parent = folder.rpartition("/")[0]
        while parent not in folders_with_pages:
            folders_with_pages.add(parent)
            parent = parent.rpartition("/")[0]
    return {path for path, folder in folders.items() if folder in folders_with_pages}


def judge_size(facts: Facts, size: int, files: str) -> Choice | None:
    """Refuses the source files of a page if most of what the page shows comes from elsewhere.

    Then their dates are not that of the page, and the choice that is returned has no files but the
    reason, such as "the page shows 9,000 bytes, its source docs/tea.md has 300". The result is None
    if they are large enough. `size` is that of the files together, in bytes. `files` is what
    the sentence about them begins with, such as "source docs/tea.md has".
    """
    # A theme adds some text of its own (500 bytes), and a macro or an included file may double that
    # of a source.
    if facts.text_length <= 2 * size + 500:
        return None
    why = f"the page shows {facts.text_length:,} bytes, its {files} {size:,}"
    return Choice((), why, "more text than its source")


def _judge(match: Match, facts: Facts, is_proven: bool, is_list: bool) -> Choice:
    """Accepts the nearest file of a page as its source, or says why it is not the source.

    `match` has the file, and `facts` say what the page shows. `is_proven`: other pages show that
    files in this folder make pages. `is_list`: other pages lie below the page. An accepted choice
    has the file and the reason, such as "its path and title fit".
    """
    source = match.source
    name = source.file[1]
    # The date of a file that only lists other pages is not that of what the page shows.
    is_section = "/_index." in name  # the file of a section in Hugo
    if source.text.is_layout or (is_section and is_list):
        return Choice((), f"{name} shows other pages", "list")
    # The file must be large enough for what the page shows.
    too_small = judge_size(facts, source.size, f"source {name} has")
    if too_small:
        return too_small

    # The path alone is enough if all of the page's path fits, and there is no title to compare.
    page_folders, _ = match.folders
    has_same_path = not page_folders and not source.text.has_own_title
    is_likely = source.is_in_source_folder and (match.is_shown or has_same_path)
    if not (match.is_exact or is_likely or is_proven):
        why = f"{name} has a similar path, but the generator is not known to read its folder"
        return Choice((), why)

    # The third value is the cause if the page gets no date, as from a file without a commit.
    why = "its path and title fit" if match.is_shown else "its path fits"
    return Choice((source.file,), why, "not committed")
