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
    """Marks lost URLs as moved if their content is at another URL now, and returns all URLs.

    `/old` is lost, and `/new` has its content → `/old` has moved to `/new`, with the line that
    redirects it on the site's host. Other URLs of `gone` come back unchanged. The observer gets the
    redirects, too. `rows` are those of the ledger that the run writes.
    """
    # A lost URL with an origin has a redirect that leads nowhere: that has to be corrected first.
    lost = (one.url for one in gone if one.fate is Fate.LOST and one.origin is None)
    new_url_by_url = find_moved(set(islice(lost, _MAX_LOST)), previous, rows)
    if not new_url_by_url:
        return gone
    # What the result names as its reason, for all moved URLs.
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
    """Finds the lost URLs whose content is at another URL now: `{lost URL: new URL}`.

    Contents are compared by their digests in the old ledger, `previous`, and in the new one,
    `rows`. `/old` has moved to `/new` only if all of these are true:

    - In the old ledger, `/old` is the only page with its digest.
    - In the new ledger, `/new` is the only page with this digest, and it is listed.
    - `/new` was not listed before. Otherwise, it was a page of its own, and not `/old` moved.
    """
    # The digests of the lost pages.
    digest_by_lost_url = {}
    for row in previous.ledger_rows():
        url = rows.url(row)
        if url in lost and _digest_of(row) != NO_DIGEST.encode():
            digest_by_lost_url[url] = _digest_of(row)
    # Only digests that one page has can show where it is now.
    unique_before = _find_unique(set(digest_by_lost_url.values()), previous.all_ledger_rows())
    unique_in_both = _find_unique(unique_before, rows.all_rows())
    if not unique_in_both:
        return {}
    # The listed pages that have these digests now.
    new_url_by_digest = {
        _digest_of(row): rows.url(row)
        for row in listed_rows(rows.all_rows())
        if _digest_of(row) in unique_in_both
    }
    # Leave out those that were listed before.
    listed_before = _find_listed_before(set(new_url_by_digest.values()), previous, rows)
    moved = {}
    for lost_url, digest in digest_by_lost_url.items():
        new_url = new_url_by_digest.get(digest)
        if new_url and new_url not in listed_before:
            moved[lost_url] = new_url
    return moved


def _find_unique(digests: Collection[bytes], rows: Iterable[bytes]) -> set[bytes]:
    """Finds which of the given digests exactly one row of a ledger has.

    Digests `{d, e}` and rows with the digests d, e, e, f → `{d}`.
    """
    counts = Counter(filter(digests.__contains__, map(_digest_of, rows)))
    return {digest for digest, count in counts.items() if count == 1}


def _digest_of(row: bytes) -> bytes:
    """Reads the digest from a row of a ledger: `a.html TAB 2026-03-01 TAB 3f0c-…` → `3f0c-…`.

    "" for a line that is no row, such as the first one of a live ledger.
    """
    columns = row.split(b"\t", 3)
    return columns[2] if len(columns) > 2 else b""


def _find_listed_before(urls: set[str], previous: Previous, rows: LedgerRows) -> set[str]:
    """Finds which of the given URLs were listed before.

    The earlier sitemap says so or, if there is none, the old ledger.
    """
    if not previous.has_main:
        return urls.intersection(map(rows.url, previous.ledger_rows()))
    return urls.intersection(parse_row(row)[0] for row in previous.all_rows())
