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
_PATTERN_CHARACTERS = ":(){}*+?\\"
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
        """The first line of a file that we write, by which we know it: a comment.

        "" for vercel.json, because JSON has no comments.
        """
        if self.file == vercel.CONFIG:
            return ""
        return f"# {REDIRECTS_MARK} {self.file}, by sitemapper"

    def line(self, redirect: Redirect) -> str:
        """The line for a redirect, "" if the host has no rule for it.

        | file          | line                                                        |
        |---------------|-------------------------------------------------------------|
        | `_redirects`  | `/a /b 301`                                                 |
        | vercel.json   | `{"source": "/a", "destination": "/b", "statusCode": 301}`  |
        | a table       | the old and the new URL, with a tab between them            |

        There is no rule for a URL with a query, or if a page could be redirected to itself.
        """
        if self.file == _TABLE:
            return f"{redirect.old}\t{redirect.new}"
        if not self._is_path(redirect.old) or not self._is_path(redirect.new):
            return ""
        if _may_lead_to_itself(redirect, is_loose=self.is_loose):
            return ""
        path = self._path_in_rules(redirect.old)
        target = self._target_in_rules(redirect.new)
        if self.file == vercel.CONFIG:
            return _redirect_in_vercel(path, target)
        return _line_of_redirects(path, target)

    def remedy(self, redirect: Redirect) -> str:
        """What to write to which file to redirect an old URL: `_redirects: /a /b 301`.

        For a host whose rules are not written here, it is a page at the old URL that leads to the
        new one: `a/index.html: <!doctype html>…`. "" if neither is possible.
        """
        if self.file != _TABLE:
            line = self.line(redirect)
            return f"{self.file}: {line}" if line else ""
        if not self._is_path(redirect.old) or _may_lead_to_itself(redirect, is_loose=False):
            return ""
        file = _file_shown_at(redirect.old, self.base_url)
        return f"{file}: {_redirecting_page(redirect)}" if file else ""

    def text(self, redirects: Sequence[Redirect], earlier: str = "") -> str:
        """The whole file: the lines of the `earlier` file that we wrote, and then new ones.

        The new ones are for the redirects. An earlier line is left out if its old URL moved again,
        or is now the URL of another page. vercel.json has only new ones.
        """
        lines = [line for line in map(self.line, redirects) if line]
        if self.file == vercel.CONFIG:
            rules = ",\n  ".join(lines)
            return f'{{"redirects": [\n  {rules}\n]}}\n'
        heading = self._heading()
        kept_lines = self._keep_lines(earlier, redirects)
        kept = [line for line in kept_lines if line not in heading]
        return "".join(f"{line}\n" for line in [*heading, *kept, *lines])

    def _heading(self) -> list[str]:
        """The comments at the top: the mark and, for a site below a folder, a note on the paths."""
        is_at_root = urlsplit(self.base_url).path == "/"
        if is_at_root or self.has_full_paths or self.file == _TABLE:
            return [self.mark]
        return [self.mark, f"# The paths are those below {self.base_url}"]

    def _keep_lines(self, earlier: str, redirects: Sequence[Redirect]) -> Iterator[str]:
        """Yields the lines of an earlier file whose old URL is in none of the redirects.

        After `/a /b 301`, and a redirect from `/b` to `/c`, the earlier line stays: `/a` is in no
        redirect. It goes if a page moved to `/a`.
        """
        urls = {url for redirect in redirects for url in redirect}
        if self.file != _TABLE:
            urls = set(map(self._path_in_rules, urls))
        for line in lines_of(earlier):
            old_url = line.split(maxsplit=1)[:1]  # a list, which is empty for a blank line
            if urls.isdisjoint(old_url):
                yield line

    def _is_path(self, url: str) -> bool:
        """Whether a rule can name a URL: one below the base URL, without a query."""
        return url.startswith(self.base_url) and "?" not in url

    def _path_in_rules(self, url: str) -> str:
        """The path of a URL as the host's rules have it: `/a` for a URL directly below the base.

        On GitLab, it is the full path: `/docs/a` for the base URL `https://example.com/docs/`.
        """
        if self.has_full_paths:
            return _full_path(url)
        return url[len(self.base_url) - 1 :]

    def _target_in_rules(self, url: str) -> str:
        """Where a rule leads: `/b`, or `https://example.com/docs/b` for a site in `/docs/`.

        For such a site, a path could mean one below `/docs/` or below the root, but a URL is clear.
        """
        is_at_root = urlsplit(self.base_url).path == "/"
        if is_at_root or self.has_full_paths:
            return _full_path(url)
        return url


