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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..model import Facts
from ..syntax.dates import Writer, moment
from ..syntax.source_text import SourceText, words
from ..syntax.urls import is_folder_page

_ENDINGS = {
    "md", "mdx", "markdown", "mdown", "rst", "txt", "adoc", "asciidoc", "org", "html", "htm",
    "xhtml", "njk", "liquid", "hbs", "ejs", "pug", "haml", "slim", "erb", "astro", "vue", "svelte",
    "ipynb", "qmd", "rmd", "textile", "rd", "php", "jinja", "jinja2", "j2", "tmpl", "webc", "lr",
    "wiki", "djot",
}  # fmt: skip
_HTML = (".html", ".htm", ".xhtml")
# Files that make no page of their own: hidden ones, templates, and files for many pages.
_HIDDEN = re.compile(
    r"(?:^|/)(?:\.|_includes/|_layouts/|node_modules/|_(?!index\.)[^/]*$)|[\[\]{}$]"
    r"|^(?:layouts|templates)/"
)
# Docusaurus keeps the next version in `docs`, and others in `versioned_docs/version-1.0`. Which one
# is published without a version in its path is not known.
_VERSIONED = re.compile(r"(?:^|/)versioned_([^/]+)/version-")
_LOCALE = re.compile(r"(?:^|.*/)i18n/([^/]+)/docusaurus-plugin-content-(\w+)/(?:current/)?")
_INDEXES = ("index", "readme", "contents")  # files that make the page of their folder
_DAY = re.compile(r"^(\d{4})[-_](\d\d)[-_](\d\d)[-_ ]*")  # 2026-05-17-tea.md
_ORDER = re.compile(r"^\d{1,4}(?:[-_. ]+(?=\D)|$)")  # 03-tea.md, and the folder 2026
_LANGUAGE = re.compile(r"\.([a-z]{2,3}(?:[-_][a-z]{2,4})?)$", re.IGNORECASE | re.ASCII)
_SEPARATOR = re.compile(r"\s+[-–—/~<>]+\s+|\s*[|»«·•:]\s+|\s+[|»«·•]")
_DAYS = Writer(date_only=True)
# Sources of one name, such as `overview`, beyond which the folder above must be the same, too.
_MAX_OF_NAME = 100
# Pages that must show the titles of their sources, so that two folders belong together. By chance,
# one or two may: many sites have a page "About" and an unrelated file with that title.
_MIN_TITLED = 3

File = tuple[str, str]  # root of its repository, and name in it
Parts = tuple[str, ...]  # the components of a path, reduced to letters and digits


class Name(NamedTuple):
    """What the name of a file says of its page."""

    path: str  # without endings
    folder: str  # above the file, or above its folder for an index
    stems: tuple[str, ...]  # that may stand for it in the path of the page, the likeliest first
    day: str  # that the name begins with, as 2026-05-17, or ""
    language: str  # of its suffix, or ""
    is_index: bool


class Source(NamedTuple):
    """A file from which a page may be built, and the paths that its page may have."""

    file: File
    size: int
    text: SourceText
    exact: Collection[Parts]  # what the generator's folders make of its path, or its permalink
    is_named: bool = True  # it lies in a folder that the generator reads, below the project
    is_near: bool = True  # it lies in the project
    paths: Sequence[Parts] = ()  # the likeliest first
    extra: Mapping[Parts, int] = {}  # folders that the page may have besides: a date or a language


class Match(NamedTuple):
    """A page and a source whose paths end alike. The nearest pair has the smallest distance."""

    distance: tuple[int, ...]  # it begins with 0 for the exact path
    page: str
    source: Source
    is_shown: bool  # the page shows the title of the source
    folders: tuple[Parts, Parts]  # of the page and the source before what both have


class Choice(NamedTuple):
    """The files of a page with the reason, or none; and a short cause for a page without a date."""

    files: tuple[File, ...] = ()
    why: str = "no source fits"
    cause: str = "no source"


def without_endings(path: str) -> str:
    """Removes the endings of pages and sources: `tea.html.md` → `tea`, `tea.v2.rst` → `tea.v2`."""
    stem, dot, ending = path.rpartition(".")
    if dot and stem and ending.lower() in _ENDINGS:
        return without_endings(stem)
    return path


def likely_sources(names: Iterable[str], outputs: Sequence[str]) -> list[str]:
    """Selects the files of a repository that may be sources by their names. `outputs` end with /.

    Templates, what a generator wrote, and folders with versions of a documentation are left out.
    """
    excluded = tuple(outputs)
    texts = [
        name
        for name in names
        if name.rpartition(".")[2].lower() in _ENDINGS
        and not name.startswith(excluded)
        and not _HIDDEN.search(name)
    ]
    versioned: set[str] = set()
    for name in texts:
        if found := _VERSIONED.search(name):
            versioned |= {found[1], f"versioned_{found[1]}", "i18n"}
    if versioned:
        texts = [name for name in texts if versioned.isdisjoint(name.split("/"))]
    return sorted(texts)


