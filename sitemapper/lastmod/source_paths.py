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
_MAX_ENDINGS = 9  # without a limit, the time would grow with the square of a path of endings
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
_DAY_PREFIX = re.compile(r"^(\d{4})[-_](\d\d)[-_](\d\d)[-_ ]*")  # 2026-05-17-tea.md
# news/2026/05/
_DATE_FOLDERS = re.compile(r"(?:^|/)((?:19|20)\d\d)(?:/(\d\d))?(?:/(\d\d))?(?=/|$)")
_ORDER_PREFIX = re.compile(r"^\d{1,4}[-_. ]+(?=\D)")  # 03-tea.md
# tea.pt-BR
_LANGUAGE_SUFFIX = re.compile(r"\.([a-z]{2,3}(?:[-_][a-z]{2,4})?)$", re.IGNORECASE | re.ASCII)

Parts = tuple[str, ...]  # the components of a path, reduced to letters and digits


class Source(NamedTuple):
    """A file from which a page may be built, and the paths that its page may have.

    - `page_paths` are these paths, the likeliest first. content/2026-05-17-tea.en.md →
      `content/20260517teaen`, `content/20260517tea` and `content/tea`.
    - `optional_ends` are dates and languages that the page's path may also have at its end:
      `2026`, `2026/05`, `2026/05/17` and `en`.
    - `locale` is a component that the page's path must have, "" for none.
    - `foreign` are languages that the page's path may not have.
    - With `has_route`, the first path comes from the generator's rules. With `is_routed`, the page
      can have no other path.
    """

    file: PossibleSource
    page_paths: tuple[Parts, ...]
    optional_ends: frozenset[Parts] = frozenset()
    locale: str = ""
    foreign: frozenset[str] = frozenset()
    has_route: bool = False
    is_routed: bool = False


def without_endings(path: str) -> str:
    """Removes the endings of pages and sources from a path: `tea.html.md` → `tea`.

    An unknown ending stays: `tea.v2.rst` → `tea.v2`.
    """
    for _ in range(_MAX_ENDINGS):
        stem, dot, ending = path.rpartition(".")
        if not dot or ending.lower() not in _ENDINGS:
            break
        path = stem
    return path


def names_like_sources(
    names: Iterable[str],
    project: str,
    outputs: Iterable[str],
    may_be_source: Callable[[str], bool],
    routes: Mapping[str, str],
) -> list[str]:
    """Filters the files of a repository to those that may be sources of pages, by their paths.

        guide/a.md         stays
        a.png              goes: it has no ending of a source
        public/a.html      goes: it is in one of the `outputs`
        _layouts/a.html    goes: it is hidden
        docs/b/a.md        goes, if docs/ has versions and no route: see `_versioned_folders`

    `may_be_source` excludes others. `project` and `outputs` are folders in the repository, "" for
    its root. `routes` are the folders of pages by those of the sources that make them.
    """
    output_prefixes = tuple(f"{folder}/" for folder in outputs)
    sources = []
    versioned: set[str] = set()
    for name in names:
        has_ending = without_endings(name) != name
        if not has_ending or name.startswith(output_prefixes):
            continue
        versioned |= _versioned_folders(name)
        if may_be_source(name) and not _HIDDEN.search(name.removeprefix(f"{project}/")):
            sources.append(name)
    if not versioned:
        return sources
    return [
        name for name in sources if versioned.isdisjoint(name.split("/")) or route_of(name, routes)
    ]


def route_of(name: str, routes: Mapping[str, str]) -> SourceRoute | None:
    """Finds the innermost folder around a file that has a route, None if there is none.

    With the routes `docs` → `docs/next` and `docs/api` → `api`, that of `docs/api/a.md` is
    `docs/api`.
    """
    folder = name
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in routes:
            return SourceRoute(folder, routes[folder])
    return None


def _versioned_folders(name: str) -> set[str]:
    """Names the folders of which Docusaurus keeps versions, as the path of one file shows.

    `versioned_docs/version-1.0/a.md` → `docs`, `versioned_docs` and `i18n`. Without a route,
    nothing tells the versions apart: docs/b/a.md could be taken for the source of 1.0/b/a.html.

    Empty for a file that is not below such a folder, as most are.
    """
    versioned = _VERSIONED.search(name) if "versioned_" in name else None
    if versioned is None:
        return set()
    return {versioned[1], f"versioned_{versioned[1]}", "i18n"}


@lru_cache(1 << 12)
def _letters_and_digits(part: str) -> str:
    """Reduces a component of a path to lower-case letters and digits: `Café-Bar` → `cafebar`."""
    return words(part).replace(" ", "")


@lru_cache(1 << 8)
def folder_parts(path: str) -> Parts:
    """Splits a folder's path into its components, in lower-case letters and digits.

    Numbers that only put folders in order are dropped: `docs/03-Tea Time` → `docs`, `teatime`.
    """
    if not path:
        return ()
    return tuple(_letters_and_digits(_ORDER_PREFIX.sub("", part)) for part in path.split("/"))


