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

        a bot check or another refusal         → FAILED
        /a.html redirects to /a                → OTHER_FORM
        /a.html redirects to /b                → REDIRECTED
        401, 403, or closed by robots.txt      → CLOSED
        200 with a noindex                     → NOINDEX
        200                                    → SHOWN
        any other answer, or none              → FAILED

    With `forbids_missing`, a 403 is FAILED: the host answers 403 for any path that does not exist,
    as stores of files do.
    """
    answer = page.answer
    if answer.is_refusal:
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

        /b.html redirects to /b                 → `url_style = "clean"`, and `host` if it is known
        /old/a and /old/b redirect elsewhere,
        are noindex or need a password          → `ignore = ["/old/"]`
        more than half of the pages do that     → a note only: the host itself is set up so

    `outcomes` are what the host did with the URLs that were requested. `listed` are the paths of
    all listed URLs. `hosts` are the names of hosts that redirected pages to another form of their
    URLs, "" for an unknown one. Only pages whose finding has one of the `codes` are considered.
    `find_file` gives the built file at a path, None if there is none.
    """
    lines: list[str] = []
    notes: list[Message] = []
    # The pages to mend. SHOWN and FAILED have no code: no setting helps against a failure.
    faults = [page for page in outcomes if not codes.isdisjoint(_CODES.get(page.outcome, ()))]
    counts = Counter(fault.outcome for fault in faults)
    if counts[Outcome.OTHER_FORM]:
        lines += _settings_of_forms(outcomes, hosts, settings, find_file)
    # The files to ignore, and notes on what most pages do.
    files_to_ignore: dict[str, str] = {}  # by the path of the URL
    for outcome, kind in _NOTES_OF_MOST.items():
        # A password for the whole site, for instance, is no reason to leave out single pages.
        do_most_pages = 2 * counts[outcome] > len(outcomes)
        if do_most_pages:
            notes.append(Message(kind, (f"{counts[outcome]:,} of {len(outcomes):,}",)))
            continue
        paths = [fault.path for fault in faults if fault.outcome is outcome]
        for path in filter(str.isprintable, paths):  # others cannot be shown in a line of TOML
            files_to_ignore[path] = _files_at(path, find_file)[0]
    if files_to_ignore:
        requested = {page.path for page in outcomes}
        ignored = _advise_to_ignore(files_to_ignore, requested, set(listed), settings)
        lines += ignored.settings
        notes += ignored.notes
    return Advice(lines, notes)


def _advise_to_ignore(
    files: Mapping[str, str], requested: Set[str], listed: Set[str], settings: Settings
) -> Advice:
    """Proposes the line `ignore = ["/drafts/", "/old/"]` for files that should not be listed.

    It has the patterns of the project, such as `/drafts/`, and at most five new ones, those that
    match most files. No pattern matches a page that the host shows, or one that was not requested.
    Notes say if the patterns do not match all files, or if more requests may find a pattern for a
    whole folder.

    `files` are those to ignore, by the paths of their URLs: `{"old/a": "old/a.html"}`. `requested`
    and `listed` are the paths of URLs, too.
    """
    notes = []
    shown = requested - files.keys()
    not_requested = listed - requested
    count_by_pattern = _count_by_pattern(files.values(), shown | not_requested)
    # Without the pages that were not requested, a whole folder might be ignored. More requests
    # would show whether the host closes or redirects all pages in it.
    if count_by_pattern != _count_by_pattern(files.values(), shown):
        notes.append(Message(Kind.ANSWERS_MISSING))
    most_common = count_by_pattern.most_common(_MAX_PATTERNS)
    matched = sum(count for _pattern, count in most_common)
    if matched < len(files):
        share = f"{matched:,} of {len(files):,}"
        notes.append(Message(Kind.MANY_PATTERNS, (str(_MAX_PATTERNS), share)))
    patterns = [*settings.ignore, *(pattern for pattern, _count in most_common)]
    line = f"ignore = {json.dumps(patterns, ensure_ascii=False)}"
    return Advice(settings=[line], notes=notes)


def _settings_of_forms(
    outcomes: Sequence[PageOutcome],
    hosts: Collection[str],
    settings: Settings,
    find_file: FindFile,
) -> Iterator[str]:
    """Yields the lines of TOML with which the listed URLs are those that the host shows.

    `host = "netlify"` if one known host answered, and `url_style = "clean"` if a style explains all
    answers. A line that repeats a setting of the project is left out.
    """
    if len(hosts) == 1:  # with two hosts, such as a CDN in front, neither is certain
        [host] = hosts
        if host not in ("", settings.host):
            yield f'host = "{host}"'
    style = _find_url_style(outcomes, find_file)
    if style not in ("", settings.url_style):
        yield f'url_style = "{style}"'


def _count_by_pattern(files: Collection[str], paths_to_keep: Iterable[str]) -> Counter[str]:
    """Finds patterns of `ignore` that match these files and no page to keep.

    Each pattern comes with the number of its files. A file gets the pattern of the largest folder
    that has several of the files and no page to keep. Without such a folder, it gets its own:

        files                      a page to keep  result
        old/a.html and old/b.html  none            `{"/old/": 2}`
        old/a.html and old/b.html  old/c           `{"/old/a.html": 1, "/old/b.html": 1}`

    A file gets none if each would match a page to keep. The paths to keep are those of URLs, so
    `old` may be that of `old/index.html`, and keeps the folder `old/`.
    """
    folders_to_keep = {folder for path in paths_to_keep for folder in _folders(f"{path}/")}
    size_of_folder = Counter(folder for file in files for folder in _folders(file))
    counts: Counter[str] = Counter()
    for file in files:
        if f"{file}/" in folders_to_keep:
            continue  # the pattern of a file `v1.0` would also match a folder `v1.0/`
        folders_to_ignore = [
            folder
            for folder in _folders(file)
            if folder not in folders_to_keep and size_of_folder[folder] > 1
        ]
        # The upper folders come first, and are larger.
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

    The built file, if the site was built here. Otherwise, they are guessed:

    `a/` → `a/index.html`, `a.html`; `a` → `a.html`, `a/index.html`; `a.pdf` → `a.pdf`;
    "" → `index.html`.
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
    redirect elsewhere or fail do not count. `find_file` gives the built file at a path.
    """
    shown_paths = {}  # where the host shows a page, by the path that is listed for it
    for page in outcomes:
        if page.outcome is Outcome.SHOWN:
            shown_paths[page.path] = page.path
        elif page.outcome is Outcome.OTHER_FORM:
            shown_paths[page.path] = page.target
    files_by_path = {path: _files_at(path, find_file) for path in shown_paths}
    # Where files are guessed, the likeliest ones alone are tried first. They decide between styles
    # that two guesses would both allow: if /a/ redirects to /a, the file may be a/index.html, so
    # the style is `bare`, or a.html, which is `clean`.
    for max_guesses in (1, 2):
        for style, forms in STYLES.items():
            gives_right_urls = all(
                _lists_any_at(shown_path, files_by_path[path][:max_guesses], forms)
                for path, shown_path in shown_paths.items()
            )
            if gives_right_urls:
                return style
    return ""


def _lists_any_at(shown_path: str, files: Iterable[str], forms: UrlForms) -> bool:
    """Whether one of the files would be listed at this path: `a.html` at `a`, with the form `b`."""
    return any(forms.paths(file)[0] == shown_path for file in files)
