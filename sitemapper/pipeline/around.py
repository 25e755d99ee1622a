"""What lies around the pages and speaks about them: robots.txt and the host's files. Reads them once."""

from __future__ import annotations

import os
from itertools import chain, islice
from urllib.parse import urlsplit

from ..config.files import regular
from ..config.settings import Settings
from ..model import Page
from ..site import read, walk
from ..syntax import hosts, robots
from ..syntax.hosts import Host
from ..syntax.html import SIZE_LIMIT, parse
from ..syntax.urls import below, resolve
from . import url_styles


def robots_file(settings: Settings) -> tuple[str, bytes] | None:
    """The host's robots.txt, its path and text: the site's, else the output's.

    None if the base URL is not the host's root. A missing file has no text.
    """
    if urlsplit(settings.base_url).path != "/":
        return None
    paths = [os.path.join(folder, "robots.txt") for folder in (settings.site, settings.output_dir)]
    found = ((path, regular(path)) for path in paths)
    return next(((path, text) for path, text in found if text is not None), (paths[-1], b""))


def crawling(file: tuple[str, bytes] | None, settings: Settings) -> robots.Crawling | None:
    """What a robots.txt closes; None if it closes nothing or is not to be respected."""
    text = file[1] if file and settings.respect.robots else None
    found = robots.crawling(text, settings.robots.agents) if text else None
    return None if found is None or found.closes_nothing else found


def host(settings: Settings) -> Host:
    """The host and its rules, none if they are not to be respected."""
    wanted = settings.host if settings.respect.host else "none"
    folders = (settings.cwd or os.curdir, os.path.dirname(settings.site), settings.site)
    files = [(name, os.path.join(settings.site, name)) for name in hosts.FILES]
    files += [(m, p) for m in hosts.MARKERS for f in folders if os.path.isfile(p := os.path.join(f, m))]
    texts = {name: _text(path) for name, path in files}
    return hosts.choose(wanted, texts, urlsplit(settings.base_url).netloc)


def style(settings: Settings, folder: walk.Folder, around: Host) -> tuple[str, str | None]:
    """The URL style, and for `auto` the evidence: the canonicals of the walk's first pages, or the host."""
    if settings.url_style != "auto":
        return settings.url_style, None
    pages = islice(chain.from_iterable(run.pages for run in walk.walk(folder)), url_styles.SAMPLE)
    found, evidence = url_styles.proved(
        filter(None, (_named(page, settings, folder) for page in pages)), around
    )
    return found, f"url_style auto: {found}, because {evidence}"


def _named(page: Page, settings: Settings, folder: walk.Folder) -> tuple[str, str] | None:
    """A page and the path that its canonical gives it; None where that is another file or nothing."""
    try:
        head = parse(read.read(folder, page, SIZE_LIMIT))
    except OSError:
        return None  # the walk of the build itself reports it
    url = resolve(head.canonical, settings.base_url + page.path) if head.canonical else None
    path = below(url, settings.base_url) if url else None
    return (page.path, path) if path is not None and walk.served(folder, path) == page.path else None


def _text(path: str) -> str:
    return (regular(path) or b"").decode("utf-8-sig", "replace")