def page_parts(path: str) -> Parts:
    """Splits a page's path into its components, in lower-case letters and digits.

    `docs/Tea-Time.html` → `docs`, `teatime`. `docs/tea/index.html` → `docs`, `tea`. Empty for the
    home page.
    """
    folder, _, name = path.strip("/").rpartition("/")
    stem = _letters_and_digits(re.sub(r"\.x?html?$", "", name, flags=re.I))
    if stem == "index":
        return folder_parts(folder)
    return (*folder_parts(folder), stem)


def page_ends(paths: Iterable[str]) -> set[str]:
    """Lists the last components of pages' paths, which sources share: guide/tea.html → `tea`."""
    return {part for path in paths for part in page_parts(path)[-1:]}


def has_name_of_page(name: str, ends: Set[str]) -> bool:
    """Whether a source file has the name of a page, so that it may be the source of that page.

    Its name counts with and without its language, date and order number: `03-tea.en.md` has that of
    tea.html. For an index file, so does the name of its folder: `tea/index.md`. `ends` are the last
    components of all pages: see `page_ends`.
    """
    folder, _, file = name.rpartition("/")
    stems = _split_name(file).stems
    if _letters_and_digits(stems[-1]) in _INDEXES:  # the page has the name of the folder
        stems.append(folder.rpartition("/")[2])
    stems += [_ORDER_PREFIX.sub("", stem) for stem in stems if stem[:1].isdigit()]
    return not ends.isdisjoint(map(_letters_and_digits, stems))


def languages_beside(names: Iterable[str]) -> dict[str, set[str]]:
    """Finds the source files that are translated: {path without language and ending: languages}.

    `a.de.md` and `a.fr.md` → `{"a": {"de", "fr"}}`. The German page of `a` is made from a.de.md, so
    a.md does not date it.
    """
    languages: dict[str, set[str]] = defaultdict(set)
    for name in names:
        stem = without_endings(name)
        language = _LANGUAGE_SUFFIX.search(stem)
        if language:
            languages[stem[: language.start()]].add(_letters_and_digits(language[1]))
    return languages


class _FileName(NamedTuple):
    """What the name of a source file says: its stems, its language and its day.

    `2026-05-17-tea.en.md` → the stems `2026-05-17-tea.en`, `2026-05-17-tea` and `tea`, the language
    `en`, and the day `2026`, `05`, `17`.

    The first stem lacks only the ending. The last one also lacks the language and the day.
    """

    stems: list[str]
    language: str
    day: tuple[str, ...]


def _split_name(file: str) -> _FileName:
    """Takes the ending, the language and the day from a file's name, in this order.

    `2026-05-17-tea.en.md` → `2026-05-17-tea.en` → `2026-05-17-tea` → `tea`.
    """
    stems = [without_endings(file)]
    language = ""
    language_suffix = _LANGUAGE_SUFFIX.search(stems[-1]) if "." in stems[-1] else None
    if language_suffix:
        language = language_suffix[1]
        stems.append(stems[-1][: language_suffix.start()])
    day: tuple[str, ...] = ()
    day_prefix = _DAY_PREFIX.match(stems[-1])
    if day_prefix:
        day = day_prefix.groups()
        stems.append(stems[-1][day_prefix.end() :])
    return _FileName(stems=stems, language=language, day=day)


def make_source(file: PossibleSource, facts: SourceFacts) -> Source:
    """Makes a source with the paths that its page may have, from the file's path and metadata.

    `content/news/2026/03-tea.en.md` with the title "Green Tea" → the page paths
    `content/news/teaen`, `content/news/tea`, `content/news/greentea` and `content/news/03tea`, and
    the optional ends `2026` and `en`.

    A permalink in the metadata replaces all of these.
    """
    if facts.permalink:
        return _source_with_permalink(file, facts.permalink)
    folder, _, file_name = file.name.rpartition("/")
    split = _split_name(file_name)
    stem = split.stems[-1]
    # 1. The dates and languages that the page's path may also have.
    optional_ends = _parts_of_date(facts.day) | _parts_of_date(split.day)
    if split.language:
        optional_ends.add((_letters_and_digits(split.language),))
    locale = ""
    translated = _LOCALE.search(file.name)
    if translated:
        locale = _letters_and_digits(translated[1])
        optional_ends.add((locale,))
    # 2. The folder of the page. That of news/2026/tea.md may be news/, or a folder of another date.
    # With a slug in `names`, tea/index.md makes a page of that name, and not that of its folder.
    has_index_name = _letters_and_digits(stem) in _INDEXES
    is_index = has_index_name and not facts.names
    dated = None if is_index else _DATE_FOLDERS.search(folder)
    if dated:
        optional_ends |= _parts_of_date(tuple(filter(None, dated.groups())))
        folder = (folder[: dated.start()] + folder[dated.end() :]).strip("/")
    # 3. The paths of the page, the likeliest first.
    folder_path = folder_parts(folder)
    paths = _paths_by_name_and_title(folder_path, split, facts)
    if has_index_name:
        paths = [*_paths_without_folder_name(folder_path, facts), *paths]
    if is_index:
        paths.insert(0, folder_path)
    # tea/tea.md may make the page of its folder, as tea/index.md does. But `current` is the folder
    # of a version in Docusaurus.
    is_named_as_folder = bool(paths) and paths[0][-2:-1] == paths[0][-1:]
    is_version = bool(locale) and stem == "current"
    if is_named_as_folder and not is_version:
        paths.insert(0, paths[0][:-1])
    return Source(
        file=file,
        page_paths=tuple(dict.fromkeys(paths)),
        optional_ends=frozenset(optional_ends),
        locale=locale,
    )


