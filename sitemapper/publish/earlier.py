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
    """Finds the sitemap with which this run is compared, and reads the ledger.

    The setting `previous` says where the sitemap is: in the "output", at the site ("live"), at a
    path or a URL, or nowhere ("none"). Its entries are read later, if they are needed.

    Raises SitemapperError if a sitemap that `previous` names is damaged or cannot be reached, for a
    ledger with errors, and for an output whose sitemap could not list the site.
    """
    output, previous = site.found.output, site.found.config.settings.previous
    _check_scope(site)

    # Find which files in the output are ours, so that a build may replace or remove them. A marked
    # file begins with our comment. The parts are the sitemaps that an index names.
    marked = _marked_files(output)
    name = _main_name(site, marked)
    parts = _names_in(contents(output, name, MAX_BYTES)) or [name]
    files = _files_of(name, parts, marked, site)
    rows = _read_ledger(site, run)
    before = Before(name, files=files, rows=rows)
    if previous == "none":
        return before

    # Compare with the sitemap in the output. If a build has emptied the output, the rows of the
    # ledger still say which pages were listed.
    if previous == "output" and rows and name not in files:
        entries = partial(_entries_of_rows, rows, site)
        return before._replace(label="the ledger", is_ours=True, entries=entries)
    if previous == "output":
        path = os.path.join(output, name)
        label = shown_path(path, run.cwd) if os.path.isfile(path) else ""
        entries = partial(_read_in_output, output, parts)
        return before._replace(label=label, is_ours=name in files, entries=entries)

    # Compare with a sitemap elsewhere: the live one, or the file or URL that the setting names.
    # It is read now, so that a URL that cannot be reached stops the run early.
    path_or_url = site.base_url + name if previous == "live" else previous
    data = _get(path_or_url, run, _ONCE)
    if data is None and previous == "live":  # the host has no sitemap yet
        return before
    entries = partial(_read_elsewhere, path_or_url, data, run)
    return before._replace(label=shown_path(path_or_url, run.cwd), is_ours=True, entries=entries)


def _check_scope(site: Site) -> None:
    """Raises SitemapperError if the sitemap would be written to a folder of the site, `blog/`.

    By the protocol, a sitemap there may only list the URLs below `https://a.example/blog/`.
    """
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
    """Lists the XML files in the output that sitemapper wrote, by their names, sorted.

    It begins each of its files with a comment, by which it knows them again.
    """
    marked: list[str] = []
    names = sorted(os.listdir(output)) if os.path.isdir(output) else []
    for name in names:
        path = os.path.join(output, name)
        if not name.endswith((".xml", ".xml.gz")) or os.path.islink(path):
            continue
        with suppress(OSError):  # a file that cannot be read is taken to be somebody else's
            if is_marked(read_regular(path, START) or b""):
                marked.append(name)
    return marked


def _shard_names(stem: str, site: Site) -> re.Pattern[str]:
    """Makes a pattern for the names of the sitemaps that an index lists, its shards.

    With the stem `sitemap`, these are `sitemap-2.xml`, `sitemap-blog.xml` and
    `sitemap-blog-2.xml`, if `[[sitemaps]]` has the section `blog`. `stem` is a pattern itself.
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
    """Chooses the name of the main sitemap, so that crawlers find it where they look already.

    That is the first of these that there is: the setting, our sitemap in the output, a sitemap to
    which the home page, robots.txt or the generator leads, and `sitemap.xml`. `marked` are the
    names of our files in the output.
    """
    config, output = site.found.config, site.found.output
    options = config.settings.sitemap
    shards = _shard_names(".+", site)
    our_mains = [name for name in marked if name.endswith(".xml") and not shards.fullmatch(name)]
    if config.origin("sitemap.name") or options.name in our_mains:
        return options.name
    if our_mains:
        # The shards of a section that is not set any more are among them, with longer names.
        return min(our_mains, key=len)

    # We have written none yet, so another tool may have. A name of the `others` is not free.
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
    """Finds the sitemap to which the home page links: `<link rel=sitemap href=/map.xml>` → map.xml.

    "" without such a link, or if it leads to another site.
    """
    link = _SITEMAP_LINK.search(contents(site.found.folder, "index.html"))
    if link is None:
        return ""
    url = resolve(link[1].decode("utf-8", "replace"), site.base_url) or ""
    return url.removeprefix(site.base_url) if url.startswith(site.base_url) else ""


def _files_of(main: str, parts: Sequence[str], marked: Sequence[str], site: Site) -> list[str]:
    """Lists the files in the output that sitemapper wrote, so that a build may remove them.

    A file is ours if it has our mark and the name of a shard, such as `sitemap-2.xml`, or if our
    main sitemap names it. A text sitemap can have no mark, so only the main sitemap shows that it
    is ours. `parts` are the names in the main sitemap, if that is an index.
    """
    output = site.found.output
    stem = main.removesuffix(".xml")
    shards = _shard_names(re.escape(stem), site)
    files = [name for name in marked if shards.fullmatch(name.removesuffix(".gz"))]
    if main in marked:
        endings = text_endings(contents(output, main, MAX_BYTES))
        names = [main, *parts, *(stem + ending for ending in endings)]
        names += [f"{name}.gz" for name in names]
        files += [name for name in names if os.path.isfile(os.path.join(output, name))]
    return list(dict.fromkeys(files))  # each name once, in this order


def _entries(data: bytes) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap, or of an index without the sitemaps of other builds.

    These sitemaps come from the setting `others`, and this run neither wrote nor replaces them.
    """
    # Cut the index at the comment that stands before them, and close it again.
    ours, comment, _ = unpack(data).partition(OTHERS)  # others follow this comment
    yield from read_sitemap(ours + INDEX_END if comment else data)


