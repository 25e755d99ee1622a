"""`--report`: a run as one HTML file that works offline.

It shows all pages, with reasons and dates. `page.html`, `style.css` and `script.js` are put into
that file, which stays below 4 MB.
"""

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Collection
from datetime import datetime
from hashlib import sha256
from importlib.resources import files

from ..._version import __version__
from ...model import BatchDetails, Excluded, GoneUrl, Summary, UrlChange
from ...observer import Observer
from ...read.kind import REPORT_MARK
from ...run.details import AGES, KINDS
from ..text import shown
from ..words import count_by_fate, in_words, of_fate
from .bounded import Lists, Tree

# Budgets of packed lists in bytes. base64 makes four of three, so the file stays below 4 MB.
_LISTED_BYTES = 2_000_000
_EXCLUDED_BYTES = 300_000
_CHANGES_BYTES = 200_000
_GONE_BYTES = 100_000


class Report(Observer):
    """Collects the data of a run in bounded memory, and makes the HTML file of it with `page`."""

    wants_changes = False  # on a first build, every URL would be a change
    wants_details = True

    def __init__(self) -> None:
        """Makes the empty collections, which the run fills by calls such as `excluded`."""
        self._tree = Tree()  # the folders of the site, with their numbers of pages
        # Rows for the tables of the report, up to a number of bytes. Each reason for exclusion, and
        # each kind of change, may take only a part of the bytes, so that the report shows some rows
        # of each.
        self._listed = Lists(_LISTED_BYTES, has_one_kind=True)
        self._excluded = Lists(_EXCLUDED_BYTES)
        self._changes = Lists(_CHANGES_BYTES)
        # The number of pages by the source of their date, such as "git", and its month: "2026-03".
        self._months: Counter[tuple[str, str]] = Counter()

    def excluded(self, excluded: Excluded) -> None:
        """Adds a page that is not listed, with the reason and the line that decided."""
        self._excluded.add(excluded.reason.value, excluded.path, str(excluded.origin))

    def details(self, details: BatchDetails) -> None:
        """Adds the next pages of the run to the report.

        The report has the number of pages in each folder, a table of listed pages, and the number
        of pages that each source has dated in each month.
        """
        # `{("blog/", 0): 12}`: the folder has 12 pages of the kind `KINDS[0]`, "within 30 days".
        # The kind of a listed page is its age, and that of an excluded page the reason.
        for (folder, kind), pages in sorted(details.folders.items()):
            self._tree.add(folder, kind, pages)
        # The path of a page, and its values: `("blog/a.html", "loc", "https://…", "…")`.
        for row in details.listed:
            self._listed.add("listed", *row)  # the table of listed pages
        self._months.update(details.months)  # `{("git", "2026-03"): 12}`

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Adds a URL that the run adds, changes or removes."""
        self._changes.add(change.value, url, before, after)

    def page(self, summary: Summary, base_url: str, now: datetime, *, is_done: bool) -> str:
        """Makes the HTML of the report: page.html with the collected data as JSON, for its script.

        The title is "Build", or "Dry run" if the run has written nothing (`is_done` is false).
        """
        folders = [row._replace(name=shown(row.name)) for row in self._tree.rows()]
        pages_of_months = [
            (source, month, pages) for (source, month), pages in sorted(self._months.items())
        ]
        data = {
            "version": __version__,
            "title": "Build" if is_done else "Dry run",
            "base": base_url,
            "made": f"{now:%Y-%m-%d %H:%M} UTC",
            "kinds": KINDS,
            "ages": len(AGES),
            "tree": folders,
            "pages": self._excluded.packed() | self._listed.packed(),
            "changes": self._changes.packed(),
            "gone": _pack_gone(summary.gone),
            "months": pages_of_months,
            "done": is_done,
            **_data_of_summary(summary),
        }
        return _fill_page(json.dumps(data, separators=(",", ":")))


def _pack_gone(gone: Collection[GoneUrl]) -> dict[str, dict[str, object]]:
    """Makes compressed tables of the published URLs that are gone: `{"lost": …, "moved": …}`.

    A row has three columns:

    - the URL
    - the URL to which it leads or has moved, "" if that is not known
    - the file and line that decided, or "" if there is none
    """
    tables = Lists(_GONE_BYTES)
    for fate in count_by_fate(gone):  # "lost" first
        for gone_url in of_fate(gone, fate):
            tables.add(fate, gone_url.url, gone_url.target, str(gone_url.origin or ""))
    return tables.packed()


def _data_of_summary(summary: Summary) -> dict[str, object]:
    """Returns what the report takes from the summary of the run, by keys of the report's data.

    These are the number of earlier URLs (None on a first build), the number of ignored folders
    that were not searched, the numbers of changed URLs, the warnings, the notes, and the files. A
    file is a row: `("sitemap.xml", "created", 12, 2048)`, with its URLs and its bytes.
    """
    files_of_run = [
        (shown(file.name), file.change.value, file.urls, file.size) for file in summary.files
    ]
    return {
        "previous": summary.previous,
        "pruned": summary.pruned,
        "totals": {change.value: count for change, count in summary.changes.items()},
        "warnings": list(map(in_words, summary.warnings)),
        "notes": list(map(in_words, summary.notes)),
        "files": files_of_run,
    }


def _fill_page(data: str) -> str:
    """Fills page.html: `{{style}}` becomes the text of style.css, and `{{data}}` the JSON.

    `{{style-hash}}` and `{{script-hash}}` stand in its Content-Security-Policy, so that the browser
    uses only this style and this script, and runs nothing that a URL in the data may contain.
    """
    here = files(__package__)
    style = here.joinpath("style.css").read_text("utf-8")
    script = here.joinpath("script.js").read_text("utf-8")
    parts = {
        "mark": REPORT_MARK,
        "data": data.replace("<", "\\u003c"),  # no text can close the element around the data
        "style": style,
        "style-hash": _source_hash(style),
        "script": script,
        "script-hash": _source_hash(script),
    }
    page = here.joinpath("page.html").read_text("utf-8")
    return re.sub(r"\{\{([\w-]+)\}\}", lambda name: parts[name[1]], page)


def _source_hash(text: str) -> str:
    """Returns the hash by which a Content-Security-Policy allows an element: `'sha256-…'`.

    It is a `hash-source` of W3C CSP 3.
    """
    digest = sha256(text.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"
