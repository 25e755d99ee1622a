"""The paths that the page of a source file may have, by its name and metadata. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Set
from functools import lru_cache
from typing import NamedTuple

from ..model import PossibleSource, ShownBy
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
    - `dates_and_languages` are folders that the page's path may have in addition: `2026`,
      `2026/05`, `2026/05/17` and `en`.
    - `required_language` is a folder that the page's path must have, "" for none.
    - `foreign_languages` are folders that the page's path may not have.
    - With `has_exact_path`, the path of the page is exactly one of these, as for a permalink. If it
      is false, the page may also have only the same end: docs/tea.html for `content/tea`.
    """

    file: PossibleSource
    page_paths: tuple[Parts, ...]
    dates_and_languages: frozenset[Parts] = frozenset()
    required_language: str = ""
    foreign_languages: frozenset[str] = frozenset()
    has_exact_path: bool = False


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


def names_like_sources(names: Iterable[str], project: str, outputs: Iterable[str]) -> list[str]:
    """Selects the files of a repository that may be sources of pages, by their paths alone.

    `guide/a.md` is kept. Left out are

        a.png              it has no ending of a source
        public/a.html      it is in one of the `outputs`, so the generator wrote it
        _layouts/a.html    it is a template, and makes no page of its own
        docs/b/a.md        it is one of several versions, if there is versioned_docs/version-1.0/

    `project` is the project's folder in the repository, "" for its root.
    """
    output_prefixes = tuple(f"{folder}/" for folder in outputs)
    with_ending = [
        name
        for name in names
        if without_endings(name) != name and not name.startswith(output_prefixes)
    ]
    versioned_folders = {folder for name in with_ending for folder in _versioned_folders(name)}
    sources = []
    for name in with_ending:
        if _HIDDEN.search(name.removeprefix(f"{project}/")):  # it is a template
            continue
        is_versioned = not versioned_folders.isdisjoint(name.split("/"))
        if not is_versioned:
            sources.append(name)
    return sources


def _versioned_folders(name: str) -> set[str]:
    """Lists the folders with versions of documentation, if a file's path shows that there are any.

    `versioned_docs/version-1.0/b/a.md` is a path of Docusaurus. It keeps the next version in
    `docs`, earlier ones in `versioned_docs`, and translations of all in `i18n` → these three. For
    other paths, the result is empty.

    Files in these folders need care: docs/b/a.md is not the source of 1.0/b/a.html, though the
    paths end alike.
    """
    if "versioned_" not in name:  # a fast check, because this runs for each file
        return set()
    match = _VERSIONED.search(name)
    if match is None:
        return set()
    folder = match[1]  # `docs`
    return {folder, f"versioned_{folder}", "i18n"}


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
    """Collects the last components of pages' paths: guide/tea.html → `tea`.

    The source of a page usually has the same name, so source files are searched by these.
    """
    # The home page has no components, and so no last one.
    return {part for path in paths for part in page_parts(path)[-1:]}


def has_name_of_page(name: str, page_names: Set[str]) -> bool:
    """Whether a source file has the name of a page, so that it may be the source of that page.

    `tea.md` has the name of tea.html. So has `03-tea.en.md`, because a generator may drop the order
    number, the date or the language. An index file may also have the name of its folder:
    `tea/index.md`.

    `page_names` are the names of all pages, in lower-case letters and digits, from `page_ends`.
    """
    folder, _, file = name.rpartition("/")
    split = _split_name(file)
    stems = list(split.stems)  # with and without the language and the date
    if split.is_index:  # the page has the name of the folder
        stems.append(folder.rpartition("/")[2])
    without_number = [_ORDER_PREFIX.sub("", stem) for stem in stems if stem[:1].isdigit()]
    return not page_names.isdisjoint(map(_letters_and_digits, [*stems, *without_number]))


