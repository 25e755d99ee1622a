"""Cloudflare Pages: redirects come before files, and all matching headers apply.

The rules are those of its engine, cloudflare/workers-sdk (parseRedirects.ts, parseHeaders.ts).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms, encode_path, without_dots
from .headers import header_rules
from .host import Hosting, HostRules, Reader, make_rules, netloc_of
from .rule import WILDCARD, Rule, read_rule, wildcards
from .tables import text_at
from .text_files import HEADERS, REDIRECTS, header_blocks, redirect_lines

_MARKERS = ("wrangler.json", "wrangler.jsonc", "wrangler.toml")
_DEFAULT_STATUS = "302"
_STATUS_OF_REWRITE = "200"  # the rule shows another page at the path
_STATUSES = ("200", "301", "302", "303", "307", "308")
_INDEX = re.compile(r"/(?:.*/)?index(?:\.html)?")
# Rules that the host reads (developers.cloudflare.com/pages/configuration/redirects and /headers).
MAX_REDIRECTS, MAX_DYNAMIC, MAX_HEADERS = 2_000, 100, 100
# By `html_handling` of a Worker's assets, asked of wrangler (`make record-hosts`). Pages uses the
# first.
FORMS = {
    "auto-trailing-slash": UrlForms(folder=("a/",), page=("b",)),
    "force-trailing-slash": UrlForms(
        folder=("a/", "a/index/"),
        page=("b/",),
        clash=UrlForms(folder=("a/", "a/index/"), page=("b.html",)),
    ),
    "drop-trailing-slash": UrlForms(
        folder=("a",), page=("b",), clash=UrlForms(folder=("a/index.html",), page=("b",))
    ),
    "none": UrlForms(folder=("a/index.html",), page=("b.html",)),
}
# Workers redirect `/a+b` to `/a%2Bb` (asked of wrangler, `make record-hosts`).
_ESCAPED_BY_WORKERS = "&+;=:@,$"


class _Redirect(NamedTuple):
    """A line of `_redirects`: `/a /b 301` leads from a source to a target."""

    source: str
    target: str
    status: str
    origin: Origin


def _read_cloudflare_rules(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """Reads the rules of `_redirects` and `_headers`.

    The project files, such as `wrangler.toml`, say whether the site is on Pages or on a Worker, and
    in which URL forms a Worker shows pages.
    """
    netloc = netloc_of(base_url)
    configs = [read_table(name, texts[name]) for name in _MARKERS if name in texts]
    moves = _read_redirects(texts.get(REDIRECTS, ""))
    headers = _read_headers(texts.get(HEADERS, ""), netloc, now)
    return make_rules(_choose_url_forms(configs), moves, headers)


def _choose_url_forms(configs: Sequence[Mapping[str, object]]) -> UrlForms:
    """Chooses the URL forms in which Cloudflare shows pages, by its project files.

    By default, it shows `a/index.html` and `b.html` at `a/` and `b`. A Worker may have the setting
    `html_handling`: with `none`, it shows both files at their own paths. Workers also redirect some
    characters, such as `+`, to their escapes. Cloudflare Pages does not.
    """
    modes = [text_at(config, "assets.html_handling") for config in configs]
    mode = next(filter(None, modes), "")
    # The default also counts for a misspelt value.
    forms = FORMS.get(mode, FORMS["auto-trailing-slash"])
    is_worker = any("assets" in config for config in configs)
    if is_worker:
        return forms._replace(escaped=_ESCAPED_BY_WORKERS)
    return forms


def _read_redirects(text: str) -> Iterator[Rule | Origin]:
    """Reads the rules of `_redirects`: `/a /b 301` redirects `/a`, `/a /b 200` shows `/b` there.

    Cloudflare ignores these lines, so they give no rule:

        /a b 301                      the target does not begin with a slash
        /a /b 301!                    only other hosts have this status
        /* /index.html 200            it looks like an endless loop. Many projects have this line
        /a /b after /a /c             an earlier line has the same source
        /a https://b.example/ 200     Cloudflare Pages does not show another site
        /:x/:x /b                     the source has a name twice
    """
    seen_sources: set[str] = set()
    for source, target, status, origin in _within_limits(_split_lines(text)):
        is_valid = target.startswith(("/", "https://")) and status in _STATUSES
        if not is_valid or _looks_endless(source, target) or source in seen_sources:
            continue
        # Later lines with this source are ignored, even if this line has no effect either.
        seen_sources.add(source)
        shows_other_site = status == _STATUS_OF_REWRITE and target.startswith("https://")
        if shows_other_site or not _has_unique_names(source):
            continue
        action = _action_of(source, target, status)
        yield read_rule(wildcards, source, action, origin, target)


def _looks_endless(source: str, target: str) -> bool:
    """Says whether Cloudflare takes a redirect for an endless loop, and ignores it.

    That is any redirect from a folder to an index page, such as `/* /index.html`: its source also
    matches its target (parseRedirects.ts).
    """
    return source.endswith(("/", "/*")) and _INDEX.fullmatch(target) is not None


def _action_of(source: str, target: str, status: str) -> Reason | None:
    """Says what a redirect does with the page at its source: `/a /b 301` → REDIRECT.

    `/a /b 200` → DUPLICATE, because /b is shown there. `/a /a 200` → None: the page stays.
    """
    if status != _STATUS_OF_REWRITE:
        return Reason.REDIRECT
    return None if target == source else Reason.DUPLICATE


def _split_lines(text: str) -> Iterator[_Redirect]:
    """Splits the lines of `_redirects`: `/a /b` → the source `/a`, the target `/b`, status 302.

    A line that Cloudflare rejects is left out: with more than three words, or a source that begins
    with https.
    """
    for words, origin in redirect_lines(text):
        source, target, *more_words = words
        if source.startswith("https://") or len(more_words) > 1:
            continue
        status = more_words[0] if more_words else _DEFAULT_STATUS
        yield _Redirect(_path_to_compare(source), target, status, origin)


def _within_limits(redirects: Iterable[_Redirect]) -> Iterator[_Redirect]:
    """Yields the redirects that Cloudflare reads: at most 2,000 static and 100 dynamic redirects.

    A dynamic redirect has a wildcard: `/a/*`. All redirects after the first dynamic redirect count
    as dynamic, too (parseRedirects.ts). A static redirect above the limit is skipped. A dynamic
    redirect above the limit ends the reading, so nothing after it counts.
    """
    static_count = 0
    dynamic_count = 0
    for redirect in redirects:
        has_wildcard = re.search(WILDCARD, redirect.source) is not None
        counts_as_static = not has_wildcard and dynamic_count == 0
        if counts_as_static:
            static_count += 1
            if static_count <= MAX_REDIRECTS:
                yield redirect
            continue
        dynamic_count += 1
        if dynamic_count > MAX_DYNAMIC:
            return
        yield redirect


def _read_headers(text: str, netloc: str, now: int) -> Iterator[Rule]:
    """Yields the rules of `_headers`, such as NOINDEX for `/a` from this block:

        /a
          X-Robots-Tag: noindex

    Cloudflare takes the first 100 blocks that have headers and an accepted pattern, here `/a`. Of
    several blocks with the same pattern, the last counts.

    `netloc` is the host name of the site. A pattern that is a URL counts only on its own host:
    `https://:project.pages.dev/*` is for the project's own address, not for a domain of the user.
    """
    # A line with any scheme begins a block, also one that is not accepted, such as `http://`.
    accepted_blocks = [
        block
        for block in header_blocks(text, r"/|\S+://")
        if block.headers and _is_header_pattern(block.pattern)
    ]
    headers_by_pattern = {block.pattern: block.headers for block in accepted_blocks[:MAX_HEADERS]}
    for pattern, headers in headers_by_pattern.items():
        host, _, path = pattern.removeprefix("https://").partition("/")
        is_for_all_hosts = host == ""  # the pattern is a path, such as `/a`
        # Wildcards mean the same in a host as in a path.
        if is_for_all_hosts or wildcards(host.lower()).matches(netloc):
            source = wildcards(_path_to_compare(path))
            yield from header_rules(source, headers, now)


def _is_header_pattern(pattern: str) -> bool:
    """Says whether Cloudflare accepts the pattern of a block in `_headers`.

    Such a pattern is a path, `/a/*`, or a URL with https and without a port. It has at most one
    star, and no placeholder twice.
    """
    has_port = re.match(r"https://[^/]*:\d+(?:/|$)", pattern) is not None
    is_path_or_url = pattern.startswith(("/", "https://"))
    return is_path_or_url and not has_port and _has_unique_names(pattern)


def _path_to_compare(text: str) -> str:
    """Gives the path as Cloudflare compares it: `a/../b c?d#e` → `/b%20c`."""
    path = re.split("[?#]", text, maxsplit=1)[0]
    return without_dots(encode_path("/" + path.removeprefix("/")))


def _has_unique_names(source: str) -> bool:
    """Says whether a source has no name twice: False for `/:x/:x`, and for `/*/*`.

    Cloudflare makes a group of a regular expression of each name, and refuses two groups of the
    same name. A star has the name `splat`, so `/:splat/*` is refused, too.
    """
    names = [name.replace("*", ":splat") for name in re.findall(WILDCARD, source)]
    return len(names) == len(set(names))


def _published_folders(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """Reads which folders a project file publishes, on Cloudflare Pages or as a Worker.

    pages_build_output_dir = "out"    → the folder `out`
    assets = { directory = "out" }    → the folder `out`
    assets without a directory        → a `Hosting` without a folder: any folder may be the site
    neither                           → nothing: a Worker without a site
    """
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


READER = Reader(read=_read_cloudflare_rules, hosting=_published_folders)
