"""Cloudflare Pages: redirects come first, even if the file exists; all matching headers apply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from ..robots_directives import header_forbids
from ..urls import encode_path, without_dots
from .files import (
    HEADERS,
    REDIRECTS,
    HostEffect,
    Hosting,
    HostRules,
    Provider,
    expression,
    folder_at,
    header_blocks,
    redirect_lines,
    table,
)

_REDIRECTS = ("301", "302", "303", "307", "308")  # 200 is a proxy, which does not say that the page moved
_INDEX = re.compile(r"/(?:.*/)?index(?:\.html)?")
_PLACEHOLDER = re.compile(r":([A-Za-z]\w*)", re.ASCII)
MAX_REDIRECTS, MAX_DYNAMIC, MAX_HEADERS = 2_000, 100, 100  # rules that the host reads; it ignores the others


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    moves = _redirects(texts.get(REDIRECTS, ""))
    tags = _headers(texts.get(HEADERS, ""), netloc, now)
    style = ("clean", "Cloudflare Pages serves b.html at b")
    return HostRules(table(moves, is_loose=False), table(tags, is_loose=False), style)


def _redirects(text: str) -> Iterator[tuple[str, HostEffect | None]]:
    """Paths and effects of the lines that the host accepts, up to its limits. The first for a path counts."""
    static = dynamic = 0
    seen = set()
    for effect, (source, target, *rest) in redirect_lines(text):
        if source.startswith("https://") or len(rest) > 1:
            continue
        source, status = _path(source), rest[0] if rest else "302"
        if dynamic or "*" in source or _PLACEHOLDER.search(source):
            dynamic += 1
            if dynamic > MAX_DYNAMIC:
                return
        else:
            static += 1
            if static > MAX_REDIRECTS:
                continue
        # `301!` is Netlify's: here it is no status, so the line is no rule.
        if not target.startswith(("/", "https://")) or status not in (*_REDIRECTS, "200"):
            continue
        if source.endswith(("/", "/*")) and _INDEX.fullmatch(target):
            continue  # the host takes this for a loop
        is_proxy = status == "200" and target.startswith("https://")  # which the host refuses
        if source not in seen and _compiles(source) and not is_proxy:
            yield source, effect if status != "200" else None
        seen.add(source)


def _headers(text: str, netloc: str, now: int) -> Iterator[tuple[str, HostEffect | None]]:
    """Patterns and effects; absolute patterns (`https://:project.pages.dev/*`) are for one host only.

    A block replaces an earlier one with the same pattern.
    """
    blocks = (
        block._replace(pattern=pattern)
        for block in header_blocks(text, r"/|\S+://")
        if block.has_headers and (pattern := _pattern(block.pattern))
    )
    for pattern, tags in {block.pattern: block.tags for block in islice(blocks, MAX_HEADERS)}.items():
        host, slash, path = pattern.removeprefix("https://").partition("/")
        if not _compiles(pattern) or (host and not expression(host.lower()).fullmatch(netloc)):
            continue
        forbidding = [effect for value, effect in tags if value is not None and header_forbids(value, now)]
        if forbidding or any(value is None for value, _ in tags):
            yield slash + path, forbidding[0] if forbidding else None


def _pattern(line: str) -> str:
    """The pattern of a block of `_headers`; "" for one that the host refuses."""
    origin = re.match(r"https://[^/]+", line)
    if line[0] != "/" and (not origin or re.search(r":\d+$", origin[0])):
        return ""
    pattern = (origin[0] if origin else "") + _path(line[origin.end() if origin else 0 :])
    return pattern if _compiles(pattern) or "*" not in pattern else ""


def _path(text: str) -> str:
    """A path as in a URL: without query, fragment and dot segments, with a slash in front."""
    return without_dots(encode_path("/" + re.split("[?#]", text, maxsplit=1)[0].removeprefix("/")))


def _compiles(pattern: str) -> bool:
    """Whether no name of a placeholder stands in a pattern twice; a star has the name `splat`."""
    names = _PLACEHOLDER.findall(pattern) + ["splat"] * pattern.count("*")
    return len(names) == len(set(names))


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """Not that of a Worker without assets."""
    folders = ((key, folder_at(config, key)) for key in ("pages_build_output_dir", "assets.directory"))
    named = tuple(Hosting(key, (folder,)) for key, folder in folders if folder)
    return named or ((Hosting(),) if "assets" in config else ())


HOST = Provider(
    "cloudflare",
    ("wrangler.json", "wrangler.jsonc", "wrangler.toml"),
    (REDIRECTS, HEADERS),
    _read,
    ("CF_PAGES", "WORKERS_CI"),
    _hosting,
)
