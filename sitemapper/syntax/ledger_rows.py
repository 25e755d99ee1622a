"""The rows of the ledger, `path TAB lastmod TAB digest`, with the path percent-encoded. Pure.

    a%20b/     2026-03-01   3f0c-…              the page `a b/`
    c/         -            3f0c-…              a page without a date
    d/         >2026-03-01  3f0c-…              changed after this date; no source dates the change
    e/         2026-03-01   3f0c-…   unlisted   a page that is not listed
    f.html     2026-03-01   3f0c-…   /f         a page whose URL is not in the site's URL style

The first four digits of a digest identify the rule by which it was computed. An extra URL has its
URL as the path.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote_to_bytes

from ..model import LastMod, LedgerEntry

_NO_DATE = "-"
_CHANGED_AFTER_MARK = ">"
_UNLISTED = "unlisted"  # the fourth column of a page that is not listed
NO_DIGEST = "0000-0000000000000000"  # of an extra URL
_DATE = r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?"
_ROW = re.compile(
    rf"([!-~]+)\t(-|>?(?:{_DATE}))\t([0-9a-f]{{4}}-[0-9a-f]{{16}})(?:\t{_UNLISTED}|\t/[!-~]*)?\r?\n?"
)


def parse_row(
    text: str, read_date: Callable[[str], LastMod | None]
) -> tuple[str, LedgerEntry] | None:
    """Parses a row of the ledger to the path of a page, decoded, and its date and digest.

    a%20b/ TAB - TAB DIGEST             → `a b/`, without a date
    a%20b/ TAB >2026-03-01 TAB DIGEST   → `a b/`, without a date, `changed_after` 2026-03-01
    a%20b/ TAB 2026-03-01 TAB DIGEST    → `a b/`, with the date 2026-03-01

    What follows the digest does not matter here. `read_date` makes the date from its text. None for
    a row that is not valid.
    """
    match = _ROW.fullmatch(text)
    if match is None:
        return None
    path, lastmod, digest = match.groups()
    if "%" in path:
        path = unquote_to_bytes(path).decode("utf-8", "surrogateescape")
    if lastmod == _NO_DATE:
        return path, LedgerEntry(None, digest)
    if lastmod.startswith(_CHANGED_AFTER_MARK):
        changed_after = read_date(lastmod.removeprefix(_CHANGED_AFTER_MARK))
        return path, LedgerEntry(None, digest, changed_after=changed_after)
    return path, LedgerEntry(read_date(lastmod), digest)


def render_row(
    encoded_path: str, entry: LedgerEntry, *, is_listed: bool, own_url: str | None = None
) -> str:
    """Writes the row of a page in the ledger, with a line end.

        with a date                              → b.html TAB 2026-03-01 TAB DIGEST
        without one, but changed after one       → b.html TAB >2026-03-01 TAB DIGEST
        with neither                             → b.html TAB - TAB DIGEST
        not listed                               → b.html TAB - TAB DIGEST TAB unlisted
        listed, and its own URL is not b.html    → b.html TAB - TAB DIGEST TAB /b

    `own_url` is the path of the page's URL after the base URL, if that URL is not in the site's URL
    style: `b`. In the row, it has a slash.
    """
    lastmod, digest, changed_after = entry
    date = _NO_DATE
    if lastmod:
        date = lastmod.text
    elif changed_after:
        date = _CHANGED_AFTER_MARK + changed_after.text
    row = f"{encoded_path}\t{date}\t{digest}"
    if not is_listed:
        row += f"\t{_UNLISTED}"
    elif own_url is not None:
        row += f"\t/{own_url}"
    return f"{row}\n"


def listed_rows(rows: Iterable[bytes]) -> Iterator[bytes]:
    """Keeps the rows of pages that are listed in the sitemap.

    b.html TAB 2026-03-01 TAB DIGEST                 three columns: listed
    b.html TAB 2026-03-01 TAB DIGEST TAB /b          its own URL is the fourth column: listed
    b.html TAB 2026-03-01 TAB DIGEST TAB unlisted    left out
    """
    # No other column begins with a slash.
    return (row for row in rows if row.count(b"\t") == 2 or b"\t/" in row)


def columns(row: bytes) -> tuple[str, str, str, str | None]:
    """Splits the row of a listed page into its encoded path, date, digest and own URL.

    f.html TAB - TAB 3f0c-… TAB /f    → `f.html`, `-`, `3f0c-…`, `f`
    f.html TAB - TAB 3f0c-…           → `f.html`, `-`, `3f0c-…`, None

    Only a page whose URL is not in the site's URL style has a fourth column, with a slash.
    """
    path, date, digest, *fourth_column = row.decode("ascii").split("\t")
    own_url = fourth_column[0][len("/") :] if fourth_column else None
    return path, date, digest, own_url


def shows_edit(old_digest: str, new_digest: str) -> bool:
    """Whether two digests of a page show that it was edited: `3f0c-1…` and `3f0c-2…` do.

    The first four digits stand for the rule by which a digest was computed. `3f0c-1…` and `81aa-2…`
    show no edit: the digests of two rules differ even for a page that did not change.
    """
    if old_digest == new_digest:  # most pages
        return False
    return old_digest[:4] == new_digest[:4]
