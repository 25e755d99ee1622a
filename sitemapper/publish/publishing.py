"""How a run publishes: what it locks and reads of the output before the first page."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from urllib.parse import urljoin

from ..errors import ConfigError, PublishError, with_help
from ..fs import relative
from ..lastmod.ledger import LedgerFile
from ..lastmod.live_ledger import open_ledger
from ..messages import Message
from ..read.walk import check_root
from ..site import Output, Run, Site
from .foreign import read_others
from .formats import DatedSitemap
from .lock import Locks, lock_output
from .previous import Previous, find_previous
from .write import os_errors_as_publish_error


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

    That is the setting `others`, the ledger, and the earlier sitemap, which `source` names as the
    key `previous` does. A dry run locks nothing. Raises SitemapperError if the run could not
    publish.
    """
    _check_output(site)
    with ExitStack() as stack:
        with os_errors_as_publish_error(site.output):
            locks = Locks()
            if not is_dry:
                # Before anything is read: an older run must not publish over a newer one.
                locks = stack.enter_context(lock_output(site, run))
            others = read_others(site.output, run.cwd)
            ledger, ledger_notes = stack.enter_context(open_ledger(site, run))
            opening = find_previous(source, site, run, ledger.path if ledger else None)
            previous, previous_notes = stack.enter_context(opening)
        yield Publishing(
            run=run,
            is_dry=is_dry,
            locks=locks,
            others=others,
            ledger=ledger,
            previous=previous,
            notes=[*ledger_notes, *previous_notes],
        )


def _check_output(site: Site) -> None:
    """Raises an error if a run could not publish, before anything is read.

    SiteError if there is no such site, ConfigError if a sitemap in the output's folder may not list
    its URLs, and PublishError if there is no folder for the ledger.
    """
    check_root(site.root, site.label)
    _check_scope(site.output, site.root)
    _check_ledger_folder(site.ledger)


def _check_ledger_folder(ledger: str | None) -> None:
    """Raises PublishError if there is no folder for the ledger."""
    folder = os.path.dirname(ledger) if ledger else ""
    if folder and not os.path.isdir(folder):
        raise PublishError(
            f"{folder}: is not a folder", "create it, or change [ledger] path or --ledger"
        )


def _check_scope(output: Output, root: str) -> None:
    """Raises ConfigError if the sitemap may not list the site's URLs.

    It may list only URLs of its own folder and below (sitemaps.org, sitemap file location). A
    sitemap in `maps/` of the site may not list `/a.html`. One outside of the site's folder is not
    checked, because nothing shows where it is served.
    """
    output_in_site = relative(os.path.realpath(output.folder), os.path.realpath(root))
    path = output_in_site.replace(os.sep, "/")
    is_outside = path.startswith("..") or os.path.isabs(path)  # absolute on another drive
    if path == "." or is_outside:
        return
    place = urljoin(output.base_url, path) + "/"
    error = with_help(
        f"output: a sitemap in {path}/ is served below {place} and may list only URLs there "
        "(sitemaps.org, sitemap file location)",
        "write it to the site's own folder; only a Sitemap: line in robots.txt may cross that "
        "border, and not every crawler follows it",
    )
    raise ConfigError((error,))
