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
from ..syntax.gitignore import Patterns
from ..syntax.urls import Locator, comparison_key, resolve
from .overrides import PageRule

if TYPE_CHECKING:
    from ..config.settings import Respect
    from ..syntax.robots import Crawling
    from .checked_page import Canonical, CheckedPage
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
    def deciding_rule(self) -> Rule | None:
        """The rule of the first host, if each possible host has a rule for the page at the URL.

        None if a host just shows the page, because the site may be on this host. Also None if no
        host has rules.
        """
        return self.rules[0] if self.rules and None not in self.rules else None

    @property
    def is_taken_away(self) -> bool:
        """Whether each host on which the site may be keeps visitors or crawlers from the page.

        For example, one host redirects the URL, and the other one sends a noindex with it. False if
        one of the hosts just shows the page, because the site may be on this one.
        """
        if not self.rules:
            return False
        # A header with a canonical takes no page away.
        return all(rule and rule.action is not Reason.CANONICAL for rule in self.rules)


class _LocationOnHost(NamedTuple):
    """The URL at which one host shows a page, and its rule for this URL, None without one."""

    loc: str
    rule: Rule | None
    is_in_circle: bool = False


class IndexPolicy(NamedTuple):
    """What decides which pages are listed, and at which URLs, apart from the pages themselves.

    `signals` are those that count, in the order in which they decide. `versions` stores pages by
    their URLs, None if language versions are not needed. `extra_urls` are the comparison keys of
    URLs that are no files, for language versions. `now` is in seconds.
    """

    signals: Sequence[Signal]
    rules: Sequence[PageRule]
    sections: Mapping[str, Patterns]
    locator: Locator
    respect: Respect
    crawling: Crawling | None
    host: Host
    now: int
    versions: Recent[str, LinkedPage] | None = None
    extra_urls: frozenset[str] = frozenset()

    def rules_at(self, url: str, page: str) -> list[Rule | None]:
        """Finds which rule each possible host of the site applies to a page at a URL.

        The result has an item for each possible host, None for a host that just shows the page. For
        the page `a.html` at the URL /a:

            [the rule `/a /b 301`]          the host is Cloudflare, which redirects this URL
            [the rule `/a /b 301`, None]    the host may also be Netlify, which shows the page
        """
        # The URLs of `a.html` by itself, without regard to another file `a/index.html`.
        page_urls = self._urls_of(page, has_clash=False)
        return [self._rule_at(rules, url, page_urls) for rules in self.host.rules]

    def locate_by_path(self, page: CheckedPage) -> Location:
        """Finds the URL at which to list a page, as far as its path and the host decide.

        Usually, this is `page.loc`, such as /b for `b.html`. The result also has the rules that
        hosts have for the URL.
        """
        url = page.loc
        forms_of_host = self.locator.forms  # None if the sitemap has URLs of another style
        # If the site also has `b/index.html`, some hosts show `b.html` only at /b.html.
        if forms_of_host is not None:
            paths = forms_of_host.paths(page.path, self.locator.indexes, has_clash=page.has_clash)
            is_shown = bool(paths)  # no path if the host shows only `b/index.html`
            if is_shown:
                path_to_list = paths[0]  # hosts' forms begin with the one to list
                url = self.locator.encoded(path_to_list)
        # A rule of the host may redirect the URL to another URL of the page, such as /b/.
        return self._apply_rules(page, url)

    def locate_by_canonical(self, page: CheckedPage, canonical: Canonical) -> Location:
        """Finds the URL at which to list a page whose canonical names another URL of this page.

        For example, `b.html` has the URL /b by its path, and the canonical /b/. It is listed at /b/
        if the host shows it there. The result also has the rules by which hosts may exclude it.
        """
        url_in_canonical = canonical.loc(self.locator.base)
        location = self._apply_rules(page, url_in_canonical)
        # A rule redirects /b/ to another URL of the page, such as /b.html: it is listed there.
        if location.loc != url_in_canonical:
            return location
        # The host shows `b.html` at /b/: the page is listed there.
        if self.is_shown_at(page, url_in_canonical):
            return location
        # A rule keeps visitors of /b/ from the page: it excludes the page. But if the user has
        # turned off the effect of the rule, such as a noindex, the page is listed at /b.
        if location.is_taken_away:
            return location._replace(loc=page.location.loc)
        # The host has nothing at /b/, so the canonical has no effect: the page is listed at /b.
        return page.location

    def _apply_rules(self, page: CheckedPage, url: str) -> Location:
        """Finds at which URL visitors get a page if they ask for `url`, one of the page's URLs.

        With the rule `/a.html /a 301`, visitors who ask for /a.html get `a.html` at /a. The result
        also has the rule of each possible host at the URL to which its redirects lead. It has None
        for a host that just shows the page there.
        """
        if not self.host.has_rules:
            return Location(loc=url)
        path = self._path(url)
        # The usual case: no host redirects, replaces or closes the URL. Only headers are left.
        is_moved = any(rules.move_at(path) for rules in self.host.rules)
        if not is_moved:
            return Location(loc=url, rules=[rules.header_at(path) for rules in self.host.rules])
        page_urls = self._urls_of(page.path, has_clash=page.has_clash)
        locations = [self._follow_redirects(rules, url, page_urls) for rules in self.host.rules]
        # Possible hosts may redirect to different URLs of the page. Then `url` itself is listed.
        locs = {location.loc for location in locations}
        return Location(
            loc=locs.pop() if len(locs) == 1 else url,
            rules=[location.rule for location in locations],
            # On one of the hosts, redirects lead from /a.html to /a and back. A warning says so.
            is_in_circle=any(location.is_in_circle for location in locations),
        )

    def _urls_of(self, page: str, *, has_clash: bool) -> Mapping[str, str]:
        """Collects all URLs at which the server may show a page: for `a.html`, /a.html and /a.

        Returns `{comparison key: URL}`. The key is the same for all spellings of a URL, such as
        /%7Ea and /~a. If the host is not known, the result has the URLs of all servers. With
        `has_clash`, the site has both `a.html` and `a/index.html`, for which some hosts have other
        URLs.
        """
        is_host_known = self.locator.served is not None
        if is_host_known:
            paths = self.locator.shown_paths(page, has_clash=has_clash)
        else:
            paths = self.locator.served_paths(page)  # on any server
        urls = map(self.locator.encoded, paths)
        return {comparison_key(url): url for url in urls}

    def _follow_redirects(
        self, rules: HostRules, url: str, page_urls: Mapping[str, str]
    ) -> _LocationOnHost:
        """Finds at which URL a host shows a page to visitors who ask for `url`.

        For `a.html`, with the rule `/a.html /a 301`: visitors who ask for /a.html get it at /a. The
        result also has the rule of the host for /a, None without one.

        `page_urls` has all URLs of the page, by comparison key.
        """
        visited: list[str] = []
        current = url
        while current not in visited:
            visited.append(current)
            rule = self._rule_at(rules, current, page_urls)
            next_url = self._target_on_page(rule, page_urls)
            # The end: no redirect, or one to another page, `/a /b 301`, which excludes the page.
            if next_url is None:
                return _LocationOnHost(current, rule)
            # A redirect to itself, `/a /a 301`: visitors never get the page, so it is excluded.
            if next_url == current:
                return _LocationOnHost(current, rule)
            current = next_url
        # A circle: /a.html leads to /a, and /a to /a.html. No redirect decides, only headers do.
        header = rules.header_at(self._path(url))
        return _LocationOnHost(url, header, is_in_circle=True)

    def _target_on_page(self, rule: Rule | None, page_urls: Mapping[str, str]) -> str | None:
        """Finds the URL to which a rule redirects, if visitors still get the same page there.

        For `b.html` at a host that shows it at /b and /b/: the rule `/b /b/ 301` gives /b/. The
        rule `/b /c 301` gives None, because another page is at /c.

        `page_urls` has all URLs of the page, by comparison key.
        """
        if rule is None or rule.action is not Reason.REDIRECT:
            return None
        return page_urls.get(comparison_key(self.target_of(rule)))

    def _rule_at(self, rules: HostRules, url: str, page_urls: Mapping[str, str]) -> Rule | None:
        """Finds the rule of a host that decides about a page at one of its URLs. None without one.

        A redirect, a rewrite or a denial, such as `/a /b 301`, comes before a header, such as
        `X-Robots-Tag: noindex`. But it does not count if visitors still get the page: the rewrite
        `/a /a.html 200` shows `a.html` itself at /a.

        `rules` are those of the host. `page_urls` has all URLs of the page, by comparison key.
        """
        path = self._path(url)
        move = rules.move_at(path)
        if move and self._changes_page(move, url, page_urls, rules.ignores_self_redirects):
            return move
        return rules.header_at(path)

    def _changes_page(
        self, move: Rule, url: str, page_urls: Mapping[str, str], ignores_self_redirects: bool
    ) -> bool:
        """Whether the rule `move` of the host keeps visitors of a URL from getting the page there.

        For `a.html` at /a:

        | rule                           | result | why                                   |
        |--------------------------------|--------|---------------------------------------|
        | `/a /404.html 404!`            | True   | it closes the page                    |
        | a redirect, target not known   | False  | the target may be the page            |
        | `/a /a.html 200`, a rewrite    | False  | it shows the page itself              |
        | `/a /a 301!` on Netlify        | False  | Netlify ignores a redirect to itself  |
        | `/a /a 301` on Cloudflare      | True   | it is an endless loop                 |
        | `/a /b 301`                    | True   | it leads elsewhere                    |
        | `/a /b 200`, a rewrite         | True   | it shows another page                 |

        `page_urls` are all URLs of the page: `{comparison key: URL}`.
        """
        is_redirect = move.action is Reason.REDIRECT
        is_rewrite = move.action is Reason.DUPLICATE  # it shows the target in place of the page
        if not is_redirect and not is_rewrite:
            return True
        target = self.target_of(move)
        if not target:
            return False
        if is_rewrite and comparison_key(target) in page_urls:
            return False
        is_ignored = target == url and ignores_self_redirects
        return not is_ignored

    def moves_for_missing_file(self, url: str) -> list[Rule]:
        """Finds the redirects and the like that hosts have for a URL at which the site has no file.

        For /old, this may be `/old /new 301`, so a link to /old is no dead link. The result has at
        most one rule of each host on which the site may be. It is empty if no host has a rule, so
        that all answer 404.
        """
        path = self._path(url)
        moves = [rules.move_at(path, has_file=False) for rules in self.host.rules]
        return [move for move in moves if move]

    def _path(self, url: str) -> str:
        """Cuts a URL to its path below the base URL, with a slash in front, as rules have it.

        With the base `https://a.example/docs/`: `https://a.example/docs/b` → `/b`.
        """
        return url[len(self.locator.base) - 1 :]

    def target_of(self, rule: Rule) -> str:
        """Resolves the target of a rule to a URL without a query. "" if it is not known.

        For a site below https://a.example/docs/, users write targets with the folder or without it:
        both `/docs/b` and `/b` → `https://a.example/docs/b`.
        """
        base = self.locator.base
        target = rule.target.partition("?")[0]
        if not target:
            return ""
        is_absolute = re.match(_ABSOLUTE, target)  # `https://b.example/` or `//b.example/`
        has_folder = target.startswith(urlsplit(base).path)
        if is_absolute or has_folder:
            return resolve(target, base) or ""
        return resolve(base + target.lstrip("/"), base) or ""

    def is_shown_at(self, page: CheckedPage, url: str) -> bool:
        """Says whether the host shows a page at a URL, and does not redirect from there.

        On a host that shows `b.html` at /b: True for /b, and False for /b.html. True if the host is
        not known.
        """
        forms_of_host = self.locator.served
        if forms_of_host is None:
            return True
        # Workers of Cloudflare redirect /a+b to /a%2Bb, so the page is not shown at the first. This
        # is so for each character in `escaped`.
        path = self._path(url)
        if any(character in path for character in forms_of_host.escaped):
            return False
        # All paths at which the host shows the page, decoded: `b` and, on some hosts, `b/`.
        shown_paths = self.locator.shown_paths(page.path, has_clash=page.has_clash)
        return self.locator.path_of(url) in shown_paths