def redirect_writer(host: Host, base_url: str) -> RedirectWriter:
    """The writer of redirects for the host of a site: netlify → lines of `_redirects`.

    It writes a table of URLs if the host is not known, or if its rules are not written here. The
    same holds for a site that may be on several hosts with different files.
    """
    files = {_FILE_BY_HOST.get(name, _TABLE) for name in host.names}
    # A site with a `_redirects` can have more lines in it, even if its host is only a guess.
    is_settled = host.is_known or host.has_rules
    if not is_settled or len(files) != 1:
        return RedirectWriter(base_url)  # which writes a table
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
    return f"{path} {_percent_encode(target, ':')} 301"


def _redirect_in_vercel(path: str, target: str) -> str:
    """An object in the list `redirects` of vercel.json, in which signs of a pattern are escaped.

    `{"source": "/a", "destination": "/b", "statusCode": 301}`
    (vercel.com/docs/project-configuration#redirects).
    """
    redirect = {
        "source": "".join(f"\\{one}" if one in _PATTERN_CHARACTERS else one for one in path),
        "destination": _percent_encode(target, _PATTERN_CHARACTERS),
        "statusCode": 301,
    }
    return json.dumps(redirect, ensure_ascii=False)


def _percent_encode(target: str, characters: str) -> str:
    """Percent-encodes some characters in the path of a target: `/10:30` → `/10%3A30`.

    The colons of `https://example.com:80/` stay.
    """
    scheme, separator, after_scheme = target.rpartition("://")
    host, slash, path = after_scheme.partition("/")
    encoded = "".join(f"%{ord(one):02X}" if one in characters else one for one in path)
    return f"{scheme}{separator}{host}{slash}{encoded}"


def _full_path(url: str) -> str:
    """The path of a URL: `https://example.com/a` → `/a`."""
    return "/" + without_scheme(url).partition("/")[2]


def _may_lead_to_itself(redirect: Redirect, *, is_loose: bool) -> bool:
    """Whether a redirect could go round in a circle, as from `/a/index.html` to `/a/`.

    To show `/a/`, a server asks itself for `/a/index.html`, and the rule would apply to that, too.
    With `is_loose`, the host also takes `/A/` for `/a`.
    """
    urls = {_INDEX.sub("", url) for url in redirect}
    if is_loose:
        urls = {url.removesuffix("/").lower() for url in urls}
    return len(urls) == 1


def _file_shown_at(url: str, base_url: str) -> str:
    """The file that every server shows at a URL: `a/` and `a` → `a/index.html`.

    A URL with the name of a page, `a.html`, has a file of this name. "" if the name is no UTF-8,
    which a message cannot show.
    """
    try:
        path = unquote(url[len(base_url) :], errors="strict")
    except UnicodeDecodeError:
        return ""
    if _PAGE.search(path):
        return path
    return f"{path.rstrip('/')}/index.html".lstrip("/")


def _redirecting_page(redirect: Redirect) -> str:
    """The text of a page that leads to the new URL of a redirect, by a refresh after 0 seconds.

    Search engines take a refresh after 0 seconds for a permanent redirect
    (developers.google.com/search/docs/crawling-indexing/301-redirects), so a host needs no rule.
    """
    url = escape(redirect.new)
    return (
        f'<!doctype html><link rel="canonical" href="{url}">'
        f'<meta http-equiv="refresh" content="0; url={url}">'
    )