def _paths_by_name_and_title(folder: Parts, name: _FileName, facts: SourceFacts) -> list[Parts]:
    """Lists the paths that a page in a folder may have by the slug, name or title of its source.

    `03-tea.en.md` in `docs` with the slug `green` and the title "Green Tea" → `docs/green`,
    `docs/teaen`, `docs/tea`, `docs/greentea` and `docs/03tea`. Some may be the same.
    """
    stem = name.stems[-1]
    paths: list[Parts] = []
    for text in [*facts.names, *name.stems, facts.title]:
        if text.strip("/"):  # a file may have no title
            paths.append((*folder, *folder_parts(text.strip("/"))))
    # `folder_parts` drops order numbers, but the number may be of the name: 4-weeks-of-tea.html.
    if _ORDER_PREFIX.match(stem):
        paths.append((*folder, _letters_and_digits(stem)))
    return paths


def _source_with_permalink(file: PossibleSource, permalink: str) -> Source:
    """Makes a source that sets the path of its page: `permalink: /about/` → `about`.

    Only the name of a folder loses its order number, and the page of /03-tea/ may be 03-tea.html or
    03-tea/index.html. So both `03tea` and `tea` are its paths.
    """
    as_folder = f"{permalink.rstrip('/')}/index.html"
    both = (page_parts(permalink), page_parts(as_folder))
    return Source(file=file._replace(sets_path=True), page_paths=tuple(dict.fromkeys(both)))


def _paths_without_folder_name(folder: Parts, facts: SourceFacts) -> list[Parts]:
    """Lists the paths of an index file's page where its slug or title replaces the folder's name.

    `posts/tea/index.md` with the slug `green` → `posts/green`. Source:
    gohugo.io/configuration/permalinks (`:slug`, `:title`).
    """
    # A title that is only a heading is in no permalink.
    names = [*facts.names, facts.title] if facts.has_own_title else facts.names
    paths = []
    for name in names:
        parts = folder_parts(name.strip("/"))
        # `posts/index.md` is the page of a whole section, whose name stays.
        if parts and len(folder) > 1:
            paths.append((*folder[:-1], *parts))
    return paths


def make_routed_source(file: PossibleSource, facts: SourceFacts, route: SourceRoute) -> Source:
    """Makes a source whose page can only be in the folder of its route, as in Docusaurus.

    With the route `docs` → `docs/next`, the page of `docs/brew/03-tea.md` is `docs/next/brew/tea`.
    `slug` or `id` replaces `tea`, and a slug `/tea` replaces `brew/tea`. `brew/index.md` and
    `brew/brew.md` make the page of their folder. Source: docusaurus.io/docs/create-doc, and
    src/slug.ts in plugin-content-docs.
    """
    folder, _, name = file.name.removeprefix(f"{route.folder}/").rpartition("/")
    stem = _ORDER_PREFIX.sub("", without_endings(name))
    own_name = facts.names[0] if facts.names else stem
    is_index = stem.lower() in ("index", "readme", posixpath.basename(folder).lower())
    if own_name.startswith("/"):
        path = own_name
    elif is_index and not facts.names:
        path = folder
    else:
        path = posixpath.normpath(f"{folder}/{own_name}")
    parts = (*folder_parts(route.pages), *folder_parts(path.strip("/")))
    return Source(file=file, page_paths=(parts,), has_route=True, is_routed=True)


def with_route(source: Source, routed: Source) -> Source:
    """Puts the path that the route gives before the other paths of a source.

    A source with a permalink keeps only that.
    """
    if source.file.sets_path:
        return source
    paths = (*routed.page_paths, *source.page_paths)
    return source._replace(page_paths=tuple(dict.fromkeys(paths)), has_route=True)


def _parts_of_date(day: Parts) -> set[Parts]:
    """Lists the paths by which folders may show a date, or a part of it, with and without zeros.

    `2026`, `05`, `17` → `2026`, `2026/05`, `2026/05/17`, `2026/5` and `2026/5/17`. Empty for a
    source without a date.
    """
    without_zeros = tuple(part.lstrip("0") for part in day)
    beginnings = set()
    for length in range(1, len(day) + 1):
        beginnings |= {day[:length], without_zeros[:length]}
    return beginnings