def languages_beside(names: Iterable[str]) -> dict[str, set[str]]:
    """Finds into which languages files are translated: {path without ending: languages}.

    With `a.md`, `a.de.md` and `a.fr.md` → `{"a": {"de", "fr"}}`. So the caller knows that the
    German page of `a` is made from `a.de.md`, and not from `a.md`.
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

    @property
    def shortest_stem(self) -> str:
        """The file's name without its endings, language and day: `tea`."""
        return self.stems[-1]

    @property
    def is_index(self) -> bool:
        """Whether the file is that of its folder: `index.md`, `README.en.md`."""
        return _letters_and_digits(self.shortest_stem) in _INDEXES


def _split_name(file: str) -> _FileName:
    """Extracts the language and the day from a source file's name. Returns them with all stems.

    The stems of `2026-05-17-tea.en.md` are `2026-05-17-tea.en`, `2026-05-17-tea` and `tea`. All are
    kept, because a generator may or may not drop the language and the day.
    """
    stems = [without_endings(file)]
    language = ""
    # The check for a dot is fast, and few names have one.
    language_suffix = _LANGUAGE_SUFFIX.search(stems[-1]) if "." in stems[-1] else None
    if language_suffix:
        language = _letters_and_digits(language_suffix[1])
        stems.append(stems[-1][: language_suffix.start()])
    day: tuple[str, ...] = ()
    day_prefix = _DAY_PREFIX.match(stems[-1])
    if day_prefix:
        day = day_prefix.groups()
        stems.append(stems[-1][day_prefix.end() :])
    return _FileName(stems=stems, language=language, day=day)


def make_source(file: PossibleSource, facts: SourceFacts) -> Source:
    """Makes a source of a file: the paths that its page may have, by the file's path and metadata.

    The file news/2026/tea.en.md has the title "Green Tea" → its page may be news/tea.en.html,
    news/tea.html or news/green-tea.html. Its path may also have the date and the language as
    folders, as in en/news/2026/tea.html.
    """
    if facts.permalink:
        return _source_with_permalink(file, facts.permalink)
    folder, _, file_name = file.name.rpartition("/")
    name = _split_name(file_name)
    # 1. The date in the folder. news/2026/tea.md may make news/tea.html. But news/2026/index.md
    # makes the page of the folder news/2026/, unless its metadata names another page.
    has_slug_or_id = bool(facts.names)
    is_page_of_folder = name.is_index and not has_slug_or_id
    date_of_folder: Parts = ()
    if not is_page_of_folder:
        folder, date_of_folder = _split_dated_folder(folder)
    # 2. The language. In Docusaurus, a file in i18n/fr/ makes only pages in fr/.
    translation = _LOCALE.search(file.name)
    required_language = _letters_and_digits(translation[1]) if translation else ""
    # 3. The paths. tea/tea.md may make the page of the folder tea/. But in i18n/fr/…/current/, the
    # folder is that of a version, and current.md makes no page of it.
    paths = _list_page_paths(folder_parts(folder), name, facts)
    is_in_folder_of_version = required_language and name.shortest_stem == "current"
    if not is_in_folder_of_version:
        paths = _with_page_of_folder(paths)
    return Source(
        file=file,
        page_paths=tuple(dict.fromkeys(paths)),  # some may be equal
        dates_and_languages=_list_dates_and_languages(
            dates=(facts.day, name.day, date_of_folder),  # they may differ
            languages=(name.language, required_language),
        ),
        required_language=required_language,
    )


def _split_dated_folder(folder: str) -> tuple[str, Parts]:
    """Splits a folder's path into the part without a date, and the date: year, month and day.

    `news/2026/05/tips` → `news/tips` and (`2026`, `05`). Without a date → the same folder and ().
    """
    dated = _DATE_FOLDERS.search(folder)
    if dated is None:
        return folder, ()
    without_date = folder[: dated.start()] + folder[dated.end() :]
    return without_date.strip("/"), tuple(filter(None, dated.groups()))


