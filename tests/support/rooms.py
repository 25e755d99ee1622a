"""Sites from dictionaries, and the rooms from a folder to decisions, one after the other."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sitemapper import config, model
from sitemapper.commands.build import Summary, build
from sitemapper.find import find
from sitemapper.lastmod import date, explain_date, read_rows, render_rows
from sitemapper.messages import QUIET
from sitemapper.model import Before, Dated, Facts, Found, Scanned, Site
from sitemapper.read import read
from sitemapper.scan import scan
from sitemapper.select import Selected, select
from sitemapper.settle import settle

from . import MTIME, NOW, Run
from .git import DAY, START, Repo, day, noon

BASE = "https://tea.example/"
__all__ = ["DAY", "MTIME", "NOW", "START", "Repo", "day", "noon"]  # from here, too


class Decided(NamedTuple):
    """What the rooms found, each after the other."""

    found: Found
    scanned: Scanned
    facts: list[Facts]
    site: Site
    selected: Selected

    @property
    def urls(self) -> list[str]:
        return [one.url for one in self.selected.listed]

    @property
    def paths(self) -> str:
        """The listed URLs below the base URL, with blanks between; the home page is `.`."""
        base = self.site.base_url
        return " ".join(url.removeprefix(base) or "." for url in self.urls)

    @property
    def reasons(self) -> dict[str, str]:
        """Why pages and folders are left out, by path."""
        return {one.path: f"{one.reason.value}: {one.origin}" for one in self.selected.excluded}

    @property
    def messages(self) -> list[str]:
        return [message.text for message in (*self.site.messages, *self.selected.messages)]

    @property
    def codes(self) -> list[str]:
        return [message.code for message in (*self.site.messages, *self.selected.messages)]


def page(head: str = "", body: str = "Tea.") -> str:
    """The text of a page."""
    return (
        f"<!doctype html><html><head><title>Tea</title>{head}</head><body><p>{body}</body></html>"
    )


def canonical(url: str) -> str:
    """The text of a page with a canonical."""
    return page(f'<link rel="canonical" href="{url}">')


def write(root: Path, files: Mapping[str, str | bytes] | str) -> Path:
    """Writes files, each with a minute of its own; of those in a list of names, each is a page."""
    if isinstance(files, str):
        files = {name: page() if "htm" in name else "" for name in files.split()}
    for number, (name, content) in enumerate(files.items()):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        os.utime(path, (MTIME + 3600 * number,) * 2)
    return root


def decide(
    root: Path, site: str = ".", *, environment: Mapping[str, str] = {}, **values: Any
) -> Decided:
    """Runs the rooms on the site in a folder of `root`, with values as in a configuration file."""
    cwd = os.path.realpath(root)
    given = dict(values)
    if site != "auto":
        given["site"] = site
    loaded = config.load({}, cwd, environment, (), given)
    run = model.Run(cwd, environment, jobs=1)
    found = find(loaded, run)
    scanned = scan(found)
    facts = read(scanned.pages, found, run, QUIET).facts
    settled = settle(found, scanned, facts, run)
    return Decided(found, scanned, facts, settled, select(settled, scanned, facts, NOW))


def git(root: Path, *arguments: str) -> None:
    """Runs git in a folder."""
    name = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", "-C", root, *name, *arguments], check=True, capture_output=True)


def commit(root: Path) -> None:
    """Makes a repository of a folder, with one commit of all."""
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "A site")


Command = Run


def publish(
    root: Path,
    site: str = ".",
    *,
    flags: Mapping[str, object] = {},
    environment: Mapping[str, str] = {},
    replace: bool = False,
    is_dry: bool = False,
    **values: Any,
) -> Summary:
    """Builds the site in a folder of `root`, with values as in a file of settings.

    Without dates, or only with those of a ledger.
    """
    cwd = os.path.realpath(root)
    lastmod = ("ledger",) if "ledger" in values else ()
    given = {"base_url": BASE, "host": "none", "lastmod": lastmod, "site": site, **values}
    loaded = config.load(flags, cwd, environment, (), given)
    return build(loaded, model.Run(cwd, environment, is_dry=is_dry, jobs=1, replace=replace), NOW)


def changes(summary: Summary) -> str:
    """What happened to the files, in order: `created sitemap.xml`, one a line."""
    return "\n".join(f"{file.change} {file.name}" for file in summary.plan.files)


# --- Dates


class DatedSite(NamedTuple):
    """The dates of a site, and what `explain` says of them."""

    dated: Dated
    decided: Decided
    before: Before
    run: model.Run
    now: datetime

    @property
    def dates(self) -> dict[str, str | None]:
        """By the URLs below the base URL; the home page is "."."""
        base = self.decided.site.base_url
        return {one.loc.removeprefix(base) or ".": one.lastmod for one in self.dated.entries}

    @property
    def days(self) -> str:
        """The days in January 2026, by the names of the pages: `a:3 b:-`."""
        days = []
        for name, text in self.dates.items():
            number = int(text[8:10]) if text and text.startswith("2026-01") else text or "-"
            days.append(f"{name.strip('/')}:{number}")
        return " ".join(days)

    @property
    def sources(self) -> str:
        """What dated each page, or why it has no date: `git git list`."""
        return " ".join(one.source.replace(" ", "_") for one in self.dated.entries)

    @property
    def notes(self) -> list[str]:
        return [f"{one.code}: {one.text}" for one in self.dated.messages]

    def explain(self, path: str) -> list[tuple[str, str]]:
        decided = self.decided
        [entry] = [one for one in self.dated.entries if one.page and one.page.path == path]
        return explain_date(entry, decided.site, decided.selected, self.before, self.run, self.now)

    def publish(self) -> None:
        """Writes the sitemap and the ledger, as `publish` does."""
        found = self.decided.found
        rows = [
            f"<url><loc>{one.loc}</loc>"
            + (f"<lastmod>{one.lastmod}</lastmod>" if one.lastmod else "")
            + "</url>\n"
            for one in self.dated.entries
        ]
        Path(found.output, "sitemap.xml").write_text(f"<urlset>\n{''.join(rows)}</urlset>\n")
        if self.dated.rows is not None and found.ledger:
            Path(found.ledger).write_bytes(render_rows(self.dated.rows))


def date_site(
    root: Path,
    site: str = "public",
    *,
    now: datetime = NOW,
    environment: Mapping[str, str] = {},
    **values: Any,
) -> DatedSite:
    """Runs the rooms up to the dates on the site in a folder of `root`."""
    given = {"base_url": BASE, **values}
    decided = decide(root, site, environment=environment, **given)
    found = decided.found
    rows = None
    if found.ledger:
        there = os.path.exists(found.ledger)
        rows = read_rows(Path(found.ledger).read_bytes(), "the ledger") if there else {}
    files = ("sitemap.xml",) if os.path.exists(os.path.join(found.output, "sitemap.xml")) else ()
    before = Before("sitemap.xml", "public/sitemap.xml", bool(files), files, rows=rows)
    run = model.Run(os.path.realpath(root), environment, jobs=1)
    dated = date(decided.site, decided.selected, before, run, now)
    return DatedSite(dated, decided, before, run, now)


def one_of(*names: str) -> str:
    """Names as a message lists them: `'a', 'b' or 'c'`."""
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}"
