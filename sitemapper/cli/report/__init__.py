"""`--report`: a run as one HTML file, which needs no network: what is listed, what is not and why, how old.

`page.html`, `style.css` and `script.js` become that file; the data in it stays below a megabyte.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from hashlib import sha256
from importlib.resources import files

from ..._version import __version__
from ...lastmod.resolve import FIXED
from ...linter import Finding, rule_of
from ...model import Excluded, FolderStats, Reason, Summary, UrlChange
from ...pipeline.observer import Observer
from ...syntax.uniform import Histogram
from ..text import shown
from .lists import Lists
from .tree import Tree

MARK = "<!-- sitemapper report -->"
_KINDS = ("listed", *(reason.value for reason in Reason))
_URLS = "URLs that are not files/"
_EXCLUDED, _CHANGES, _FINDINGS = 300_000, 200_000, 200_000  # bytes of each group of lists, packed
_DAY = 86_400
_NOT_A_CLOCK = ("ledger", FIXED)  # whose dates are of changes, however close they lie


class Report(Observer):
    """Gathers a run in bounded memory."""

    wants_changes = False  # on a first build, every URL would be one
    wants_folder_stats = True

    def __init__(self) -> None:
        self.restart()
        self._findings = Lists(_FINDINGS)
        self._severities: dict[str, str] = {}

    def restart(self) -> None:
        """Forgets what was heard."""
        self._tree = Tree()
        self._excluded = Lists(_EXCLUDED)
        self._changes = Lists(_CHANGES)
        self._days: dict[str, Counter[int]] = {}
        self._dates: dict[str, Histogram] = {}
        self._counts: Counter[str] = Counter()
        self._waiting: Counter[tuple[str, int]] = Counter()  # (folder, kind): pages not in the tree yet

    def excluded(self, excluded: Excluded) -> None:
        """One verdict, in walk order."""
        path, reason, origin = excluded
        line = str(origin).removeprefix(f"{path}: ")  # the page itself decided
        self._excluded.add(reason.value, path, line)
        if not excluded.is_folder:
            self._counts[reason.value] += 1
            folder = _URLS if "://" in path else path[: path.rfind("/") + 1]
            self._waiting[folder, _KINDS.index(reason.value)] += 1

    def folder_stats(self, counted: FolderStats) -> None:
        """The listed pages of a batch, whose excluded ones were heard before."""
        for folder, pages in counted.folders.items():
            self._waiting[f"{folder}/" if folder else "", 0] += pages
        for source, seconds in counted.dates.items():
            self._days.setdefault(source, Counter()).update(second // _DAY for second in seconds)
            self._dates.setdefault(source, Histogram()).add(seconds)
        self._counts["listed"] += sum(counted.folders.values())
        for (folder, kind), pages in sorted(self._waiting.items()):
            self._tree.add(folder, kind, pages)
        self._waiting.clear()

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """One URL that the run adds, dates anew or removes."""
        self._changes.add(change.value, url, before, after)

    def record(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Passes findings on, and keeps them."""
        for finding in findings:
            self._severities[finding.code] = finding.severity.value
            self._findings.add(finding.code, f"{finding.file}:{finding.line}", finding.message)
            yield finding

    def page(
        self,
        title: str,
        base_url: str,
        now: datetime,
        *,
        summary: Summary | None = None,
        is_done: bool = False,
        required: Sequence[str] = (),
        theirs: Sequence[tuple[str, int]] | None = None,
    ) -> str:
        """The file: of a run, or of a comparison with the files of another sitemap, `theirs`."""
        data = {
            "version": __version__,
            "title": title,
            "base": base_url,
            "made": f"{now:%Y-%m-%d %H:%M} UTC",
            "kinds": _KINDS,
            "counts": self._counts,
            "tree": [(depth, shown(name), *rest) for depth, name, *rest in self._tree.rows()],
            "excluded": self._excluded.packed(),
            "changes": self._changes.packed(),
            "months": self._months(),
            "blocks": list(self._blocks()),
            "findings": [self._by_rule(code, rows) for code, rows in sorted(self._findings.packed().items())],
            "done": is_done,
            "required": required,
            "theirs": theirs,
            **(_of_run(summary) if summary else {}),
        }
        return _filled(json.dumps(data, ensure_ascii=False, separators=(",", ":")))

    def _by_rule(self, code: str, rows: Mapping[str, object]) -> dict[str, object]:
        title, _, help = rule_of(code).manual.partition("\n")
        about = {"code": code, "severity": self._severities[code], "title": title, "help": help.strip()}
        return {**about, **rows}

    def _months(self) -> dict[str, Counter[str]]:
        """Dates of each source by month."""
        months: dict[str, Counter[str]] = {}
        for source, days in sorted(self._days.items()):
            months[source] = Counter()
            for day, pages in sorted(days.items()):
                months[source][f"{_date(day):%Y-%m}"] += pages
        return months

    def _blocks(self) -> Iterator[tuple[str, str, int, int]]:
        """The sources of which nearly all dates lie within one minute: the day, the dates then, and all."""
        for source, dates in sorted(self._dates.items()):
            if source not in _NOT_A_CLOCK and dates.is_uniform(source):
                day, _ = self._days[source].most_common(1)[0]
                yield source, str(_date(day)), round(dates.share() * dates.total), dates.total


def is_report(path: str) -> bool:
    """Whether a file is a report, which may be replaced."""
    with open(path, "rb") as file:
        start = file.read(512)
    return not start or MARK.encode() in start


def _of_run(summary: Summary) -> dict[str, object]:
    return {
        "counts": {"listed": summary.listed} | {r.value: n for r, n in summary.excluded.items()},
        "previous": summary.previous,
        "pruned": summary.pruned,
        "totals": {change.value: n for change, n in summary.changes.items()},
        "warnings": [
            (kind.value, n, list(map(shown, examples)), kind.help) for kind, n, examples in summary.warnings
        ],
        "notes": list(map(shown, summary.notes)),
        "files": [(shown(f.name), f.change.value, f.urls, f.size) for f in summary.files],
    }


def _date(day: int) -> date:
    return date(1970, 1, 1) + timedelta(day)


def _filled(data: str) -> str:
    """The page with its parts. Only the style and the script with these hashes work in it."""
    here = files(__name__)
    page, style, script = (
        here.joinpath(n).read_text("utf-8") for n in ("page.html", "style.css", "script.js")
    )
    parts = {
        "mark": MARK,
        "style": style,
        "script": script,
        "style-hash": _hash(style),
        "script-hash": _hash(script),
        "data": data.replace("<", "\\u003c"),  # no text can end the element that holds the data
    }
    return re.sub(r"\{\{([\w-]+)\}\}", lambda name: parts[name[1]], page)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
