"""`init`: which generator made a folder, what its base URL is, and a first configuration from that.

Project files are read as text and never executed.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from . import config, surroundings
from .errors import ConfigError, SitemapperError
from .formats import xml
from .head import SIZE_LIMIT, parse
from .patterns import Patterns
from .site import folder
from .urls import normalise_base

_GENERATOR = re.compile(
    rb"""<meta\s[^>]*name=["']?generator["']?[^>]*content=["']?([^"'>]+)""", re.IGNORECASE
)


class Generator(NamedTuple):
    """What is known of a generator: its project files, its mark in pages, its output and its habits."""

    name: str
    files: tuple[str, ...]
    mark: str
    output: str
    base_url: Callable[[str], str | None]
    ignore: tuple[str, ...]
    own_sitemap: str


class Found(NamedTuple):
    """What `init` found out: the file to write, and sentences about it."""

    text: str
    said: tuple[str, ...]


def _key(*names: str) -> Callable[[str], str | None]:
    """Reads the first of some top-level keys from TOML, YAML, JSON or JavaScript text."""

    def find(text: str) -> str | None:
        for name in names:
            found = re.search(rf"""(?m)^[ \t]*["']?{name}["']?\s*[:=]\s*["']?(https?://[^"'\s,#]+)""", text)
            if found:
                return found[1]
        return None

    return find


def _jekyll(text: str) -> str | None:
    url = _key("url")(text)
    path = re.search(r"""(?m)^baseurl:\s*["']?(/[^"'\s#]*)""", text)
    return url and url.rstrip("/") + (path[1] if path else "")


def _docusaurus(text: str) -> str | None:
    url = _key("url")(text)
    path = re.search(r"""(?m)^\s*baseUrl:\s*["'](/[^"']*)""", text)
    return url and url.rstrip("/") + (path[1] if path else "")


def _sphinx(text: str) -> str | None:
    """The constant that conf.py assigns to html_baseurl; expressions are not evaluated."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if "html_baseurl" in names and isinstance(node.value.value, str):
                return node.value.value or None
    return None


_HUGO = ("hugo.toml", "hugo.yaml", "hugo.json", "config.toml", "config.yaml")
_ELEVENTY = (".eleventy.js", "eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs")
_SPHINX = ("conf.py", "docs/conf.py", "source/conf.py", "docs/source/conf.py")
_ASTRO = ("astro.config.mjs", "astro.config.js", "astro.config.ts")
_DOCUSAURUS = ("docusaurus.config.js", "docusaurus.config.ts")
ALL = (
    Generator("MkDocs", ("mkdocs.yml", "mkdocs.yaml"), "mkdocs", "site", _key("site_url"), (),
              "MkDocs always writes its own; delete site/sitemap.xml* between mkdocs and sitemapper"),
    Generator("Hugo", _HUGO, "hugo", "public", _key("baseURL", "baseurl"), (),
              'put disableKinds = ["sitemap"] at the top of hugo.toml and delete the file once'),
    Generator("Docusaurus", _DOCUSAURUS, "docusaurus", "build", _docusaurus, (),
              "set sitemap: false in the options of preset-classic and delete the file once"),
    Generator("Astro", _ASTRO, "astro", "dist", _key("site"), (),
              "remove @astrojs/sitemap from the integrations and delete its files once"),
    Generator("Eleventy", _ELEVENTY, "eleventy", "_site", _key("url", "siteUrl"), (),
              "remove the sitemap template or plugin and delete the file once"),
    Generator("Jekyll", ("_config.yml", "_config.yaml"), "jekyll", "_site", _jekyll, (),
              "remove jekyll-sitemap from the plugins and delete the file once"),
    Generator("Sphinx", _SPHINX, "sphinx|docutils",
              "_build/html", _sphinx, ("genindex*.html", "_modules/", "_sources/", "_static/"),
              "remove sphinx_sitemap from the extensions and delete the file once"),
)  # fmt: skip


def detect(site: str | None, cwd: str) -> Found:
    """A configuration for the site of a project. Raises SitemapperError where there is no built site."""
    generator, why = _generator(site, cwd)
    place = _site(site, generator, cwd)
    base_url, source = _base_url(generator, place, cwd)
    said = [f"generator: {generator.name}, {why}" if generator else "generator: not recognised"]
    said.append(f"site: {os.path.relpath(place, cwd)}")
    said.append(
        f"base_url: {base_url}, from {source}" if base_url else "base_url: not found; put it into the file"
    )
    style, host = _style(place, base_url, cwd, said)
    own = os.path.join(place, "sitemap.xml")
    if generator and os.path.isfile(own) and xml.MARK not in _start(own):
        said.append(
            f"{os.path.relpath(own, cwd)} was written by somebody else and will not be replaced: "
            f'{generator.own_sitemap}; or set name = "sitemap-pages.xml" under [sitemap]'
        )
    return Found(
        _text(generator, why, base_url, source, os.path.relpath(place, cwd), style, host), tuple(said)
    )


def _generator(site: str | None, cwd: str) -> tuple[Generator | None, str]:
    """The generator and how sure that is: by its project file, by its mark in the pages, or both."""
    home = _start(os.path.join(cwd, site, "index.html"), SIZE_LIMIT) if site else b""
    mark = _GENERATOR.search(home)
    marked = mark[1].decode("utf-8", "replace").lower() if mark else ""
    by_mark = next((g for g in ALL if marked and re.match(g.mark, marked)), None)
    for generator in ALL:
        name = next((n for n in generator.files if os.path.isfile(os.path.join(cwd, n))), None)
        if name == "conf.py" and b"sphinx" not in _start(os.path.join(cwd, name), SIZE_LIMIT).lower():
            name = None
        if name and by_mark in (None, generator):
            sure = "certain" if by_mark else "likely"
            return generator, f"{sure} ({name}{' and its mark in index.html' if by_mark else ''})"
    return by_mark, f"likely (its mark in index.html: {marked})" if by_mark else ""


def _site(site: str | None, generator: Generator | None, cwd: str) -> str:
    candidates = (
        [site] if site else [generator.output] if generator else ["public", "_site", "dist", "build", "site"]
    )
    for name in candidates:
        if os.path.isdir(os.path.join(cwd, name)):
            return os.path.join(cwd, name)
    raise SitemapperError(
        f"{candidates[0]}: there is no such folder; build the site first, then name it: sitemapper init DIR"
    )


def _base_url(generator: Generator | None, place: str, cwd: str) -> tuple[str | None, str]:
    """The base URL and where it stands: project file, CNAME, canonical of the home page."""
    for url, source in _base_urls(generator, place, cwd):
        try:
            base = normalise_base(url)
        except ValueError:
            continue
        if not re.match(r"https?://(localhost|127\.|0\.0\.0\.0)", base):
            return base, source
    return None, ""


def _base_urls(generator: Generator | None, place: str, cwd: str) -> Iterator[tuple[str, str]]:
    for name in generator.files if generator else ():
        text = _start(os.path.join(cwd, name), SIZE_LIMIT).decode("utf-8", "replace")
        url = generator.base_url(text) if generator else None
        if url:
            yield url, name
    for folder_ in (place, cwd):
        host = _start(os.path.join(folder_, "CNAME")).decode("utf-8", "replace").strip()
        if host:
            yield f"https://{host}/", "CNAME"
    canonical = parse(_start(os.path.join(place, "index.html"), SIZE_LIMIT)).canonical
    if canonical:
        yield canonical.removesuffix("index.html"), "the canonical of index.html"


def _style(place: str, base_url: str | None, cwd: str, said: list[str]) -> tuple[str, str]:
    """The URL style that the canonicals prove, and the host that the project's files tell."""
    flags = {"site": place, "base_url": base_url or "https://example.com/", "url_style": "auto"}
    try:
        settings = config.load(flags, config=os.devnull, cwd=cwd)
    except ConfigError:
        return "directory", "auto"
    around = surroundings.host(settings)
    patterns = Patterns(settings.lines), config.include_patterns(settings)
    style, evidence = surroundings.style(settings, folder(place, *patterns, settings.include), around)
    said.append(evidence or "")
    return style, around.names[0] if around.is_certain else "auto"


def _start(path: str, limit: int = 1024) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError:
        return b""


def _text(
    generator: Generator | None, why: str, base_url: str | None, source: str, site: str, style: str, host: str
) -> str:
    """The configuration, a short one: what was found, and why."""
    name = generator.name if generator else "no generator was recognised"
    base = (
        f"base_url = {_quoted(base_url)}  # from {source}"
        if base_url
        else '# base_url = "https://example.com/"  # not found: put yours here'
    )
    ignore = ", ".join(map(_quoted, generator.ignore)) if generator else ""
    rows = [
        f"# Written by `sitemapper init`: {name}{', ' + why if why else ''}.",
        "# `sitemapper build` publishes, `sitemapper explain PAGE` tells why a page is listed or not.",
        base,
        f"site = {_quoted(site)}",
        f'url_style = "{style}"',
        f'ignore = [{ignore}]  # gitignore syntax, relative to the site, such as "drafts/"',
        "# Generators write every file at each build, so the files' times would not be honest dates.",
        "lastmod = []",
    ]
    rows += [f'host = "{host}"'] if host != "auto" else []
    return "\n".join(rows) + "\n"


def _quoted(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)