def _list_page_paths(folder: Parts, name: _FileName, facts: SourceFacts) -> list[Parts]:
    """Lists the paths that the page of a source may have, the likeliest first. Some may be equal.

    The page of posts/03-tea.en.md, with the title "Green Tea", may be posts/tea.html or
    posts/green-tea.html, for example. `folder` is the folder of the file.
    """
    slug_and_id = facts.names  # those that its metadata has
    paths: list[Parts] = []
    # posts/tea/index.md makes posts/tea, the page of its folder.
    if name.is_index and not slug_and_id:
        paths.append(folder)
    # Or it makes posts/green, by its slug, its ID, or the title in its metadata. Hugo does so for
    # `posts = "/posts/:slug"` or `:title` (gohugo.io/configuration/permalinks). The folder of a
    # whole section, posts/, keeps its name.
    is_in_section = len(folder) > 1
    if name.is_index and is_in_section:
        # A title that is only a heading of the text is in no permalink.
        own_title = facts.title if facts.has_own_title else ""
        section = folder[:-1]
        paths += _paths_in_folder(section, [*slug_and_id, own_title])
    # posts/03-tea.en.md makes posts/green, by its slug or ID, posts/teaen or posts/tea, by its name
    # with or without the language, or posts/greentea, by its title.
    paths += _paths_in_folder(folder, [*slug_and_id, *name.stems, facts.title])
    # Or its number stays: posts/03tea. It may have a meaning, as in 4-weeks-of-tea.md.
    if _ORDER_PREFIX.match(name.shortest_stem):
        paths.append((*folder, _letters_and_digits(name.shortest_stem)))
    return paths


def _paths_in_folder(folder: Parts, names: Iterable[str]) -> list[Parts]:
    """Lists the paths of pages in a folder by their names: "Green Tea" in posts → posts/greentea.

    Empty names give no path. `03-tea` → posts/tea, without the number.
    """
    return [(*folder, *folder_parts(name.strip("/"))) for name in names if name.strip("/")]


def _with_page_of_folder(paths: list[Parts]) -> list[Parts]:
    """Adds the page of the folder as the likeliest path, if a file has the name of its folder.

    posts/tea/tea.md: `posts/tea/tea` → `posts/tea`, `posts/tea/tea`.
    """
    likeliest = paths[0] if paths else ()
    is_named_as_folder = len(likeliest) > 1 and likeliest[-1] == likeliest[-2]
    if is_named_as_folder:
        return [likeliest[:-1], *paths]
    return paths


def _source_with_permalink(file: PossibleSource, permalink: str) -> Source:
    """Makes a source of a file that states the path of its page: `permalink: /tea/`.

    Only tea.html or tea/index.html can be its page.
    """
    path_of_file = page_parts(permalink)  # of tea.html: `tea`
    path_in_folder = page_parts(f"{permalink.rstrip('/')}/index.html")  # of tea/index.html: `tea`
    # They differ for /03-tea/, because only folders lose their numbers. The path of 03-tea.html is
    # `03tea`, and that of 03-tea/index.html is `tea`.
    page_paths = dict.fromkeys((path_of_file, path_in_folder))
    return Source(
        file=file._replace(shown_by=ShownBy.OWN_PATH),
        page_paths=tuple(page_paths),
        has_exact_path=True,
    )


def _list_dates_and_languages(dates: Iterable[Parts], languages: Iterable[str]) -> frozenset[Parts]:
    """Lists the folders that the path of a page may have for the dates and languages of its source.

    The date `2026`, `05` and the language `en` → `2026`, `2026/05`, `2026/5` and `en`. A date
    without parts, or a language "", gives no folder.
    """
    folders = {(language,) for language in languages if language}
    return frozenset(folders.union(*map(_parts_of_date, dates)))


def _parts_of_date(day: Parts) -> set[Parts]:
    """Lists the folders that a generator may make of a date: year, year and month, or all three.

    `2026`, `05`, `17` → `2026`, `2026/05`, `2026/05/17`, and without zeros `2026/5` and
    `2026/5/17`. Empty if there is no date.
    """
    without_zeros = tuple(part.lstrip("0") for part in day)
    beginnings = set()
    for length in range(1, len(day) + 1):
        beginnings |= {day[:length], without_zeros[:length]}
    return beginnings
