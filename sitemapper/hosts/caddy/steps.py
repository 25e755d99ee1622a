"""The directives that run for a path, in the order of Caddy, and the file that `try_files` finds.

The rules are those of caddyserver.com/docs/caddyfile/directives/try_files and `/handle`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...model import Origin
from ..headers import Header, header_effects
from ..host import FindKind
from ..nginx_text import Directive
from .matchers import Matchers, matched, matchers_of, token_of
from .order import kind_of, runs

PLACEHOLDER = re.compile(r"\{[^{}]*+\}")
PATH = ("{path}", "{http.request.uri.path}", "{uri}", "{http.request.uri}")
# The directives that are read. `handle` and `route` are groups of others.
READ = frozenset(
    (
        *("root", "header", "redir", "try_files", "basic_auth"),
        *("handle", "route", "error", "respond"),
    )
)
GROUPS = ("handle", "route")
_RUN = (READ | {"file_server"}) - {"root"}


class SiteBlock(NamedTuple):
    """The block of a site in a file, its directives in order, and the time of the run."""

    file: str
    netloc: str
    directives: Sequence[Directive]
    now: int

    def origin(self, directive: Directive) -> Origin:
        """Where a directive stands."""
        return Origin(self.file, directive.line, directive.text)


class Step(NamedTuple):
    """A directive that runs for a path, and its arguments behind the matcher.

    `directive` is None if it is not known what happens from here.
    """

    directive: Directive | None
    arguments: Sequence[str] = ()

    @property
    def is_last(self) -> bool:
        """Whether nothing runs behind it."""
        return self.directive is None or self.directive.name == "file_server"


_UNKNOWN = Step(None)


def steps(
    site: SiteBlock, directives: Sequence[Directive], matchers: Matchers, path: str, look: FindKind
) -> Iterator[Step]:
    """The directives of a block that run for a path, in order."""
    is_handled = False  # only the first `handle` of a block runs
    for directive in directives:
        kind = kind_of(directive)
        if kind == "import":
            yield _UNKNOWN
            return
        if kind == "handle" and is_handled:
            continue
        token, arguments = token_of(directive)
        applies = _applies(directive, token, matchers, path, site.netloc)
        if applies is False:
            continue
        if kind == "header":
            yield from _header(site, directive, arguments, is_certain=applies is True)
            continue
        if applies is None or kind not in _RUN:
            yield _UNKNOWN
            return
        if kind in GROUPS:
            is_handled = is_handled or kind == "handle"
            for step in _steps_of_group(site, directive, matchers, path, look):
                yield step
                if step.is_last:
                    return
        elif kind == "try_files":
            tried = _try_files(directive, path, look)
            if isinstance(tried, Step):
                yield tried
                return
            path = tried
        else:
            yield Step(directive, arguments)


def _applies(
    directive: Directive, token: str, matchers: Matchers, path: str, netloc: str
) -> bool | None:
    """Whether a directive does something for a path, None if that is not known."""
    is_root_of_all = directive.name == "root" and not token
    if is_root_of_all or not runs(directive):
        return False
    return matched(token, matchers, path, netloc)


def _header(
    site: SiteBlock, directive: Directive, arguments: Sequence[str], *, is_certain: bool
) -> Iterator[Step]:
    """The step of a header. One that runs for some requests may only take a noindex away."""
    if is_certain:
        yield Step(directive, arguments)
    elif _allows_indexing(site, directive, arguments):
        yield Step(directive, ("-x-robots-tag",))


def _steps_of_group(
    site: SiteBlock, group: Directive, matchers: Matchers, path: str, look: FindKind
) -> Iterator[Step]:
    """The directives in `handle`, `handle_path` or `route` that run for a path.

    `handle_path` takes its own path away from the request.
    """
    block = group.block or []
    if group.name == "handle_path":
        token, _ = token_of(group)
        below = path.removeprefix(token.rstrip("*")).lstrip("/")
        path = f"/{below}"
    return steps(site, block, matchers_of(block, matchers), path, look)


def _try_files(directive: Directive, path: str, look: FindKind) -> Step | str:
    """The path after `try_files`, or the step with which the request ends there."""
    if _is_refused(directive, path, look):
        return Step(directive)
    rewritten = _rewritten(directive, path, look)
    if rewritten is None:
        return _UNKNOWN
    return rewritten


def _rewritten(directive: Directive, path: str, look: FindKind) -> str | None:
    """The path of the file that `try_files` finds, the path itself if none; None if not known."""
    if directive.block:
        return None
    for candidate in directive.arguments:
        shown = candidate
        for placeholder in PATH:
            shown = shown.replace(placeholder, path)
        if shown == candidate or PLACEHOLDER.search(shown):
            return None  # another page, an error, or a text that is not known here
        is_folder = candidate.endswith("/")
        shown = re.sub("/{2,}", "/", shown).rstrip("/") or "/"
        if is_folder and look(f"{shown.rstrip('/')}/") == "d":
            return f"{shown.rstrip('/')}/"
        if not is_folder and look(shown) == "f":
            return shown
    return path


def _is_refused(directive: Directive, path: str, look: FindKind) -> bool:
    """Whether `try_files` ends in an error for a folder, whose index page it does not try."""
    files = [short_form(candidate) for candidate in directive.arguments]
    ends_in_error = "".join(directive.arguments[-1:]).startswith("=")
    has_others = not set(files[:-1]) <= {"=", ".html"}
    is_folder = path.endswith("/") and look(f"{path}index.html") == "f"
    return is_folder and ends_in_error and not has_others


def _allows_indexing(site: SiteBlock, directive: Directive, arguments: Sequence[str]) -> bool:
    """Whether a directive `header` may take a noindex away."""
    headers = headers_of(site, directive, arguments)
    effects = header_effects([one for one, _ in headers], site.now, replaces=True)
    return any(effect is None for effect in effects)


def headers_of(
    site: SiteBlock, directive: Directive, arguments: Sequence[str]
) -> list[tuple[Header, bool]]:
    """The headers of a directive `header`, and whether each makes the directive wait."""
    rows = [(arguments, directive)] if arguments else []
    rows += [((one.name, *one.arguments), one) for one in directive.block or []]
    found: list[tuple[Header, bool]] = []
    is_deferred = any(row[:1] == ("defer",) for row, _ in rows)
    for row, line in rows:
        field, *values = row
        name = field.lower().lstrip(">")
        value = values[0] if values else ""
        is_default = name.startswith("?")
        is_deletion = name.startswith("-")
        is_late = is_deferred or is_default or is_deletion or field.startswith(">")
        is_replacement = len(values) > 1
        if is_default or is_replacement or PLACEHOLDER.search(value):
            continue
        text = None if is_deletion else value
        header = Header(name.removeprefix("-"), text, site.origin(line))
        found.append((header, is_late))
    return found


def short_form(candidate: str) -> str:
    """A file to try, behind the path: `{path}.html` → `.html`, `{path}` → `=`, others → ``."""
    for placeholder in PATH:
        if candidate == placeholder:
            return "="
        if candidate.startswith(placeholder):
            return candidate.removeprefix(placeholder)
    return ""
