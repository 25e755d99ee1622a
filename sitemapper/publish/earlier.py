"""What was published before: which files in the output are ours, and what a sitemap lists."""

import os
import re
import zlib
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from functools import partial
from urllib.parse import unquote

from ..config.model import FILE_NAME
from ..errors import SitemapperError
from ..files import contents, is_inside, read_regular, shown_path, site_path
from ..lastmod.ledger import UNLISTED, read_rows
from ..messages import Message, listing
from ..model import Before, Row, Run, Site
from ..protocol import MARK, MAX_BYTES
from ..read.sitemap import SitemapEntry, SitemapFault, read_sitemap, unpack
from ..syntax.dates import moment
from ..syntax.robots import sitemap_lines
from ..syntax.urls import origin_of, resolve, usual_path, without_www
from .formats import INDEX_END, OTHERS, text_endings
from .shards import newest

_START = 512  # bytes, in which our mark stands
_SITEMAP_LINK = re.compile(
    rb"""(?is)<link\b(?=[^<>]*\brel=["']?sitemap["'\s/>])[^<>]*\bhref=["']?([^"'\s>]+)"""
)
_ONCE = "compare with a copy (--previous FILE), or skip the comparison once (--previous none)"


def load(site: Site, run: Run) -> Before:
    """Finds the earlier sitemap, and reads the ledger's rows.

    Raises SitemapperError if a sitemap that `previous` names is damaged or cannot be reached, for a
    ledger with errors, and for an output whose sitemap could not list the site.
    """
    output, settings = site.found.output, site.found.config.settings
    _check_scope(site)
    marked = _marked_files(output)
    shards = _shards_of(".+", site)
    mains = [one for one in marked if one.endswith(".xml") and not shards.fullmatch(one)]
    name = _main_name(site, mains)
    files = _files_of(name, marked, site)
    rows = _read_ledger(site, run)
    messages: list[Message] = []
    left = [one for one in mains if one not in files and one not in settings.sitemap.others]
    if left:
        text = f"sitemapper wrote {listing(left)} under another name, and no longer updates it"
        messages.append(Message("warning", "left", text, "delete it"))
    before = Before(name, files=files, rows=rows, messages=tuple(messages))
    if settings.previous == "output":
        return _in_output(before, site, run)
    if settings.previous == "none":
        return before
    place = site.base_url + name if settings.previous == "live" else settings.previous
    label = shown_path(place, run.cwd)
    data = _get(place, run, _ONCE)
    if data is None and "://" in place:  # the host has no sitemap yet
        return before
    if data is None:
        raise SitemapperError(f"{label}: does not exist", _ONCE)
    entries = partial(_read_elsewhere, place, data, run)
    return before._replace(label=label, is_ours=True, entries=entries)


def _check_scope(site: Site) -> None:
    """Raises SitemapperError for an output in a folder of the site, and for one that is a file."""
    output, folder = site.found.output, site.found.folder
    if os.path.isfile(output):
        raise SitemapperError(f"output: {output} is a file", "choose a folder with --output")
    if output == folder or not is_inside(output, folder):
        return  # an output elsewhere is taken to be served at the base URL
    path = site_path(os.path.relpath(output, folder))
    raise SitemapperError(
        f"output: a sitemap in {path}/ may only list URLs below {site.base_url}{path}/",
        "leave `output` out, so that the sitemap is written to the top of the site",
    )


# --- The output


def _marked_files(output: str) -> list[str]:
    """The names of the XML files in the output that begin with our mark, sorted."""
    try:
        names = sorted(os.listdir(output))
    except FileNotFoundError:
        return []
    return [
        name for name in names if name.endswith((".xml", ".xml.gz")) and is_marked(output, name)
    ]


def is_marked(folder: str, name: str) -> bool:
    """Whether a file begins with our mark, unpacked. We write no links."""
    path = os.path.join(folder, name)
    if os.path.islink(path):
        return False
    with suppress(OSError, zlib.error):
        start = read_regular(path, _START) or b""
        if name.endswith(".gz"):
            start = zlib.decompressobj(31).decompress(start, _START)
        return MARK in start
    return False


