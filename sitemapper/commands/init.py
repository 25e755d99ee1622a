"""`init`: what is detected of a project, as a first configuration with its origins as comments."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from glob import glob
from itertools import starmap
from typing import NamedTuple

from ..config import load
from ..config.layers import DetectedProject, ancestors, file_layer
from ..errors import ConfigError, SitemapperError
from ..fs import relative
from ..lastmod import git
from ..lastmod.repository import GitError
from ..lastmod.sources import template
from ..output import formats
from ..pipeline.evidence import find_candidates
from ..project import hosting, url_style
from ..project.canonical_base import home_page
from ..project.detect import detect, sites_near, with_canonical_base
from ..project.generators import start_of
from ..site.walk import first_pages, folder
from ..syntax.html import all_tags, parse_tree

_MAPS = 5  # templates that are printed
_ANY_BASE = "https://example.com/"
_ADVICE = "build the site first, then name its folder: sitemapper init DIR"

_LEDGER = """
# The ledger records when the content of each page changed. Commit sitemapper.ledger, or keep it in
# CI's cache: without it, every build is a first one.
[ledger]
path = "sitemapper.ledger\""""
_FOREIGN = """
# To keep the generator's own sitemap.xml, give the new one another name:
# [sitemap]
# name = "sitemap-pages.xml\""""
_JEKYLL = "keep these files out of the site: exclude: [sitemapper.toml, sitemapper.ledger] in _config.yml"


class Proposal(NamedTuple):
    """The folder of a new configuration, its text, and the lines to print."""

    folder: str
    text: str
    lines: list[str]


def propose(site: str | None, cwd: str) -> Proposal:
    """A configuration for a project's site. Raises SitemapperError if none is built."""
    project = _project(site, cwd)
    assert project.site is not None
    is_inside = project.file and project.site.startswith(project.folder + os.sep)
    place = project.folder if is_inside else cwd
    if re.search("[\ud800-\udfff]", relative(project.site, place)):
        problem = f"{relative(project.site, cwd)}: has a name that is not UTF-8, which TOML cannot contain"
        raise SitemapperError(problem, "rename the folder, or build without a file: sitemapper build FOLDER")
    existing = file_layer(None, place)
    if existing and existing.base == os.path.abspath(place) and existing.prefix:
        problem = f"{existing.label}: has [tool.sitemapper], which a sitemapper.toml would hide"
        raise SitemapperError(problem, "edit that table, or remove it and run init again")
    settings = {key: (value, str(origin)) for key, value, origin in project.settings}
    base_url, origin = settings.get("base_url", ("", ""))
    style, evidence, host = _style(project, str(base_url), settings.get("url_style"), cwd)
    generator = project.generator
    name = _generator(project)
    lines = [f"{generator.name} can run sitemapper itself: {generator.plugin}"] if generator.plugin else []
    lines += [f"generator: {name}", f"site: {relative(project.site, cwd)}"]
    why = project.no_base_url and f": {project.no_base_url}"
    lines += [
        f"base_url: {base_url}, from {origin}"
        if base_url
        else f"base_url: not found{why}; set it in sitemapper.toml"
    ]
    lines += [evidence]
    rows = [
        f"# Written by `sitemapper init`; generator: {_plain(name)}.",
        "# `sitemapper build` publishes; `sitemapper explain PAGE` shows why a page is listed or not.",
        *(f"# {line}." for line in lines[:1] if generator.plugin),
        f"base_url = {_quoted(base_url)}  # from {_plain(origin)}"
        if base_url
        else f"# base_url = {_quoted(_ANY_BASE)}  # not found: set yours",
        f"site = {_quoted(relative(project.site, place))}",
        f"url_style = {_quoted(style)}",
        _ignore(project),
    ]
    rows += [f'host = "{host}"'] if host != "auto" else []
    rows += ["hreflang = true  # pages name their translations"] if _has_translations(project) else []
    own = os.path.join(project.site, "sitemap.xml")
    if os.path.isfile(own) and formats.MARK not in start_of(own) and not project.writes_sitemap:
        once = f"pass --replace to build and {generator.own_sitemap}"
        advice = f'{once}, or set [sitemap] name = "sitemap-pages.xml"'
        lines += [f"note: another tool wrote {relative(own, cwd)}, so a build does not replace it"]
        lines += [f"help: {advice}"]
        rows += [_FOREIGN]
    is_in_git = os.path.exists(os.path.join(ancestors(place)[-1], ".git"))
    # Commits cannot date all pages then: the sources of versioned ones are not known for all versions.
    if not is_in_git or not project.source_folders:
        rows += [_LEDGER]
    rows += list(_proved_maps(project.site, place)) if is_in_git else []
    lines += [f"help: {_JEKYLL}"] if generator.name == "Jekyll" else []
    return Proposal(place, "\n".join(rows) + "\n", list(map(_plain, lines)))


