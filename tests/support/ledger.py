"""Sites with a ledger: pages, the dates that a sitemap gives them, rebuilds."""

from __future__ import annotations

import re
from pathlib import Path

DAY = 86_400
WITH = ["ledger", "mtime"]
PAGE = "<!doctype html><title>{0}</title><nav>menu</nav><main><h1>{0}</h1><p>{1}</p></main><footer>foot</footer>"


def page(name: str, text: str = "text") -> str:
    return PAGE.format(name, text)


def pages(*names: str, **changed: str) -> dict[str, str]:
    return {f"{name}.html": page(name, changed.get(name, "text")) for name in names}


def dates(root: Path) -> dict[str, str | None]:
    rows = re.findall(
        r"<loc>https://example.com/(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?",
        (root / "sitemap.xml").read_text(),
    )
    return {name: date or None for name, date in rows}


def moved(before: dict[str, str | None], after: dict[str, str | None]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
