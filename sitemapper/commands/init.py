"""`init`: which generator made a site, where it is served, and a first configuration from that.

Project files are read as text and never executed.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from glob import glob
from itertools import islice
from typing import NamedTuple

from ..config import load
from ..config.layers import ancestors, file_layer
from ..errors import ConfigError, SitemapperError
from ..extract.metadata import read_metadata
from ..output import xml
from ..project import hosting, url_style
from ..project.generators import ALL, LIMIT, UNKNOWN, Generator, Maps, project_file, start_of, text_of
from ..site.walk import folder
from ..syntax.html import Attributes, Tags, all_tags, parse_tree
from ..syntax.project_files import values
from ..syntax.urls import normalise_base, relative_path, resolve, suspicious_base

_MAX_FILES = 20_000  # files of a project among which sources are looked for
_ANY_BASE = "https://example.com/"

_GIT = "# The date of the last commit of a page's source; CI needs the whole history (fetch-depth: 0)."
_LEDGER = """\
# The ledger remembers when the content of each page changed. Commit sitemapper.ledger, or keep it
# in CI's cache: without it, every build is a first one, and no date is remembered."""
_SLASH = (
    'url_style: directory, because most servers redirect /a to /a/; if yours does not, set "bare" as in links'
)
_FOREIGN = """
# To keep the generator's own sitemap.xml, give ours another name:
# [sitemap]
# name = "sitemap-pages.xml\""""


class Project(NamedTuple):
    """What was recognised: a generator and the evidence, the folder of its project file, the built site.

    `page` is the home page, or the page that it redirects to; `path` is its path in the site.
    """

    generator: Generator
    evidence: tuple[str, ...]
    home: str
    site: str
    path: str
    page: bytes

    def __str__(self) -> str:
        sure = f"{'certain' if len(self.evidence) > 1 else 'likely'} ({' and '.join(self.evidence)})"
        return f"{self.generator.name}, {sure}" if self.evidence else "not recognised"

    @property
    def files(self) -> list[str]:
        """The project files that the generator may have."""
        return [name.partition(":")[0] for name in self.generator.files.split()]


def detect(site: str | None, cwd: str) -> tuple[str, list[str]]:
    """A configuration for a project's site, and the lines to print. Raises SitemapperError without a site."""
    existing = file_layer(None, cwd)
    if existing and existing.base == os.path.abspath(cwd) and existing.prefix:
        problem = f"{existing.label}: has [tool.sitemapper], which a sitemapper.toml would hide"
        raise SitemapperError(problem, "edit that table, or remove it and run init again")
    project = _project(site, cwd)
    place = os.path.relpath(project.site, cwd)
    base_url, origin = _base_url(project, cwd)
    style, evidence, host = _style(project, base_url, cwd)
    where = f"{base_url}, {origin}" if base_url else "not found; set it in sitemapper.toml"
    lines = [f"generator: {project}", f"site: {place}", f"base_url: {where}", evidence]
    rows = [
        f"# Written by `sitemapper init`; generator: {project}.",
        "# `sitemapper build` publishes; `sitemapper explain PAGE` says why a page is listed or not.",
        f"{'' if base_url else '# '}base_url = {_quoted(base_url or _ANY_BASE)}  # {origin}",
        f"site = {_quoted(place)}",
        f'url_style = "{style}"',
        _ignore(project),
    ]
    rows += [f'host = "{host}"'] if host != "auto" else []
    rows += ["hreflang = true  # pages name their translations"] if _has_translations(project) else []
    rows += _dates(project, cwd)
    own = os.path.join(place, "sitemap.xml")
    if os.path.isfile(os.path.join(cwd, own)) and xml.MARK not in start_of(os.path.join(cwd, own)):
        once = f"pass --replace to build, and {project.generator.own_sitemap}"
        advice = f'{once}; or set [sitemap] name = "sitemap-pages.xml"'
        lines += [f"note: {own} was written by another tool and is not replaced", f"help: {advice}"]
        rows += [_FOREIGN]
    return "\n".join(rows) + "\n", ["".join(c if c.isprintable() else "?" for c in line) for line in lines]


def _ignore(project: Project) -> str:
    """What the generator writes that is no page; of what it has not written yet, only a remark."""
    patterns = project.generator.ignore.split()
    present = [pattern for pattern in patterns if glob(pattern, root_dir=project.site)]
    later = " ".join(pattern for pattern in patterns if pattern not in present)
    more = f"; once there are such pages, add {later}" if later else ""
    return f"ignore = {_list(present)}  # gitignore syntax, relative to the site{more}"


