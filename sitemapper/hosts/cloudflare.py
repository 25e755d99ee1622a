"""Cloudflare Pages: redirects come before files, and all matching headers apply.

The rules are those of its engine, cloudflare/workers-sdk (parseRedirects.ts, parseHeaders.ts).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.gitignore import Line as IgnoreLine
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms, encode_path, without_dots
from .headers import Header, header_rules
from .host import HostRules, ignore_lines, make_rules
from .provider import Hosting
from .reader import Manual, Reader, netloc_of
from .rule import WILDCARD, Line, Rule, read_rule, wildcards
from .tables import text_at
from .text_files import HEADERS, REDIRECTS, header_blocks, redirect_lines

_MARKERS = ("wrangler.json", "wrangler.jsonc", "wrangler.toml")
_IGNORED = ".assetsignore"
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
        """Whether the host accepts target and status. It does not accept Netlify's `301!`."""
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
    def action(self) -> Reason | None:
        """What the rule does with the page at its source, None if it shows just this page there."""
        if self.status != _SHOWS:
            return Reason.REDIRECT
        return None if self.target == self.source else Reason.DUPLICATE


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
        return not host or wildcards(host).matches(netloc)


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of `_redirects` and `_headers`. The project files tell the forms of URLs."""
    netloc = netloc_of(base_url)
    configs = [read_table(name, texts[name]) for name in _MARKERS if name in texts]
    moves = _redirect_rules(texts.get(REDIRECTS, ""))
    headers = _header_rules(texts.get(HEADERS, ""), netloc, now)
    ignored: list[IgnoreLine] = []
    is_pages = any("pages_build_output_dir" in config for config in configs)
    if not is_pages:  # developers.cloudflare.com/workers/static-assets/binding
        ignored = ignore_lines(_IGNORED, texts.get(_IGNORED, ""))
    return make_rules(_forms(configs), moves, headers, ignored=ignored)


def _forms(configs: Sequence[Mapping[str, object]]) -> UrlForms:
    """The forms of URLs of a Worker, as its settings say, or else of Pages."""
    modes = [text_at(config, "assets.html_handling") for config in configs]
    mode = next(filter(None, modes), "")
    forms = FORMS.get(mode, FORMS["auto-trailing-slash"])
    is_worker = any("assets" in config for config in configs)
    if is_worker:
        return forms._replace(escaped=_ESCAPED_BY_WORKERS)
    return forms


def _redirect_rules(text: str) -> Iterator[Line]:
    """The rules for the redirects that the host applies.

    It applies the first one for a path. A redirect that it accepts hides later ones for the same
    path, even if it turns out to be invalid.
    """
    seen_sources: set[str] = set()
    for redirect in _within_limits(_redirects(text)):
        if not redirect.is_accepted or redirect.is_loop or redirect.source in seen_sources:
            continue
        seen_sources.add(redirect.source)
        if _has_unique_names(redirect.source) and not redirect.is_proxy:
            source, target, _, origin = redirect
            yield read_rule(wildcards, source, redirect.action, origin, target)


def _redirects(text: str) -> Iterator[_Redirect]:
    """The lines of `_redirects` with a path, a target, and perhaps a status."""
    for words, origin in redirect_lines(text):
        source, target, *more_words = words
        if source.startswith("https://") or len(more_words) > 1:
            continue
        status = more_words[0] if more_words else _DEFAULT_STATUS
        yield _Redirect(_path(source), target, status, origin)


def _within_limits(redirects: Iterable[_Redirect]) -> Iterator[_Redirect]:
    """The redirects that the host reads: so many static ones, and so many dynamic ones.

    A dynamic redirect has a wildcard. All redirects behind the first dynamic one count as dynamic
    too (parseRedirects.ts). Static ones above their limit are skipped. The first dynamic one above
    its limit ends the reading.
    """
    static_count = 0
    dynamic_count = 0
    for redirect in redirects:
        counts_as_dynamic = redirect.is_dynamic or dynamic_count > 0
        if not counts_as_dynamic:
            static_count += 1
            if static_count <= MAX_REDIRECTS:
                yield redirect
            continue
        dynamic_count += 1
        if dynamic_count > MAX_DYNAMIC:
            return
        yield redirect


def _header_rules(text: str, netloc: str, now: int) -> Iterator[Rule]:
    """The rules in the blocks of `_headers` that apply to this host name.

    Only so many blocks are read. A block replaces an earlier one with the same pattern.
    """
    blocks = dict(islice(_header_blocks(text), MAX_HEADERS))
    for pattern, headers in blocks.items():
        if pattern.is_valid and pattern.is_for(netloc):
            yield from header_rules(wildcards(pattern.path), headers, now)


def _header_blocks(text: str) -> Iterator[tuple[_HeaderPattern, list[Header]]]:
    """The blocks of `_headers` that the host reads, so that they count for the limit.

    It reads no block without headers, and none whose line it refuses. A block in which two
    placeholders have the same name counts, but has no effect.
    """
    for line, headers in header_blocks(text, r"/|\S+://"):
        pattern = _header_pattern(line)
        if pattern and headers:
            yield pattern, headers


def _header_pattern(line: str) -> _HeaderPattern | None:
    """The pattern in the first line of a block, None if the host refuses it.

    A pattern is a path, or a URL with https and without a port. It may have one star.
    """
    url = re.match(r"https://[^/]+", line)
    origin = url[0] if url else ""
    if not origin and not line.startswith("/"):
        return None
    if re.search(r":\d+$", origin):
        return None
    pattern = _HeaderPattern(origin, _path(line.removeprefix(origin)))
    has_star = "*" in origin + pattern.path
    if has_star and not pattern.is_valid:
        return None
    return pattern


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
    """The folders to publish. A Worker without assets publishes nothing."""
    named_folders = []
    for key in ("pages_build_output_dir", "assets.directory"):
        folder = text_at(config, key)
        if folder:
            named_folders.append(Hosting(key, (folder,)))
    if named_folders:
        return tuple(named_folders)
    if "assets" in config:
        return (Hosting(),)
    return ()


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`_redirects` and `_headers`, as Cloudflare Pages reads them",
        order="The first matching redirect wins over a file. All matching headers apply; "
        "`! Name` removes one. Workers do not upload what `.assetsignore` names.",
        skipped="lines with more than three words, patterns with two stars, "
        "rules above the host's limits",
    ),
    hosting=_hosting,
)
