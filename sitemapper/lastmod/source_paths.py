"""The paths that the page of a source file may have, by its name and metadata. Pure."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from ..model import PossibleSource, SourceRoute
from ..syntax.source_text import SourceFacts, words

_ENDINGS = {
    "md", "mdx", "markdown", "mdown", "rst", "txt", "adoc", "asciidoc", "org", "html", "htm",
    "xhtml", "njk", "liquid", "hbs", "ejs", "pug", "haml", "slim", "erb", "astro", "vue", "svelte",
    "ipynb", "qmd", "rmd", "textile", "rd", "php", "jinja", "jinja2", "j2", "tmpl", "webc", "lr",
    "wiki", "djot",
}  # fmt: skip
_MOST_ENDINGS = 9  # without a limit, the time would grow with the square of a path of endings
# Files that make no page of their own.
_HIDDEN = re.compile(
    r"""
    (?:^|/) (?:
      \.                    # .github/a.md
    | _includes/ | _layouts/ # Jekyll
    | _index\.              # content/news/_index.md: a list of Hugo or Zola
    | _[^/]*$              # _sidebar.md
    | node_modules/
    )
    | [\[\]{}$]            # [slug].astro, {{cookiecutter.name}}.md: one file for many pages
    | ^ (?:layouts|templates) /
    """,
    re.VERBOSE,
)
# versioned_docs/version-1.0/a.md: docusaurus.io/docs/versioning.
_VERSIONED = re.compile(r"(?:^|/)versioned_([^/]+)/version-")
# i18n/zh-CN/docusaurus-plugin-content-docs/current/a.md makes a page in zh-CN/, or in the folder of
# a version: docusaurus.io/docs/i18n/introduction.
_LOCALE = re.compile(r"(?:^|/)i18n/([^/]+)/docusaurus-plugin-content-[^/]+/")
_INDEXES = ("index", "readme", "contents", "")  # names of files that make the page of their folder
_DAY = re.compile(r"^(\d{4})[-_](\d\d)[-_](\d\d)[-_ ]*")  # 2026-05-17-tea.md
_DATED = re.compile(r"(?:^|/)((?:19|20)\d\d)(?:/(\d\d))?(?:/(\d\d))?(?=/|$)")  # news/2026/05/
_ORDER = re.compile(r"^\d{1,4}[-_. ]+(?=\D)")  # 03-tea.md
_LANGUAGE = re.compile(r"\.([a-z]{2,3}(?:[-_][a-z]{2,4})?)$", re.IGNORECASE | re.ASCII)  # tea.pt-BR

NO_ROUTES: Mapping[str, str] = {}  # by folders of sources
Parts = tuple[str, ...]  # the components of a path, reduced to letters and digits


class Source(NamedTuple):
    """A file from which a page may be built, and the paths that its page may have.

    content/2026-05-17-tea.en.md has the ways `content/20260517teaen`, `content/20260517tea` and
    `content/tea`, in which the page of an earlier one is nearer. At the end of its path, the page
    may also have the `others`: `2026`, `2026/05`, `2026/05/17` and `en`.
    `locale` is a component that the page must have, "" for none, and `foreign` are languages that
    it may not have. With `has_route`, the generator's rules give the first way. With `is_routed`,
    the page can have no other.
    """

    file: PossibleSource
    ways: tuple[Parts, ...]
    others: frozenset[Parts]
    locale: str = ""
    foreign: frozenset[str] = frozenset()
    has_route: bool = False
    is_routed: bool = False


def without_endings(path: str) -> str:
    """A path without the endings of pages and sources: `tea.html.md` → `tea`."""
    for _ in range(_MOST_ENDINGS):
        stem, dot, ending = path.rpartition(".")
        if not dot or ending.lower() not in _ENDINGS:
            break
        path = stem
    return path


def names_like_sources(
    names: Iterable[str],
    project: str,
    outputs: Iterable[str],
    may_be_source: Callable[[str], bool] = lambda _: True,
    routes: Mapping[str, str] = NO_ROUTES,
) -> list[str]:
    """The files whose names end like those of sources, outside of hidden folders and the `outputs`.

    All are paths in the repository, "" for its root. `may_be_source` excludes others. Where
    Docusaurus keeps versions of a folder, only files with a route count: without one, `a.md`
    could be taken for the source of `1.0/a.html`.
    """
    built = tuple(f"{folder}/" for folder in outputs)
    like_sources = []
    versioned_folders: set[str] = set()
    for name in names:
        has_ending = without_endings(name) != name
        if not has_ending or name.startswith(built):
            continue
        versioned_folders |= _versioned_folders(name)
        if may_be_source(name) and not _HIDDEN.search(name.removeprefix(f"{project}/")):
            like_sources.append(name)
    if not versioned_folders:
        return like_sources
    left = []
    for name in like_sources:
        if versioned_folders.isdisjoint(name.split("/")) or route_of(name, routes):
            left.append(name)
    return left


def route_of(name: str, routes: Mapping[str, str]) -> SourceRoute | None:
    """The innermost folder around a file that makes pages at a set path, None if there is none."""
    folder = name
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in routes:
            return SourceRoute(folder, routes[folder])
    return None


def _versioned_folders(name: str) -> set[str]:
    """The folders with several versions of pages in Docusaurus, if a file is of a version.

    `versioned_docs/version-1.0/a.md` → `docs`, `versioned_docs` and `i18n`.
    """
    versioned = _VERSIONED.search(name) if "versioned_" in name else None
    if versioned is None:
        return set()
    return {versioned[1], f"versioned_{versioned[1]}", "i18n"}


@lru_cache(1 << 12)
def _reduce(part: str) -> str:
    """A component in lower-case letters and digits: `Café-Bar` → `cafebar`."""
    return words(part).replace(" ", "")


@lru_cache(1 << 8)
def folder_parts(path: str) -> Parts:
    """The components of a folder's path, reduced: `docs/03-Tea Time` → `docs`, `teatime`."""
    return tuple(_reduce(_ORDER.sub("", part)) for part in path.split("/")) if path else ()


