"""Writes the redirects that moved pages need: in `_redirects`, vercel.json, or a table of URLs.

Each rule is for one URL and no other. A URL that a host's rules cannot name has no rule.
"""

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..model import REDIRECTS_MARK
from ..syntax.settings_files import lines_of
from ..syntax.urls import without_scheme
from . import vercel
from .host import Host
from .rule import WILDCARD
from .text_files import REDIRECTS

_FILE_BY_HOST = {
    "cloudflare": REDIRECTS,
    "gitlab": REDIRECTS,
    "netlify": REDIRECTS,
    "vercel": vercel.CONFIG,
}
_TABLE = "other hosts"  # in place of the name of a file, where the redirects are a table
# Hosts that compare paths without letter case and final slash.
_LOOSE_HOSTS = frozenset({"gitlab", "netlify"})
# Characters with a meaning in vercel.json, whose sources are those of path-to-regexp.
_OF_SOURCES = ":(){}*+?\\"
_INDEX = re.compile(r"(?<=/)index\.html?$")
_PAGE = re.compile(r"\.x?html?$", re.IGNORECASE)


class Redirect(NamedTuple):
    """A redirect to write: from the old URL of a page that moved to the new one."""

    old: str
    new: str


class RedirectWriter(NamedTuple):
    """Writes redirects for the pages below a base URL.

    `file` is the host's file of rules. With `has_full_paths`, as on GitLab, the paths in it begin
    with that of the base URL: `/docs/a` for `https://example.com/docs/a`. With `is_loose`, the host
    compares paths without letter case and final slash.
    """

    base_url: str
    file: str = _TABLE
    has_full_paths: bool = False
    is_loose: bool = False

    @property
    def mark(self) -> str:
        """The first line of a file of ours. "" for JSON, which has no comments."""
        if self.file == vercel.CONFIG:
            return ""
        return f"# {REDIRECTS_MARK} {self.file}, by sitemapper"

    def line(self, redirect: Redirect) -> str:
        """The line for a redirect, "" if it cannot be written.

        `/a /b 301` in `_redirects`, an object in vercel.json, and two URLs with a tab between them
        in a table.
        """
        if self.file == _TABLE:
            return f"{redirect.old}\t{redirect.new}"
        if not self._is_path(redirect.old) or not self._is_path(redirect.new):
            return ""
        if _may_lead_to_itself(redirect, is_loose=self.is_loose):
            return ""
        path = self._path(redirect.old)
        target = self._target(redirect.new)
        if self.file == vercel.CONFIG:
            return _redirect_in_vercel(path, target)
        return _line_of_redirects(path, target)

    def remedy(self, redirect: Redirect) -> str:
        """What redirects an old URL to the new one, after its file: `_redirects: /a /b 301`.

        For a host whose rules are not written here, it is a page at the old URL. "" if neither can
        be written.
        """
        if self.file != _TABLE:
            line = self.line(redirect)
            return f"{self.file}: {line}" if line else ""
        if not self._is_path(redirect.old) or _may_lead_to_itself(redirect, is_loose=False):
            return ""
        file = _file_at(redirect.old, self.base_url)
        return f"{file}: {_page(redirect)}" if file else ""

    def text(self, redirects: Sequence[Redirect], earlier: str = "") -> str:
        """The whole file: the lines of an `earlier` file of ours, then those of the redirects.

        An earlier line is left out if its old URL moved again, or is the new URL of another page.
        """
        lines = list(filter(None, map(self.line, redirects)))
        if self.file == vercel.CONFIG:
            rules = ",\n  ".join(lines)
            return f'{{"redirects": [\n  {rules}\n]}}\n'
        heading = self._heading()
        kept = [line for line in self._kept(earlier, redirects) if line not in heading]
        return "".join(f"{line}\n" for line in [*heading, *kept, *lines])

    def _heading(self) -> list[str]:
        """The comments at the top."""
        is_at_root = urlsplit(self.base_url).path == "/"
        if is_at_root or self.has_full_paths or self.file == _TABLE:
            return [self.mark]
        return [self.mark, f"# The paths are those below {self.base_url}"]

    def _kept(self, earlier: str, redirects: Sequence[Redirect]) -> Iterator[str]:
        """The lines of an earlier file whose old URL is in none of the redirects."""
        urls = {url for redirect in redirects for url in redirect}
        if self.file != _TABLE:
            urls = set(map(self._path, urls))
        for line in lines_of(earlier):
            first_word = line.split(maxsplit=1)[:1]
            if urls.isdisjoint(first_word):
                yield line

    def _is_path(self, url: str) -> bool:
        """Whether a rule can name a URL: one below the base URL, without a query."""
        return url.startswith(self.base_url) and "?" not in url

    def _path(self, url: str) -> str:
        """The path of a URL as the host's rules have it: below the base URL, or the full path."""
        if self.has_full_paths:
            return _full_path(url)
        return url[len(self.base_url) - 1 :]

    def _target(self, url: str) -> str:
        """Where a rule leads: a path, or a URL if the site is below a folder of its host.

        There, a path could be taken as one below the folder, or below the root.
        """
        is_at_root = urlsplit(self.base_url).path == "/"
        if is_at_root or self.has_full_paths:
            return _full_path(url)
        return url


