"""The rows of the ledger, `path TAB lastmod TAB digest`, with the path percent-encoded. Pure.

The date is `-` if it is not known. It begins with `>` if the page has changed since and no source
has dated the change. A fourth column marks a page that is not listed or, after a slash, gives its
URL if it is not in the site's style. The first four digits of a digest identify its rule. Extra
URLs have their URL as the path.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote_to_bytes

from ..model import LastMod, LedgerEntry

UNKNOWN = "-"
LIVE_MARK = b"# sitemapper wrote this file; its next build will read and replace it; pages: "
_AFTER = ">"
_UNLISTED = "\tunlisted"
_FORM = "\t/"
NO_DIGEST = "0000-0000000000000000"  # of an extra URL
_DATE = r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?"
_ROW = re.compile(
    rf"([!-~]+)\t(-|>?(?:{_DATE}))\t([0-9a-f]{{4}}-[0-9a-f]{{16}})(?:{_UNLISTED}|{_FORM}[!-~]*)?\r?\n?"
)


def parse_row(
    text: str, read_date: Callable[[str], LastMod | None]
) -> tuple[str, LedgerEntry] | None:
    """The decoded path of a row, and its entry. None for an invalid row.

    `a%20b/ TAB 2026-03-01 TAB …` gives `a b/` and an entry with that date. A date behind `>` is the
    one before a change that nothing dates: it becomes `after`, and the entry has no date.
    """
    match = _ROW.fullmatch(text)
    if match is None:
        return None
    path, lastmod, digest = match.groups()
    if "%" in path:
        path = unquote_to_bytes(path).decode("utf-8", "surrogateescape")
    if lastmod == UNKNOWN:
        return path, LedgerEntry(None, digest)
    if lastmod.startswith(_AFTER):
        return path, LedgerEntry(None, digest, read_date(lastmod.removeprefix(_AFTER)))
    return path, LedgerEntry(read_date(lastmod), digest)


def render_row(
    encoded_path: str, entry: LedgerEntry, *, is_listed: bool, form: str | None = None
) -> str:
    """The row of an entry, with a line end.

    `form` is its URL below the base if it is not in the style.
    """
    lastmod, digest, after = entry
    date = UNKNOWN
    if lastmod:
        date = lastmod.text
    elif after:
        date = _AFTER + after.text
    fourth_column = ""
    if not is_listed:
        fourth_column = _UNLISTED
    elif form is not None:
        fourth_column = _FORM + form
    return f"{encoded_path}\t{date}\t{digest}{fourth_column}\n"


def listed_rows(rows: Iterable[bytes]) -> Iterator[bytes]:
    """The rows without those of pages that are not listed.

    A listed page has three columns, or its URL behind a slash as the fourth.
    """
    return (row for row in rows if row.count(b"\t") == 2 or _FORM.encode() in row)


def columns(row: bytes) -> tuple[str, str, str, str | None]:
    """The encoded path, date and digest of a listed row, and its URL below the base, if any."""
    path, date, digest, *fourth_column = row.decode("ascii").split("\t")
    form = fourth_column[0][len("/") :] if fourth_column else None
    return path, date, digest, form


def has_same_rule(digest: str, other: str) -> bool:
    """Whether both digests have the same rule. Otherwise, they prove no change."""
    return digest[:4] == other[:4]


def live_header(rows: int) -> bytes:
    """The first line of a published ledger. It marks the file as ours, and counts its rows."""
    return LIVE_MARK + b"%d\n" % rows


def live_row_count(line: bytes) -> int | None:
    """The number of rows in the first line of a published ledger, None for another line."""
    match = re.fullmatch(re.escape(LIVE_MARK) + rb"(\d+)\n", line)
    return int(match[1]) if match else None
