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
# Without a bound, the time would grow with the square of a path of endings.
_MOST_ENDINGS = 9
_HIDDEN = re.compile(
    r"(?:^|/)(?:\.|_includes/|_layouts/|_index\.|_[^/]*$|node_modules/)|[\[\]{}$]|^(?:layouts|templates)/"
)
_VERSIONED = re.compile(r"(?:^|/)versioned_([^/]+)/version-")
# i18n/zh-CN/docusaurus-plugin-content-docs/current/a.md makes a page in zh-CN/, or in the folder of
# a version: docusaurus.io/docs/i18n/introduction.
_LOCALE = re.compile(r"(?:^|/)i18n/([^/]+)/docusaurus-plugin-content-[^/]+/")
_INDEXES = ("index", "readme", "contents", "")
_DAY = re.compile(r"^(\d{4})[-_](\d\d)[-_](\d\d)[-_ ]*")
_DATED = re.compile(r"(?:^|/)((?:19|20)\d\d)(?:/(\d\d))?(?:/(\d\d))?(?=/|$)")
_ORDER = re.compile(r"^\d{1,4}[-_. ]+(?=\D)")
_LANGUAGE = re.compile(r"\.([a-z]{2,3}(?:[-_][a-z]{2,4})?)$", re.IGNORECASE | re.ASCII)

NO_ROUTES: Mapping[str, str] = {}  # by folders of sources
Parts = tuple[str, ...]  # the components of a path, reduced to letters and digits


class Source(NamedTuple):
    """A file from which a page may be built.

    `ways` are the paths that its page may have, the likeliest first. `others` are components that
    the page's path may also have: its date, year first, and a language. `locale` is a component
    that it must have, "" for none, and `foreign` are languages that it may not have. With
    `has_route`, the generator's rules give the first path; with `is_routed`, its page can have no
    other.
    """

    file: PossibleSource
    ways: tuple[Parts, ...]
    others: frozenset[Parts]
    locale: str = ""
    foreign: frozenset[str] = frozenset()
    has_route: bool = False
    is_routed: bool = False


def without_endings(path: str) -> str:
    """A path without what the names of pages and of sources end in: `tea.html.md` gives `tea`."""
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
    fits: Callable[[str], bool] = lambda _: True,
    routes: Mapping[str, str] = NO_ROUTES,
) -> list[str]:
    """The files that are called like sources, and of which `fits` holds.

    Names are paths in the repository, "" for its root.

    None is in the `outputs`, the folders of built pages. Where Docusaurus keeps versions of a
    folder, only those with a route, because other pages may fit them better than their own.
    """
    built = tuple(f"{folder}/" for folder in outputs)
    candidates = []
    left_out: set[str] = set()
    for name in names:
        if without_endings(name) == name or name.startswith(built):
            continue
        if "versioned_" in name:
            left_out |= _versioned_folders(name)
        if fits(name) and not _HIDDEN.search(name.removeprefix(f"{project}/")):
            candidates.append(name)
    if not left_out:
        return candidates
    left = []
    for name in candidates:
        if left_out.isdisjoint(name.split("/")) or route_of(name, routes):
            left.append(name)
    return left


def route_of(name: str, routes: Mapping[str, str]) -> SourceRoute | None:
    """The innermost folder with a route that contains a file, None if there is none."""
    folder = name
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in routes:
            return SourceRoute(folder, routes[folder])
    return None


def _versioned_folders(name: str) -> set[str]:
    """The folder of which Docusaurus keeps versions, that of the versions, and of translations."""
    versioned = _VERSIONED.search(name)
    if versioned is None:
        return set()
    return {versioned[1], f"versioned_{versioned[1]}", "i18n"}


@lru_cache(1 << 12)
def _reduce(part: str) -> str:
    """A component without punctuation and accents."""
    return words(part).replace(" ", "")


@lru_cache(1 << 8)
def folder_parts(path: str) -> Parts:
    """The components of a folder's path, without the numbers that order them."""
    return tuple(_reduce(_ORDER.sub("", part)) for part in path.split("/")) if path else ()


