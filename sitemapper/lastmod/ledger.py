"""The ledger's file: `path TAB lastmod TAB digest`, a line for each page, in URL order. Pure.

    a%20b/index.html     2026-03-01   3f0c-…              the page `a b/index.html`
    c.html               -            3f0c-…              a page without a date
    d.html               >2026-03-01  3f0c-…              changed after this date; nothing dates it
    e.html               2026-03-01   3f0c-…   unlisted   a page that is not listed
    f.html               2026-03-01   3f0c-…   /f         a page at another URL than its usual one

An entry of `[[urls]]` has its URL as the path, and no digest.
"""

import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from ..messages import SitemapperError
from ..model import Row
from ..syntax.dates import moment
from ..syntax.urls import quote_path

UNLISTED = "unlisted"
NO_DIGEST = "0000-0000000000000000"  # of an entry of `[[urls]]`
_ROW = re.compile(
    r"([!-~]+)\t(-|>?\d{4}[0-9T:.Z+-]*)\t([0-9a-f]{4}-[0-9a-f]{16})(?:\t(unlisted|/[!-~]*))?\r?"
)
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_HELP = (
    "restore the file as it was last committed, or delete the line: the sources after the ledger "
    "then date the page"
)


def read_rows(data: bytes, label: str) -> dict[str, Row]:
    """Reads the bytes of a ledger, and returns its lines as rows, by the paths of their pages.

    The line `a%20b/index.html TAB 2026-03-01 TAB 3f0c-0123456789abcdef` is the row of the page
    `a b/index.html`, with the date of its last change and the digest of its content. `label` is
    the name of the file in messages. Of two rows for one page the later one counts.
    Raises SitemapperError, with the number of the line, for a line that is no row.
    """
    rows: dict[str, Row] = {}
    # A byte that is not ASCII becomes a surrogate, which makes its line an error with a number.
    lines = data.decode("ascii", "surrogateescape").split("\n")
    for number, line in enumerate(lines, 1):
        if not line:  # such as the empty one after the last line
            continue

        # A line that is no row: most often git wrote its marks of a conflict into the file.
        match = _ROW.fullmatch(line)
        if match is None:
            problem = "expected “path TAB lastmod TAB digest”"
            if line.startswith(_CONFLICT):
                problem = "git left a conflict here"
            raise SitemapperError(f"{label}:{number}: {problem}", _HELP)

        # `place`, the fourth column, says where a page is listed if it is not at its usual URL.
        quoted_path, lastmod, digest, place = match.groups()
        # The pattern lets dates through that no calendar has, such as 2026-02-30.
        if lastmod != "-" and moment(lastmod.removeprefix(">")) is None:
            raise SitemapperError(f"{label}:{number}: {lastmod!r} is not a date", _HELP)

        # The path is percent-encoded in the file.
        path = quoted_path
        if "://" not in path:  # the URL of an entry of `[[urls]]` stays as it is
            path = unquote_to_bytes(quoted_path).decode("utf-8", "surrogateescape")
        rows[path] = Row(lastmod, digest, place or "")
    return rows


def render_rows(rows: Mapping[str, Row]) -> bytes:
    """Writes rows as the bytes of a ledger, a line for each row, in the order that they have.

    The row of the page `a b/index.html` gives `a%20b/index.html TAB 2026-03-01 TAB digest`. A
    fourth column follows if the row has a place, such as `/f`: that is where the page is listed if
    it is not at its usual URL. The place `unlisted` is that of a page which is not listed.
    """
    lines: list[str] = []
    for path, row in rows.items():
        # The URL of an entry of `[[urls]]` is quoted already.
        quoted_path = path if "://" in path else quote_path(path)
        fourth_column = f"\t{row.place}" if row.place else ""
        lines.append(f"{quoted_path}\t{row.lastmod}\t{row.digest}{fourth_column}\n")
    return "".join(lines).encode("ascii")
