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
from ..scan import path_key
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

    Raises SitemapperError, with the number of the line, for a line that is no row, or is not in URL
    order. A ledger that was published may begin with a comment.
    """
    rows: dict[str, Row] = {}
    previous = b""
    for number, line in enumerate(data.decode("ascii", "surrogateescape").split("\n"), 1):
        if not line or (number == 1 and line.startswith("#")):
            continue
        where = f"{label}:{number}"
        match = _ROW.fullmatch(line)
        if match is None and line.startswith(_CONFLICT):
            help = "keep either side; the next build corrects the rest"
            raise SitemapperError(f"{where}: git left a conflict here", help)
        if match is None:
            raise SitemapperError(f"{where}: expected “path TAB lastmod TAB digest”", _HELP)
        name, lastmod, digest, place = match.groups()
        if lastmod != "-" and moment(lastmod.removeprefix(">")) is None:
            raise SitemapperError(f"{where}: {lastmod!r} is not a date", _HELP)
        if "://" in name:  # an entry of `[[urls]]`; these come last
            rows[name] = Row(lastmod, digest)
            continue
        path = unquote_to_bytes(name).decode("utf-8", "surrogateescape") if "%" in name else name
        key = path_key(path)
        if path in rows:
            raise SitemapperError(f"{where}: names a page twice", _HELP)
        if key < previous:
            raise SitemapperError(f"{where}: is not in URL order", _HELP)
        previous = key
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
