"""`sitemapper init`: writes the detected settings of a project, with their origins as comments."""

import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from glob import glob

import typer

from ..config import load
from ..config.layers import DetectedProject, file_layer
from ..errors import ConfigError, SitemapperError, write_advice
from ..fs import ancestors, relative
from ..hosts.find import find_host
from ..lastmod import git
from ..lastmod.repository import GitError
from ..lastmod.sources import template
from ..output import formats
from ..output.write import create
from ..pipeline.evidence import find_candidates
from ..project import site_urls
from ..project.detect import detect, sites_near, with_canonical_base
from ..project.generators import start_of
from ..project.site_urls import home_page
from ..site.walk import first_pages, folder
from ..syntax.html import all_tags, parse_tree
from .parameters import command
from .termination import end_in_order

SITE = typer.Argument(
    None, metavar="SITE", help="Folder of the built site  [default: the generator's]"
)
INDEXNOW = typer.Option(False, "--indexnow", help="Create a key for `sitemapper submit`.")

_MAPS = 5  # templates to print
_ANY_BASE = "https://example.com/"

_LEDGER = """
# The ledger records when the content of each page changed. Commit sitemapper.ledger, or keep it in
# CI's cache: without it, every build is a first one.
[ledger]
path = "sitemapper.ledger\""""
_FOREIGN = """
# To keep the generator's own sitemap.xml, give the new one another name:
# [sitemap]
# name = "sitemap-pages.xml\""""


@command("init", "init public")
def init(site: str | None = SITE, indexnow: bool = INDEXNOW) -> None:
    """Write a first sitemapper.toml.

    Propose settings for the generator of the project. An existing file is never replaced.
    """
    cwd = os.getcwd()
    project = _project(site, cwd)
    place = _place(project, cwd)
    messages, toml = _propose(project, place, cwd)
    path = os.path.join(place, "sitemapper.toml")
    name = os.path.relpath(path)
    key = f'key = "{secrets.token_hex(16)}"' if indexnow else ""
    toml += [f"\n[submit]\n{key}  # for IndexNow"] if key else []
    end_in_order()
    try:
        create(path, "\n".join(toml) + "\n")
    except FileExistsError:
        advice = f"add the table [submit] to it, with {key}" if key else "move it away first"
        raise SitemapperError(f"{name}: already exists and is not replaced", advice) from None
    except OSError as error:
        raise SitemapperError(
            f"{name}: cannot be written: {error.strerror}", write_advice(error)
        ) from None
    for message in messages:
        typer.echo(_plain(message))
    typer.echo(f"wrote {name}; review it, then run: sitemapper build --dry-run")


def _project(site: str | None, cwd: str) -> DetectedProject:
    """The detected project of a site, or of the only folder that may be one."""
    if site is not None and not os.path.isdir(os.path.join(cwd, site)):
        advice = "build the site first, then name its folder: sitemapper init DIR"
        raise SitemapperError(f"{site}: there is no such folder", advice)
    project = detect(cwd, site)
    is_unknown = site is None and not (project.site or project.generator.name)
    if is_unknown and len(sites := sites_near(cwd)) == 1:
        project = detect(cwd, sites[0])
    if project.mistake[0]:
        raise SitemapperError(*project.mistake)
    return with_canonical_base(project)


def _place(project: DetectedProject, cwd: str) -> str:
    """The folder of the new file. Raises SitemapperError if the file cannot be there."""
    site = project.site or ""
    place = project.folder if project.file and site.startswith(project.folder + os.sep) else cwd
    if re.search("[\ud800-\udfff]", relative(site, place)):
        problem = f"{relative(site, cwd)}: has a name that is not UTF-8, which TOML cannot contain"
        raise SitemapperError(
            problem, "rename the folder, or build without a file: sitemapper build FOLDER"
        )
    existing = file_layer(None, place)
    if existing and existing.base == os.path.abspath(place) and existing.prefix:
        problem = f"{existing.label}: has [tool.sitemapper], which a sitemapper.toml would hide"
        raise SitemapperError(problem, "edit that table, or remove it and run init again")
    return place


