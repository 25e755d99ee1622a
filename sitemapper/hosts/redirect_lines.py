"""Redirects for moved pages, in the syntax of the host.

Each rule is for one URL and no other. A URL that a syntax cannot name has no rule.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..model import REDIRECTS_MARK
from ..syntax.urls import without_scheme
from .host import Host
from .redirect_syntaxes import BY_HOST, TABLE, RedirectSyntax

_INDEX = re.compile(r"(?<=/)index\.html?$")
_PAGE = re.compile(r"\.x?html?$", re.IGNORECASE)


class Redirect(NamedTuple):
    """A redirect to write, from the URL of a page that moved to its new one."""

    old: str
    new: str


class RedirectWriter(NamedTuple):
    """Writes redirects for the pages below a base URL in the syntax of a host."""

    syntax: RedirectSyntax
    base_url: str

    @property
    def has_rules(self) -> bool:
        """Whether the host has rules, which are in a file. Otherwise, pages redirect."""
        return self.syntax is not TABLE

    @property
    def mark(self) -> str:
        """The first line of a file of ours. "" if the syntax has no comments."""
        comment = self.syntax.comment
        if not comment:
            return ""
        return f"{comment}{REDIRECTS_MARK} {self.syntax.file}, by sitemapper"

    def rule(self, redirect: Redirect) -> str:
        """The rule for a redirect, "" if it cannot be written."""
        if not self._is_path(redirect.old) or not self._is_path(redirect.new):
            return ""
        if _is_one_page(redirect, is_loose=self.syntax.is_loose):
            return ""
        start = self._start(redirect.old)
        end = self.syntax.end(self._target(redirect.new))
        return start + end if start and end else ""

    def remedy(self, redirect: Redirect) -> str:
        """What to add where, so that an old URL leads to the new one. "" if nothing can be written.

        For a host without rules, it is a page at the old URL.
        """
        rule = self.rule(redirect)
        if not rule:
            return ""
        if self.has_rules:
            return f"{self.syntax.file}: {rule}"
        file = _file_at(redirect.old, self.base_url)
        return f"{file}: {_page(redirect)}" if file else ""

    def text(self, redirects: Sequence[Redirect], earlier: str = "") -> str:
        """The whole file with the rules, after those of an `earlier` file of ours.

        Of the latter, rules for a URL that moved again, or is there again, are left out.
        """
        heading = self._heading()
        rules = list(self._kept(earlier, redirects, heading))
        rules += filter(None, map(self.rule, redirects))
        lines = "".join(f"{line}\n" for line in heading)
        return lines + self.syntax.opening + self.syntax.separator.join(rules) + self.syntax.closing

    def _heading(self) -> list[str]:
        """The comments at the top."""
        if not self.mark:
            return []
        is_at_root = urlsplit(self.base_url).path == "/"
        if is_at_root or self.syntax.has_full_paths:
            return [self.mark]
        return [self.mark, f"{self.syntax.comment}The paths are those below {self.base_url}"]

    def _kept(
        self, earlier: str, redirects: Iterable[Redirect], heading: Sequence[str]
    ) -> Iterable[str]:
        """The rules of an earlier file that count."""
        urls = [url for redirect in redirects for url in redirect]
        starts = tuple(filter(None, map(self._start, urls)))
        for line in earlier.splitlines():
            if line not in heading and not line.startswith(starts):
                yield line

    def _is_path(self, url: str) -> bool:
        """Whether a URL is below the base, and has no query, which no rule compares."""
        return url.startswith(self.base_url) and "?" not in url

    def _start(self, url: str) -> str:
        """The start of the rule for a URL: up to its target."""
        if self.syntax.has_full_paths:
            return self.syntax.start(_path_of(url))
        return self.syntax.start(url[len(self.base_url) - 1 :])

    def _target(self, url: str) -> str:
        """Where a redirect leads: a path or, if that of the base URL may be another one, a URL."""
        if not self.has_rules:
            return url[len(self.base_url) - 1 :]
        is_at_root = urlsplit(self.base_url).path == "/"
        if is_at_root or self.syntax.has_full_paths:
            return _path_of(url)
        return url


def redirect_writer(host: Host, base_url: str) -> RedirectWriter:
    """How redirects are written for the hosts that a site may be on.

    They are pages if the host is not known, or has no rules that are read here.
    """
    syntaxes = [BY_HOST.get(name, TABLE) for name in host.names]
    files = {syntax.file for syntax in syntaxes}
    is_settled = host.is_known or host.has_rules
    if not is_settled or len(files) != 1:
        return RedirectWriter(TABLE, base_url)
    loosest = max(syntaxes, key=lambda syntax: syntax.is_loose)
    return RedirectWriter(loosest, base_url)


def _path_of(url: str) -> str:
    """The path of a URL."""
    return "/" + without_scheme(url).partition("/")[2]


def _is_one_page(redirect: Redirect, *, is_loose: bool) -> bool:
    """Whether a redirect might go in circles.

    A server asks for a folder's index page by its full name, and rules apply to that, too.
    """
    forms = {_INDEX.sub("", url) for url in redirect}
    if is_loose:
        forms = {form.removesuffix("/").lower() for form in forms}
    return len(forms) == 1


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
