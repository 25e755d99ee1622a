"""`init`: a first sitemapper.toml, with what a build does not find by itself."""

import json
import os
import secrets
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ..config import Config, load
from ..files import shown_path
from ..find import find
from ..messages import SitemapperError
from ..model import Run
from ..settle import settle
from .build import Summary, build

NAME = "sitemapper.toml"
_LEDGER = """\

# git dates no page, so the ledger records when the content of each one changed. Commit the file, or
# keep it in the cache of CI.
[ledger]
path = "sitemapper.ledger\""""


class Start(NamedTuple):
    """What a dry build finds, and the lines of the new file: none if a build needs no file."""

    summary: Summary
    lines: tuple[str, ...]


def init(
    site: str | None, base_url: str | None, run: Run, now: datetime, *, has_key: bool = False
) -> Start:
    """Writes sitemapper.toml into the working directory, unless a build finds all by itself.

    With `has_key`, the file gets a new key for `submit`. Raises SitemapperError without a site or a
    base URL, and if there is a configuration already: it is never replaced.
    """
    key_line = f'key = "{secrets.token_hex(16)}"'
    config = _load(site, base_url, run)
    if config.file:
        file = shown_path(config.file, run.cwd)
        help = f"add to it, below [submit]: {key_line}" if has_key else "edit it"
        raise SitemapperError(f"{file}: is there already, and is not replaced", help)

    summary = build(config, run._replace(is_dry=True), now)
    lines = list(_lines_needed(site, base_url, summary, run))
    if has_key:
        lines += ["\n[submit]", key_line]
    if not lines:
        return Start(summary, ())

    text = "\n".join(lines).lstrip("\n") + "\n"  # a table begins with an empty line
    try:
        with open(os.path.join(run.cwd, NAME), "x", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise SitemapperError(
            f"{NAME}: cannot be written: {error.strerror}",
            "check the free space, and the permissions of the folder",
        ) from None
    return Start(summary, tuple(lines))


def _load(site: str | None, base_url: str | None, run: Run) -> Config:
    """Loads the configuration with the values of two flags, which may be None."""
    return load({"site": site, "base_url": base_url}, run.cwd, run.environment)


def _lines_needed(
    site: str | None, base_url: str | None, summary: Summary, run: Run
) -> Iterator[str]:
    """Yields lines of sitemapper.toml for what a build without flags would not find.

    These are `base_url`, `site`, and a ledger if nothing else dates the pages. `site` and
    `base_url` are the flags of `init`, and `summary` is that of a dry build with them.
    """
    found = summary.site.found
    if not _finds_base_url(site, summary, run):
        yield f"base_url = {json.dumps(summary.site.base_url)}"
    if site:
        try:
            folder = find(_load(None, base_url, run), run).folder
        except SitemapperError:
            folder = ""  # a build without the flag finds no site
        if folder != found.folder:
            text = json.dumps(shown_path(found.folder, run.cwd), ensure_ascii=False)
            yield f"site = {text}"
    sources = {entry.source for entry in summary.dated.entries if entry.lastmod}
    if sources <= {"mtime"} and found.ledger is None:
        yield _LEDGER


def _finds_base_url(site: str | None, summary: Summary, run: Run) -> bool:
    """Whether the next build finds the base URL of `summary` without the flag --base-url."""
    try:
        without_flag = summary.site.found._replace(config=_load(site, None, run))
        next_site = settle(without_flag, summary.scanned, summary.facts, run)
    except SitemapperError:
        return False
    if next_site.base_url != summary.site.base_url:
        return False
    if not summary.before.is_ours:
        return True
    # A generator may empty the output before the next build, and remove our sitemap and its line
    # in robots.txt.
    return next_site.base_url_origin.source not in (summary.before.name, "robots.txt")