def page_parts(path: str) -> Parts:
    """The components of a page's path, reduced: `docs/tea/index.html` → `docs`, `tea`.

    Empty for the home page.
    """
    folder, _, name = path.strip("/").rpartition("/")
    stem = _reduce(re.sub(r"\.x?html?$", "", name, flags=re.I))
    return folder_parts(folder) if stem == "index" else (*folder_parts(folder), stem)


def page_ends(paths: Iterable[str]) -> set[str]:
    """The last components of pages' paths, which their sources share."""
    return {part for path in paths for part in page_parts(path)[-1:]}


def has_name_of_page(name: str, ends: Set[str]) -> bool:
    """Whether the name of a file, or of the folder of an index, is that of a page.

    `ends` are the last components of all pages: see `page_ends`.
    """
    folder, _, file = name.rpartition("/")
    stems = _read_name(file).stems
    if _reduce(stems[-1]) in _INDEXES:
        stems.append(folder.rpartition("/")[2])
    stems += [_ORDER.sub("", stem) for stem in stems if stem[:1].isdigit()]
    return not ends.isdisjoint(map(_reduce, stems))


def languages_beside(names: Iterable[str]) -> dict[str, set[str]]:
    """The languages with a file of their own beside a file without one.

    `a.de.md` and `a.fr.md` → `{"a": {"de", "fr"}}`: a.md makes no page of these languages.
    """
    languages: dict[str, set[str]] = defaultdict(set)
    for name in names:
        stem = without_endings(name)
        language = _LANGUAGE.search(stem)
        if language:
            languages[stem[: language.start()]].add(_reduce(language[1]))
    return languages


class _FileName(NamedTuple):
    """The name of a file without its ending, also without its language and its day.

    `2026-05-17-tea.en.md` → the stems `2026-05-17-tea.en`, `2026-05-17-tea` and `tea`, the language
    `en`, and the day `2026`, `05`, `17`.
    """

    stems: list[str]
    language: str
    day: tuple[str, ...]


def _read_name(file: str) -> _FileName:
    """The parts of a file's name: see `_FileName`."""
    stem = without_endings(file)
    stems = [stem]
    language = _LANGUAGE.search(stem) if "." in stem else None
    if language:
        stem = stem[: language.start()]
        stems.append(stem)
    day = _DAY.match(stem)
    if day:
        stem = stem[day.end() :]
        stems.append(stem)
    return _FileName(stems, language[1] if language else "", day.groups() if day else ())


