"""Sites from dictionaries, and the rooms from a folder to decisions, one after the other."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from sitemapper_next import config
from sitemapper_next.find import find
from sitemapper_next.model import Facts, Found, Run, Scanned, Site
from sitemapper_next.observer import QUIET
from sitemapper_next.read import read
from sitemapper_next.scan import scan
from sitemapper_next.select import Selected, select
from sitemapper_next.settle import settle

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MTIME = 1_767_323_045  # 2026-01-02T03:04:05+00:00
BASE = "https://tea.example/"


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
    run = Run(cwd, environment, jobs=1)
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
