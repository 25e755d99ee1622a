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

# Lost URLs that are looked for elsewhere, as many as one sitemap lists. They are in memory, in some
# 15 MiB, and who moves more pages at once writes one rule for all of them.
_MAX_LOST = 50_000


def with_moved(
    gone: Collection[GoneUrl], plan: Plan, previous: Previous, rows: LedgerRows, observer: Observer
) -> Collection[GoneUrl]:
    """The same URLs, with the lost ones marked as moved whose content is at another URL now.

    `/old` is lost, and `/new` has its content → `/old` has moved to `/new`, with the line that
    redirects it on the site's host. The observer gets these redirects, too. `rows` are those of the
    ledger that the run writes. A URL that is lost because its redirect leads nowhere stays lost.
    """
    lost = (one.url for one in gone if one.fate is Fate.LOST and one.origin is None)
    new_url_by_url = find_moved(set(islice(lost, _MAX_LOST)), previous, rows)
    if not new_url_by_url:
        return gone
    origin = Origin(plan.ledger.label if plan.ledger else "ledger", None, "the same content")
    writer = redirect_writer(plan.policy.host, plan.site.base_url)
    redirects = []
    with_moved: LongList[GoneUrl] = LongList()
    for one in gone:
        new_url = new_url_by_url.get(one.url)
        if not new_url:
            with_moved.append(one)
            continue
        redirect = Redirect(one.url, new_url)
        redirects.append(redirect)
        remedy = writer.remedy(redirect)
        with_moved.append(GoneUrl(one.url, Fate.MOVED, new_url, origin=origin, remedy=remedy))
    observer.moved(writer, redirects)
    return with_moved


def find_moved(lost: Collection[str], previous: Previous, rows: LedgerRows) -> Mapping[str, str]:
    """The new URLs of the lost URLs whose content is at another URL now, by the old URLs.

    Contents are compared by their digests in the old ledger and in the new one. A page has moved
    only if no other page had its content before, and one page has it now. This page must not have
    been listed before, because then it was a copy.
    """
    digest_by_lost_url = {}
    for row in previous.ledger_rows():
        url = rows.url(row)
        if url in lost and _digest_of(row) != NO_DIGEST.encode():
            digest_by_lost_url[url] = _digest_of(row)
    unique_before = _find_unique(set(digest_by_lost_url.values()), previous.all_ledger_rows())
    unique_in_both = _find_unique(unique_before, rows.all_rows())
    if not unique_in_both:
        return {}
    new_url_by_digest = {
        _digest_of(row): rows.url(row)
        for row in listed_rows(rows.all_rows())
        if _digest_of(row) in unique_in_both
    }
    listed_before = _find_listed_before(set(new_url_by_digest.values()), previous, rows)
    moved = {}
    for lost_url, digest in digest_by_lost_url.items():
        new_url = new_url_by_digest.get(digest)
        if new_url and new_url not in listed_before:
            moved[lost_url] = new_url
    return moved


def _find_unique(digests: Collection[bytes], rows: Iterable[bytes]) -> set[bytes]:
    """The digests that exactly one row of a ledger has, of the given ones."""
    counts = Counter(filter(digests.__contains__, map(_digest_of, rows)))
    return {digest for digest, count in counts.items() if count == 1}


def _digest_of(row: bytes) -> bytes:
    """The digest in a row of a ledger, its third column: `a.html TAB 2026-03-01 TAB 3f0c-…`.

    "" for a line that is no row, such as the first one of a live ledger.
    """
    columns = row.split(b"\t", 3)
    return columns[2] if len(columns) > 2 else b""


def _find_listed_before(urls: set[str], previous: Previous, rows: LedgerRows) -> set[str]:
    """The URLs, of the given ones, that the earlier sitemap or else the old ledger lists."""
    if not previous.has_main:
        return urls.intersection(map(rows.url, previous.ledger_rows()))
    return urls.intersection(parse_row(row)[0] for row in previous.all_rows())