def make_source(name: str, size: int, facts: SourceFacts) -> Source:
    """A source with the paths that its page may have, from its own path and metadata.

    `content/news/2026/03-tea.en.md` with the title "Green Tea" has the ways `content/news/teaen`,
    `content/news/tea`, `content/news/greentea` and `content/news/03tea`, and the others `2026` and
    `en`.
    """
    file = PossibleSource(name, size, facts.title, facts.has_own_title)
    if facts.permalink:
        return _source_with_permalink(file, facts.permalink)
    folder, _, file_name = name.rpartition("/")
    read = _read_name(file_name)
    stem = read.stems[-1]
    others = _parts_of_date(facts.day) | _parts_of_date(read.day)
    if read.language:
        others.add((_reduce(read.language),))
    locale = ""
    translated = _LOCALE.search(name)
    if translated:
        locale = _reduce(translated[1])
        others.add((locale,))
    has_index_name = _reduce(stem) in _INDEXES
    is_index = has_index_name and not facts.names  # a slug stands for the name
    dated = None if is_index else _DATED.search(folder)
    if dated:  # the page may be in a folder of another date, or of none
        others |= _parts_of_date(tuple(filter(None, dated.groups())))
        folder = (folder[: dated.start()] + folder[dated.end() :]).strip("/")
    above = folder_parts(folder)
    ways = _ways_in_folder(above, read, facts)
    if has_index_name:
        ways = [*_ways_of_bundle(above, facts), *ways]
    if is_index:
        ways.insert(0, above)
    is_doubled = bool(ways) and ways[0][-2:-1] == ways[0][-1:]
    is_version = bool(locale) and stem == "current"  # the folder of a version in Docusaurus
    if is_doubled and not is_version:  # tea/tea.md, as tea/index.md
        ways.insert(0, ways[0][:-1])
    return Source(
        file=file, ways=tuple(dict.fromkeys(ways)), others=frozenset(others), locale=locale
    )


def _ways_in_folder(above: Parts, name: _FileName, facts: SourceFacts) -> list[Parts]:
    """The paths with the slugs, the names or the title of a file in place of its own name."""
    stem = name.stems[-1]
    ways: list[Parts] = []
    for text in [*facts.names, *name.stems, _ORDER.sub("", stem), facts.title]:
        if text.strip("/"):
            ways.append((*above, *folder_parts(text.strip("/"))))
    if _ORDER.match(stem):
        ways.append((*above, _reduce(stem)))  # the number may be of the name: 4-weeks-of-tea.html
    return ways


def _source_with_permalink(file: PossibleSource, permalink: str) -> Source:
    """A source that sets the path of its page: `permalink: /about/`."""
    # A page and the folder of an index page are reduced differently.
    as_folder = f"{permalink.rstrip('/')}/index.html"
    both = (page_parts(permalink), page_parts(as_folder))
    return Source(
        file=file._replace(sets_path=True), ways=tuple(dict.fromkeys(both)), others=frozenset()
    )


def _ways_of_bundle(above: Parts, facts: SourceFacts) -> list[Parts]:
    """The paths in which the slug or the title of an index page is in place of its folder's name.

    Source: gohugo.io/configuration/permalinks (`:slug`, `:title`).
    """
    names = [*facts.names, facts.title] if facts.has_own_title else facts.names
    ways = []
    for name in names:
        parts = folder_parts(name.strip("/"))
        if parts and len(above) > 1:
            ways.append((*above[:-1], *parts))
    return ways


def make_routed_source(name: str, size: int, facts: SourceFacts, route: SourceRoute) -> Source:
    """A source in a folder for which the paths of its pages are set: `docs` makes `next/`.

    Docusaurus replaces the name by `slug` or `id`; a slug with a slash in front begins at the
    folder of its version (docusaurus.io/docs/create-doc, src/slug.ts in plugin-content-docs).
    """
    source = PossibleSource(name, size, facts.title, facts.has_own_title)
    folder, _, file = name.removeprefix(f"{route.folder}/").rpartition("/")
    stem = _ORDER.sub("", without_endings(file))
    own_name = facts.names[0] if facts.names else stem
    is_index = stem.lower() in ("index", "readme", posixpath.basename(folder).lower())
    if own_name.startswith("/"):
        path = own_name
    elif is_index and not facts.names:
        path = folder
    else:
        path = posixpath.normpath(f"{folder}/{own_name}")
    parts = (*folder_parts(route.pages), *folder_parts(path.strip("/")))
    return Source(file=source, ways=(parts,), others=frozenset(), has_route=True, is_routed=True)


def with_route(source: Source, routed: Source) -> Source:
    """A source whose first way is that of its route. One that sets its own path keeps that."""
    if source.file.sets_path:
        return source
    ways = (*routed.ways, *source.ways)
    return source._replace(ways=tuple(dict.fromkeys(ways)), has_route=True)


def _parts_of_date(day: Parts) -> set[Parts]:
    """The beginnings of a date in a path, with and without zeros.

    `2026`, `05`, `17` → `2026`, `2026/05`, `2026/05/17`, `2026/5` and `2026/5/17`.
    """
    without_zeros = tuple(part.lstrip("0") for part in day)
    beginnings = set()
    for length in range(1, len(day) + 1):
        beginnings |= {day[:length], without_zeros[:length]}
    return beginnings
