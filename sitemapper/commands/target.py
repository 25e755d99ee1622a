"""What `verify` requests: the sitemap, the URLs of its pages, and the site as it was built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple
from urllib.parse import urljoin, urlsplit

from ..config import Config
from ..errors import SitemapperError
from ..files import site_file
from ..find import find
from ..find.project import projects_in
from ..model import Facts, Run, Site
from ..observer import QUIET
from ..publish import load
from ..read import read
from ..scan import scan
from ..settle import settle
from ..syntax.urls import normalize_base, page_at, quote_path

MAX_PAGE = 256 * 1024  # bytes that are read of a page
Role = Literal["listed", "removed"]


class Target(NamedTuple):
    """The sitemap to verify, and where its URLs are requested. Base URLs end with a slash.

    For a preview, `https://a.example/b` is requested as `https://preview.example/b`.
    """

    sitemap: str  # its URL, as `listed` has it
    listed: str  # the base URL of the URLs in the sitemap
    requested: str  # the base URL to which requests are sent

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


class Request(NamedTuple):
    """A URL to request, and the file and line that lists it."""

    url: str
    file: str
    line: int = 1
    role: Role = "listed"


class Built(NamedTuple):
    """The site as it was built on this machine."""

    site: Site
    sitemap: str  # the name of the main sitemap in the output
    facts: Mapping[str, Facts]  # by the paths of the pages

    def page_at(self, url: str) -> str | None:
        """The path of the page at a URL, in any form of it."""
        return page_at(url, self.site.base_url, self.facts)

    def read(self, url: str) -> bytes:
        """The first `MAX_PAGE` bytes of the page at a URL, b"" if it is not there."""
        path = self.page_at(url)
        if path is None:
            return b""
        try:
            with open(site_file(self.site.found.folder, path), "rb") as file:
                return file.read(MAX_PAGE)
        except OSError:  # a build may have removed it
            return b""


def find_target(
    url: str | None, at: str | None, config: Config, run: Run
) -> tuple[Target, Built | None]:
    """Finds the sitemap to verify: at a URL, or that of the project with its built site.

    `at` is the address of a preview. Raises SitemapperError for a wrong URL, or if there is no
    project whose base URL is known.
    """
    built: Built | None = None
    if url:
        listed = _base_of("SITEMAP_URL", url, "/")
        path = url.partition("://")[2].partition("/")[2]
        name = f"{path}sitemap.xml" if path == "" or path.endswith("/") else path
    else:
        try:
            built = find_built(config, run)
            listed, name = built.site.base_url, quote_path(built.sitemap)
        except SitemapperError as error:
            # A job that verifies need not have built the site.
            stated = [project.address.value for project in projects_in(run.cwd) if project.address]
            listed = config.settings.base_url or "".join(stated[:1])
            name = config.settings.sitemap.name
            if not listed:
                other = "pass the URL of the live sitemap: sitemapper verify SITEMAP_URL"
                help = f"{error.help}; or {other}" if error.help else other
                raise SitemapperError(error.text, help) from None
    requested = listed
    if at:
        requested = _base_of("--at", at)
        if urlsplit(requested).path == "/":
            requested = urljoin(requested, urlsplit(listed).path)
    return Target(listed + name, listed, requested), built


def _base_of(flag: str, url: str, path: str | None = None) -> str:
    try:
        base = normalize_base(url.partition("?")[0] if path else url)
    except ValueError as error:
        raise SitemapperError(f"{flag}: {error}") from None
    return urljoin(base, path) if path else base


def find_built(config: Config, run: Run) -> Built:
    """Finds the built site of the project. Raises SitemapperError if it is not on this machine."""
    # The sitemaps in the output are compared, wherever a build finds the earlier ones.
    settings = config.settings.model_copy(update={"previous": "output"})
    found = find(config._replace(settings=settings), run)
    scanned = scan(found)
    facts, _ = read(scanned.pages, found, run, QUIET)
    site = settle(found, scanned, facts, run)
    paths = (page.path for page in scanned.pages)
    return Built(site, load(site, run).name, dict(zip(paths, facts, strict=True)))