def page_parts(path: str) -> Parts:
    """The components of a page's path. Empty for the home page."""
    folder, _, name = path.strip("/").rpartition("/")
    stem = _reduce(re.sub(r"\.x?html?$", "", name, flags=re.I))
    return folder_parts(folder) if stem == "index" else (*folder_parts(folder), stem)


def page_ends(paths: Iterable[str]) -> set[str]:
    """The last components of pages' paths, which their sources share."""
    return {part for path in paths for part in page_parts(path)[-1:]}


def may_fit_by_name(name: str, ends: Set[str]) -> bool:
    """Whether a file may be the source of a page, by its name alone. `ends` are of all pages."""
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
    """The forms of a file's name, the shortest last, and the language and the day in it."""

    stems: list[str]
    language: str
    day: tuple[str, ...]


def _read_name(file: str) -> _FileName:
    """`2024-05-17-news.en.md` gives `2024-05-17-news.en`, `2024-05-17-news` and `news`."""
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
    """The source for a path in the repository."""
    candidate = PossibleSource(name, size, facts.title, facts.has_own_title)
    others = _parts_of_date(facts.day)
    if facts.permalink:
        # A page and the folder of an index page are reduced differently.
        as_folder = f"{facts.permalink.rstrip('/')}/index.html"
        both = (page_parts(facts.permalink), page_parts(as_folder))
        literal = candidate._replace(sets_path=True)
        return Source(literal, tuple(dict.fromkeys(both)), frozenset())
    locale = ""
    if translated := _LOCALE.search(name):
        locale = _reduce(translated[1])
        others.add((locale,))
    folder, _, file = name.rpartition("/")
    read = _read_name(file)
    if read.language:
        others.add((_reduce(read.language),))
    others |= _parts_of_date(read.day)
    stem = read.stems[-1]
    stems = [*facts.names, *read.stems, _ORDER.sub("", stem), facts.title]
    is_named_index = _reduce(stem) in _INDEXES
    is_index = is_named_index and not facts.names
    if not is_index and (day := _DATED.search(folder)):
        others |= _parts_of_date(tuple(filter(None, day.groups())))
        folder = (folder[: day.start()] + folder[day.end() :]).strip("/")
    above = folder_parts(folder)
    ways = [above] if is_index else []
    if is_named_index:
        ways += _ways_of_bundle(above, facts)
    ways += [(*above, *folder_parts(text.strip("/"))) for text in stems if text.strip("/")]
    if _ORDER.match(stem):
        ways.append((*above, _reduce(stem)))  # the number may be of the name: 4-weeks-of-tea.html
    is_doubled = bool(ways) and ways[0][-2:-1] == ways[0][-1:]
    if is_doubled and not (locale and stem == "current"):  # tea/tea.md, as tea/index.md
        ways.insert(0, ways[0][:-1])
    return Source(candidate, tuple(dict.fromkeys(ways)), frozenset(others), locale)


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
    """The source for a path in a folder whose pages' paths are known.

    Docusaurus replaces the name by `slug` or `id`; a slug with a slash in front begins at the
    folder of its version (docusaurus.io/docs/create-doc, src/slug.ts in plugin-content-docs).
    """
    candidate = PossibleSource(name, size, facts.title, facts.has_own_title)
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
    return Source(candidate, (parts,), frozenset(), has_route=True, is_routed=True)


def with_route(source: Source, routed: Source) -> Source:
    """A source whose likeliest path is the one that it has with its route."""
    if source.file.sets_path:
        return source
    ways = (*routed.ways, *source.ways)
    return source._replace(ways=tuple(dict.fromkeys(ways)), has_route=True)


def _parts_of_date(day: Parts) -> set[Parts]:
    """The components that may be a date: year, month, day. Leading zeros may be missing."""
    bare = tuple(part.lstrip("0") for part in day)
    return {form[:length] for form in (day, bare) for length in range(1, len(form) + 1)}
