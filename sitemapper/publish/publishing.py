"""How a run publishes: what it locks and reads of the output before the first page."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from urllib.parse import urljoin

from ..errors import ConfigError, PublishError
from ..fs import relative, shown_path
from ..lastmod.ledger import LedgerFile, open_ledger
from ..messages import Message
from ..model import LastMod
from ..protocol import SITEMAPINDEX
from ..read import sitemap
from ..read.sitemap_xml import FileError
from ..read.walk import check_root
from ..site import Output, Run, Site
from ..syntax.dates import moment
from ..syntax.urls import relative_path, resolve
from .formats import DatedSitemap
from .published import Previous, find_previous
from .write import Locks, lock_output, os_errors_as_publish_error

_ADVICE_IF_MISSING = "build it first, or list its URL if it is published from elsewhere"
_ADVICE_IF_DAMAGED = "correct this sitemap or build it again, or remove it from `others`"
_ADVICE_IF_OUTSIDE = (
    "build that sitemap for this base_url, or move it from `others` to its own host's robots.txt"
)


class Publishing(NamedTuple):
    """How a run publishes, and what it found in the output before the first page.

    `others` are sitemaps of other tools for the index. `previous` is what was published before, and
    `ledger` the one to read, None without one. `notes` are about these two. A dry run has no locks.
    """

    run: Run
    is_dry: bool
    locks: Locks
    others: Sequence[DatedSitemap]
    ledger: LedgerFile | None
    previous: Previous
    notes: Sequence[Message]


@contextmanager
def open_publishing(site: Site, run: Run, source: str, *, is_dry: bool) -> Iterator[Publishing]:
    """Locks the output during the block, and reads what a run needs to know before it starts.

    Reads the sitemaps that the setting `others` names, opens the ledger, and finds the earlier
    sitemap. `source` says where the earlier sitemap is, as the setting `previous` does: "live" on
    the site's host, "output" in the output folder.

    At the end of the block, all files are closed, and the output is unlocked. A dry run locks
    nothing. Raises SitemapperError if the run could not publish.
    """
    check_root(site.root, site.label)
    _check_output(site)
    with ExitStack() as stack:
        # The `yield` is outside of this block, because an OSError in the caller's code may be about
        # a file that is not in the output.
        with os_errors_as_publish_error(site.output):
            locks = Locks()
            if not is_dry:
                # Lock first, and then read. A run may have to wait here for another one, which
                # writes the files that are read below.
                locks = stack.enter_context(lock_output(site, run))
            others: dict[str, LastMod | None] = {}
            for other in site.output.options.others:
                others |= _read_other(other, site.output, run)
            ledger, ledger_notes = stack.enter_context(open_ledger(site, run))
            opening = find_previous(source, site, run, ledger.path if ledger else None)
            previous = stack.enter_context(opening)
        yield Publishing(
            run=run,
            is_dry=is_dry,
            locks=locks,
            others=list(others.items()),
            ledger=ledger,
            previous=previous,
            notes=[*ledger_notes, *previous.notes],
        )


def _check_output(site: Site) -> None:
    """Raises an error if a run could not publish to the output, before anything is read.

    Raises PublishError if there is no folder for the ledger. Raises ConfigError if the sitemap is
    in a folder of the site, such as `maps/`. A sitemap may list only URLs of its own folder and
    below (sitemaps.org, sitemap file location), so one in `maps/` may not list `/a.html`.

    An output outside of the site's folder is not checked, because nothing shows at which URL it
    will be served.
    """
    ledger_folder = os.path.dirname(site.ledger) if site.ledger else ""
    if ledger_folder and not os.path.isdir(ledger_folder):
        raise PublishError(
            f"{ledger_folder}: is not a folder", "create it, or change [ledger] path or --ledger"
        )
    output_in_site = relative(os.path.realpath(site.output.folder), os.path.realpath(site.root))
    path = output_in_site.replace(os.sep, "/")
    is_outside = path.startswith("..") or os.path.isabs(path)  # absolute on another drive
    if path == "." or is_outside:  # "." is the site's own folder
        return
    place = urljoin(site.output.base_url, path) + "/"
    raise ConfigError(
        f"output: a sitemap in {path}/ may only list URLs below {place} (sitemaps.org, sitemap "
        "file location)",
        "write it to the site's own folder; a Sitemap: line in robots.txt lifts this limit, but "
        "not for every crawler",
    )


def path_of_other(other: str, output: Output) -> str:
    """Finds the path in the output of a sitemap that the user has named in the setting `others`.

    It is the sitemap of another tool. With the base URL `https://a.example/`, `news.xml` and
    `https://a.example/news.xml?v=2` → `news.xml`, without the query, which no file has in its name.
    "" for a sitemap on another host.
    """
    url = resolve(other, output.base_url) or ""
    url_without_query = url.partition("?")[0]
    return relative_path(url_without_query, output.base_url) or ""


def _read_other(other: str, output: Output, run: Run) -> dict[str, LastMod | None]:
    """Reads another tool's sitemap that our index is to name: `{its URL: its newest date}`.

    `other` is an item of the setting `others`, the name of a file in the output, or a URL:

    `news.xml`, with dates of 1 and 9 March    → `{https://a.example/news.xml: 9 March}`
    an index that names `a.xml` without a date → `{https://a.example/a.xml: None}`
    a URL for which the output has no file     → `{this URL: None}`

    Raises ConfigError if a file is missing or damaged, or if a sitemap is not below the base URL.
    """
    url = resolve(other, output.base_url) or ""
    # For a URL on another host, the path is "", and this is the output folder, which is no file.
    file = os.path.join(output.folder, *path_of_other(other, output).split("/"))
    name = shown_path(file, run.cwd)  # in messages
    if not os.path.isfile(file):
        is_url = "://" in other
        if is_url:  # the file may be on another machine
            return {url: None}
        what = f"{name}: no such file, see `others` under [sitemap]"
        raise ConfigError(what, _ADVICE_IF_MISSING)
    try:
        with open(file, "rb") as opened:
            blocks = sitemap.uncompressed(opened, is_gz=file.lower().endswith(".gz"))
            newest = _find_newest_dates(sitemap.entries(blocks), url, output.base_url, name)
    except FileError as error:
        what = f"{name}:{error.line}: {error.text}"
        raise ConfigError(what, _ADVICE_IF_DAMAGED) from None
    return newest or {url: None}  # a sitemap without entries


def _find_newest_dates(
    entries: Iterable[sitemap.Entry], url: str, base_url: str, name: str
) -> dict[str, LastMod | None]:
    """Finds the sitemaps in another tool's file at `url`, with their newest dates: `{URL: date}`.

    - A sitemap → its own URL, with the newest date of its pages.
    - An index → each sitemap that it names, with its date there. Our index will name these, because
      an index may not name another one.

    The date is None if there is none. `entries` are what the file lists, and `name` is what
    messages call it. Raises ConfigError if a sitemap is not below the base URL.
    """
    newest: dict[str, LastMod | None] = {}
    for entry in entries:
        is_sitemap_in_index = entry.root == SITEMAPINDEX  # any other entry is a page in a sitemap
        loc = entry.loc if is_sitemap_in_index else url
        sitemap_url = resolve(loc, url) if loc else None
        if sitemap_url is None or not sitemap_url.startswith(base_url):
            what = f"{name}:{entry.line}: {loc!r} is not below {base_url}"
            raise ConfigError(what, _ADVICE_IF_OUTSIDE)
        seconds = moment(entry.lastmod)
        date = None if seconds is None else LastMod(seconds, entry.lastmod)
        newest_so_far = newest.setdefault(sitemap_url, date)
        if newest_so_far is None or (date and date > newest_so_far):
            newest[sitemap_url] = date
    return newest
