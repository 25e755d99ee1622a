"""Writes the redirects that moved pages need: in `_redirects`, vercel.json, or a table of URLs.

Each rule is for one URL and no other. A URL that a host's rules cannot name has no rule.
"""

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

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
# In place of the name of a file, for hosts whose rules we do not write: a table of URLs.
_TABLE = "other hosts"
# Hosts that compare paths without letter case and final slash.
_LOOSE_HOSTS = frozenset({"gitlab", "netlify"})
# A character with a meaning in vercel.json, whose sources are those of path-to-regexp.
_PATTERN_CHARACTER = r"[:(){}*+?\\]"
_INDEX = re.compile(r"(?<=/)index\.html?$")
_PAGE = re.compile(r"\.x?html?$", re.IGNORECASE)


class Redirect(NamedTuple):
    """A redirect to write: from the old URL of a page that moved to the new one."""

    old: str
    new: str


class RedirectWriter(NamedTuple):
    """Writes redirects for the pages below a base URL.

    `file` is the file of rules that the host reads, such as `_redirects`. If we write rules for no
    file of the host, it is `_TABLE`, and a table of URLs is written. With `keeps_base_path`, as on
    GitLab, the paths in the file begin with that of the base URL: `/docs/a` for
    `https://example.com/docs/a`. With `is_loose`, the host takes `/A/` and `/a` for the same path.
    """

    base_url: str
    file: str = _TABLE
    keeps_base_path: bool = False
    is_loose: bool = False

    @property
    def _writes_rules(self) -> bool:
        """Whether rules are written for a file of the host, and no table of URLs in their place."""
        return self.file != _TABLE

    @property
    def mark(self) -> str:
        """The first line of the file, a comment that says that we wrote it.

        By this line we recognise the file in a later run. "" for vercel.json, because JSON has no
        comments.
        """
        if self.file == vercel.CONFIG:
            return ""
        return f"# {REDIRECTS_MARK} {self.file}, by sitemapper"

    @property
    def _drops_base_path(self) -> bool:
        """Whether the paths in the file of rules are written without the path of the base URL.

        For the site `https://a.example/docs/`, the URL `https://a.example/docs/b` is then `/b` in
        the file. False if the base URL has no path, because nothing is left out.
        """
        is_at_root = urlsplit(self.base_url).path == "/"
        return not self.keeps_base_path and not is_at_root

    def line(self, redirect: Redirect) -> str:
        """Writes a redirect as a line of the host's file; "" if no rule of the host can do it.

        | file          | line for the redirect from `/a` to `/b`                     |
        |---------------|-------------------------------------------------------------|
        | a table       | the old and the new URL, with a tab between them            |
        | vercel.json   | `{"source": "/a", "destination": "/b", "statusCode": 301}`  |
        | `_redirects`  | `/a /b 301`                                                 |

        A table can have any redirect. In the files of hosts, some redirects cannot be written, and
        the result is "":

        - a redirect from or to a URL with a query, such as `/a?x=1`, or outside the base URL
        - a redirect that might go round in a circle: from `/a/index.html` to `/a/`
        - in `_redirects`, a redirect from a path with a wildcard, such as `/c*` or `/:c`
        """
        if not self._writes_rules:
            return f"{redirect.old}\t{redirect.new}"
        if not self._can_be_path(redirect.old) or not self._can_be_path(redirect.new):
            return ""
        if self._may_lead_to_itself(redirect):
            return ""
        path = self._path_in_rules(redirect.old)
        target_path = _full_path(redirect.new)
        # With the base URL `https://a.example/docs/`, the target `/b` could mean /b or /docs/b. So
        # the whole URL is written: `https://a.example` comes before the path.
        target_host = redirect.new.removesuffix(target_path) if self._drops_base_path else ""
        if self.file == vercel.CONFIG:
            # A character with a meaning in a rule is escaped: for `/c++`, the source `/c\+\+` and
            # the target `/c%2B%2B`.
            rule = {
                "source": re.sub(_PATTERN_CHARACTER, r"\\\g<0>", path),
                "destination": target_host + _percent_encode(_PATTERN_CHARACTER, target_path),
                "statusCode": 301,
            }
            return json.dumps(rule, ensure_ascii=False)
        if re.search(WILDCARD, path):  # nothing escapes a star or a colon in `_redirects`
            return ""
        target = target_host + _percent_encode(":", target_path)
        return f"{path} {target} 301"

    def remedy(self, redirect: Redirect) -> str:
        """Says to the user how to redirect an old URL: a file, and what to write to it.

        - for a host with a file of rules that we write, a line: `_redirects: /a /b 301`
        - for other hosts, a page that redirects its visitors: `a/index.html: <!doctype …`

        "" if no such line or page can redirect the URL.
        """
        if self._writes_rules:
            line = self.line(redirect)
            return f"{self.file}: {line}" if line else ""
        # Otherwise, only a page can redirect. But no file is at a URL with a query, and
        # `/a/index.html` is the file of the page `/a/` itself, so it cannot redirect to that page.
        if not self._can_be_path(redirect.old) or self._may_lead_to_itself(redirect):
            return ""
        file = _file_shown_at(redirect.old, self.base_url)
        return f"{file}: {_redirecting_page(redirect)}" if file else ""

    def text(self, redirects: Sequence[Redirect], earlier: str = "") -> str:
        """Makes the text of the whole file: vercel.json, `_redirects`, or a table of URLs.

        `earlier` is the text of the file that an earlier run wrote, "" if there is none. Its lines
        come before the new ones, without those that the redirects make wrong. A `_redirects`:

            # …             the heading, whose first line is the mark
            /x /y 301       from the earlier file
            /a /b 301       a new redirect

        A table of URLs has the same order, with a tab between two URLs. In vercel.json, `earlier`
        does not count: JSON has no comments, so there is no mark.
        """
        lines = [line for line in map(self.line, redirects) if line]
        if self.file == vercel.CONFIG:
            rules = ",\n  ".join(lines)
            return f'{{"redirects": [\n  {rules}\n]}}\n'
        heading = [self.mark]
        if self._writes_rules and self._drops_base_path:
            # In `_redirects` of `https://a.example/docs/`, the path `/a` means `/docs/a`. A table
            # has whole URLs, and needs no such line.
            heading.append(f"# The paths are those below {self.base_url}")
        kept = self._keep_lines(earlier, redirects)
        # The earlier lines begin with a heading. It is left out, because the new one is the same.
        kept_redirects = [line for line in kept if line not in heading]
        return "".join(f"{line}\n" for line in [*heading, *kept_redirects, *lines])

    def _keep_lines(self, earlier: str, redirects: Sequence[Redirect]) -> Iterator[str]:
        """Yields the lines of the earlier file that the new redirects do not make wrong.

        The earlier line `/a /b 301` redirects from `/a`. It is dropped if a new redirect leads from
        or to `/a`:

        | new redirect | the earlier line | because                                              |
        |--------------|------------------|------------------------------------------------------|
        | `/b` → `/c`  | kept             | `/a` is still an old URL                             |
        | `/a` → `/c`  | dropped          | the new line for `/a` replaces it                    |
        | `/c` → `/a`  | dropped          | `/a` has a page again, which must not be redirected  |
        """
        urls_in_redirects = {url for redirect in redirects for url in redirect}
        if self._writes_rules:
            sources_to_drop = set(map(self._path_in_rules, urls_in_redirects))
        else:
            sources_to_drop = urls_in_redirects
        for line in lines_of(earlier):
            words = line.split(maxsplit=1)  # none in a blank line
            is_wrong = bool(words) and words[0] in sources_to_drop
            if not is_wrong:
                yield line

    def _can_be_path(self, url: str) -> bool:
        """Says whether a URL can be written as a path of this site, as rules of hosts need it.

        `https://example.com/a` can be written as `/a`. A URL outside the base URL cannot, nor can
        one with a query, such as `?x=1`.
        """
        return url.startswith(self.base_url) and "?" not in url

    def _may_lead_to_itself(self, redirect: Redirect) -> bool:
        """Says whether a redirect could go round in a circle, so that no rule is written for it.

        - from `/a/index.html` to `/a/`: True. To show `/a/`, a server asks itself for
          `/a/index.html`, which the rule would redirect again.
        - from `/A/` to `/a`: True on a host that ignores letter case and a final slash (`is_loose`)
        """
        old, new = (_INDEX.sub("", url) for url in redirect)  # without `index.html`
        if self.is_loose:
            old = old.removesuffix("/").lower()
            new = new.removesuffix("/").lower()
        return old == new

    def _path_in_rules(self, url: str) -> str:
        """Writes a URL as a path in the host's rules, without the path of the base URL.

        With the base URL `https://example.com/docs/`: `https://example.com/docs/a` → `/a`. On
        GitLab (`keeps_base_path`), rules have the full path: `/docs/a`.
        """
        if self.keeps_base_path:
            return _full_path(url)
        return url[len(self.base_url) - 1 :]  # from the final slash of the base URL on