def _shards_of(stem: str, site: Site) -> re.Pattern[str]:
    """The names of the shards of a main sitemap; its stem is a pattern, too.

    `sitemap-2.xml`, `sitemap-blog.xml`, `sitemap-blog-2.xml`, `sitemap-0123456789ab.xml`.
    """
    sections = "".join(f"|-{one.name}" for one in site.found.config.settings.sitemaps)
    return re.compile(rf"{stem}(?=-)(?:{sections})(?:-\d+|-[0-9a-f]{{12}})?\.xml")


def _main_name(site: Site, mains: list[str]) -> str:
    """The name of the main sitemap: what is set, what is there, or what pages and others name."""
    config, output = site.found.config, site.found.output
    name = config.settings.sitemap.name
    if config.origin("sitemap.name") or name in mains:
        return name
    if mains:  # the shard of a section that is not set any more has a longer name
        return min(mains, key=len)
    named = [linked_name(site)]
    for url in sitemap_lines(contents(output, "robots.txt")):
        named.append(url.removeprefix(site.base_url))
    if site.found.project:
        named.extend(site.found.project.sitemaps)
    for one in named:
        is_there = re.fullmatch(FILE_NAME, one) and os.path.isfile(os.path.join(output, one))
        if is_there and one not in config.settings.sitemap.others:
            return one
    return name


def linked_name(site: Site) -> str:
    """The name of the sitemap to which the home page links, "" for none or one elsewhere."""
    link = _SITEMAP_LINK.search(contents(site.found.folder, "index.html"))
    if link is None:
        return ""
    url = resolve(link[1].decode("utf-8", "replace"), site.base_url) or ""
    return url.removeprefix(site.base_url) if url.startswith(site.base_url) else ""


def _files_of(main: str, marked: list[str], site: Site) -> tuple[str, ...]:
    """The files of ours in the output: the main sitemap, if it is ours, then the others by name.

    A file has our mark, and our index names it or it has a name of our shape. A text sitemap has
    no mark: the main sitemap names it.
    """
    output = site.found.output
    stem = main.removesuffix(".xml")
    shards = _shards_of(re.escape(stem), site)
    named = [main]
    names: list[str] = []
    if main in marked:
        named += names_in(output, main)
        texts = [stem + ending for ending in text_endings(contents(output, main, MAX_BYTES))]
        names += [name for name in texts if os.path.isfile(os.path.join(output, name))]
    for name in marked:
        plain = name.removesuffix(".gz")
        if name in named or plain in named or shards.fullmatch(plain):
            names.append(name)
    return tuple(sorted(names, key=lambda name: (name != main, name)))


def _in_output(before: Before, site: Site, run: Run) -> Before:
    """The sitemap in the output; where none of ours is, the listed pages of the ledger."""
    output, rows = site.found.output, before.rows or {}
    path = os.path.join(output, before.name)
    is_ours = before.name in before.files
    if not is_ours and any(row.place != UNLISTED for row in rows.values()):
        entries = partial(_entries_of_rows, rows, site)
        return before._replace(label="the ledger", is_ours=True, entries=entries)
    if not os.path.isfile(path):
        return before
    entries = partial(read_here, output, before.name)
    return before._replace(label=shown_path(path, run.cwd), is_ours=is_ours, entries=entries)


