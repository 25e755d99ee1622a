"""`--report`: a run as one HTML file, which needs no network: what is listed, what is not and why, how old.

`page.html`, `style.css` and `script.js` become that file; the data in it stays below a megabyte.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from datetime import datetime
from hashlib import sha256
from importlib.resources import files

from ..._version import __version__
from ...extract.kind import REPORT_MARK
from ...model import BatchDetails, Excluded
from ...pipeline.details import AGES, KINDS
from ...pipeline.observer import Observer
from ...summary import Summary, UrlChange
from ..words import shown
from .lists import Lists
from .tree import Tree

_LISTED, _EXCLUDED, _CHANGES = 2_000_000, 300_000, 200_000  # bytes of lists, packed


class Report(Observer):
    """Gathers a run in bounded memory."""

    wants_changes = False  # on a first build, every URL would be one
    wants_details = True

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Starts again from nothing."""
        self._tree = Tree()
        self._listed = Lists(_LISTED, parts=1)
        self._excluded = Lists(_EXCLUDED)
        self._changes = Lists(_CHANGES)
        self._months: Counter[tuple[str, str]] = Counter()

    def excluded(self, excluded: Excluded) -> None:
        """One verdict, in walk order."""
        self._excluded.add(excluded.reason.value, excluded.path, str(excluded.origin))

    def details(self, details: BatchDetails) -> None:
        """The pages of a batch."""
        for (folder, kind), pages in sorted(details.folders.items()):
            self._tree.add(folder, kind, pages)
        for row in details.listed:
            self._listed.add("listed", *row)
        self._months.update(details.months)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """One URL that the run adds, dates anew or removes."""
        self._changes.add(change.value, url, before, after)

    def page(self, summary: Summary, base_url: str, now: datetime, *, is_done: bool) -> str:
        """The file, for a build or for a dry run."""
        data = {
            "version": __version__,
            "title": "Build" if is_done else "Dry run",
            "base": base_url,
            "made": f"{now:%Y-%m-%d %H:%M} UTC",
            "kinds": KINDS,
            "ages": len(AGES),
            "tree": [(depth, shown(name), *rest) for depth, name, *rest in self._tree.rows()],
            "pages": self._excluded.packed() | self._listed.packed(),
            "changes": self._changes.packed(),
            "months": [(*of, pages) for of, pages in sorted(self._months.items())],
            "done": is_done,
            "previous": summary.previous,
            "pruned": summary.pruned,
            "totals": {change.value: n for change, n in summary.changes.items()},
            "warnings": [
                (kind.value, n, list(map(shown, about)), kind.help) for kind, n, about in summary.warnings
            ],
            "notes": ["\n".join(map(shown, note.splitlines())) for note in summary.notes],
            "files": [(shown(f.name), f.change.value, f.urls, f.size) for f in summary.files],
        }
        return _filled(json.dumps(data, separators=(",", ":")))


def is_report(path: str) -> bool:
    """Whether a file is a report, which may be replaced."""
    with open(path, "rb") as file:
        start = file.read(512)
    return not start or REPORT_MARK.encode() in start


def _filled(data: str) -> str:
    """The page with its parts. Only the style and the script with these hashes work in it."""
    here = files(__package__)
    page, style, script = (
        here.joinpath(n).read_text("utf-8") for n in ("page.html", "style.css", "script.js")
    )
    parts = {
        "mark": REPORT_MARK,
        "style": style,
        "script": script,
        "style-hash": _hash(style),
        "script-hash": _hash(script),
        "data": data.replace("<", "\\u003c"),  # no text can end the element that holds the data
    }
    return re.sub(r"\{\{([\w-]+)\}\}", lambda name: parts[name[1]], page)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
