"""`init`: which generator made a folder, what its base URL is, and a first configuration from that.

Project files are read as text and never executed.
"""

from __future__ import annotations

import ast
import json
import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from sitemapper.commands.generators import ALL, UNKNOWN, Generator
from sitemapper.config import load as config
from sitemapper.config.files import regular
from sitemapper.config.layers import file_layer, upwards
from sitemapper.errors import ConfigError, SitemapperError
from sitemapper.output import xml
from sitemapper.pipeline import around as site_files
from sitemapper.site.walk import folder
from sitemapper.syntax.html import SIZE_LIMIT, parse
from sitemapper.syntax.urls import normalise_base

_GENERATOR = re.compile(
    rb"""<meta\s[^>]*name=["']?generator["']?[^>]*content=["']?([^"'>]+)""", re.IGNORECASE
)

_LOOKED_AT = 20_000  # files of a project among which sources are looked for

# A key that is not indented, and its value; a key anywhere, and its quoted value.
_YAML = re.compile(r"""(?m)^(\w+)\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#]+))""")
_JAVASCRIPT = re.compile(r"""\b(\w+)["']?\s*[:=]\s*(?:"([^"\n]*)"|'([^'\n]*)')""")

_BY_LEDGER = """\
# The ledger remembers when a page's content changed. Keep sitemapper.ledger, in the repository
# or in CI's cache; without it each build would date every page anew.
lastmod = ["ledger", "mtime"]"""
_BY_GIT = """\
# Of the last commit of a page's source; CI has to fetch the whole history (fetch-depth: 0).
lastmod = ["git"]"""
_FOREIGN = """
# Where the generator's own sitemap.xml has to stay:
# [sitemap]
# name = "sitemap-pages.xml"
"""


class Found(NamedTuple):
    """What `init` found out: the file to write, and sentences about it."""

    text: str
    said: tuple[str, ...]


def values(text: str, name: str) -> dict[str, str]:
    """The texts that a project file gives its outermost keys; nothing is executed."""
    read = _READERS.get(posixpath.splitext(name)[1], _javascript)
    try:
        found = read(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in pairs if isinstance(value, str)}