def _names_in(index: bytes) -> list[str]:
    """Lists the file names of the sitemaps in an index, such as `sitemap-1.xml`.

    [] for a sitemap that is no index. Of a damaged index, those before the damage.
    """
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


def _read_in_output(folder: str, names: Sequence[str]) -> Iterator[SitemapEntry]:
    """Yields the pages that some sitemaps in the output list.

    `names` are those of the files. Of a damaged one, the pages before the damage are yielded.
    """
    for name in names:
        with suppress(SitemapFault):
            for entry in read_sitemap(contents(folder, name, MAX_BYTES)):
                if not entry.is_sitemap:
                    yield entry


# --- Files of other tools


def may_be_replaced(site: Site, name: str) -> bool:
    """Whether our sitemap may replace a file that another tool wrote, because nothing is lost.

    The file must be a sitemap of this host, and each build must make it again. Otherwise, it may be
    somebody's only copy.
    """
    output, project = site.found.output, site.found.project
    # Some URLs may be elsewhere: a generator's sitemap can list a shop or a status page.
    if _share_below(origin_of(site.base_url) + "/", site, name) < 0.9:
        return False
    if project and name in project.sitemaps:  # the generator is known to write it
        return True
    # What git does not track in a repository is made by a build. Outside of one, git has no answer.
    return git.output(output, "ls-files", "-z", "--", name) == ""


def removable_parts(site: Site, before: Before) -> list[str]:
    """Lists the files that nobody needs when our sitemap replaces an index of another tool.

    These are the sitemaps that its index names, such as `sitemap-0.xml`, and its packed copy
    `sitemap.xml.gz`. A file is kept if it is ours, if `others` names it, or if one of its URLs is
    outside of the site.
    """
    kept = (before.name, *before.files, *site.found.config.settings.sitemap.others)
    named_by_index = _names_in(contents(site.found.output, before.name, MAX_BYTES))
    parts = [name for name in (*named_by_index, f"{before.name}.gz") if name not in kept]
    return [name for name in parts if _share_below(site.base_url, site, name) == 1]


def _share_below(base_url: str, site: Site, name: str) -> float:
    """Says how many of a sitemap's URLs are below a base URL, from 0 for none to 1 for all.

    0 for a file that is no sitemap. `name` is that of a file in the output.
    """
    base = without_www(base_url)
    try:
        urls = [entry.loc for entry in read_sitemap(contents(site.found.output, name, MAX_BYTES))]
    except SitemapFault:
        return 0
    # The slash lets `https://a.example` count as below `https://a.example/`.
    below = [url for url in urls if without_www(f"{url}/").startswith(base)]
    return len(below) / len(urls) if urls else 0


# --- The ledger


def _read_ledger(site: Site, run: Run) -> dict[str, Row] | None:
    """Reads the rows of the ledger by the paths of their pages, None if the site has no ledger.

    `public/sitemapper.ledger` has the row of `tea/index.html`, for example.
    """
    path, output = site.found.ledger, site.found.output
    if path is None:
        return None
    label = shown_path(path, run.cwd)
    data = _get(path, run)
    # A ledger in the output is published with the site. Where the output is made anew for each
    # build, `previous = "live"` brings it back from there.
    if not data and site.found.config.settings.previous == "live" and is_inside(path, output):
        label = site.base_url + site_path(os.path.relpath(path, output))
        data = _get(label, run, "use --ledger FILE with a copy of it")
    return read_rows(data or b"", label)