@lru_cache(1 << 14)
def reduced(part: str) -> str:
    """Reduces a component of a path to letters and digits: `Über-uns` → `uberuns`, `03` → `3`."""
    text = words(part).replace(" ", "")
    return text.lstrip("0") if text.isdecimal() else text


def _parts(path: str) -> Parts:
    return tuple(filter(None, map(reduced, path.split("/"))))


def page_parts(path: str) -> Parts:
    """The components of a page's path: `docs/tea/index.html` → `docs`, `tea`; () for the home."""
    parts = _parts(without_endings(path))
    return parts[:-1] if parts[-1:] == ("index",) else parts


def read_name(name: str) -> Name:
    """Takes the name of a file apart: language, index, date and order number.

    Dates and numbers are cut only if the whole name fits nothing.
    """
    path = without_endings(_LOCALE.sub(r"\1/\2/", name))
    folder, _, own = path.rpartition("/")
    language = _LANGUAGE.search(own)
    stem = own[: language.start()] if language else own
    is_index = reduced(stem) in _INDEXES
    if is_index:
        folder, _, stem = folder.rpartition("/")
        own = stem
    day = _DAY.match(stem)
    undated = stem[day.end() :] if day else stem
    stems = (own, stem, undated, _ORDER.sub("", undated))
    begun = "-".join(day.groups()) if day else ""
    return Name(path, folder, stems, begun, language[1] if language else "", is_index)


def make_source(
    file: File, size: int, text: SourceText, folders: Sequence[str], project: str
) -> Source:
    """Lists the paths that the page of a source may have, by its name and front matter.

    `folders` are those that the generator reads, in the file's repository, and `project` is that of
    the generator; both end with a slash, or are "" for the root.
    """
    if text.permalink:
        return Source(file, size, text, {page_parts(text.permalink)})
    name = read_name(file[1])
    path = name.path
    reading = [folder for folder in folders if path.startswith(folder)]
    exact: set[Parts] = set()
    for folder in reading:
        parts = _parts(path[len(folder) :])
        exact.add(parts[:-1] if parts and parts[-1] in _INDEXES else parts)

    title = text.title if text.has_own_title or not name.is_index else ""
    unordered = "/".join(_ORDER.sub("", part) for part in name.folder.split("/"))
    paths: dict[Parts, None] = {}
    for above in map(_parts, dict.fromkeys((name.folder, unordered))):
        for stem in (*text.names, *name.stems, title):
            own = _parts(stem)
            if own and own == above[-1:]:  # tea/tea.md may make the page of its folder
                paths[above] = None
            if own:
                paths[above + own] = None
    extra = {**_date_folders(name.day), **_date_folders(text.published)}
    if name.language:
        extra[(reduced(name.language),)] = 0
    is_named = any(folder not in ("", project) for folder in reading)
    return Source(file, size, text, exact, is_named, path.startswith(project), list(paths), extra)


@lru_cache(1 << 12)
def _date_folders(day: str) -> Mapping[Parts, int]:
    """The folders that a generator may make of a day: `2026`, `2026/5` and `2026/5/17`.

    A time zone may make the day before or after of it, which is less likely: 1, not 0.
    """
    seconds = moment(day)
    folders: dict[Parts, int] = {}
    if seconds is None:
        return folders
    for shift in (0, -1, 1):
        date = _DAYS.lastmod(seconds + shift * 86_400)
        parts = _parts(date.text.replace("-", "/")) if date else ()
        for length in range(1, len(parts) + 1):
            folders.setdefault(parts[:length], abs(shift))
    return folders


def _compare(page: Parts, source: Parts, extra: Mapping[Parts, int]) -> tuple[Parts, Parts, int]:
    """Takes from two paths what both have at their ends. Returns the rests, and 1 for another day.

    docs/2026/guide/tea and src/guide/01/tea → `docs` and `src`, if 2026 is in `extra`.
    """
    rank = 0
    skips = True
    while page:
        if source and page[-1] == source[-1]:
            page, source = page[:-1], source[:-1]
            continue
        length = next((length for length in (3, 2, 1) if page[-length:] in extra), 0)
        if length:
            rank = max(rank, extra[page[-length:]])
            page = page[:-length]
        elif skips and len(source) > 1 and page[-1] == source[-2]:
            source = source[:-1]  # a folder that puts sources in order, or `pages` of Antora
            skips = False
        else:
            break
    return page, source, rank


def find_sources(sources: Iterable[Source], pages: Mapping[str, Facts]) -> dict[str, Choice]:
    """Finds the source of each page that has one, or says why a file that is near is none.

    The nearest pairs are made first; of pairs that are equally near, those of which neither the
    page nor the source has another one.
    """
    choices: dict[str, Choice] = {}
    pairs: list[Match] = []
    taken: set[str | File] = set()  # pages and files
    matches = sorted(_find_matches(sources, pages, choices), key=attrgetter("distance"))
    for _, group in groupby(matches, key=attrgetter("distance")):
        free = [one for one in group if taken.isdisjoint((one.page, one.source.file))]
        of_page: dict[str, list[str]] = defaultdict(list)
        for match in free:
            of_page[match.page].append(match.source.file[1])
        of_file = Counter(match.source.file for match in free)
        for match in free:
            names = of_page[match.page]
            if len(names) > 1:
                choices[match.page] = Choice((), f"fits {' and '.join(names)}", "two sources")
            elif of_file[match.source.file] == 1:
                pairs.append(match)
            taken |= {match.page, match.source.file}

    titled = Counter(match.folders for match in pairs if match.is_shown and match.distance[0])
    lists = pages_above(pages)
    for match in pairs:
        is_proven = titled[match.folders] >= _MIN_TITLED
        choices[match.page] = _judge(match, pages[match.page], is_proven, match.page in lists)
    return choices