def _constants(text: str) -> dict[str, str]:
    """What a Python file assigns as constants; expressions are not evaluated."""
    return {
        target.id: node.value.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def _yaml(text: str) -> dict[str, str]:
    return {key: "".join(texts) for key, *texts in _YAML.findall(text)}


def _javascript(text: str) -> dict[str, str]:
    """Of a key that comes more than once, the value that is nested least."""
    chosen: dict[str, tuple[int, str]] = {}
    for match in _JAVASCRIPT.finditer(text):
        before = text[: match.start()]
        depth = sum(before.count(c) for c in "{[(") - sum(before.count(c) for c in "}])")
        if depth < chosen.get(match[1], (99, ""))[0]:
            chosen[match[1]] = depth, match[2] or match[3] or ""
    return {key: value for key, (_, value) in chosen.items()}


_READERS: dict[str, Callable[[str], Any]] = {
    ".py": _constants,
    ".toml": tomllib.loads,
    ".json": json.loads,
    ".yml": _yaml,
    ".yaml": _yaml,
}


class Profile(NamedTuple):
    """What a project is like.

    `foreign` is a sitemap of somebody else in the site's folder, `maps` tell pages' sources.
    """

    generator: Generator
    why: str
    site: str
    base_url: str | None
    source: str
    style: str
    evidence: str
    host: str
    foreign: str | None
    maps: tuple[tuple[str, list[str]], ...]


def detect(site: str | None, cwd: str) -> Found:
    """A configuration for the site of a project. Raises SitemapperError where there is no built site."""
    existing = file_layer(None, cwd)
    if existing and existing.base == os.path.abspath(cwd) and existing.prefix:
        raise SitemapperError(f"{existing.label}: has [tool.sitemapper], which a sitemapper.toml would hide")
    generator, why, home = _generator(site, cwd)
    place = _site(site, generator, home, cwd)
    base_url, source = _base_url(generator, place, cwd)
    style, evidence, host = _style(generator, place, base_url, cwd)
    own = os.path.join(place, "sitemap.xml")
    foreign = os.path.relpath(own, cwd) if os.path.isfile(own) and xml.MARK not in _start(own) else None
    relative = os.path.relpath(place, cwd)
    maps = tuple(_maps(generator, home, place, cwd))
    profile = Profile(generator, why, relative, base_url, source, style, evidence, host, foreign, maps)
    return Found(_configuration(profile), tuple(_said(profile)))


def _said(profile: Profile) -> Iterator[str]:
    """What a person is told."""
    generator, base_url = profile.generator, profile.base_url
    yield f"generator: {generator.name}, {profile.why}" if generator.name else "generator: not recognised"
    yield f"site: {profile.site}"
    found = f"{base_url}, from {profile.source}" if base_url else "not found; put it into the file"
    yield f"base_url: {found}"
    yield profile.evidence
    if profile.foreign:
        advice = f"{generator.own_sitemap}; or " if generator.name else ""
        yield (
            f"{profile.foreign} was written by somebody else and will not be replaced: {advice}"
            'set name = "sitemap-pages.xml" under [sitemap]'
        )


def _configuration(profile: Profile) -> str:
    """The configuration, a short one: what was found, and why."""
    name = profile.generator.name or "no generator was recognised"
    base = f"base_url = {_quoted(profile.base_url)}  # from {profile.source}"
    if not profile.base_url:
        base = '# base_url = "https://example.com/"  # not found: put yours here'
    ignore = _list(profile.generator.ignore)
    rows = [
        f"# Written by `sitemapper init`: {name}{', ' + profile.why if profile.why else ''}.",
        "# `sitemapper build` publishes, `sitemapper explain PAGE` tells why a page is listed or not.",
        base,
        f"site = {_quoted(profile.site)}",
        f'url_style = "{profile.style}"',
        f'ignore = {ignore}  # gitignore syntax, relative to the site, such as "drafts/"',
    ]
    rows += [f'host = "{profile.host}"'] if profile.host != "auto" else []
    rows += [_BY_GIT, *map(_map, profile.maps)] if profile.maps else [_BY_LEDGER]
    return "\n".join(rows) + "\n" + (_FOREIGN if profile.foreign else "")


def _map(templates: tuple[str, list[str]]) -> str:
    page, sources = templates
    return f"\n[[git.map]]\npage = {_quoted(page)}\nsource = {_list(sources)}"


def _maps(generator: Generator, home: str, place: str, cwd: str) -> Iterator[tuple[str, list[str]]]:
    """The generator's templates, as far as the project has such sources; none outside git."""
    if not os.path.exists(os.path.join(upwards(cwd)[-1], ".git")):
        return
    files = list(islice(_files(cwd, place), _LOOKED_AT)) if generator.maps else []
    for page, sources in generator.maps:
        own = [posixpath.join(home, source) for source in sources.split()]
        used = [source for source in own if any(_is_like(name, source) for name in files)]
        if used:
            yield page, used


def _is_like(name: str, source: str) -> bool:
    """Whether a file lies where a template looks, and ends like it."""
    return name.startswith(source.partition("{")[0]) and name.endswith(posixpath.splitext(source)[1])


def _files(cwd: str, place: str) -> Iterator[str]:
    """The project's files, without what is hidden, installed or built."""
    for top, folders, names in os.walk(cwd):
        folders[:] = [
            f for f in folders if f[0] != "." and f != "node_modules" and os.path.join(top, f) != place
        ]
        yield from (os.path.relpath(os.path.join(top, name), cwd).replace(os.sep, "/") for name in names)


def _quoted(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _generator(site: str | None, cwd: str) -> tuple[Generator, str, str]:
    """The generator, by its project file, its mark in the pages, or both; how sure that is; its folder."""
    places = [site] if site else [name for generator in ALL for name in generator.output.split()]
    homes = (_start(os.path.join(cwd, place, "index.html"), SIZE_LIMIT) for place in places)
    mark = _GENERATOR.search(next(filter(None, homes), b""))
    marked = mark[1].decode("utf-8", "replace").lower() if mark else ""
    by_mark = next((g for g in ALL if marked and re.match(g.mark, marked)), UNKNOWN)
    for generator in ALL:
        name = next((n for n in generator.files if os.path.isfile(os.path.join(cwd, n))), None)
        if name and by_mark in (UNKNOWN, generator) and generator.says in _text(cwd, name).lower():
            seen = f"certain ({name} and its mark in index.html)" if by_mark.name else f"likely ({name})"
            return generator, seen, posixpath.dirname(name).removesuffix(".vitepress").rstrip("/")
    return by_mark, f"likely (its mark in index.html: {marked})" if by_mark.name else "", ""


def _site(site: str | None, generator: Generator, home: str, cwd: str) -> str:
    known = [generator] if generator.name else ALL
    places = dict.fromkeys(("", home, posixpath.dirname(home)))
    outputs = [posixpath.join(place, n) for place in places for g in known for n in g.output.split()]
    candidates = [site] if site else outputs
    for name in candidates:
        if os.path.isdir(os.path.join(cwd, name)):
            return os.path.join(cwd, name)
    what = f"{candidates[0]}: there is no such folder"
    if not site and not generator.name:
        names = ", ".join(dict.fromkeys(outputs))
        what = f"no generator's project file is here, and none of the folders {names}"
    raise SitemapperError(f"{what}; build the site first, then name it: sitemapper init DIR")


def _base_url(generator: Generator, place: str, cwd: str) -> tuple[str | None, str]:
    """The base URL and where it stands: project file, CNAME, canonical of the home page."""
    for url, source in _base_urls(generator, place, cwd):
        try:
            base = normalise_base(url)
        except ValueError:
            continue
        if not re.match(r"https?://(localhost|127\.|0\.0\.0\.0)", base):
            return base, source
    return None, ""


def _base_urls(generator: Generator, place: str, cwd: str) -> Iterator[tuple[str, str]]:
    keys, path_key = generator.address
    for name in generator.files:
        found = values(_text(cwd, name), name)
        for url in filter(None, map(found.get, keys)):
            yield url.rstrip("/") + (found.get(path_key) or ""), name
    for folder_ in (place, cwd):
        host = _text(folder_, "CNAME").strip()
        if host:
            yield f"https://{host}/", "CNAME"
    canonical = parse(_start(os.path.join(place, "index.html"), SIZE_LIMIT)).canonical
    if canonical:
        yield canonical.removesuffix("index.html"), "the canonical of index.html, a guess"


def _style(generator: Generator, place: str, base_url: str | None, cwd: str) -> tuple[str, str, str]:
    """The URL style, the evidence for it, and the host that the project's files tell."""
    flags = {"site": place, "base_url": base_url or "https://example.com/", "url_style": "auto"}
    try:
        settings = config.load(flags, config=os.devnull, cwd=cwd)
    except ConfigError:
        return "directory", "url_style: directory, unproved", "auto"
    around = site_files.host(settings)
    host = around.names[0] if around.is_certain else "auto"
    for name in generator.files:
        if re.search(generator.clean, _text(cwd, name)):
            return "clean", f"url_style: clean, because {name} says so", host
    style, evidence = site_files.style(settings, folder(settings), around)
    return style, (evidence or "").replace("url_style auto:", "url_style:"), host


def _text(folder_: str, name: str) -> str:
    return _start(os.path.join(folder_, name), SIZE_LIMIT).decode("utf-8", "replace")


def _start(path: str, limit: int = 1024) -> bytes:
    try:
        return (regular(path) or b"")[:limit]
    except OSError:
        return b""