def redirect_writer(host: Host, base_url: str) -> RedirectWriter:
    """How redirects are written for the hosts that a site may be on.

    They are a table if the host is not known, if its rules are not written here, or if the hosts
    have different files.
    """
    files = {_FILE_BY_HOST.get(name, _TABLE) for name in host.names}
    is_settled = host.is_known or host.has_rules
    if not is_settled or len(files) != 1:
        return RedirectWriter(base_url)
    return RedirectWriter(
        base_url,
        file=files.pop(),
        has_full_paths="gitlab" in host.names,
        is_loose=not _LOOSE_HOSTS.isdisjoint(host.names),
    )


def _line_of_redirects(path: str, target: str) -> str:
    """A line of `_redirects`: `/a /b 301`.

    "" for a path with a star or a placeholder, which neither Netlify nor Cloudflare can escape
    (docs.netlify.com/routing/redirects, developers.cloudflare.com/pages/configuration/redirects).
    """
    if re.search(WILDCARD, path):
        return ""
    return f"{path} {_escaped(target, ':')} 301"


def _redirect_in_vercel(path: str, target: str) -> str:
    """An object in the list `redirects` of vercel.json, in which signs of a pattern are escaped.

    `{"source": "/a", "destination": "/b", "statusCode": 301}`
    (vercel.com/docs/project-configuration#redirects).
    """
    redirect = {
        "source": "".join(f"\\{one}" if one in _OF_SOURCES else one for one in path),
        "destination": _escaped(target, _OF_SOURCES),
        "statusCode": 301,
    }
    return json.dumps(redirect, ensure_ascii=False)


def _escaped(target: str, characters: str) -> str:
    """A target with some characters percent-encoded: `/10:30` → `/10%3A30`.

    The colons of `https://example.com:80/` stay.
    """
    scheme, separator, rest = target.rpartition("://")
    host, slash, path = rest.partition("/")
    encoded = "".join(f"%{ord(one):02X}" if one in characters else one for one in path)
    return f"{scheme}{separator}{host}{slash}{encoded}"


def _full_path(url: str) -> str:
    """The path of a URL: `https://example.com/a` → `/a`."""
    return "/" + without_scheme(url).partition("/")[2]


def _may_lead_to_itself(redirect: Redirect, *, is_loose: bool) -> bool:
    """Whether the new URL may be one that the host takes for the old one: `/a/index.html` → `/a/`.

    To show `/a/`, a server asks itself for `/a/index.html`, and rules apply to that, too.
    """
    urls = {_INDEX.sub("", url) for url in redirect}
    if is_loose:
        urls = {url.removesuffix("/").lower() for url in urls}
    return len(urls) == 1


def _file_at(url: str, base_url: str) -> str:
    """The file that every server shows at a URL: `a/` and `a` → `a/index.html`.

    "" if its name is no UTF-8, which a message cannot show.
    """
    try:
        path = unquote(url[len(base_url) :], errors="strict")
    except UnicodeDecodeError:
        return ""
    if _PAGE.search(path):
        return path
    return f"{path.rstrip('/')}/index.html".lstrip("/")


def _page(redirect: Redirect) -> str:
    """A page that leads to a URL.

    Search engines take a refresh after 0 seconds for a permanent redirect
    (developers.google.com/search/docs/crawling-indexing/301-redirects).
    """
    url = escape(redirect.new)
    return (
        f'<!doctype html><link rel="canonical" href="{url}">'
        f'<meta http-equiv="refresh" content="0; url={url}">'
    )
