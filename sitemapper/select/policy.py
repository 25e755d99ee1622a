"""What decides about all pages: signals, rules, robots.txt and the host. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ..hosts.host import Host, HostRules
from ..hosts.rule import Rule
from ..model import LinkedPage, Reason
from ..recent import Recent
from ..syntax.gitignore import PatternSets
from ..syntax.urls import Locator, comparison_key, resolve
from .overrides import PageRule

if TYPE_CHECKING:
    from ..config.settings import Respect
    from ..syntax.robots import Crawling
    from .checked_page import CheckedPage
    from .signals.signal import Signal

# Compiled when it is used.
_ABSOLUTE = r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//"


class Location(NamedTuple):
    """The URL at which a page is listed, and what possible hosts do with the page there."""

    loc: str
    # For each possible host, the rule that takes the page away or adds a header with its canonical.
    # None for a host that just shows the page.
    rules: Sequence[Rule | None] = ()
    is_in_circle: bool = False  # redirects lead from the URL back to it

    @property
    def is_taken_away(self) -> bool:
        """Whether every possible host redirects, replaces, closes or hides the page.

        A rule that only adds a header with the canonical does none of that.
        """
        return bool(self.rules) and all(
            rule and rule.action is not Reason.CANONICAL for rule in self.rules
        )


class IndexPolicy(NamedTuple):
    """What decides which pages are listed, and at which URLs, apart from the pages themselves.

    `signals` are those that count, in the order in which they decide. `versions` stores pages by
    their URLs, None if language versions are not needed. `extra_urls` are the comparison keys of
    URLs that are no files, for language versions. `now` is in seconds.
    """

    signals: Sequence[Signal]
    rules: PatternSets[PageRule]
    sections: PatternSets[str]
    locator: Locator
    respect: Respect
    crawling: Crawling | None
    host: Host
    now: int
    versions: Recent[str, LinkedPage] | None = None
    extra_urls: frozenset[str] = frozenset()

    def rules_at(self, url: str, page: str) -> list[Rule | None]:
        """Finds the rule that each possible host has for a page at one of its URLs.

        None for a host that just shows the page there: [redirect to /b, None] for two hosts.
        """
        page_urls = self._urls_of(page, has_twin=False)
        return [self._rule_at(rules, url, page_urls) for rules in self.host.rules]

    def locate(self, page: CheckedPage) -> Location:
        """Decides the URL at which a page is listed, by its path alone, and what hosts do there.

        That is `page.loc`, the URL in the style of the site. If the site takes the URL forms of its
        host instead (`locator.forms`), it is the first URL at which the host shows the page: /b for
        `b.html`. Redirects from there to another URL of the page are followed (see `apply_rules`).
        """
        url = page.loc
        forms_of_host = self.locator.forms
        if forms_of_host is not None:
            paths = forms_of_host.paths(page.path, self.locator.indexes, has_twin=page.has_clash)
            if paths:  # none if the host shows another file in its place
                url = self.locator.encoded(paths[0])
        return self.apply_rules(page, url)

    def apply_rules(self, page: CheckedPage, url: str) -> Location:
        """Decides the URL at which a page is listed: `url`, or another to which hosts redirect it.

        For `a.html` and the URL /a.html, and one host:

        | rule of the host         | listed at | rule in the result                         |
        |--------------------------|-----------|--------------------------------------------|
        | none                     | /a.html   | None                                       |
        | redirects /a.html to /a  | /a        | the rule for /a, or None: it is the page   |
        | redirects /a.html to /b  | /a.html   | the redirect: it takes the page away       |

        The result has a rule or None for each possible host. If they redirect to different URLs,
        the page is listed at `url`.
        """
        if not self.host.has_rules:
            return Location(loc=url)
        path = self._path(url)
        if not any(rules.move_at(path) for rules in self.host.rules):
            # Most pages: only headers can be for them.
            return Location(loc=url, rules=[rules.header_at(path) for rules in self.host.rules])
        page_urls = self._urls_of(page.path, has_twin=page.has_clash)
        places = [self._follow(rules, url, page_urls) for rules in self.host.rules]
        locs = {place.loc for place in places}
        return Location(
            loc=locs.pop() if len(locs) == 1 else url,
            rules=[rule for place in places for rule in place.rules],
            is_in_circle=any(place.is_in_circle for place in places),
        )

    def _urls_of(self, page: str, *, has_twin: bool) -> Mapping[str, str]:
        """Collects the URLs at which a known host shows a page, or else any server might.

        The result maps comparison keys to URLs: for `a.html`, those of /a and /a.html. A key is the
        same for all spellings of a URL, such as /%7Ea and /~a. With `has_twin`, the site has both
        `a.html` and `a/index.html`.
        """
        paths = self.locator.served_paths(page)
        if self.locator.served is not None:
            paths = self.locator.shown_paths(page, has_twin=has_twin)
        urls = map(self.locator.encoded, paths)
        return {comparison_key(url): url for url in urls}

    def _follow(self, rules: HostRules, url: str, page_urls: Mapping[str, str]) -> Location:
        """Follows the redirects of one host from a URL of a page to its other URLs.

            /a.html → /a            the page is at /a
            /a.html → /b            the page is at /a.html, with the redirect that takes it away
            /a.html → /a → /a.html  a circle: the page stays at /a.html, with a warning

        `page_urls` are those of the page, here /a and /a.html.
        """
        visited = [url]
        while True:
            current = visited[-1]
            rule = self._rule_at(rules, current, page_urls)
            next_url = None  # the URL of the page to which the rule redirects, if it does
            if rule and rule.action is Reason.REDIRECT:
                next_url = page_urls.get(comparison_key(self.target_of(rule)))
            if next_url is None or next_url == current:
                return Location(loc=current, rules=(rule,))
            if next_url in visited:  # a circle
                header = rules.header_at(self._path(url))
                return Location(loc=url, rules=(header,), is_in_circle=True)
            visited.append(next_url)

    def _rule_at(self, rules: HostRules, url: str, page_urls: Mapping[str, str]) -> Rule | None:
        """Finds the rule of a host that decides about a page at one of its URLs; None without one.

        The host is asked in this order:

        1. A redirect or rewrite of this URL: `/old.html /new.html 301`. It decides, unless the page
           is served all the same, as after a redirect from one URL of the page to another.
        2. A header of this URL: `X-Robots-Tag: noindex`.

        `rules` are those of the host. `page_urls` are all URLs of the page, by comparison key.
        """
        path = self._path(url)
        move = rules.move_at(path)
        if move and self._changes_page(move, url, page_urls, rules.ignores_self_redirects):
            return move
        return rules.header_at(path)

    def _changes_page(
        self, move: Rule, url: str, page_urls: Mapping[str, str], ignores_self_redirects: bool
    ) -> bool:
        """Says whether visitors of a URL get anything else than the page, by a move of the host.

        | the move for `a.html` at /a                      | changes it                          |
        |--------------------------------------------------|-------------------------------------|
        | closes it                                        | yes                                 |
        | leads to a target that cannot be worked out      | no: nobody knows                    |
        | shows /a.html, which is the page (`page_urls`)   | no                                  |
        | redirects /a to /a                               | not if `ignores_self_redirects`, as |
        |                                                  | on Netlify                          |
        | redirects to /b, or shows /b.html                | yes                                 |
        """
        if move.action not in (Reason.REDIRECT, Reason.DUPLICATE):
            return True
        target = self.target_of(move)
        if not target:
            return False
        if move.action is Reason.DUPLICATE and comparison_key(target) in page_urls:
            return False
        is_ignored = target == url and ignores_self_redirects
        return not is_ignored

    def moves_on_missing(self, url: str) -> list[Rule]:
        """Finds the rules of possible hosts for a URL at which the site has no file.

        They may redirect it, for instance, so it is no dead link. Empty if each host answers 404.
        """
        path = self._path(url)
        moves = [rules.move_at(path, has_file=False) for rules in self.host.rules]
        return [rule for rule in moves if rule]

    def _path(self, url: str) -> str:
        """Cuts a URL to its path below the base URL, with a slash in front, as rules have it.

        With the base `https://a.example/docs/`: `https://a.example/docs/b` → `/b`.
        """
        return url[len(self.locator.base) - 1 :]

    def target_of(self, rule: Rule) -> str:
        """Resolves the target of a rule to a URL without a query. "" if it is not known.

        The rules of a site below /docs/ may have paths with this folder, or without it: both `/b`
        and `/docs/b` are `https://a.example/docs/b`.
        """
        base = self.locator.base
        target = rule.target.partition("?")[0]
        if not target:
            return ""
        has_folder = target.startswith(urlsplit(base).path)
        if re.match(_ABSOLUTE, target) or has_folder:
            return resolve(target, base) or ""
        return resolve(base + target.lstrip("/"), base) or ""

    def is_shown_at(self, page: CheckedPage, url: str, served_path: str) -> bool:
        """Says whether the host shows a page at a URL, and does not redirect from there.

        True if the host is not known. On a host that shows `b.html` at /b, True for /b and False
        for /b.html. `served_path` is the path of the URL below the base, decoded.
        """
        served = self.locator.served
        if served is None:
            return True
        path = url[len(self.locator.base) :]
        # From a URL with one of these characters, the host redirects to the one with it escaped.
        has_unescaped = any(character in path for character in served.escaped)
        shown_paths = self.locator.shown_paths(page.path, has_twin=page.has_clash)
        return served_path in shown_paths and not has_unescaped
