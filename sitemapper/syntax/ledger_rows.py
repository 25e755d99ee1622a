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

UNKNOWN = "-"
LIVE_MARK = b"# sitemapper wrote this file; its next build will read and replace it; pages: "
_CHANGED_AFTER = ">"
_UNLISTED = "\tunlisted"
_OWN_URL = "\t/"
NO_DIGEST = "0000-0000000000000000"  # of an extra URL
_DATE = r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?"
_ROW = re.compile(
    rf"([!-~]+)\t(-|>?(?:{_DATE}))\t([0-9a-f]{{4}}-[0-9a-f]{{16}})(?:{_UNLISTED}|{_OWN_URL}[!-~]*)?\r?\n?"
)


def parse_row(
    text: str, read_date: Callable[[str], LastMod | None]
) -> tuple[str, LedgerEntry] | None:
    """The path of a page, decoded, and what its row in the ledger says. None for an invalid row.

    a%20b/ TAB 2026-03-01 TAB 3f0c-…   → `a b/`, with the date 2026-03-01
    a/ TAB - TAB 3f0c-…                → `a/`, without a date
    a/ TAB >2026-03-01 TAB 3f0c-…      → `a/`, without a date, changed `after` 2026-03-01
    """
    match = _ROW.fullmatch(text)
    if match is None:
        return None
    path, lastmod, digest = match.groups()
    if "%" in path:
        path = unquote_to_bytes(path).decode("utf-8", "surrogateescape")
    if lastmod == UNKNOWN:
        return path, LedgerEntry(None, digest)
    if lastmod.startswith(_CHANGED_AFTER):
        after = read_date(lastmod.removeprefix(_CHANGED_AFTER))
        return path, LedgerEntry(None, digest, after=after)
    return path, LedgerEntry(read_date(lastmod), digest)


def render_row(
    encoded_path: str, entry: LedgerEntry, *, is_listed: bool, own_url: str | None = None
) -> str:
    """The row of a page in the ledger, with a line end: `a%20b/ TAB 2026-03-01 TAB 3f0c-…`.

    `own_url` is given if its URL is not in the site's URL style: `f` for `https://example.com/f`,
    where the site is at `https://example.com/` and lists other pages as `f.html`.
    """
    lastmod, digest, after = entry
    date = UNKNOWN
    if lastmod:
        date = lastmod.text
    elif after:
        date = _CHANGED_AFTER + after.text
    fourth_column = ""
    if not is_listed:
        fourth_column = _UNLISTED
    elif own_url is not None:
        fourth_column = _OWN_URL + own_url
    return f"{encoded_path}\t{date}\t{digest}{fourth_column}\n"


def listed_rows(rows: Iterable[bytes]) -> Iterator[bytes]:
    """The rows of pages that are listed in the sitemap.

    These have three columns, or a fourth one that begins with a slash. That of the others is
    `unlisted`.
    """
    return (row for row in rows if row.count(b"\t") == 2 or _OWN_URL.encode() in row)


def columns(row: bytes) -> tuple[str, str, str, str | None]:
    """The encoded path, the date, the digest and the URL of a listed row.

    The URL is None, or that of a page which is not in the site's URL style: `f TAB … TAB /g` → `g`.
    """
    path, date, digest, *fourth_column = row.decode("ascii").split("\t")
    own_url = fourth_column[0][len("/") :] if fourth_column else None
    return path, date, digest, own_url


def has_same_rule(digest: str, other: str) -> bool:
    """Whether two digests were computed by the same rule. Others cannot show a change."""
    return digest[:4] == other[:4]


def live_header(rows: int) -> bytes:
    """The first line of a published ledger: the mark of our files, and the number of rows."""
    return LIVE_MARK + b"%d\n" % rows


def live_row_count(line: bytes) -> int | None:
    """The number of rows in the first line of a published ledger, None for another line."""
    match = re.fullmatch(re.escape(LIVE_MARK) + rb"(\d+)\n", line)
    return int(match[1]) if match else None