def redirect_writer(host: Host, base_url: str) -> RedirectWriter:
    """Chooses how to write the redirects of a site: as rules of its host, or as a table of URLs.

    | host of the site                                | redirects are written as     |
    |-------------------------------------------------|------------------------------|
    | cloudflare, gitlab, netlify                     | rules in `_redirects`        |
    | vercel                                          | rules in vercel.json         |
    | apache, whose rules we do not write             | a table of URLs              |
    | netlify or vercel, which read different files   | a table of URLs              |
    """
    # A host that is only a guess may read no rules at all, unless the site already has some.
    is_pure_guess = not host.is_known and not host.has_rules
    # The files of all hosts on which the site may be. `_TABLE` is for a host without one.
    files = {_FILE_BY_HOST.get(name, _TABLE) for name in host.names}
    if is_pure_guess or len(files) != 1:
        return RedirectWriter(base_url, file=_TABLE)
    return RedirectWriter(
        base_url,
        file=files.pop(),
        keeps_base_path="gitlab" in host.names,  # `/docs/a` for a site below `/docs/`
        # `/A/` is `/a` on such a host, so a redirect from one to the other would be a circle.
        is_loose=not _LOOSE_HOSTS.isdisjoint(host.names),
    )


def _percent_encode(characters: str, path: str) -> str:
    """Percent-encodes the characters of a path that the expression `characters` matches.

    With the expression `:`, `/a:b` → `/a%3Ab`.
    """
    return re.sub(characters, lambda match: quote(match[0]), path)


def _full_path(url: str) -> str:
    """Gives the path of a URL: `https://example.com/a` → `/a`."""
    return "/" + without_scheme(url).partition("/")[2]


def _file_shown_at(url: str, base_url: str) -> str:
    """Gives the path of a file that every server shows at a URL below the base URL.

    `https://example.com/a/` and `https://example.com/a` → `a/index.html`, and
    `https://example.com/a.html` → `a.html`. "" if the path is not UTF-8, because a message cannot
    show it.
    """
    try:
        path = unquote(url[len(base_url) :], errors="strict")
    except UnicodeDecodeError:
        return ""
    if _PAGE.search(path):
        return path
    return f"{path.rstrip('/')}/index.html".lstrip("/")


def _redirecting_page(redirect: Redirect) -> str:
    """Writes a page that leads its visitors to the new URL, by a refresh after 0 seconds.

    Search engines take a refresh after 0 seconds for a permanent redirect
    (developers.google.com/search/docs/crawling-indexing/301-redirects), so a host needs no rule.
    """
    url = escape(redirect.new)
    return (
        f'<!doctype html><link rel="canonical" href="{url}">'
        f'<meta http-equiv="refresh" content="0; url={url}">'
    )
