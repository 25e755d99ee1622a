"""What `verify` requests: the sitemap, the URLs of its pages, and the site as it was built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..config import Config
from ..files import contents
from ..find import find
from ..messages import QUIET, SitemapperError
from ..model import Facts, Run, Site
from ..publish import load
from ..read import read
from ..scan import scan
from ..settle import settle
from ..syntax.urls import normalize_base, origin_of, page_at, quote_path

MAX_PAGE = 256 * 1024  # bytes that are read of a page


class Target(NamedTuple):
    """The sitemap to verify, and where its URLs are requested. Base URLs end with a slash.

    For a preview, `https://a.example/b` is requested as `https://preview.example/b`.
    """

    sitemap: str  # its URL, as `listed` has it
    listed: str  # the base URL of the URLs in the sitemap
    requested: str  # the base URL to which requests are sent
    site: Site | None = None  # as it was built, if it is on this machine
    facts: Mapping[str, Facts] = {}  # of the built site, by the paths of its pages

    @property
    def is_preview(self) -> bool:
        """Whether requests are sent to another host than that of the sitemap."""
        return self.requested != self.listed

    def to_request(self, url: str) -> str | None:
        """The URL to request for a listed one, None for one of another site."""
        if not url.startswith(self.listed):
            return None
        return self.requested + url.removeprefix(self.listed)

    def as_listed(self, url: str) -> str:
        """The URL as the sitemap would list it. One of another host stays as it is."""
        if not url.startswith(self.requested):
            return url
        return self.listed + url.removeprefix(self.requested)

    def page_at(self, url: str) -> str | None:
        """The path of the built page at a listed URL; None if there is none.

        `https://a.example/b` → `b.html`.
        """
        return page_at(url, self.listed, self.facts)

    def read(self, url: str) -> bytes:
        """The bytes of the built page at a URL; b"" for none, or for more than `MAX_PAGE`."""
        path = self.page_at(url)
        if self.site is None or path is None:
            return b""
        return contents(self.site.found.folder, path, MAX_PAGE)


class Request(NamedTuple):
    """The URL of a page, and the file and line that lists it."""

    url: str
    file: str
    line: int = 1
    is_removed: bool = False  # a build has removed it, so no page should be there


def find_target(url: str | None, at: str | None, config: Config, run: Run) -> Target:
    """Finds the sitemap to verify: at a URL, or that of the project with its built site.

    `url` is the URL of a sitemap or of a site; without one, the project here is meant. `at` is the
    address of a preview, to which all requests are sent. Raises SitemapperError for a wrong URL, or
    if there is no project whose base URL is known.
    """
    if url:
        base_url = origin_of(_base_of("SITEMAP_URL", url.partition("?")[0])) + "/"
        path = url.partition("://")[2].partition("/")[2]
        if path == "" or path.endswith("/"):
            path += "sitemap.xml"
        target = Target(base_url + path, base_url, base_url)
    else:
        target = _target_here(config, run)
    if not at:
        return target

    # A preview that is named without a path has the site below the same path as the live host.
    requested = _base_of("--at", at)
    origin = origin_of(requested)
    if requested == f"{origin}/":
        requested = origin + target.listed.removeprefix(origin_of(target.listed))
    return target._replace(requested=requested)


def _base_of(flag: str, url: str) -> str:
    """Normalizes the URL of a flag. Raises SitemapperError, with the flag, for a wrong one."""
    try:
        return normalize_base(url)
    except ValueError as error:
        raise SitemapperError(f"{flag}: {error}") from None


def _target_here(config: Config, run: Run) -> Target:
    """The sitemap of the project, with its built site if that is on this machine.

    A job of CI may verify what another job has built. Then the base URL must be in the settings.
    """
    try:
        return find_built(config, run)
    except SitemapperError as error:
        base_url = config.settings.base_url
        if base_url is None:
            help = error.help or "build the site"
            other = "pass the URL of the live sitemap: sitemapper verify SITEMAP_URL"
            raise SitemapperError(error.text, f"{help}; or {other}") from None
    return Target(base_url + config.settings.sitemap.name, base_url, base_url)


def find_built(config: Config, run: Run) -> Target:
    """Finds the built site of the project. Raises SitemapperError if it is not on this machine."""
    # `previous` says where a build finds the earlier sitemap. Here the sitemap in the output is
    # wanted, which is compared with the live one.
    settings = config.settings.model_copy(update={"previous": "output"})
    found = find(config._replace(settings=settings), run)
    scanned = scan(found)
    facts, _ = read(scanned.pages, found, run, QUIET)
    site = settle(found, scanned, facts, run)
    sitemap = site.base_url + quote_path(load(site, run).name)
    paths = (page.path for page in scanned.pages)
    by_path = dict(zip(paths, facts, strict=True))
    return Target(sitemap, site.base_url, site.base_url, site, by_path)
