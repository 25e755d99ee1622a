"""What a build says that it adds, changes and removes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import sitemapper
from sitemapper.model import UrlChange

from . import BASE, NOW, settings


class Heard(sitemapper.Observer):
    """Collects what changes, as `+added`, `~changed`, `-removed`."""

    def __init__(self) -> None:
        self.changes: list[str] = []

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        sign = {UrlChange.ADDED: "+", UrlChange.CHANGED: "~", UrlChange.REMOVED: "-"}[change]
        self.changes.append(sign + url.removeprefix(BASE))


def changes(root: Path, **values: Any) -> list[str]:
    heard = Heard()
    summary = sitemapper.build(settings(root, **values), now=NOW, observer=heard)
    signs = Counter(change[0] for change in heard.changes)
    assert {change.value: n for change, n in summary.changes.items()} == {
        "added": signs["+"],
        "changed": signs["~"],
        "removed": signs["-"],
    }
    return heard.changes