def _project(site: str | None, cwd: str) -> Project:
    """The project as that generator's for which there is most evidence."""
    advice = "build the site first, then name its folder: sitemapper init DIR"
    if site is not None and not os.path.isdir(os.path.join(cwd, site)):
        raise SitemapperError(f"{site}: there is no such folder", advice)
    started = [generator for generator in ALL if project_file(generator, cwd)]
    possible = ALL if started and site is None else (*ALL, UNKNOWN)
    projects = list(filter(None, (_recognise(generator, site, cwd) for generator in possible)))
    if not projects:
        outputs = dict.fromkeys(name for g in started or [UNKNOWN] for name in g.output.split())
        raise SitemapperError(
            f"no built site was found: there is no index.html in {', '.join(outputs)}", advice
        )
    return max(projects, key=lambda project: len(project.evidence))


def _recognise(generator: Generator, site: str | None, cwd: str) -> Project | None:
    """The project as this generator's; None without evidence, or where the pages contradict it."""
    file = project_file(generator, cwd)
    home = re.sub(r"(^|/)\.(vitepress|vuepress)$", "", posixpath.dirname(file or ""))
    place = _place(generator, home, file, cwd) if site is None else os.path.normpath(os.path.join(cwd, site))
    if place is None:
        return None
    path, page = _home_page(place)
    signs = [
        (tag.get("content") or "").strip().lower() for tag in _having(_tags(page).metas, "name", "generator")
    ]
    is_marked = _is_marked(generator, signs, page)
    is_foreign = bool(signs) or any(_is_marked(other, [], page) for other in ALL)
    if generator is not UNKNOWN and not is_marked and (is_foreign or not file):
        return None
    evidence = [*([file] if file else []), *(["its mark in index.html"] if is_marked else [])]
    return Project(generator, tuple(evidence), home, place, path, page)


def _is_marked(generator: Generator, signs: list[str], page: bytes) -> bool:
    """Whether a page is signed by the generator, or holds what only its pages hold."""
    mark = generator.mark or re.escape(generator.name.lower()) or "(?!)"
    return any(re.match(mark, sign) for sign in signs) or bool(generator.trace and generator.trace in page)


def _place(generator: Generator, home: str, file: str | None, cwd: str) -> str | None:
    """The generator's output folder, by the project file or by default, that holds an index page."""
    named = values(text_of(cwd, file), file).get(generator.folder) if file else None
    outputs = [*([named] if named else []), *generator.output.split()]
    starts = dict.fromkeys(("", home, posixpath.dirname(home)))
    places = (os.path.normpath(os.path.join(cwd, start, name)) for start in starts for name in outputs)
    return next((place for place in places if os.path.isfile(os.path.join(place, "index.html"))), None)


def _home_page(site: str) -> tuple[str, bytes]:
    """The page that visitors of the site's root see: the index page or the one it redirects to."""
    page = start_of(os.path.join(site, "index.html"), LIMIT)
    target = read_metadata(page).refresh
    path = relative_path(resolve(target, _ANY_BASE) or "", _ANY_BASE) if target else None
    name = posixpath.normpath(f"/{path}").lstrip("/") if path else ""
    for file in (name, f"{name}.html", f"{name}/index.html") if name else ():
        if os.path.isfile(os.path.join(site, file)):
            return file, start_of(os.path.join(site, file), LIMIT)
    return "index.html", page


def _tags(page: bytes) -> Tags:
    return all_tags(parse_tree(page))


def _having(tags: list[Attributes], key: str, value: str) -> list[Attributes]:
    """The metas or links of which one attribute has this value."""
    return [tag for tag in tags if value in (tag.get(key) or "").lower().split()]


def _has_translations(project: Project) -> bool:
    """Whether the home page names versions of itself in other languages; a feed is none."""
    links = _having(_tags(project.page).links, "rel", "alternate")
    pages = [link for link in links if link.get("hreflang") and link.get("type", "text/html") == "text/html"]
    return len({link.get("href") for link in pages}) > 1