def _propose(project: DetectedProject, place: str, cwd: str) -> tuple[list[str], list[str]]:
    """The lines to print, and the lines of the file."""
    site, generator = project.site or "", project.generator
    settings = {key: (value, str(origin)) for key, value, origin in project.settings}
    base_url, origin = settings.get("base_url", ("", ""))
    style, evidence, host = _style(project, str(base_url), settings.get("url_style"), cwd)
    name = "not recognised"
    if project.evidence:
        sure = "certain" if len(project.evidence) > 1 else "likely"
        name = f"{generator.name}, {sure} ({' and '.join(project.evidence)})"
    messages = (
        [f"{generator.name} can run sitemapper itself: {generator.plugin}"]
        if generator.plugin
        else []
    )
    toml = [
        f"# Written by `sitemapper init`; generator: {_plain(name)}.",
        (
            "# `sitemapper build` publishes; `sitemapper explain PAGE` shows why a page is "
            "listed or not."
        ),
        *(f"# {line}." for line in messages),
    ]
    messages += [f"generator: {name}", f"site: {relative(site, cwd)}"]
    if base_url:
        messages += [f"base_url: {base_url}, from {origin}"]
        toml += [f"base_url = {_quoted(base_url)}  # from {_plain(origin)}"]
    else:
        why = project.no_base_url and f": {project.no_base_url}"
        messages += [f"base_url: not found{why}; set it in sitemapper.toml"]
        toml += [f"# base_url = {_quoted(_ANY_BASE)}  # not found: set yours"]
    messages += [evidence]
    toml += [
        f"site = {_quoted(relative(site, place))}",
        f"url_style = {_quoted(style)}",
        _ignore(project),
    ]
    toml += [f'host = "{host}"'] if host != "auto" else []
    toml += (
        ["hreflang = true  # pages name their translations"] if _has_translations(project) else []
    )
    own = os.path.join(site, "sitemap.xml")
    if os.path.isfile(own) and formats.MARK not in start_of(own) and not project.writes_sitemap:
        once = f"pass --replace to build and {generator.own_sitemap}"
        messages += [
            f"note: another tool wrote {relative(own, cwd)}, so a build does not replace it",
            f'help: {once}, or set [sitemap] name = "sitemap-pages.xml"',
        ]
        toml += [_FOREIGN]
    is_in_git = os.path.exists(os.path.join(ancestors(place)[-1], ".git"))
    # The sources are not known for all versions, so commits cannot date all pages.
    if not is_in_git or not project.source_folders:
        toml += [_LEDGER]
    toml += list(_proved_maps(site, place)) if is_in_git else []
    if generator.name == "Jekyll":
        files = "exclude: [sitemapper.toml, sitemapper.ledger] in _config.yml"
        messages += [f"help: keep these files out of the site: {files}"]
    return messages, toml


def _ignore(project: DetectedProject) -> str:
    """Patterns for output that is not a page.

    Patterns for folders that do not exist yet become a remark.
    """
    patterns = project.generator.ignore.split()
    found = [pattern for pattern in patterns if glob(pattern.lstrip("/"), root_dir=project.site)]
    later = " ".join(pattern for pattern in patterns if pattern not in found)
    more = f"; once there are such pages, add {later}" if later else ""
    return f"ignore = {_list(found)}  # gitignore syntax, relative to the site{more}"


def _has_translations(project: DetectedProject) -> bool:
    """Whether the home page links to versions in other languages. Feeds do not count."""
    links = all_tags(parse_tree(home_page(project.site or "")[1])).links
    versions = [link for link in links if "alternate" in (link.get("rel") or "").lower().split()]
    pages = [v for v in versions if v.get("hreflang") and v.get("type", "text/html") == "text/html"]
    return len({page.get("href") for page in pages}) > 1


def _style(
    project: DetectedProject, base_url: str, found: tuple[object, str] | None, cwd: str
) -> tuple[str, str, str]:
    """The URL style, the evidence for it, and the host whose files are in the project."""
    flags = {"site": project.site, "base_url": base_url or _ANY_BASE, "url_style": "auto"}
    try:
        settings = load.load(flags, config=os.devnull, cwd=cwd)
    except ConfigError:  # such as a faulty .sitemapignore, which the next build reports in detail
        return "directory", "url_style: directory, the default", "auto"
    hosts = find_host(
        settings.site,
        configured=settings.host,
        builder=settings.builder,
        base_url=settings.base_url,
        cwd=settings.cwd,
    )
    host = hosts.names[0] if len(hosts.names) == 1 else "auto"
    if found:
        return str(found[0]), f"url_style: {found[0]}, from {found[1]}", host
    pages = folder(settings.site, settings.ignore_lines, settings.include)
    locator, evidence = site_urls.choose_locator(
        settings, pages, hosts, partial(first_pages, pages)
    )
    return locator.style, (evidence or "").replace("url_style auto:", "url_style:"), host


def _proved_maps(site: str, place: str) -> Iterator[str]:
    """Templates for the folders of sources that titles prove; as comments, because each build finds
    them.
    """
    settings = load.load({"site": site, "base_url": _ANY_BASE}, config=os.devnull, cwd=place)
    pages = folder(site, settings.ignore_lines, settings.include)
    try:
        with closing(git.History(settings)) as history:
            found, top = find_candidates(history, pages)[0], history.top
    except GitError:
        return
    alone = ((path, files[0]) for path, files in found.items() if len(files) == 1)
    maps = Counter(filter(None, (template(path, file.name) for path, file in alone if file.proofs)))
    for (page, source), count in maps.most_common(_MAPS):
        name = relative(os.path.join(top, source), os.path.realpath(place)).replace(os.sep, "/")
        yield (
            f"\n# {count:,} pages have these sources. Each build finds them; edit this to "
            "choose others."
        )
        yield f"# [[git.map]]\n# page = {_quoted(page)}\n# source = {_list([name])}"


def _plain(line: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in line)


def _quoted(text: object) -> str:
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"
