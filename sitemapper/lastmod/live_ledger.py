"""The ledger that a run reads: that of the site or, without one, a copy of the published one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from ..errors import NetworkError
from ..messages import Kind, Message
from ..site import Run, Site
from ..syntax.ledger_rows import live_row_count
from .ledger import LedgerFile, is_first_run, live_error

LARGEST = 1 << 30  # bytes of a live ledger
_DEADLINE = 15.0  # seconds that a build waits for the live ledger, redirects included


def local_ledger(site: Site, run: Run) -> LedgerFile | None:
    """The ledger file of a site and its name in messages. None if it is no source of dates."""
    if site.ledger is None:
        return None
    return LedgerFile(site.ledger, run.display(site.ledger))


@contextmanager
def open_ledger(site: Site, run: Run) -> Iterator[tuple[LedgerFile | None, tuple[Message, ...]]]:
    """Opens the ledger to read, None if there is none. Also yields notes for the user.

    - The local ledger exists, or no live one is to be read → the local one.
    - It is missing or empty, as on a new machine → a copy of the live one, deleted at the end.
    - The site answers that it has none → the local one, which is then written for the first time.

    Raises LedgerError for other answers, because without its ledger the site would lose dates.
    """
    local = local_ledger(site, run)
    if local is None or not site.has_live_ledger or run.no_live:
        yield local, ()
        return
    url = site.base_url + site.output.live_name
    if not is_first_run(local.path):
        yield local, (Message(Kind.LEDGER_IS_LOCAL, (local.label, url)),)
        return
    with TemporaryDirectory(prefix="sitemapper-", ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, site.output.live_name)
        if _download(url, copy, run):
            yield LedgerFile(copy, url, is_live=True), ()
        else:
            yield local, (Message(Kind.LEDGER_IS_NEW, (url,)),)


def _download(url: str, copy: str, run: Run) -> bool:
    """Copies the live ledger to the file `copy`. False if the site answers that there is none.

    It does so with 404 or 410. Raises LedgerError for all answers but these and 200, and for a copy
    that is not a whole ledger.
    """
    # Imported here: urllib3 is an extra.
    from ..net.client import Client

    client = Client(run.proxies, deadline=_DEADLINE)
    try:
        with open(copy, "wb") as file:
            status = client.download(url, file, LARGEST, run.headers)
    except NetworkError as error:
        raise live_error(url, str(error).removeprefix(f"{url}: ")) from error
    if status in (404, 410):
        return False
    if status != 200:
        raise live_error(url, f"answers {status}")
    _check(copy, url)
    return True


def _check(path: str, url: str) -> None:
    """Raises LedgerError if a file is not a published ledger, or not complete.

    Its first line promises the number of rows below it.
    """
    with open(path, "rb") as file:
        promised = live_row_count(file.readline(200))
        if promised is None:
            what = "is not a ledger, but perhaps the page that the host sends for missing files"
            raise live_error(url, what)
        rows = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    if rows != promised:
        raise live_error(url, f"is cut short: {rows:,} of {promised:,} pages")