def _base_url(project: Project, cwd: str) -> tuple[str | None, str]:
    """The base URL and where it is from: project file, CNAME, canonical of the home page."""
    for url, source in _base_urls(project, cwd):
        try:
            base = normalise_base(url)
        except ValueError:
            continue
        if not suspicious_base(base):
            return base, f"from {source}"
    return None, "not found: set yours"


def _base_urls(project: Project, cwd: str) -> Iterator[tuple[str, str]]:
    for name in project.files:
        entries = values(text_of(cwd, name), name)
        path = entries.get(project.generator.path, "").strip("/")
        for url in filter(None, map(entries.get, project.generator.address.split())):
            start = url.rstrip("/")
            yield start if start.endswith(f"/{path}") else f"{start}/{path}", name
    for folder_ in (project.site, cwd):
        host = text_of(folder_, "CNAME").strip()
        if host:
            yield f"https://{host}/", "CNAME"
    canonical = read_metadata(project.page).canonical or ""
    for end in (project.path, project.path.removesuffix("index.html"), project.path.removesuffix(".html")):
        if canonical and canonical.endswith(end):
            yield canonical.removesuffix(end), "the canonical of the home page, a guess"


def _style(project: Project, base_url: str | None, cwd: str) -> tuple[str, str, str]:
    """The URL style, the evidence for it, and the host that the project's files tell."""
    flags = {"site": project.site, "base_url": base_url or _ANY_BASE, "url_style": "auto"}
    try:
        settings = load.load(flags, config=os.devnull, cwd=cwd)
    except ConfigError:
        return "directory", "url_style: directory, the default", "auto"
    hosts = hosting.find_host(settings)
    host = hosts.names[0] if len(hosts.names) == 1 else "auto"
    for name in project.files:
        if re.search(project.generator.clean, text_of(cwd, name)):
            return "clean", f"url_style: clean, because {name} says so", host
    pages = folder(settings.site, settings.ignore_lines, settings.include)
    style, evidence = url_style.choose_style(settings, pages, hosts)
    if style == "bare" and "links" in (evidence or ""):
        return "directory", _SLASH, host
    return style, (evidence or "").replace("url_style auto:", "url_style:"), host


def _dates(project: Project, cwd: str) -> Iterator[str]:
    """The sources of dates, and the tables that belong to them."""
    # Of Docusaurus in the project, of mike in the site: what is in docs/ is not what all versions show.
    folders = (os.path.join(cwd, project.home), project.site)
    versioned = any(os.path.isfile(os.path.join(folder_, "versions.json")) for folder_ in folders)
    maps = tuple(_maps(project.generator.versions if versioned else project.generator.maps, project, cwd))
    by_git = ["git"] if maps else []
    by_ledger = ["ledger", "mtime"] if versioned or not maps else []
    yield "\n".join([*(_GIT for _ in by_git), *(_LEDGER for _ in by_ledger[:1])])
    yield f"lastmod = {_list(by_git + by_ledger)}"
    if versioned and by_ledger and project.generator.drop:
        yield f"\n[ledger]\ndrop = {_list(project.generator.drop)}  # CSS selectors of what is not content"
    for page, sources in maps:
        yield f"\n[[git.map]]\npage = {_quoted(page)}\nsource = {_list(sources)}"


def _maps(templates: Maps, project: Project, cwd: str) -> Iterator[tuple[str, list[str]]]:
    """The templates, as far as the project has such sources; none outside git."""
    if not templates or not os.path.exists(os.path.join(ancestors(cwd)[-1], ".git")):
        return
    files = list(islice(_files(cwd, project.site), _MAX_FILES))
    for page, sources in templates:
        own = [posixpath.join(project.home, source) for source in sources.split()]
        used = [source for source in own if any(_is_like(name, source) for name in files)]
        if used:
            yield page, used


def _is_like(name: str, source: str) -> bool:
    """Whether a file lies where a template looks, and ends like it."""
    return name.startswith(source.partition("{")[0]) and name.endswith(posixpath.splitext(source)[1])


def _files(cwd: str, site: str) -> Iterator[str]:
    """The project's files, without what is hidden, installed or built."""
    for top, folders, names in os.walk(cwd):
        own = (name for name in folders if name[0] != "." and name != "node_modules")
        folders[:] = [name for name in own if os.path.join(top, name) != site]
        yield from (os.path.relpath(os.path.join(top, name), cwd).replace(os.sep, "/") for name in names)


def _quoted(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"
