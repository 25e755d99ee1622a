"""The `Sitemap:` line of robots.txt."""

import os
import re
from urllib.parse import unquote

from ..files import read_inside
from ..messages import SitemapperError
from ..model import Plan, Site
from ..syntax.robots import sitemap_lines
from ..syntax.urls import origin_of

_BOM = b"\xef\xbb\xbf"


def is_at_root(site: Site) -> bool:
    """Whether the base URL is the root of its host, which alone has a robots.txt (RFC 9309)."""
    return site.base_url == origin_of(site.base_url) + "/"


def read_robots(site: Site) -> bytes:
    """Reads the robots.txt of the site, or else that of the output; b"" if there is none.

    Raises SitemapperError for one that cannot be read: it would be replaced, and its rules lost.
    """
    for folder in (site.found.folder, site.found.output):
        try:
            text = read_inside(folder, "robots.txt")
        except OSError as error:
            path = os.path.join(folder, "robots.txt")
            what = f"{path}: cannot be read: {error.strerror}"
            raise SitemapperError(
                what, "correct that, or write robots = { write = false }"
            ) from None
        if text is not None:
            return text
    return b""


def with_sitemap(text: bytes, plan: Plan) -> bytes:
    """Adds a line for the sitemap of a plan to the text of a robots.txt; every other byte stays.

    The line is `Sitemap: https://a.example/sitemap.xml`. It replaces that of a sitemap of ours that
    is gone, or else it stands at the end.
    """
    line = b"Sitemap: " + plan.sitemap.encode()
    urls = sitemap_lines(text)
    if plan.sitemap in urls:
        return text

    # Replace only a whole line as we write it. It may follow the byte order mark, whose last byte
    # is \xbf.
    for url in urls:
        old_line = rb"(?<![^\r\n\xbf])Sitemap: %b(?=[\r\n]|\Z)" % re.escape(url.encode())
        if _is_gone(url, plan) and re.search(old_line, text):
            # A function, because backslashes in a text would have a meaning.
            return re.sub(old_line, lambda _: line, text, count=1)

    # Add it at the end, on a line of its own.
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    if text.removeprefix(_BOM) and not text.endswith((b"\n", b"\r")):
        text += newline
    return text + line + newline


def _is_gone(url: str, plan: Plan) -> bool:
    """Whether a sitemap that robots.txt names is one of ours that will not be there any more.

    The plan removes it, or it was ours at an earlier base URL: `https://old.example/sitemap.xml`.
    """
    base_url = plan.site.base_url
    removed = [base_url + file.name for file in plan.files if file.change == "removed"]
    if unquote(url) in removed:
        return True
    # `https://old.example/` if the URL is `https://old.example/sitemap.xml`. It was a base URL of
    # this site if URLs that are gone were below it.
    name = plan.sitemap.removeprefix(base_url)
    former = url.removesuffix(name)
    is_elsewhere = former not in ("", url) and not former.startswith(base_url)
    return is_elsewhere and any(loss.url.startswith(former) for loss in plan.gone)
