"""What was published before: which files in the output are ours, and what a sitemap lists."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from urllib.parse import unquote

from .. import git
from ..config.model import FILE_NAME
from ..files import contents, is_inside, read_regular, shown_path, site_path
from ..lastmod.ledger import UNLISTED, read_rows
from ..messages import SitemapperError
from ..model import Before, Row, Run, Site
from ..protocol import MAX_BYTES
from ..read.sitemap import START, SitemapEntry, SitemapFault, is_marked, read_sitemap, unpack
from ..syntax.dates import moment
from ..syntax.robots import sitemap_lines
from ..syntax.urls import origin_of, resolve, usual_path, without_www
from .sitemaps import INDEX_END, OTHERS, newest, text_endings

_SITEMAP_LINK = re.compile(
    rb"""(?is)<link\b(?=[^<>]*\brel=["']?sitemap["'\s/>])[^<>]*\bhref=["']?([^"'\s>]+)"""
)
_ONCE = "compare with a copy (--previous FILE), or skip the comparison once (--previous none)"


def load(site: Site, run: Run) -> Before:
    """Finds the earlier sitemap by `previous`, and reads the ledger's rows.

    `previous` is "output", "live", "none", or the path or URL of a sitemap. Its entries are read
    later, if they are needed.

    Raises SitemapperError if a sitemap that `previous` names is damaged or cannot be reached, for a
    ledger with errors, and for an output whose sitemap could not list the site.
    """
    output, previous = site.found.output, site.found.config.settings.previous
    _check_scope(site)
    marked = _marked_files(output)
    name = _main_name(site, marked)
    parts = _names_in(contents(output, name, MAX_BYTES)) or [name]
    files = _files_of(name, parts, marked, site)
    rows = _read_ledger(site, run)
    before = Before(name, files=files, rows=rows)
    if previous == "none":
        return before
    # Where the output is made anew for each build, the ledger still has what was listed.
    if previous == "output" and rows and name not in files:
        entries = partial(_entries_of_rows, rows, site)
        return before._replace(label="the ledger", is_ours=True, entries=entries)
    if previous == "output":
        path = os.path.join(output, name)
        label = shown_path(path, run.cwd) if os.path.isfile(path) else ""
        entries = partial(_read_here, output, parts)
        return before._replace(label=label, is_ours=name in files, entries=entries)
    place = site.base_url + name if previous == "live" else previous
    data = _get(place, run, _ONCE)
    if data is None and previous == "live":  # the host has no sitemap yet
        return before
    entries = partial(_read_elsewhere, place, data, run)
    return before._replace(label=shown_path(place, run.cwd), is_ours=True, entries=entries)


def _check_scope(site: Site) -> None:
    """Raises SitemapperError for an output in a folder of the site."""
    output, folder = site.found.output, site.found.folder
    if output == folder or not is_inside(output, folder):
        return  # an output elsewhere is taken to be served at the base URL
    path = site_path(os.path.relpath(output, folder))
    raise SitemapperError(
        f"output: a sitemap in {path}/ may only list URLs below {site.base_url}{path}/",
        "leave `output` out, so that the sitemap is written to the top of the site",
    )


# --- Files of ours


def _marked_files(output: str) -> list[str]:
    """The names of the XML files in the output that begin with our mark, sorted."""
    marked: list[str] = []
    names = sorted(os.listdir(output)) if os.path.isdir(output) else []
    for name in names:
        path = os.path.join(output, name)
        if not name.endswith((".xml", ".xml.gz")) or os.path.islink(path):
            continue
        with suppress(OSError):
            if is_marked(read_regular(path, START) or b""):
                marked.append(name)
    return marked


def _shard_names(stem: str, site: Site) -> re.Pattern[str]:
    """A pattern for the names of shards, such as `sitemap-2.xml` and `sitemap-blog-2.xml`.

    `stem` is a pattern for what a name begins with: `sitemap`.
    """
    sections = "".join(f"|-{section.name}" for section in site.found.config.settings.sitemaps)
    return re.compile(
        rf"""
        {stem}
        (?=-)                         # the main sitemap is no shard
        (?:{sections})                # nothing, or `-blog`
        (?: -\d+ | -[0-9a-f]{{12}} )?  # a number, or a hash with the strategy `stable`
        \.xml
        """,
        re.VERBOSE,
    )


def _main_name(site: Site, marked: Sequence[str]) -> str:
    """The name of the main sitemap, by the first of these that there is.

    The setting, our sitemap in the output, a sitemap to which the home page, robots.txt or the
    generator leads, and `sitemap.xml`.
    """
    config, output = site.found.config, site.found.output
    options = config.settings.sitemap
    shards = _shard_names(".+", site)
    mains = [name for name in marked if name.endswith(".xml") and not shards.fullmatch(name)]
    if config.origin("sitemap.name") or options.name in mains:
        return options.name
    if mains:
        # The shards of a section that is not set any more are among them, with longer names.
        return min(mains, key=len)
    urls_or_names = [linked_name(site), *sitemap_lines(contents(output, "robots.txt"))]
    if site.found.project:
        urls_or_names += site.found.project.sitemaps
    for url_or_name in urls_or_names:
        name = url_or_name.removeprefix(site.base_url)
        is_file = os.path.isfile(os.path.join(output, name))
        if is_file and re.fullmatch(FILE_NAME, name) and name not in options.others:
            return name
    return options.name


def linked_name(site: Site) -> str:
    """The name of the sitemap to which the home page links, "" for none or one elsewhere."""
    link = _SITEMAP_LINK.search(contents(site.found.folder, "index.html"))
    if link is None:
        return ""
    url = resolve(link[1].decode("utf-8", "replace"), site.base_url) or ""
    return url.removeprefix(site.base_url) if url.startswith(site.base_url) else ""


def _files_of(main: str, parts: Sequence[str], marked: Sequence[str], site: Site) -> list[str]:
    """The files of ours in the output.

    They have our mark and the name of a shard, or our main sitemap names them. A text sitemap can
    have no mark, so only the main sitemap shows that it is ours.
    """
    output = site.found.output
    stem = main.removesuffix(".xml")
    shards = _shard_names(re.escape(stem), site)
    files = [name for name in marked if shards.fullmatch(name.removesuffix(".gz"))]
    if main in marked:
        endings = text_endings(contents(output, main, MAX_BYTES))
        named = [main, *parts, *(stem + ending for ending in endings)]
        named += [f"{name}.gz" for name in named]
        files += [name for name in named if os.path.isfile(os.path.join(output, name))]
    return list(dict.fromkeys(files))


def _entries(data: bytes) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap. Those of other builds in our index are left out."""
    ours, comment, _ = unpack(data).partition(OTHERS)  # others follow this comment
    yield from read_sitemap(ours + INDEX_END if comment else data)


def _names_in(index: bytes) -> list[str]:
    """The file names in an index, up to damage. A sitemap that is no index gives none."""
    names: list[str] = []
    with suppress(SitemapFault):
        for entry in _entries(index):
            if not entry.is_sitemap:
                break
            names.append(_name_of(entry.loc))
    return names


def _name_of(url: str) -> str:
    """The file name in a URL: `https://a.example/b/c%20d.xml` → `c d.xml`."""
    return unquote(url).rpartition("/")[2]


def _read_here(folder: str, names: Sequence[str]) -> Iterator[SitemapEntry]:
    """Yields the URLs of sitemaps in the output; of a damaged one, those before the damage."""
    for name in names:
        with suppress(SitemapFault):
            for entry in read_sitemap(contents(folder, name, MAX_BYTES)):
                if not entry.is_sitemap:
                    yield entry


# --- Files of other tools


def may_be_replaced(site: Site, name: str) -> bool:
    """Whether nothing is lost if our sitemap replaces a file of another tool.

    Nine of ten of its URLs are on the site's host, and each build makes it again: the generator is
    known to write it, or git does not track it. Otherwise, it may be somebody's only copy.
    """
    output, project = site.found.output, site.found.project
    if _share_below(origin_of(site.base_url) + "/", site, name) < 0.9:
        return False
    if project and name in project.sitemaps:
        return True
    return git.output(output, "ls-files", "-z", "--", name) == ""


def removable_parts(site: Site, before: Before) -> list[str]:
    """The files that are useless when our sitemap replaces that of another tool.

    These are the sitemaps that its index names, and its packed copy `sitemap.xml.gz`. A file is
    kept if it is ours, if `others` names it, or if one of its URLs is outside of the site.
    """
    kept = (before.name, *before.files, *site.found.config.settings.sitemap.others)
    named_by_index = _names_in(contents(site.found.output, before.name, MAX_BYTES))
    parts = [name for name in (*named_by_index, f"{before.name}.gz") if name not in kept]
    return [name for name in parts if _share_below(site.base_url, site, name) == 1]


def _share_below(base_url: str, site: Site, name: str) -> float:
    """The share of a sitemap's URLs that are below a base URL; 0 for a file that is no sitemap."""
    base = without_www(base_url)
    try:
        urls = [entry.loc for entry in read_sitemap(contents(site.found.output, name, MAX_BYTES))]
    except SitemapFault:
        return 0
    below = [url for url in urls if without_www(f"{url}/").startswith(base)]
    return len(below) / len(urls) if urls else 0


# --- The ledger


def _read_ledger(site: Site, run: Run) -> dict[str, Row] | None:
    """The rows of the ledger, None without one.

    A ledger in the output is read from the host with `previous = "live"`, if it is not here.
    """
    path, output = site.found.ledger, site.found.output
    if path is None:
        return None
    label = shown_path(path, run.cwd)
    data = _get(path, run)
    if not data and site.found.config.settings.previous == "live" and is_inside(path, output):
        label = site.base_url + site_path(os.path.relpath(path, output))
        data = _get(label, run, "use --ledger FILE with a copy of it")
    return read_rows(data or b"", label)


def _entries_of_rows(rows: Mapping[str, Row], site: Site) -> Iterator[SitemapEntry]:
    """Yields the listed pages of a ledger as entries of a sitemap."""
    for path, row in rows.items():
        if row.place == UNLISTED:
            continue
        url = path  # an entry of `[[urls]]`
        if row.place:
            url = site.base_url + row.place.removeprefix("/")
        elif "://" not in path:
            url = site.base_url + usual_path(path, site.forms)
        has_date = row.lastmod[:1].isdigit()  # neither `-` nor `>2026-03-01`
        date = row.lastmod if has_date else ""
        yield SitemapEntry(url, date)


# --- Sitemaps elsewhere


def _get(place: str, run: Run, help: str = "") -> bytes | None:
    """Reads a file, or requests a URL; None if it is not there.

    Raises SitemapperError, with this help, if it cannot be read.
    """
    try:
        if "://" not in place:
            return read_regular(place)
        from ..net import Client  # loads urllib3

        return Client(run.environment).download(place)
    except OSError as error:
        what = f"{shown_path(place, run.cwd)}: cannot be read: {error.strerror}"
        raise SitemapperError(what, help) from None
    except SitemapperError as error:
        raise SitemapperError(error.text, help) from None


def _read_or_raise(label: str, data: bytes | None, help: str = _ONCE) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap. `data` is None if it does not exist.

    Raises SitemapperError for a missing, empty or damaged one. `label` is its name in the message.
    """
    if data is None:
        raise SitemapperError(f"{label}: does not exist", help)
    if not data.strip():
        raise SitemapperError(f"{label}:1: is empty", help)
    try:
        yield from _entries(data)
    except SitemapFault as fault:
        raise SitemapperError(f"{label}:{fault.line}: {fault.text}", help) from None


def _read_elsewhere(place: str, data: bytes | None, run: Run) -> Iterator[SitemapEntry]:
    """Yields the URLs of a sitemap whose bytes came from `place`, a path or a URL.

    Of an index, yields the URLs of its parts. Raises SitemapperError if one of them is damaged or
    cannot be read.
    """
    for entry in _read_or_raise(shown_path(place, run.cwd), data):
        if not entry.is_sitemap:
            yield entry
            continue
        # The index may name another host, so parts are read where the index is.
        part = os.path.join(os.path.dirname(place), _name_of(entry.loc))
        if "://" in place:
            part = origin_of(place) + entry.loc.removeprefix(origin_of(entry.loc))
        yield from _read_or_raise(shown_path(part, run.cwd), _get(part, run, _ONCE))


def read_others(site: Site, run: Run) -> list[tuple[str, str]]:
    """The sitemaps of other builds that the index is to name: (URL, newest date or "").

    Raises SitemapperError for one that is missing, damaged, an index, or not below the base URL.
    """
    result: list[tuple[str, str]] = []
    help = "build it first, or correct `others` under [sitemap]"
    for other in site.found.config.settings.sitemap.others:
        url = resolve(other, site.base_url) or ""
        if not url.startswith(site.base_url):
            raise SitemapperError(f"{other}: is not below {site.base_url}", help)
        path = os.path.join(site.found.output, unquote(url.removeprefix(site.base_url)))
        data = _get(path, run, help)
        if data is None and "://" in other:  # it may be on another machine
            result.append((url, ""))
            continue
        label = shown_path(path, run.cwd)
        entries = list(_read_or_raise(label, data, help))
        if entries and entries[0].is_sitemap:
            what = f"{label}: is an index, and an index may not list another"
            raise SitemapperError(what, "list its sitemaps in `others`")
        result.append((url, newest(entry.lastmod for entry in entries if moment(entry.lastmod))))
    return result
