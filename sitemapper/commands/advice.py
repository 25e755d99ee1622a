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
from ..syntax.urls import STYLES

_MOST = 5  # patterns for `ignore`, so that a person can check each of them


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


# The findings about an outcome. If they are not wanted, nothing is to be mended.
_CODES = {
    Outcome.OTHER_FORM: {live.PAGE_REDIRECTS.code},
    Outcome.REDIRECTED: {live.PAGE_REDIRECTS.code},
    Outcome.CLOSED: {live.PAGE_CLOSED.code, live.PAGE_MISSING.code},
    Outcome.NOINDEX: {live.PAGE_NOINDEX.code},
}
# What to say if a host does this with most pages.
_NOTES_OF_MOST = {
    Outcome.REDIRECTED: Kind.MANY_REDIRECTED,
    Outcome.CLOSED: Kind.MANY_CLOSED,
    Outcome.NOINDEX: Kind.MANY_NOINDEX,
}


def outcome_of(page: LivePage, *, forbids_missing: bool) -> Outcome:
    """What the host did with a listed page.

    With `forbids_missing`, it answers 403 for any path that does not exist, as stores of files do.
    """
    answer = page.answer
    if answer.is_refusal:
        return Outcome.FAILED
    if answer.target.startswith(("http://", "https://")):
        is_form = live.is_other_form(page.url, answer.target)
        return Outcome.OTHER_FORM if is_form else Outcome.REDIRECTED
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
    find_file: Callable[[str], str | None],
) -> Advice:
    """What to write for what the host did with the pages that were requested.

    `listed` are the paths of all listed URLs, and `hosts` the names of the known hosts that
    redirected pages to another form of their URLs, "" for an unknown one. `codes` are those of the
    findings, and `settings` those of the project. `find_file` gives the built file at a path, None
    if there is none.
    """
    lines: list[str] = []
    notes: list[Message] = []
    faults = [page for page in outcomes if not codes.isdisjoint(_CODES.get(page.outcome, ()))]
    counts = Counter(fault.outcome for fault in faults)
    if counts[Outcome.OTHER_FORM]:
        lines += _settings_of_forms(outcomes, hosts, settings, find_file)
    files: dict[str, str] = {}  # to leave out, by the path of the URL
    for outcome, kind in _NOTES_OF_MOST.items():
        # What the host does with most pages is not about these pages.
        if 2 * counts[outcome] > len(outcomes):
            notes.append(Message(kind, (f"{counts[outcome]:,} of {len(outcomes):,}",)))
            continue
        paths = [fault.path for fault in faults if fault.outcome is outcome]
        for path in filter(str.isprintable, paths):
            files[path] = find_file(path) or _usual_files(path)[0]
    if files:
        line, more_notes = _ignore(files, outcomes, listed, settings.ignore)
        lines.append(line)
        notes += more_notes
    return Advice(lines, notes)


def _settings_of_forms(
    outcomes: Sequence[PageOutcome],
    hosts: Collection[str],
    settings: Settings,
    find_file: Callable[[str], str | None],
) -> Iterator[str]:
    """The lines of TOML by which a site gets the URL forms of its host, without those it has."""
    if len(hosts) == 1:
        [host] = hosts
        if host not in ("", settings.host):
            yield f'host = "{host}"'
    style = _url_style(outcomes, find_file)
    if style not in ("", settings.url_style):
        yield f'url_style = "{style}"'


def _ignore(
    files: Mapping[str, str],
    outcomes: Iterable[PageOutcome],
    listed: Iterable[str],
    ignored: Iterable[str],
) -> tuple[str, Sequence[Message]]:
    """The line of TOML that leaves out files, and notes on the files that it does not leave out.

    `files` are by the path of their URL. `ignored` are the patterns that the project has already.
    """
    notes = []
    requested = {page.path for page in outcomes}
    shown = requested - files.keys()
    not_requested = {path for path in listed if path not in requested}
    counts = _patterns(files.values(), shown | not_requested)
    if counts != _patterns(files.values(), shown):
        notes.append(Message(Kind.ANSWERS_MISSING))
    commonest = counts.most_common(_MOST)
    left_out = sum(count for _, count in commonest)
    if left_out < len(files):
        share = f"{left_out:,} of {len(files):,}"
        notes.append(Message(Kind.MANY_PATTERNS, (str(_MOST), share)))
    patterns = [*ignored, *(pattern for pattern, _ in commonest)]
    return f"ignore = {json.dumps(patterns, ensure_ascii=False)}", notes


def _patterns(files: Collection[str], others: Iterable[str]) -> Counter[str]:
    """Patterns that match these files and none of the `others`, with the number of files of each.

    `/old/` for two files or more if none of the others is in this folder, and else `/old/a.html`.
    The others are paths of URLs, so `old` may be that of `old/index.html`.
    """
    mixed = {folder for path in others for folder in _folders(f"{path}/")}
    sizes = Counter(folder for file in files for folder in _folders(file))
    counts: Counter[str] = Counter()
    for file in files:
        if f"{file}/" in mixed:  # a pattern for the page `v1.0` would also be for this folder
            continue
        whole = [folder for folder in _folders(file) if folder not in mixed and sizes[folder] > 1]
        counts[escape_path(whole[0] if whole else file)] += 1
    return counts


def _folders(path: str) -> Iterator[str]:
    """The folders above a path, the upper ones first: `a/b/c.html` → `a/`, `a/b/`."""
    for index, character in enumerate(path):
        if character == "/":
            yield path[: index + 1]


def _usual_files(path: str) -> list[str]:
    """The files that servers show at a path, the usual one first.

    `a/` → `a/index.html`, `a.html`; `a` → `a.html`, `a/index.html`; `a.pdf` → `a.pdf`.
    """
    name = path.rpartition("/")[2]
    if "." in name:
        return [path]
    of_folder = f"{path.rstrip('/')}/index.html".lstrip("/")
    if not path:
        return [of_folder]
    of_page = f"{path.rstrip('/')}.html"
    return [of_page, of_folder] if name else [of_folder, of_page]


def _url_style(outcomes: Sequence[PageOutcome], find_file: Callable[[str], str | None]) -> str:
    """The `url_style` that lists pages as the host shows them, "" if no style does.

    `clean` for /b.html that redirects to /b, beside /a/ that is shown.
    """
    shown_paths = {}  # by the listed path
    for page in outcomes:
        if page.outcome is Outcome.SHOWN:
            shown_paths[page.path] = page.path
        elif page.outcome is Outcome.OTHER_FORM:
            shown_paths[page.path] = page.target
    # A file that is not known is first taken for the usual one: /a/ for a/index.html, not for the
    # a.html that the style `slash` would show there.
    for most in (1, 2):
        files_by_path = {}
        for path in shown_paths:
            file = find_file(path)
            files_by_path[path] = [file] if file else _usual_files(path)[:most]
        for style, forms in STYLES.items():
            if all(
                any(forms.paths(file)[0] == shown for file in files_by_path[path])
                for path, shown in shown_paths.items()
            ):
                return style
    return ""
