"""Which URLs' content is at another URL now, by the digests of the ledger."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..read.sitemap import parse_row
from ..syntax.ledger_rows import NO_DIGEST, listed_rows
from .changes import LedgerRows
from .previous import Previous


def find_moved(urls: Sequence[str], previous: Previous, rows: LedgerRows) -> dict[str, str]:
    """The new URLs of those of `urls` whose content is at another URL now.

    Only one page had the content before, and only one has it now. This page was not listed before.
    `rows` are those of the ledger that the run writes.
    """
    digest_by_url = _digests_of(urls, previous, rows)
    digests = set(digest_by_url.values())
    unique = _unique(digests, previous.all_ledger_rows())
    if not unique:
        return {}
    new_rows = list(_with_digest(unique, rows.all_rows()))
    unique_now = _unique(unique, new_rows)
    url_by_digest = {
        _digest(row): rows.url(row) for row in listed_rows(new_rows) if _digest(row) in unique_now
    }
    known = _listed_before(url_by_digest.values(), previous, rows)
    moved = {}
    for url, digest in digest_by_url.items():
        new_url = url_by_digest.get(digest)
        if new_url and new_url not in known:
            moved[url] = new_url
    return moved


def _digests_of(urls: Collection[str], previous: Previous, rows: LedgerRows) -> Mapping[str, bytes]:
    """The digests that these URLs had. A URL without a digest has none."""
    wanted = set(urls)
    digests = {}
    for row in previous.ledger_rows():
        url = rows.url(row)
        if url in wanted and _digest(row) != NO_DIGEST.encode():
            digests[url] = _digest(row)
    return digests


def _unique(digests: Collection[bytes], rows: Iterable[bytes]) -> set[bytes]:
    """The digests that exactly one row has."""
    counts = Counter(map(_digest, _with_digest(digests, rows)))
    return {digest for digest, count in counts.items() if count == 1}


def _with_digest(digests: Collection[bytes], rows: Iterable[bytes]) -> Iterator[bytes]:
    """The rows with one of these digests."""
    return (row for row in rows if _digest(row) in digests)


def _digest(row: bytes) -> bytes:
    """The digest of a row, "" for a line that is no row, such as the first one of a live ledger."""
    columns = row.split(b"\t", 3)
    return columns[2] if len(columns) > 2 else b""


def _listed_before(urls: Iterable[str], previous: Previous, rows: LedgerRows) -> set[str]:
    """Those of the URLs that were listed before."""
    wanted = set(urls)
    if not previous.has_main:
        return wanted.intersection(map(rows.url, previous.ledger_rows()))
    return wanted.intersection(parse_row(row)[0] for row in previous.all_rows())
