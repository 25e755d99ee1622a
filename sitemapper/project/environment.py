"""What lies around the pages and speaks about them: robots.txt and the host's files. Reads them once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, islice
from urllib.parse import urlsplit

from ..config.settings import Settings
from ..errors import ConfigError
from ..fs import regular
from ..model import Page
from ..site import read, server, walk
from ..syntax import hosts, robots
from ..syntax.hosts import Host
from ..syntax.html import SIZE_LIMIT, parse
from ..syntax.urls import relative_path, resolve
from . import url_style

_MANY = 200  # pages that are looked at for a style
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=\W?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
_LINKS = 500  # of their links; a fifth of them, where only a contradiction is looked for


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
    return None if found is None or found.allows_all else found


def host(settings: Settings) -> Host:
    """The host and its rules. Raises ConfigError for a broken file."""
    folders = (settings.cwd or os.curdir, os.path.dirname(settings.site), settings.site)
    files = [(name, os.path.join(settings.site, name)) for name in hosts.FILES]
    files += [(m, p) for m in hosts.MARKERS for f in folders if os.path.isfile(p := os.path.join(f, m))]
    texts = {name: _text(path) for name, path in files}
    try:
        return hosts.choose(settings.host, texts, urlsplit(settings.base_url).netloc)
    except ValueError as error:
        raise ConfigError((str(error),)) from None


def style(settings: Settings, folder: walk.SiteRoot, around: Host) -> tuple[str, str | None]:
    """The URL style, and for `auto` the evidence: the canonicals of the walk's first pages, host, links."""
    if settings.url_style != "auto":
        return settings.url_style, None
    pages = list(islice(chain.from_iterable(run.pages for run in walk.walk(folder)), _MANY))
    named = (_named(path, data, settings, folder) for path, data in _starts(pages, folder, SIZE_LIMIT))
    found, evidence = url_style.proved(
        filter(None, named), _links(_starts(pages, folder), settings, folder), around
    )
    return found, f"url_style auto: {found}, because {evidence}"


def contradiction(pages: Sequence[Page], settings: Settings, folder: walk.SiteRoot) -> str | None:
    """What the links of a few pages say against the default URL style; None if one has a canonical."""
    starts = list(_starts(pages, folder))
    for path, data in starts:  # not parsed, so that runs in which all pages are known need no parser
        found = _CANONICAL.search(data)
        form = _path(found[1].decode("utf-8", "replace"), path, settings) if found else None
        if form is not None and server.file_for_url_path(folder, form) == path:
            return None
    return url_style.contradicted(settings.url_style, islice(_links(starts, settings, folder), _LINKS // 5))


def _named(path: str, data: bytes, settings: Settings, folder: walk.SiteRoot) -> tuple[str, str] | None:
    """A page and the path that its canonical gives it; None where that is another file or nothing."""
    canonical = parse(data).canonical
    form = _path(canonical, path, settings) if canonical else None
    return (path, form) if form is not None and server.file_for_url_path(folder, form) == path else None


def _links(
    starts: Iterable[tuple[str, bytes]], settings: Settings, folder: walk.SiteRoot
) -> Iterator[tuple[str, str]]:
    """Pages to which links lead, with the paths that name them.

    Not the home page, which has no name, and not `a/index.html` in full, which servers show at `a/` too.
    """

    @cache
    def led(target: str, above: str) -> tuple[str, str] | None:
        path = _path(target, above, settings)
        file = (
            server.file_for_url_path(folder, path)
            if path and not f"/{path}".endswith(f"/{walk.INDEX}")
            else None
        )
        return (file, path) if path and file and file.endswith(".html") else None

    targets = ((path, target) for path, data in starts for target in url_style.targets(data))
    found = (led(to, "" if to[0] == "/" else path[: path.rfind("/") + 1]) for path, to in targets)
    return islice(filter(None, found), _LINKS)


def _starts(
    pages: Iterable[Page], folder: walk.SiteRoot, limit: int = 64 * 1024
) -> Iterator[tuple[str, bytes]]:
    """Pages with their first bytes, but for those that cannot be read, which the build itself reports."""
    for page in pages:
        with suppress(OSError):
            yield page.path, read.read(folder, page, limit)


def _path(reference: str, path: str, settings: Settings) -> str | None:
    """The path that a reference in a file of the site names; None outside of the site."""
    url = resolve(reference, settings.base_url + path)
    return relative_path(url, settings.base_url) if url else None


def _text(path: str) -> str:
    return (regular(path) or b"").decode("utf-8-sig", "replace")