def _entries(data: bytes) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap; of our index, those of other builds are left out."""
    ours, mark, _ = unpack(data).partition(OTHERS)
    yield from read_sitemap(ours + INDEX_END if mark else data)


def names_in(folder: str, main: str) -> list[str]:
    """The file names in an index in a folder, up to a damaged place; none of another sitemap."""
    names: list[str] = []
    with suppress(SitemapFault):
        for entry in _entries(contents(folder, main, MAX_BYTES)):
            if not entry.is_sitemap:
                break
            names.append(_name_of(entry.loc))
    return names


def _name_of(url: str) -> str:
    return unquote(url).rpartition("/")[2]


def read_here(folder: str, main: str, without: Container[str] = ()) -> Iterator[SitemapEntry]:
    """Yields the URLs of a sitemap in the output and of its parts there, except those `without`.

    Of a damaged file, the URLs before the damage.
    """
    for name in dict.fromkeys(names_in(folder, main) or [main]):
        if name in without:
            continue
        with suppress(SitemapFault):
            for entry in read_sitemap(contents(folder, name, MAX_BYTES)):
                if not entry.is_sitemap:
                    yield entry


# --- The ledger


def _read_ledger(site: Site, run: Run) -> dict[str, Row] | None:
    """The rows of the ledger, None without one. One that is published may be only on the host."""
    path = site.found.ledger
    if path is None:
        return None
    label = shown_path(path, run.cwd)
    data = _get(path, run) or None  # an empty one is none
    is_live = site.found.config.settings.previous == "live"
    if data is None and is_live and is_inside(path, site.found.output):
        label = site.base_url + site_path(os.path.relpath(path, site.found.output))
        try:
            return read_rows(_get(label, run) or b"", label)
        except SitemapperError as error:  # without the ledger, all dates would be lost
            raise SitemapperError(error.text, "use --ledger FILE with a copy of it") from None
    return read_rows(data or b"", label)


def _entries_of_rows(rows: Mapping[str, Row], site: Site) -> Iterator[SitemapEntry]:
    """Yields the listed pages of a ledger, as of a sitemap."""
    for path, row in rows.items():
        if row.place == UNLISTED:
            continue
        url = path
        if row.place:
            url = site.base_url + row.place.removeprefix("/")
        elif "://" not in path:
            url = site.base_url + usual_path(path, site.forms)
        date = row.lastmod if row.lastmod[:1].isdigit() else ""
        yield SitemapEntry(url, date)


# --- Elsewhere


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


def _read_whole(label: str, data: bytes, help: str = _ONCE) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap. Raises SitemapperError for an empty or a damaged one."""
    try:
        if not data.strip():
            raise SitemapFault("root", 1, "is empty")
        yield from _entries(data)
    except SitemapFault as fault:
        raise SitemapperError(f"{label}:{fault.line}: {fault.text}", help) from None


def _read_elsewhere(place: str, data: bytes, run: Run) -> Iterator[SitemapEntry]:
    """Yields the URLs of a sitemap at a path or a URL, and of its parts, if it is an index.

    Raises SitemapperError if it is damaged, or a part cannot be read.
    """
    label = shown_path(place, run.cwd)
    for entry in _read_whole(label, data):
        if not entry.is_sitemap:
            yield entry
            continue
        origin = origin_of(entry.loc)
        part = os.path.join(os.path.dirname(place), _name_of(entry.loc))
        if "://" in place:
            part = origin_of(place) + entry.loc.removeprefix(origin)
            if without_www(origin) != without_www(origin_of(place)):
                what = f"{label}: lists {entry.loc}, which is on another host"
                raise SitemapperError(what, _ONCE)
        part_label = shown_path(part, run.cwd)
        part_data = _get(part, run, _ONCE)
        if part_data is None:
            raise SitemapperError(f"{part_label}: does not exist, and {label} lists it", _ONCE)
        yield from _read_whole(part_label, part_data)


def read_others(site: Site, run: Run) -> list[tuple[str, str]]:
    """The sitemaps of other builds that the index is to name: (URL, newest date or "").

    Raises SitemapperError for one that is missing, damaged, an index, or not below the base URL.
    """
    result: dict[str, str] = {}
    help = "correct `others` under [sitemap]"
    for other in site.found.config.settings.sitemap.others:
        url = resolve(other, site.base_url) or ""
        if not url.startswith(site.base_url):
            raise SitemapperError(f"{other}: is not below {site.base_url}", help)
        path = os.path.join(site.found.output, unquote(url.removeprefix(site.base_url)))
        label = shown_path(path, run.cwd)
        data = _get(path, run, help)
        result[url] = ""
        if data is None and "://" in other:  # it may be on another machine
            continue
        if data is None:
            what = f"{label}: no such file, see `others` under [sitemap]"
            advice = "build it first, or list its URL if it is published from elsewhere"
            raise SitemapperError(what, advice)
        entries = list(_read_whole(label, data, help))
        if entries and entries[0].is_sitemap:
            what = f"{label}: is an index, and an index may not list another"
            raise SitemapperError(what, "list its sitemaps in `others`")
        result[url] = newest(one.lastmod for one in entries if moment(one.lastmod) is not None)
    return list(result.items())
