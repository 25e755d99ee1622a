"""What lies around the pages and speaks about them: robots.txt and the host's files. Reads them once."""

from __future__ import annotations

import os
from itertools import chain, islice
from urllib.parse import urlsplit

from sitemapper.config.files import regular
from sitemapper.config.settings import Settings
from sitemapper.model import Page
from sitemapper.pipeline import url_styles
from sitemapper.site import read as reading
from sitemapper.site import walk as walking
from sitemapper.syntax import hosts, robots
from sitemapper.syntax.hosts import Host
from sitemapper.syntax.hosts.files import HEADERS, REDIRECTS
from sitemapper.syntax.hosts.files import read as read_rules
from sitemapper.syntax.html import SIZE_LIMIT, parse
from sitemapper.syntax.urls import below, resolve


def robots_text(settings: Settings) -> bytes | None:
    """The host's robots.txt: the site's, else the output's; None if the base URL is not the root's."""
    if urlsplit(settings.base_url).path != "/":
        return None
    for folder in (settings.site, settings.output_dir):
        found = regular(os.path.join(folder, "robots.txt"))
        if found is not None:
            return found
    return b""


def crawling(settings: Settings) -> robots.Crawling | None:
    """What robots.txt closes; None if it closes nothing or is not to be respected."""
    text = robots_text(settings) if settings.respect.robots else None
    found = robots.crawling(text, settings.robots.agents) if text else None
    return None if found is None or found.closes_nothing else found


def host(settings: Settings) -> Host:
    """The host and its rules, none if they are not to be respected."""
    wanted = settings.host if settings.respect.host else "none"
    redirects, headers = (_text(os.path.join(settings.site, name)) for name in (REDIRECTS, HEADERS))
    around = {settings.cwd or os.curdir, os.path.dirname(settings.site), settings.site}
    markers = (marker for marker, _ in hosts.ALL.values())
    beside = (m for m in markers if any(os.path.isfile(os.path.join(f, m)) for f in around))
    return hosts.choose(wanted, frozenset(beside), read_rules(redirects, headers))


def style(settings: Settings, folder: walking.Folder, around: Host) -> tuple[str, str | None]:
    """The URL style, and for `auto` the evidence: the canonicals of the walk's first pages, or the host."""
    if settings.url_style != "auto":
        return settings.url_style, None
    pages = islice(chain.from_iterable(run.pages for run in walking.walk(folder)), url_styles.SAMPLE)
    found, evidence = url_styles.proved(
        filter(None, (_named(page, settings, folder) for page in pages)), around
    )
    return found, f"url_style auto: {found}, because {evidence}"


def _named(page: Page, settings: Settings, folder: walking.Folder) -> tuple[str, str] | None:
    """A page and the path that its canonical gives it; None where that is another file or nothing."""
    try:
        head = parse(reading.read(folder, page, SIZE_LIMIT))
    except OSError:
        return None  # the walk of the build itself reports it
    url = resolve(head.canonical, settings.base_url + page.path) if head.canonical else None
    path = below(url, settings.base_url) if url else None
    return (page.path, path) if path is not None and walking.served(folder, path) == page.path else None


def _text(path: str) -> str:
    return (regular(path) or b"").decode("utf-8-sig", "replace")
