"""Cloudflare Pages: redirects come before files, and all matching headers apply.

The rules are those of its engine, cloudflare/workers-sdk (parseRedirects.ts, parseHeaders.ts).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms, encode_path, without_dots
from .headers import Header, header_effects
from .host import HostEffect, HostRules
from .matchers import WILDCARD, expression
from .provider import AnswerSign, Hosting, Manual, Provider
from .rules import Rule, make_rules
from .tables import text_at
from .text_files import HEADERS, REDIRECTS, header_blocks, redirect_lines

_MARKERS = ("wrangler.json", "wrangler.jsonc", "wrangler.toml")
_DEFAULT_STATUS = "302"
_SHOWS = "200"  # the rule shows another page at the path
_STATUSES = ("200", "301", "302", "303", "307", "308")
_INDEX = re.compile(r"/(?:.*/)?index(?:\.html)?")
# Rules that the host reads (developers.cloudflare.com/pages/configuration/redirects and /headers).
MAX_REDIRECTS, MAX_DYNAMIC, MAX_HEADERS = 2_000, 100, 100
# By `html_handling` of a Worker's assets, asked of wrangler (`make record-hosts`). Pages uses the
# first.
FORMS = {
    "auto-trailing-slash": UrlForms(("a/",), ("b",)),
    "force-trailing-slash": UrlForms(("a/", "a/index/"), ("b/",), clash=("b.html", "a/ a/index/")),
    "drop-trailing-slash": UrlForms(("a",), ("b",), clash=("b", "a/index.html")),
    "none": UrlForms(("a/index.html",), ("b.html",)),
}
_ESCAPED_BY_WORKERS = "&+;=:@,$"


class _Redirect(NamedTuple):
    """A line of `_redirects` whose source is a path."""

    source: str
    target: str
    status: str
    origin: Origin

    @property
    def is_dynamic(self) -> bool:
        return bool(re.search(WILDCARD, self.source))

    @property
    def is_accepted(self) -> bool:
        """Whether the host accepts target and status. `301!` is a status for Netlify only."""
        return self.target.startswith(("/", "https://")) and self.status in _STATUSES

    @property
    def is_loop(self) -> bool:
        """Whether the host thinks that the rule leads a folder to itself."""
        return self.source.endswith(("/", "/*")) and bool(_INDEX.fullmatch(self.target))

    @property
    def is_proxy(self) -> bool:
        """Whether the rule shows a page of another host, which the host rejects."""
        return self.status == _SHOWS and self.target.startswith("https://")

    @property
    def effect(self) -> HostEffect | None:
        if self.status != _SHOWS:
            return HostEffect(Reason.REDIRECT, self.origin)
        if self.target == self.source:
            return None
        return HostEffect(Reason.DUPLICATE, self.origin, self.target)


class _HeaderPattern(NamedTuple):
    """The pattern of a block in `_headers`. `origin` is empty, or the scheme and host of a URL."""

    origin: str
    path: str

    @property
    def is_valid(self) -> bool:
        return _has_unique_names(self.origin + self.path)

    def is_for(self, netloc: str) -> bool:
        """Whether the block applies to a host, as `https://:project.pages.dev/*` to some."""
        host = self.origin.removeprefix("https://").lower()
        return not host or bool(re.fullmatch(expression(host), netloc))


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    configs = [read_table(name, texts[name]) for name in _MARKERS if name in texts]
    moves = _redirect_rules(texts.get(REDIRECTS, ""))
    tags = _header_rules(texts.get(HEADERS, ""), netloc, now)
    return make_rules(moves, tags, _forms(configs))


def _forms(configs: Sequence[Mapping[str, object]]) -> UrlForms:
    modes = [text_at(config, "assets.html_handling") for config in configs]
    mode = next(filter(None, modes), "")
    forms = FORMS.get(mode, FORMS["auto-trailing-slash"])
    is_worker = any("assets" in config for config in configs)
    return forms._replace(escaped=_ESCAPED_BY_WORKERS) if is_worker else forms


def _redirect_rules(text: str) -> Iterator[Rule]:
    """Paths and effects of the accepted lines, up to the host's limits.

    The first line for a path counts.
    """
    seen: set[str] = set()
    for redirect in _within_limits(_redirects(text)):
        if not redirect.is_accepted or redirect.is_loop or redirect.source in seen:
            continue
        seen.add(redirect.source)
        if _has_unique_names(redirect.source) and not redirect.is_proxy:
            yield redirect.source, redirect.effect


def _redirects(text: str) -> Iterator[_Redirect]:
    """The lines with two or three words, and a path in front."""
    for words, origin in redirect_lines(text):
        source, target, *more = words
        if not source.startswith("https://") and len(more) <= 1:
            status = more[0] if more else _DEFAULT_STATUS
            yield _Redirect(_path(source), target, status, origin)


def _within_limits(redirects: Iterable[_Redirect]) -> Iterator[_Redirect]:
    """The lines that the host reads.

    After the first dynamic one, all count as dynamic. Static ones above the limit are skipped, and
    the first dynamic one above the limit ends the reading.
    """
    static = dynamic = 0
    for redirect in redirects:
        if dynamic or redirect.is_dynamic:
            dynamic += 1
            if dynamic > MAX_DYNAMIC:
                return
        else:
            static += 1
            if static > MAX_REDIRECTS:
                continue
        yield redirect


def _header_rules(text: str, netloc: str, now: int) -> Iterator[Rule]:
    """Patterns and effects of the blocks that the host reads.

    A block replaces an earlier one with the same pattern.
    """
    blocks = dict(islice(_header_blocks(text), MAX_HEADERS))
    for pattern, headers in blocks.items():
        if pattern.is_valid and pattern.is_for(netloc):
            for effect in header_effects(headers, now):
                yield pattern.path, effect


def _header_blocks(text: str) -> Iterator[tuple[_HeaderPattern, list[Header]]]:
    """The blocks that count for the limit.

    A host must have no port. Two placeholders may have one name, which only voids the block, but
    two stars may not.
    """
    for line, headers in header_blocks(text, r"/|\S+://"):
        url = re.match(r"https://[^/]+", line)
        origin = url[0] if url else ""
        pattern = _HeaderPattern(origin, _path(line.removeprefix(origin)))
        is_accepted = line.startswith("/") or origin
        has_port = re.search(r":\d+$", origin)
        is_read = pattern.is_valid or "*" not in origin + pattern.path
        if headers and is_accepted and not has_port and is_read:
            yield pattern, headers


def _path(text: str) -> str:
    """The path of a URL without query, fragment and dot segments, with a leading slash."""
    path = re.split("[?#]", text, maxsplit=1)[0]
    return without_dots(encode_path("/" + path.removeprefix("/")))


def _has_unique_names(pattern: str) -> bool:
    """Whether all placeholders of a pattern have different names. A star has the name `splat`.

    The host makes a regular expression of them, with a named group for each.
    """
    names = [name.replace("*", ":splat") for name in re.findall(WILDCARD, pattern)]
    return len(names) == len(set(names))


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """The folder to publish. A Worker without assets publishes nothing."""
    keys = ("pages_build_output_dir", "assets.directory")
    named = tuple(Hosting(key, (text_at(config, key),)) for key in keys if text_at(config, key))
    if named:
        return named
    return (Hosting(),) if "assets" in config else ()


HOST = Provider(
    name="cloudflare",
    markers=_MARKERS,
    files=(REDIRECTS, HEADERS),
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`_redirects` and `_headers`, as Cloudflare Pages reads them",
        order="The first matching redirect wins over a file. All matching headers apply; "
        "`! Name` removes one.",
        skipped="lines with more than three words, patterns with two stars, "
        "rules above the host's limits",
    ),
    hosting=_hosting,
    unread=("_worker.js", "functions"),
    variables=("CF_PAGES", "WORKERS_CI"),
    answer=AnswerSign("cf-ray"),
)
