"""Makes docs/report.png, the picture of a report, by Chromium: `make docs-pictures`.

docs/report.txt has the texts in the picture. A test compares them with the report of today's code.
The report is that of a made-up site, the same at each run.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

import sitemapper
from sitemapper.cli.report.page import Report

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = DOCS / "report.png"
TEXTS = DOCS / "report.txt"
BASE_URL = "https://teahouse.example/"
NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
SIZE = "1000,1345"  # as far as the folders


class Folder(NamedTuple):
    """A folder of pages: how many, and the years in which they changed last."""

    path: str
    pages: int
    first_year: int
    last_year: int
    head: str = ""


_NOINDEX = '<meta name="robots" content="noindex">'
_REFRESH = '<meta http-equiv="refresh" content="0; url=/guide/page-1.html">'
_CANONICAL = f'<link rel="canonical" href="{BASE_URL}guide/page-1.html">'
FOLDERS = (
    Folder("guide", 90, 2024, 2026),
    Folder("guide/brewing", 70, 2023, 2026),
    Folder("guide/tools", 45, 2022, 2025),
    Folder("api/3.0", 210, 2025, 2026),
    Folder("api/2.0", 190, 2021, 2023),
    Folder("api/1.0", 175, 2016, 2019),
    Folder("de/guide", 85, 2023, 2025),
    Folder("ja/guide", 75, 2022, 2024),
    Folder("blog/2026", 45, 2026, 2026),
    Folder("blog/2025", 60, 2025, 2025),
    Folder("blog/2024", 55, 2024, 2024),
    Folder("blog/2020", 70, 2020, 2021),
    Folder("shop", 55, 2024, 2026),
    Folder("tags", 42, 2024, 2026, _NOINDEX),
    Folder("old", 30, 2015, 2016, _REFRESH),
    Folder("print", 20, 2022, 2024, _CANONICAL),
)


def make_report(folder: Path) -> str:
    """The HTML of the report of the made-up site, which is written into the folder."""
    _write_site(folder)
    values = {
        "site": str(folder),
        "base_url": BASE_URL,
        "host": "none",
        "lastmod": ["page"],
        "ignore": ["drafts/"],
    }
    settings = sitemapper.load(values, cwd=str(folder))
    report = Report()
    summary = sitemapper.build(settings, now=NOW, dry_run=True, observer=report)
    return report.page(summary, BASE_URL, NOW, is_done=False)


def _write_site(root: Path) -> None:
    for folder in FOLDERS:
        target = root / folder.path
        target.mkdir(parents=True, exist_ok=True)
        for number in range(folder.pages):
            page = _page(folder, number)
            (target / f"page-{number}.html").write_text(page)
    (root / "drafts").mkdir()
    (root / "index.html").write_text(_page(FOLDERS[0], 0))
    (root / "404.html").write_text("<title>Not found</title><p>Not found")
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /shop/page-1\n")


def _page(folder: Folder, number: int) -> str:
    """A page with a date of its folder's years: the pages are spread evenly over them."""
    first = datetime(folder.first_year, 1, 1, tzinfo=UTC)
    last = min(datetime(folder.last_year, 12, 31, tzinfo=UTC), NOW)
    day = first + timedelta(days=(last - first).days * number // folder.pages)
    date = f'<meta property="article:modified_time" content="{day:%Y-%m-%d}">'
    return f"<html><head><title>Tea {number}</title>{date}{folder.head}</head><body><p>Tea"


def read_texts(html: str) -> str:
    """The texts that a rendered page shows, one a line."""
    body = LexborHTMLParser(html).body
    assert body
    body.strip_tags(["script", "style", "noscript"])
    texts = body.text(separator="\n").splitlines()
    return "".join(f"{text.strip()}\n" for text in texts if text.strip())


def ask_chromium(page: Path, *flags: str) -> str:
    """What Chromium prints after all scripts of the page have run."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        raise SystemExit("chromium is missing: tests/real/install.sh installs it")
    command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--virtual-time-budget=10000", f"--window-size={SIZE}", *flags, page.as_uri()]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return done.stdout


def main() -> None:
    """Writes the picture and its texts."""
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch, "report.html")
        page.write_text(make_report(Path(scratch, "site")))
        ask_chromium(page, f"--screenshot={PICTURE}")
        TEXTS.write_text(read_texts(ask_chromium(page, "--dump-dom")))


if __name__ == "__main__":
    main()
