"""Lost URLs whose content is at another URL now, by the digests of the ledger."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from ..hosts.redirect_lines import Redirect, redirect_writer
from ..long_list import LongList
from ..model import Fate, GoneUrl, Origin
from ..observer import Observer
from ..plan import Plan
from ..read.sitemap import parse_row
from ..syntax.ledger_rows import NO_DIGEST, listed_rows
from .changes import LedgerRows
from .previous import Previous

# Lost URLs that may have moved, as many as one sitemap lists. They are in memory, in some 15 MiB,
# and who moves more pages at once writes one rule for all of them.
_MOST = 50_000


def with_moved(
    gone: Collection[GoneUrl], plan: Plan, previous: Previous, rows: LedgerRows, observer: Observer
) -> Collection[GoneUrl]:
    """The same URLs, of which those have moved whose content is at another URL now.

    These get what would redirect them, and so does the observer. `rows` are those of the ledger
    that the run writes.
    """
    lost = (one.url for one in gone if one.fate is Fate.LOST and one.origin is None)
    new_url_by_url = find_moved(set(islice(lost, _MOST)), previous, rows)
    if not new_url_by_url:
        return gone
    origin = Origin(plan.ledger.label if plan.ledger else "ledger", None, "the same content")
    writer = redirect_writer(plan.policy.host, plan.site.base_url)
    redirects = []
    with_moved: LongList[GoneUrl] = LongList()
    for one in gone:
        new_url = new_url_by_url.get(one.url)
        if new_url:
            redirect = Redirect(one.url, new_url)
            redirects.append(redirect)
            one = GoneUrl(
                one.url, Fate.MOVED, new_url, origin=origin, remedy=writer.remedy(redirect)
            )
        with_moved.append(one)
    observer.moved(writer, redirects)
    return with_moved


def find_moved(lost: Collection[str], previous: Previous, rows: LedgerRows) -> Mapping[str, str]:
    """The new URLs of those of the lost URLs whose content is at another URL now.

    Only one page had the content before, and only one has it now. This page was not listed before.
    """
    digest_by_url = {}
    for row in previous.ledger_rows():
        url = rows.url(row)
        if url in lost and _digest(row) != NO_DIGEST.encode():
            digest_by_url[url] = _digest(row)
    digests = _unique(set(digest_by_url.values()), previous.all_ledger_rows())
    digests = _unique(digests, rows.all_rows())
    if not digests:
        return {}
    url_by_digest = {
        _digest(row): rows.url(row)
        for row in listed_rows(rows.all_rows())
        if _digest(row) in digests
    }
    listed_before = _listed_before(set(url_by_digest.values()), previous, rows)
    moved = {}
    for url, digest in digest_by_url.items():
        new_url = url_by_digest.get(digest)
        if new_url and new_url not in listed_before:
            moved[url] = new_url
    return moved


def _unique(digests: Collection[bytes], rows: Iterable[bytes]) -> set[bytes]:
    """Those of the digests that exactly one row has."""
    counts = Counter(filter(digests.__contains__, map(_digest, rows)))
    return {digest for digest, count in counts.items() if count == 1}


def _digest(row: bytes) -> bytes:
    """The digest of a row, "" for a line that is no row, such as the first one of a live ledger."""
    columns = row.split(b"\t", 3)
    return columns[2] if len(columns) > 2 else b""


def _listed_before(urls: set[str], previous: Previous, rows: LedgerRows) -> set[str]:
    """Those of the URLs that were listed before."""
    if not previous.has_main:
        return urls.intersection(map(rows.url, previous.ledger_rows()))
    return urls.intersection(parse_row(row)[0] for row in previous.all_rows())
