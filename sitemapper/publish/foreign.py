"""Sitemaps of other tools:

those that block ours, those that are replaced, and those for our index.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha1, sha256
from urllib.parse import unquote, urlsplit

from ..errors import ConfigError, PublishError, with_help
from ..fs import regular, shown_path
from ..model import LastMod, WarningKind
from ..output import changes, published
from ..output.formats import DatedSitemap
from ..output.shards import OutputFile, Spool
from ..project.generator import Project
from ..protocol import SITEMAPINDEX
from ..settled import Output, Site
from ..syntax.dates import moment
from ..syntax.urls import relative_path, resolve

# Generators also write an index of their sitemaps under these names.
_INDEXES = ("sitemap-index.xml", "sitemapindex.xml", "sitemap_index.xml")
# A file of the project from which sitemap.xml is generated.
_TEMPLATE = re.compile(r"(?:\.xml\.\w+(?:\.\w+)?|(?:\.11ty)?\.(?:[cm]?[jt]sx?|njk|liquid))")
_BUILD_IT = "build it first, or name it by its URL if it is published from elsewhere"
_BELOW = (
    "build that sitemap for this host, or name it in robots.txt and not in `others` under [sitemap]"
)


def foreign_error(name: str, site: Site, project: Project) -> PublishError:
    """The error for a sitemap of another tool.

    The help names the setting of the project's generator.
    """
    help = WarningKind.FOREIGN.help
    if site.generator:
        own = project.generator.own_sitemap
        help = help.replace("turn off the tool that writes it", own)
    path = site.output.path(name)
    return PublishError(f"{path}: not replaced, because sitemapper did not write it", help)


def list_rebuilt(site: Site, project: Project) -> list[str]:
    """The sitemaps that each build of the project writes, with their parts. They are build
    products.

    Files that git tracks, by name or content, belong to the user. If git cannot tell, all of them
    do.
    """
    output = site.output
    kept = output.options.others
    mains = [n for n in (output.name, *_INDEXES) if n not in kept and _root(n, output)]
    if not mains:
        return []
    # Imported here: most sites hold no sitemap of others, and have no git.
    from ..lastmod import repository

    try:
        tracked = repository.tracked_blobs(site.project)
    except repository.GitError:
        return []
    if not project.writes_sitemap and not any(_is_template(p, output) for p in tracked):
        return []
    blobs = set(tracked.values())
    mains = [name for name in mains if not _is_tracked(name, output, tracked, blobs)]
    parts = [part for name in mains for part in _parts(name, output) if _root(part, output)]
    found = [*mains, *(part for part in parts if not _is_tracked(part, output, tracked, blobs))]
    packed = [f"{name}.gz" for name in found if published.is_foreign(f"{name}.gz", output)]
    return list(dict.fromkeys([*found, *packed]))


def _root(name: str, output: Output) -> bytes:
    """The root element of another tool's sitemap. Empty for other files."""
    if not published.is_foreign(name, output):
        return b""
    start = published.start_of(name, output)
    root = re.search(rb"<(?:\w+:)?(urlset|sitemapindex)\b", start)
    return root[1] if root else b""


def _is_template(path: str, output: Output) -> bool:
    """Whether sitemap.xml is generated from a file of the project, by its name or its content."""
    folder, name = os.path.split(path)
    if name == output.name:
        start = (regular(path, 4096) or b"") if folder != output.folder else b""
        return start.startswith(b"---") or b"{{" in start or b"{%" in start
    stem = output.stem
    return name.startswith(stem) and _TEMPLATE.fullmatch(name.removeprefix(stem)) is not None


def _is_tracked(name: str, output: Output, tracked: Iterable[str], blobs: set[str]) -> bool:
    path = output.path(name)
    data = regular(path) or b""
    text = b"blob %d\0" % len(data) + data
    digests = (sha1(text, usedforsecurity=False).hexdigest(), sha256(text).hexdigest())
    return os.path.realpath(path) in tracked or not blobs.isdisjoint(digests)


def _parts(name: str, output: Output) -> Iterator[str]:
    """The files in the output that an index names, on any host."""
    if _root(name, output) != b"sitemapindex":
        return
    base = urlsplit(output.base_url).path
    for loc in published.locs(name, output):
        path = unquote(urlsplit(loc).path)
        part = os.path.normpath(path.removeprefix(base).lstrip("/"))
        if not part.startswith("..") and os.path.isfile(output.path(part)):
            yield part


def replaced_note(
    foreign: Sequence[str], files: Sequence[OutputFile], spool: Spool, site: Site
) -> Iterator[str]:
    """A note on a replaced sitemap: the number of its URLs, and how many of them are listed."""
    if not foreign:
        return
    names = [name for main in foreign for name in (main, *_parts(main, site.output))]
    sitemaps = [name for name in dict.fromkeys(names) if _root(name, site.output) == b"urlset"]
    urls = {
        loc
        for name in sitemaps
        if not name.endswith(".gz")
        for loc in published.locs(name, site.output)
    }
    xml = (file.shard for file in files if file.shard and file.shard.series.format == "xml")
    listed = sum(changes.entry(row)[0] in urls for shard in xml for row in spool.rows(shard))
    whose = site.generator or "another tool"
    count = f"{len(urls):,} URL{'s' * (len(urls) != 1)}, {listed:,} of them listed"
    yield f"replaces the sitemap of {whose}: {', '.join(foreign)} ({count})"


def read_others(output: Output, cwd: str) -> list[DatedSitemap]:
    """The sitemaps of other tools for the index, with the dates of those in the output.

    An index is replaced by its sitemaps, because crawlers follow only one level. Messages name
    files as seen from `cwd`. Raises ConfigError if one is missing or outside the output.
    """
    found: dict[str, LastMod | None] = {}
    for other in output.options.others:
        url = resolve(other, output.base_url) or ""
        path = relative_path(url.partition("?")[0], output.base_url) or ""
        file = os.path.join(output.folder, *path.split("/"))
        if os.path.isfile(file):
            found |= _dates(url, file, output.base_url, shown_path(file, cwd))
        elif "://" in other:
            found[url] = None  # the file may be on another machine
        else:
            what = f"{shown_path(file, cwd)}: no such file, see `others` under [sitemap]"
            raise ConfigError((with_help(what, _BUILD_IT),))
    return list(found.items())


def _dates(url: str, file: str, base: str, label: str) -> dict[str, LastMod | None]:
    """A sitemap with its newest date, or the sitemaps of an index with their dates."""
    # Imported here: few sites have such sitemaps.
    from ..linter.engine import open_blocks
    from ..linter.model import FileError
    from ..linter.reader import elements

    newest: dict[str, LastMod | None] = {}
    with open_blocks(file) as blocks:
        for fact in elements(blocks):
            if isinstance(fact, FileError):
                if not newest:
                    raise ConfigError((with_help(f"{label}:{fact.line}: {fact.text}", _BUILD_IT),))
                continue
            root, node = fact
            texts = {child.name: child.text for child in node.children}
            loc = texts.get("loc", "") if root == SITEMAPINDEX else url
            named = resolve(loc, url) if loc else None
            if named is None or not named.startswith(base):
                what = f"{label}:{node.line}: {loc!r} is not below {base}"
                raise ConfigError((with_help(what, _BELOW),))
            seconds = moment(texts.get("lastmod", ""))
            date = None if seconds is None else LastMod(seconds, texts["lastmod"])
            newest[named] = max(filter(None, (newest.get(named), date)), default=None)
    return newest or {url: None}
