"""What to write into sitemapper.toml, so that the sitemap lists what a live host shows. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from enum import Enum, auto
from typing import NamedTuple

from ..config.settings import Settings
from ..linter.rules import live
from ..linter.rules.live import LivePage
from ..messages import Kind, Message
from ..syntax.gitignore import escape_path
from ..syntax.urls import STYLES, UrlForms

_MAX_PATTERNS = 5  # for `ignore`, so that a person can check each of them
FindFile = Callable[[str], str | None]  # gives the built file at a path, None if there is none


class Outcome(Enum):
    """What a host does with a listed page."""

    SHOWN = auto()
    OTHER_FORM = auto()  # /a.html redirects to /a
    REDIRECTED = auto()  # to another page
    CLOSED = auto()  # by a password, by a rule of the host, or to crawlers by robots.txt
    NOINDEX = auto()
    FAILED = auto()  # it is missing, or the host fails or refuses this program


class PageOutcome(NamedTuple):
    """What the host did with a listed URL that was requested.

    `path` and `target` are paths below the base URL, without a slash in front. `target` is where
    the URL redirects, "" if that is another site.
    """

    path: str
    outcome: Outcome
    target: str = ""


class Advice(NamedTuple):
    """Lines of TOML, and notes about faults for which they are not the remedy."""

    settings: Sequence[str]
    notes: Sequence[Message]


class _Fault(NamedTuple):
    """A fault for which a page may be left out of the sitemap, such as a noindex.

    `codes` are those of the findings about it. If more than half of the pages have the fault, they
    are not left out, and the user gets the note `note_on_most` instead.
    """

    codes: Set[str]
    note_on_most: Kind


_FAULTS = {
    Outcome.REDIRECTED: _Fault({live.PAGE_REDIRECTS.code}, Kind.MANY_REDIRECTED),
    Outcome.CLOSED: _Fault({live.PAGE_CLOSED.code, live.PAGE_MISSING.code}, Kind.MANY_CLOSED),
    Outcome.NOINDEX: _Fault({live.PAGE_NOINDEX.code}, Kind.MANY_NOINDEX),
}


def outcome_of(page: LivePage, *, forbids_missing: bool) -> Outcome:
    """Classifies what the host did with a listed page, by its answer.

        the host refuses this program          → FAILED
        /a.html redirects to /a                → OTHER_FORM
        /a.html redirects to /b                → REDIRECTED
        401, 403, or closed by robots.txt      → CLOSED
        200 with a noindex                     → NOINDEX
        200                                    → SHOWN
        any other answer, or none              → FAILED

    With `forbids_missing`, a 403 is FAILED: the host answers 403 for any path that does not exist,
    as Amazon S3 does.
    """
    answer = page.answer
    if answer.refuses_program:
        return Outcome.FAILED
    if answer.target.startswith(("http://", "https://")):
        leads_to_same_page = live.is_other_form(page.url, answer.target)
        return Outcome.OTHER_FORM if leads_to_same_page else Outcome.REDIRECTED
    is_denied = answer.status == 401 or (answer.status == 403 and not forbids_missing)
    if page.closed_by or is_denied:
        return Outcome.CLOSED
    if page.noindex:
        return Outcome.NOINDEX
    is_shown = answer.status == 200 and not answer.error
    return Outcome.SHOWN if is_shown else Outcome.FAILED


def advise(
    pages: Sequence[PageOutcome],
    listed: Set[str],
    hosts: Collection[str],
    reported_codes: Set[str],
    settings: Settings,
    find_file: FindFile,
) -> Advice:
    """Proposes settings with which the sitemap lists only pages that the live host shows.

    /b.html redirects to /b → `url_style = "clean"`.
    /old/a has a noindex → `ignore = ["/old/a.html"]`.

    - `pages` are the requested URLs, with what the host did with them
    - `listed` are the paths of all URLs in the sitemap
    - `hosts` are the hosts that redirected pages to another URL form, such as /b.html to /b:
      "netlify", or "" for an unknown one
    - `reported_codes` are those of all findings, without the rules that the user has turned off.
      Only what is reported needs a setting
    - `find_file` finds the built file that a server shows at a path
    """
    lines: list[str] = []
    notes: list[Message] = []
    # 1. The host shows pages at other URLs: /b.html redirects to /b.
    has_other_form = any(page.outcome is Outcome.OTHER_FORM for page in pages)
    if has_other_form and live.PAGE_REDIRECTS.code in reported_codes:
        lines += _propose_url_forms(pages, hosts, settings, find_file)
    # 2. It has pages that should not be listed: /old/a has a noindex, or redirects to /c.
    paths_to_ignore: list[str] = []
    for outcome, fault in _FAULTS.items():
        is_reported = not reported_codes.isdisjoint(fault.codes)
        if not is_reported:
            continue
        paths = [page.path for page in pages if page.outcome is outcome]
        is_fault_of_most = 2 * len(paths) > len(pages)
        if is_fault_of_most:  # for instance, the whole site has a password
            notes.append(Message(fault.note_on_most, (f"{len(paths):,} of {len(pages):,}",)))
        else:
            paths_to_ignore += filter(str.isprintable, paths)  # TOML can show only these in a line
    if paths_to_ignore:
        requested = {page.path for page in pages}
        ignored = _propose_ignore(paths_to_ignore, requested, listed, settings, find_file)
        lines += ignored.settings
        notes += ignored.notes
    return Advice(lines, notes)


def _propose_ignore(
    faulty: Iterable[str],
    requested: Set[str],
    listed: Set[str],
    settings: Settings,
    find_file: FindFile,
) -> Advice:
    """Proposes the line of settings that leaves out faulty pages: `ignore = ["/old/"]`.

    The patterns of `ignore` that the project has already stay in the line. No new pattern matches
    another requested page, or a listed page that was not requested, because that may be right.

    `faulty`, `requested` and `listed` are the URL paths of these pages, such as `old/a`.
    """
    notes = []
    # Two listed URLs may have the same path, such as /%7Ea and /~a.
    faulty_paths = dict.fromkeys(faulty)
    files = [_files_at(path, find_file)[0] for path in faulty_paths]  # the likeliest of each page
    paths_to_keep = requested - faulty_paths.keys()
    unknown_paths = listed - requested
    count_by_pattern = _choose_patterns(files, paths_to_keep | unknown_paths)
    # /old/a and /old/b are faulty, and /old/c is unknown: two patterns. If /old/c is faulty, too,
    # the pattern `/old/` is enough. So a note asks the user to request all pages.
    count_if_unknown_are_faulty = _choose_patterns(files, paths_to_keep)
    if count_by_pattern != count_if_unknown_are_faulty:
        notes.append(Message(Kind.ANSWERS_MISSING))
    # The five patterns that match the most files, and a note if these are not all files.
    most_common = count_by_pattern.most_common(_MAX_PATTERNS)
    matched = sum(count for _pattern, count in most_common)
    if matched < len(files):
        share = f"{matched:,} of {len(files):,}"
        notes.append(Message(Kind.MANY_PATTERNS, (str(_MAX_PATTERNS), share)))
    patterns = [*settings.ignore, *(pattern for pattern, _count in most_common)]
    line = f"ignore = {json.dumps(patterns, ensure_ascii=False)}"
    return Advice(settings=[line], notes=notes)


def _propose_url_forms(
    pages: Sequence[PageOutcome],
    hosts: Collection[str],
    settings: Settings,
    find_file: FindFile,
) -> Iterator[str]:
    """Yields lines of TOML that change the listed URLs to those at which the host shows the pages.

    - `host = "netlify"`, if this host redirected the pages, and no other one did
    - `url_style = "clean"`, if this style gives each page the URL at which the host shows it

    A line that repeats a setting of the project is left out.
    """
    if len(hosts) == 1:  # with two hosts, such as a CDN in front, neither is certain
        [host] = hosts
        if host not in ("", settings.host):  # "" for a host that sitemapper does not know
            yield f'host = "{host}"'
    style = _find_url_style(pages, find_file)
    if style not in ("", settings.url_style):
        yield f'url_style = "{style}"'


def _choose_patterns(files: Collection[str], paths_to_keep: Iterable[str]) -> Counter[str]:
    """Chooses patterns of `ignore` for files, and counts the files that each pattern matches.

    A pattern matches a whole folder if several files are in it, and no page to keep is:

        files                      a page to keep  result
        old/a.html and old/b.html  none            `{"/old/": 2}`
        old/a.html and old/b.html  old/c           `{"/old/a.html": 1, "/old/b.html": 1}`
        v1.0                       v1.0/a          `{}`, because `/v1.0` would match `v1.0/a`, too

    `paths_to_keep` are the URL paths of the pages to keep.
    """
    # The slash at the end adds the folder `old/` for /old, which may be the page `old/index.html`.
    folders_to_keep = {folder for path in paths_to_keep for folder in _folders(f"{path}/")}
    files_in_folder = Counter(folder for file in files for folder in _folders(file))
    folders_of_several = {folder for folder, count in files_in_folder.items() if count > 1}
    folders_to_ignore = folders_of_several - folders_to_keep
    counts: Counter[str] = Counter()
    for file in files:
        is_name_of_kept_folder = f"{file}/" in folders_to_keep
        if is_name_of_kept_folder:
            continue
        # The uppermost folder, which has the most files. Without a folder, the file itself.
        path = next((folder for folder in _folders(file) if folder in folders_to_ignore), file)
        counts[escape_path(path)] += 1
    return counts


def _folders(path: str) -> Iterator[str]:
    """Yields the folders above a path, the upper ones first: `a/b/c.html` → `a/`, `a/b/`."""
    for index, character in enumerate(path):
        if character == "/":
            yield path[: index + 1]


def _files_at(path: str, find_file: FindFile) -> list[str]:
    """Finds the files that a server may show at a path, the likeliest one first.

    If the site was built here, the result is the built file at the path. Otherwise, the files are
    guessed:

        a.pdf     → `a.pdf`
        "" (home) → `index.html`
        a         → `a.html`, `a/index.html`
        a/        → `a/index.html`, `a.html`
    """
    built_file = find_file(path)
    if built_file:
        return [built_file]
    name = path.rpartition("/")[2]  # "" for `a/`
    if "." in name:
        return [path]
    if not path:
        return ["index.html"]
    stem = path.rstrip("/")
    index_file = f"{stem}/index.html".lstrip("/")
    page_file = f"{stem}.html"
    return [page_file, index_file] if name else [index_file, page_file]


class _ShownPage(NamedTuple):
    """A page that the host shows: at which path, and the files that it may be, likeliest first."""

    path: str
    files: Sequence[str]


def _find_url_style(pages: Iterable[PageOutcome], find_file: FindFile) -> str:
    """Finds the `url_style` whose URLs are those at which the host shows the pages.

    /b.html redirects to /b → `clean`. /a/ redirects to /a/index.html → `file`. "" if no style is
    right for all pages. Pages that redirect to other pages or fail do not count.
    """
    shown_pages: list[_ShownPage] = []
    for page in pages:
        files = _files_at(page.path, find_file)
        if page.outcome is Outcome.SHOWN:
            shown_pages.append(_ShownPage(page.path, files))
        elif page.outcome is Outcome.OTHER_FORM:  # /b.html redirects to /b
            shown_pages.append(_ShownPage(page.target, files))
    # If the site was not built here, the files are guesses: /a/ is a/index.html or, less likely,
    # a.html. The less likely file counts only if no style is right without it.
    with_likeliest_file = [page._replace(files=page.files[:1]) for page in shown_pages]
    return _first_right_style(with_likeliest_file) or _first_right_style(shown_pages)


def _first_right_style(pages: Sequence[_ShownPage]) -> str:
    """Finds the first style that lists each page at the path at which the host shows it.

    If the host shows /a, which may be `a.html` or `a/index.html`, `clean` is right: it lists
    `a.html` at /a. "" if no style is right for all pages.
    """
    for style, url_forms in STYLES.items():
        if all(page.path in _listed_paths(page.files, url_forms) for page in pages):
            return style
    return ""


def _listed_paths(files: Iterable[str], url_forms: UrlForms) -> list[str]:
    """Gives the path at which a style lists each file: `a.html` → `a` in the style `clean`."""
    return [url_forms.paths(file)[0] for file in files]  # of several paths, the first is listed
