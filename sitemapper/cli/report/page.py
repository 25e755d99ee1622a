"""`--report`: a run as one HTML file that works offline. It shows all pages, with reasons and
dates.

`page.html`, `style.css` and `script.js` are put into that file. The data in it stays below a
megabyte.
"""

import json
import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from importlib.resources import files

from ..._version import __version__
from ...extract.kind import REPORT_MARK
from ...model import BatchDetails, Excluded, Summary, UrlChange
from ...pipeline.details import AGES, KINDS
from ...pipeline.observer import Observer
from ..words import shown

_LISTED, _EXCLUDED, _CHANGES = 2_000_000, 300_000, 200_000  # bytes of lists, packed
_LONGEST = 300  # characters of a column
_MOST = 100_000  # rows of a kind, few enough for a browser to search at once
NODES = 5_000  # folders of the tree
_DEEPEST = 30


class _Rows:
    def __init__(self) -> None:
        self.count = self.kept = 0
        self.data = bytearray()
        # 31: with a gzip header, which browsers unpack; 4: little memory outside of the budget
        self.packer = zlib.compressobj(wbits=31, memLevel=4)


class Lists:
    """Keeps rows of each kind in bounded memory: packed at once, and beyond a budget only counted.

    All kinds share the budget, in bytes. No kind takes more than one of `parts` parts.
    """

    def __init__(self, budget: int, parts: int = 2) -> None:
        self._budget = budget
        self._part = budget // parts
        self._used = 0
        self._kinds: dict[str, _Rows] = {}

    def add(self, kind: str, *columns: str) -> None:
        """Adds a row."""
        rows = self._kinds.get(kind) or self._kinds.setdefault(kind, _Rows())
        rows.count += 1
        if self._used < self._budget and len(rows.data) < self._part and rows.kept < _MOST:
            rows.kept += 1
            if max(map(len, columns)) > _LONGEST or not "".join(columns).isprintable():
                texts = map(shown, columns)
                columns = tuple(f"{t[:_LONGEST]}…" if len(t) > _LONGEST else t for t in texts)
            packed = rows.packer.compress(("\t".join(columns) + "\n").encode())
            rows.data += packed
            self._used += len(packed)

    def packed(self) -> dict[str, dict[str, object]]:
        """For each kind, the number of rows, the number kept, and the kept rows as base64 of gzip."""
        return {
            kind: {
                "count": r.count,
                "kept": r.kept,
                "rows": b64encode(r.data + r.packer.flush()).decode(),
            }
            for kind, r in self._kinds.items()
        }


class Tree:
    """The folders of the site in bounded memory. Small folders are counted in the folder above.

    Takes folders in walk order, so that a folder comes before everything in it.
    """

    def __init__(self) -> None:
        self._pages: dict[str, Counter[int]] = {"": Counter()}  # of each folder alone, by kind
        self._folded: Counter[str] = Counter()  # number of folders that are counted in another one

    def add(self, folder: str, kind: int, pages: int) -> None:
        """Adds pages of one kind to a folder. "" is the root; other names end with `/`."""
        if folder.count("/") > _DEEPEST:
            folder = "/".join(folder.split("/", _DEEPEST)[:_DEEPEST]) + "/"
        if folder not in self._pages:
            for end in (n for n, char in enumerate(folder, 1) if char == "/"):
                self._pages.setdefault(folder[:end], Counter())
            if len(self._pages) > 2 * NODES:
                self._shrink(folder)
        self._pages[folder][kind] += pages

    def _shrink(self, current: str) -> None:
        """Counts small folders, and then larger ones, in the folder above until few enough are
        left.
        """
        least = 2  # a folder with one page becomes a page of the folder above
        self._fold(least, current, most=1)
        while len(self._pages) > NODES:
            least *= 2
            self._fold(least, current, most=NODES)

    def _fold(self, least: int, current: str, *, most: int) -> None:
        parents = {""}
        for path in sorted(self._pages, key=lambda path: -path.count("/")):
            above = path[: path.rfind("/", 0, -1) + 1]
            is_small = self._pages[path].total() < least and path not in parents and path != current
            if is_small and len(self._pages) > most:
                self._pages[above].update(self._pages.pop(path))
                self._folded[above] += 1 + self._folded.pop(path, 0)
            else:
                parents.add(above)

    def rows(self) -> Iterator[tuple[int, str, int, list[int]]]:
        """Each folder, before its own folders:

        depth, name, merged folders, own pages as kind, pages …
        """
        self._shrink("")
        for path, kinds in self._pages.items():
            name = path.rstrip("/").rpartition("/")[2]
            counts = [n for pair in sorted(kinds.items()) for n in pair]
            yield path.count("/"), name, self._folded[path], counts


class Report(Observer):
    """Collects the data of a run in bounded memory."""

    wants_changes = False  # on a first build, every URL would be a change
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
        """A URL that the run adds, changes or removes."""
        self._changes.add(change.value, url, before, after)

    def page(self, summary: Summary, base_url: str, now: datetime, *, is_done: bool) -> str:
        """The HTML of the report, for a build or a dry run."""
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
                (k.value, n, list(map(shown, about)), k.help) for k, n, about in summary.warnings
            ],
            "notes": ["\n".join(map(shown, note.splitlines())) for note in summary.notes],
            "files": [(shown(f.name), f.change.value, f.urls, f.size) for f in summary.files],
        }
        return _filled(json.dumps(data, separators=(",", ":")))


def _filled(data: str) -> str:
    """The page with its parts. The browser runs only the style and the script with these hashes."""
    here = files(__package__)
    # No text can close the element around the data.
    parts = {"mark": REPORT_MARK, "data": data.replace("<", "\\u003c")}
    for name, file in (("style", "style.css"), ("script", "script.js")):
        parts[name] = here.joinpath(file).read_text("utf-8")
        digest = b64encode(sha256(parts[name].encode()).digest()).decode()
        parts[f"{name}-hash"] = f"'sha256-{digest}'"
    page = here.joinpath("page.html").read_text("utf-8")
    return re.sub(r"\{\{([\w-]+)\}\}", lambda name: parts[name[1]], page)
