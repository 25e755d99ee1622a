"""What to write into sitemapper.toml, so that the sitemap lists what a live host shows. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
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


# The findings about an outcome. If none of them is checked, no setting is proposed for it.
_CODES = {
    Outcome.OTHER_FORM: {live.PAGE_REDIRECTS.code},
    Outcome.REDIRECTED: {live.PAGE_REDIRECTS.code},
    Outcome.CLOSED: {live.PAGE_CLOSED.code, live.PAGE_MISSING.code},
    Outcome.NOINDEX: {live.PAGE_NOINDEX.code},
}
# The note if a host does this with more than half of the pages. No setting is proposed then.
_NOTES_OF_MOST = {
    Outcome.REDIRECTED: Kind.MANY_REDIRECTED,
    Outcome.CLOSED: Kind.MANY_CLOSED,
    Outcome.NOINDEX: Kind.MANY_NOINDEX,
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
    outcomes: Sequence[PageOutcome],
    listed: Iterable[str],
    hosts: Collection[str],
    codes: Set[str],
    settings: Settings,
    find_file: FindFile,
) -> Advice:
    """Proposes settings with which the sitemap lists only pages that the live host shows.

    - /b.html redirects to /b: `url_style = "clean"`, and `host` if the host is known
    - pages in /old/ redirect to other pages, are closed, or have a noindex: `ignore = ["/old/"]`
    - more than half of all pages do: only a note, because the host seems to be set up like this

    The parameters:

    - `outcomes`: what the host did with each URL that was requested
    - `listed`: the paths of all listed URLs, also of those that were not requested
    - `hosts`: the names of hosts that redirected pages to another form of their URLs, such as
      "netlify", and "" for an unknown host
    - `codes`: the codes of the findings to mend. Pages without such a finding are left out
    - `find_file`: gives the built file at a path, None if there is none
    """
    lines: list[str] = []
    notes: list[Message] = []
    # Pages that are SHOWN or FAILED have no codes, so they are left out: no setting helps them.
    pages_to_mend = [
        page for page in outcomes if not codes.isdisjoint(_CODES.get(page.outcome, ()))
    ]
    counts = Counter(page.outcome for page in pages_to_mend)
    if counts[Outcome.OTHER_FORM]:
        lines += _propose_url_forms(outcomes, hosts, settings, find_file)
    # The files to ignore, and notes on what most pages do.
    file_to_ignore_by_path: dict[str, str] = {}  # by URL path: `{"old/a": "old/a.html"}`
    for outcome, kind in _NOTES_OF_MOST.items():  # REDIRECTED, CLOSED and NOINDEX
        # A password for the whole site, for instance, is no reason to leave out single pages.
        is_of_most_pages = 2 * counts[outcome] > len(outcomes)
        if is_of_most_pages:
            notes.append(Message(kind, (f"{counts[outcome]:,} of {len(outcomes):,}",)))
            continue
        paths = [page.path for page in pages_to_mend if page.outcome is outcome]
        for path in filter(str.isprintable, paths):  # others cannot be shown in a line of TOML
            file_to_ignore_by_path[path] = _files_at(path, find_file)[0]  # the likeliest file
    if file_to_ignore_by_path:
        requested = {page.path for page in outcomes}
        ignored = _propose_ignore(file_to_ignore_by_path, requested, set(listed), settings)
        lines += ignored.settings
        notes += ignored.notes
    return Advice(lines, notes)


def _propose_ignore(
    file_by_path: Mapping[str, str], requested: Set[str], listed: Set[str], settings: Settings
) -> Advice:
    """Proposes a line of settings for files that should not be listed: `ignore = ["/old/"]`.

    `file_by_path` has these files, by the paths of their URLs: `{"old/a": "old/a.html"}`. `listed`
    has the paths of all URLs in the sitemap, and `requested` the paths that were requested.

    The line begins with the patterns that the project has already. At most five new patterns
    follow, those that match the most files. A new pattern must match no page that the host shows,
    and no page that was not requested, because the host may show that page.
    """
    files = file_by_path.values()
    notes = []
    shown = requested - file_by_path.keys()  # all others that were requested
    not_requested = listed - requested
    count_by_pattern = _choose_patterns(files, shown | not_requested)
    # If only pages that were not requested forbid the pattern of a whole folder, more requests may
    # allow it. A note says so.
    if count_by_pattern != _choose_patterns(files, shown):
        notes.append(Message(Kind.ANSWERS_MISSING))
    # Another note says if the five patterns do not match all files.
    most_common = count_by_pattern.most_common(_MAX_PATTERNS)
    matched = sum(count for _pattern, count in most_common)
    if matched < len(files):
        share = f"{matched:,} of {len(files):,}"
        notes.append(Message(Kind.MANY_PATTERNS, (str(_MAX_PATTERNS), share)))
    patterns = [*settings.ignore, *(pattern for pattern, _count in most_common)]
    line = f"ignore = {json.dumps(patterns, ensure_ascii=False)}"
    return Advice(settings=[line], notes=notes)


def _propose_url_forms(
    outcomes: Sequence[PageOutcome],
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
    style = _find_url_style(outcomes, find_file)
    if style not in ("", settings.url_style):
        yield f'url_style = "{style}"'


def _choose_patterns(files: Collection[str], paths_to_keep: Iterable[str]) -> Counter[str]:
    """Chooses few patterns of `ignore` that match the `files` and no page to keep.

    Returns `{pattern: number of its files}`. The pattern for a file is the largest folder above it
    that has several of the files and no page to keep. Without such a folder, it is the file itself:

        files                      a page to keep  result
        old/a.html and old/b.html  none            `{"/old/": 2}`
        old/a.html and old/b.html  old/c           `{"/old/a.html": 1, "/old/b.html": 1}`
        v1.0                       v1.0/a          `{}`: `/v1.0` would match the folder, too

    The pages to keep are given by the paths of their URLs. `old` may be `old/index.html`, so no
    pattern may match the folder `old/`.
    """
    folders_to_keep = {folder for path in paths_to_keep for folder in _folders(f"{path}/")}
    files_in_folder = Counter(folder for file in files for folder in _folders(file))
    counts: Counter[str] = Counter()
    for file in files:
        if f"{file}/" in folders_to_keep:
            continue
        folders_to_ignore = [
            folder
            for folder in _folders(file)
            if folder not in folders_to_keep and files_in_folder[folder] > 1
        ]
        # The first is the uppermost folder, which is the largest.
        path_to_ignore = folders_to_ignore[0] if folders_to_ignore else file
        counts[escape_path(path_to_ignore)] += 1
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


def _find_url_style(outcomes: Sequence[PageOutcome], find_file: FindFile) -> str:
    """Finds the `url_style` that lists pages at the URLs at which the host shows them.

        /b.html redirects to /b, and /a/ is shown  → `clean`
        /a/ redirects to /a/index.html             → `file`

    "" if no style gives the right URL to every page, and then no line is proposed. Pages that
    redirect to other pages or fail do not count.

    A style turns a file into a URL, so the file of each page is needed. `find_file` gives the built
    file at a path. If the site was not built here, two files are possible: /a may be `a.html` or
    `a/index.html`.
    """
    shown_path_by_listed = {}  # {the path in the sitemap: the path at which the host shows it}
    for page in outcomes:
        if page.outcome is Outcome.SHOWN:
            shown_path_by_listed[page.path] = page.path
        elif page.outcome is Outcome.OTHER_FORM:
            shown_path_by_listed[page.path] = page.target
    files_by_listed = {path: _files_at(path, find_file) for path in shown_path_by_listed}
    # First, only the likeliest file of each page is tried. If /a/ redirects to /a, it is
    # a/index.html, with which the style is `bare`. If no style is right for all pages, the second
    # file is tried, too: a.html, with which the style is `clean`.
    for max_files in (1, 2):
        for style, forms in STYLES.items():
            is_right_for_all = all(
                _gives_path(shown_path, files_by_listed[path][:max_files], forms)
                for path, shown_path in shown_path_by_listed.items()
            )
            if is_right_for_all:
                return style
    return ""


def _gives_path(path: str, files: Iterable[str], forms: UrlForms) -> bool:
    """Whether a style lists any of the files at a path, as `clean` lists `a.html` at `a`.

    `forms` are the URL forms of the style. The first path of a file is the listed one.
    """
    return any(forms.paths(file)[0] == path for file in files)