def _proved_maps(site: str, place: str) -> Iterator[str]:
    """The folders of sources that titles prove, as templates; as comments, as each build finds them again."""
    settings = load.load({"site": site, "base_url": _ANY_BASE}, config=os.devnull, cwd=place)
    pages = folder(site, settings.ignore_lines, settings.include)
    try:
        with closing(git.History(settings)) as history:
            found, top = find_candidates(history, pages)[0], history.top
    except GitError:
        return
    alone = ((path, of[0].name) for path, of in found.items() if len(of) == 1 and of[0].proofs)
    maps = Counter(filter(None, starmap(template, alone)))
    for (page, source), count in maps.most_common(_MAPS):
        name = relative(os.path.join(top, source), os.path.realpath(place)).replace(os.sep, "/")
        yield f"\n# {count:,} pages have these sources, as each build finds out; edit to choose others."
        yield f"# [[git.map]]\n# page = {_quoted(page)}\n# source = {_list([name])}"


def _project(site: str | None, cwd: str) -> DetectedProject:
    """What is detected of a site, or of the only folder that can be one."""
    if site is not None and not os.path.isdir(os.path.join(cwd, site)):
        raise SitemapperError(f"{site}: there is no such folder", _ADVICE)
    project = detect(cwd, site)
    is_unknown = site is None and not (project.site or project.generator.name)
    if is_unknown and len(sites := sites_near(cwd)) == 1:
        project = detect(cwd, sites[0])
    if project.mistake[0]:
        raise SitemapperError(*project.mistake)
    return with_canonical_base(project)


def _generator(project: DetectedProject) -> str:
    if not project.evidence:
        return "not recognised"
    sure = "certain" if len(project.evidence) > 1 else "likely"
    return f"{project.generator.name}, {sure} ({' and '.join(project.evidence)})"


def _ignore(project: DetectedProject) -> str:
    """What the generator writes that is no page; of what it has not written yet, only a remark."""
    patterns = project.generator.ignore.split()
    found = [pattern for pattern in patterns if glob(pattern.lstrip("/"), root_dir=project.site)]
    later = " ".join(pattern for pattern in patterns if pattern not in found)
    more = f"; once there are such pages, add {later}" if later else ""
    return f"ignore = {_list(found)}  # gitignore syntax, relative to the site{more}"


def _has_translations(project: DetectedProject) -> bool:
    """Whether the home page names versions of itself in other languages; a feed is none."""
    links = all_tags(parse_tree(home_page(project.site or "")[1])).links
    versions = [link for link in links if "alternate" in (link.get("rel") or "").lower().split()]
    pages = {
        v.get("href") for v in versions if v.get("hreflang") and v.get("type", "text/html") == "text/html"
    }
    return len(pages) > 1


def _style(
    project: DetectedProject, base_url: str, found: tuple[object, str] | None, cwd: str
) -> tuple[str, str, str]:
    """The URL style, the evidence for it, and the host of the project's files."""
    flags = {"site": project.site, "base_url": base_url or _ANY_BASE, "url_style": "auto"}
    try:
        settings = load.load(flags, config=os.devnull, cwd=cwd)
    except ConfigError:
        return "directory", "url_style: directory, the default", "auto"
    hosts = hosting.find_host(settings)
    host = hosts.names[0] if len(hosts.names) == 1 else "auto"
    if found:
        return str(found[0]), f"url_style: {found[0]}, from {found[1]}", host
    pages = folder(settings.site, settings.ignore_lines, settings.include)
    locator, evidence = url_style.choose_locator(settings, pages, hosts, partial(first_pages, pages))
    return locator.style, (evidence or "").replace("url_style auto:", "url_style:"), host


def _plain(line: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in line)


def _quoted(text: object) -> str:
    """A TOML string."""
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"
