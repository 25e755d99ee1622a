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

from ..errors import SitemapperError
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
    """Reads the rows of a ledger, by the paths of the pages. `label` is its name in messages.

    Of two rows for one page the later one counts. Raises SitemapperError, with the number of the
    line, for a line that is no row.
    """
    rows: dict[str, Row] = {}
    for number, line in enumerate(data.decode("ascii", "surrogateescape").split("\n"), 1):
        if not line:
            continue
        match = _ROW.fullmatch(line)
        if match is None:
            text = "expected “path TAB lastmod TAB digest”"
            if line.startswith(_CONFLICT):
                text = "git left a conflict here"
            raise SitemapperError(f"{label}:{number}: {text}", _HELP)
        name, lastmod, digest, place = match.groups()
        if lastmod != "-" and moment(lastmod.removeprefix(">")) is None:
            raise SitemapperError(f"{label}:{number}: {lastmod!r} is not a date", _HELP)
        path = name
        if "://" not in name:
            path = unquote_to_bytes(name).decode("utf-8", "surrogateescape")
        rows[path] = Row(lastmod, digest, place or "")
    return rows


def render_rows(rows: Mapping[str, Row]) -> bytes:
    """Writes the rows, which are in URL order, as the ledger's file."""
    lines: list[str] = []
    for path, row in rows.items():
        name = path if "://" in path else quote_path(path)
        place = f"\t{row.place}" if row.place else ""
        lines.append(f"{name}\t{row.lastmod}\t{row.digest}{place}\n")
    return "".join(lines).encode("ascii")