def _entries_of_rows(rows: Mapping[str, Row], site: Site) -> Iterator[SitemapEntry]:
    """Yields the pages that a ledger says were listed, as entries of a sitemap.

    The row of `tea/index.html` gives the entry of `https://a.example/tea/`.
    """
    for path, row in rows.items():
        if row.place == UNLISTED:
            continue
        if row.place:  # "/b": the page was listed at another URL than its usual one
            url = site.base_url + row.place.removeprefix("/")
        elif "://" in path:  # an entry of `[[urls]]`, which has its URL as the path
            url = path
        else:
            url = site.base_url + usual_path(path, site.forms)
        has_date = row.lastmod[:1].isdigit()  # neither `-` nor `>2026-03-01`
        date = row.lastmod if has_date else ""
        yield SitemapEntry(url, date)


# --- Sitemaps elsewhere


def _get(path_or_url: str, run: Run, help: str = "") -> bytes | None:
    """Reads a file, or requests a URL; None if it is not there.

    Raises SitemapperError if it cannot be read. `help` is what the error tells people to do.
    """
    try:
        if "://" not in path_or_url:
            return read_regular(path_or_url)
        from ..net import Client  # only here, because it loads urllib3

        return Client(run.environment).download(path_or_url)
    except OSError as error:
        what = f"{shown_path(path_or_url, run.cwd)}: cannot be read: {error.strerror}"
        raise SitemapperError(what, help) from None
    except SitemapperError as error:
        raise SitemapperError(error.text, help) from None


def _read_or_raise(label: str, data: bytes | None, help: str = _ONCE) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap that somebody named, so that it must be whole.

    Raises SitemapperError if it is missing (`data` is None), empty or damaged. `label` is its name
    in the message, and `help` what people are told to do.
    """
    if data is None:
        raise SitemapperError(f"{label}: does not exist", help)
    if not data.strip():
        raise SitemapperError(f"{label}:1: is empty", help)
    try:
        yield from _entries(data)
    except SitemapFault as fault:
        raise SitemapperError(f"{label}:{fault.line}: {fault.text}", help) from None


def _read_elsewhere(path_or_url: str, data: bytes | None, run: Run) -> Iterator[SitemapEntry]:
    """Yields the pages of a sitemap outside of the output, or of all sitemaps that an index names.

    It may be a copy, `backup/sitemap.xml`, or the live one, `https://a.example/sitemap.xml`. `data`
    are its bytes, None if it is missing. Raises SitemapperError if one of the sitemaps is missing,
    damaged or cannot be read.
    """
    for entry in _read_or_raise(shown_path(path_or_url, run.cwd), data):
        if not entry.is_sitemap:
            yield entry
            continue

        # This entry is a part: a sitemap that the index names. The index may be a copy, or be at a
        # preview that names the live host. So a part is read from the place of the index: in the
        # same folder for a file, or at the same path on the host of the index for a URL.
        part = os.path.join(os.path.dirname(path_or_url), _name_of(entry.loc))
        if "://" in path_or_url:
            part = origin_of(path_or_url) + entry.loc.removeprefix(origin_of(entry.loc))
        yield from _read_or_raise(shown_path(part, run.cwd), _get(part, run, _ONCE))


def read_others(site: Site, run: Run) -> list[tuple[str, str]]:
    """Reads the sitemaps of other builds that `others` names, for our index to name them as well.

    Returns pairs of a URL and the newest date there: ("https://a.example/blog.xml", "2026-03-01"),
    or "" without a date. Raises SitemapperError for a sitemap that is missing, damaged, an index,
    or not below the base URL.
    """
    urls_with_dates: list[tuple[str, str]] = []
    help = "build it first, or correct `others` under [sitemap]"
    for other in site.found.config.settings.sitemap.others:
        url = resolve(other, site.base_url) or ""
        if not url.startswith(site.base_url):
            raise SitemapperError(f"{other}: is not below {site.base_url}", help)
        path = os.path.join(site.found.output, unquote(url.removeprefix(site.base_url)))
        data = _get(path, run, help)
        if data is None and "://" in other:  # it may be on another machine
            urls_with_dates.append((url, ""))
            continue
        label = shown_path(path, run.cwd)
        entries = list(_read_or_raise(label, data, help))
        if entries and entries[0].is_sitemap:
            what = f"{label}: is an index, and an index may not list another"
            raise SitemapperError(what, "list its sitemaps in `others`")
        dates = [entry.lastmod for entry in entries if moment(entry.lastmod)]
        urls_with_dates.append((url, newest(dates)))
    return urls_with_dates