def pages_above(paths: Iterable[str]) -> set[str]:
    """The pages, `a.html` or `a/index.html`, below which other pages lie; and the home page."""
    names = {path: path.rpartition("/" if is_folder_page(path) else ".")[0] for path in paths}
    above = {""}
    for name in names.values():
        folder = name.rpartition("/")[0]
        while folder not in above:
            above.add(folder)
            folder = folder.rpartition("/")[0]
    return {path for path, name in names.items() if name in above}


@lru_cache(1 << 14)
def _titles(*texts: str) -> frozenset[str]:
    """The titles of a page and their parts: `Tea | Drinks` → `tea drinks`, `tea`, `drinks`."""
    found: set[str] = set()
    for text in texts:
        cuts = list(_SEPARATOR.finditer(text))[:9]
        found |= {text, *_SEPARATOR.split(text)}
        found |= {text[: cut.start()] for cut in cuts} | {text[cut.end() :] for cut in cuts}
    return frozenset(words(text) for text in found) - {""}


def _find_matches(
    sources: Iterable[Source], pages: Mapping[str, Facts], choices: dict[str, Choice]
) -> Iterator[Match]:
    """Yields all pairs that may be one. `choices` notes pages that lack the title of a source."""
    by_exact: dict[Parts, list[Source]] = defaultdict(list)
    by_end: dict[Parts, list[tuple[Source, Parts, int]]] = defaultdict(list)
    for source in sources:
        for path in source.exact:
            by_exact[path].append(source)
        days = {parts[-1:] for parts in source.extra if len(parts) == 3}
        for rank, path in enumerate(source.paths):
            for end in {path[-1:], path[-2:], *(day + path[-1:] for day in days)}:
                by_end[end].append((source, path, rank))
    for page, facts in pages.items():
        parts = page_parts(page)
        titles = _titles(facts.title, facts.h1)
        near = by_end.get(parts[-1:], ())
        if len(near) > _MAX_OF_NAME:
            near = by_end.get(parts[-2:], ())
        exact = [(source, parts, 0) for source in by_exact.get(parts, ())]
        nearest: dict[File, Match] = {}
        for source, path, rank in [*exact, *(near if len(near) <= _MAX_OF_NAME else ())]:
            name, text = source.file[1], source.text
            is_exact = parts in source.exact
            is_shown = text.title in titles
            is_readme = name.rpartition("/")[2].lower().startswith("readme.")
            if not is_shown and (is_readme or (text.has_own_title and not is_exact)):
                choices[page] = Choice((), f"the page does not show the title of {name}")
                continue
            of_page, of_source, other_day = _compare(parts, path, source.extra)
            distance: tuple[int, ...] = (0, not is_shown)
            if not is_exact:
                is_copy = name.endswith(_HTML) and not text.has_own_title
                common = len(parts) - len(of_page)
                likely = rank + other_day
                far = not source.is_near
                distance = (1, is_copy, len(of_page), -common, likely, far, not is_shown)
            other = nearest.get(source.file)
            if other is None or distance < other.distance:
                folders = (of_page, of_source)
                nearest[source.file] = Match(distance, page, source, is_shown, folders)
        yield from nearest.values()


def judge_size(facts: Facts, size: int, files: str) -> Choice | None:
    """Says that a page has no source if most of what it shows comes from elsewhere."""
    if facts.text_length <= 2 * size + 500:
        return None
    why = f"the page shows {facts.text_length:,} bytes, its {files} {size:,}"
    return Choice((), why, "more text than its source")


def _judge(match: Match, facts: Facts, is_proven: bool, is_list: bool) -> Choice:
    """Accepts the nearest source of a page, or says why it is none."""
    source = match.source
    name = source.file[1]
    if source.text.is_layout or (is_list and name.rpartition("/")[2].startswith("_index.")):
        return Choice((), f"{name} shows other pages", "list")
    too_small = judge_size(facts, source.size, f"source {name} has")
    if too_small:
        return too_small
    what = "path and title" if match.is_shown else "path"
    is_whole = not match.folders[0] and not source.text.has_own_title
    if source.text.permalink:
        where = "; it sets this path itself"
    elif match.distance[0] == 0 or (source.is_named and (match.is_shown or is_whole)):
        where = " in the generator's folder"
    elif is_proven:
        where = "; at least 3 pages show the titles of files in its folder"
    else:
        why = f"{name} has a similar path, but the generator is not known to read its folder"
        return Choice((), why)
    return Choice((source.file,), f"{what}{where}", "not committed")
