"""What became of URLs that were published before and are not listed now.

| is now | because |
|---|---|
| redirected | a rule of the host or the page itself leads to another URL, where something is |
| withdrawn | the file is there and left out |
| lost | nothing is there, or it leads to where nothing is |

A lost URL may also have moved: the digests of the ledger show its content at another URL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from ..hosts.rule import Rule
from ..long_list import LongList
from ..model import Excluded, Fate, GoneUrl, Listed, Origin, PageFacts, Reason
from ..plan import Plan
from ..read.server import file_for_url_path
from ..read.sitemap import parse_row
from ..select.extra import select_extra
from ..select.pages import SelectedPage, select_file
from ..syntax.ledger_rows import NO_DIGEST, listed_rows
from ..syntax.links import base_of
from ..syntax.urls import (
    comparison_key,
    folder_of,
    resolve,
    web_origin,
    without_scheme,
    without_www,
)
from .published import Previous

if TYPE_CHECKING:
    from .changes import NewLedger

# No site has pages with this name. A rule that answers there answers for all URLs (`/* / 301`), or
# for all with the same ending.
_MADE_UP = "sitemapper-asks-for-a-page-that-is-not-there"
_ENDINGS = ("", "/", ".html")
# The reasons to leave out a page that names another URL in its place. By reason, the signal of the
# page that has this URL. A duplicate has none: it shares a URL with the page that is listed.
_SIGNALS = {Reason.REDIRECT: "refresh", Reason.CANONICAL: "canonical", Reason.DUPLICATE: None}
# Lost URLs that are looked for elsewhere, as many as one sitemap lists. They are in memory, in some
# 15 MiB, and who moves more pages at once writes one rule for all of them.
_MAX_LOST = 50_000


def classify_gone(
    urls: Iterable[str], plan: Plan, unreadable: Mapping[str, Origin]
) -> LongList[GoneUrl]:
    """Says what became of each published URL that is not listed now, in the order of `urls`.

    `/a` with a redirect to `/b` → redirected; `/c` with noindex → withdrawn; `/d` without a file →
    lost. `unreadable` are the folders that could not be read: `{folder: the reason}`. Pages in them
    may still be there, so their URLs are withdrawn, not lost.
    """
    classifier = _Classifier(plan, unreadable)
    gone: LongList[GoneUrl] = LongList()
    for url in urls:
        gone.append(classifier.classify(url))
    return gone


class _Classifier:
    """Says what became of URLs, from what the site and its possible hosts have there now.

    The possible hosts are those that may serve the site, such as Netlify if the site has a file
    `_redirects`. There are several if nothing shows which of them it is.

    `classify` gets a URL as it was published. All other methods get it with the scheme and the host
    of today's base URL.
    """

    def __init__(self, plan: Plan, unreadable: Mapping[str, Origin]) -> None:
        """Makes a classifier for the published URLs of the site of a plan.

        `unreadable` are the folders that could not be read: `{folder: the reason}`.
        """
        self._plan = plan
        self._unreadable = unreadable
        self._locator = plan.policy.locator
        # Where rules such as `/* / 301` are written. They redirect every URL, so they do not show
        # what became of a page.
        self._origins_of_rules_for_all = _find_rules_for_all(plan)

    def classify(self, published_url: str) -> GoneUrl:
        """Says what became of a published URL: redirected, withdrawn or lost.

        The site may have had another host. With the base URL `https://new.example/`, the published
        URL `http://old.example/a` is looked for as `https://new.example/a`.
        """
        _, _, path_on_host = without_scheme(published_url).partition("/")
        url_today = f"{web_origin(self._locator.base)}/{path_on_host}"
        gone = self._classify_url(url_today)._replace(url=published_url)
        if not gone.is_same_page:
            return gone
        # The page is still listed. Its URL is mostly another one than before.
        listed_url = gone.target
        # The URL is the same: this run has left the page out, and then its file was saved, without
        # its noindex, for example. The next run will list it.
        if listed_url == published_url:
            return GoneUrl(published_url, Fate.WITHDRAWN, origin=gone.origin)
        # `http://old.example/a` or `https://new.example/a?b`: the old host may not redirect, and
        # the new one may not ignore the query.
        had_other_host = published_url != url_today
        has_query = "?" in published_url
        return gone._replace(is_uncertain=gone.is_uncertain or had_other_host or has_query)

    def _classify_url(self, url: str) -> GoneUrl:
        """Says what became of a URL: redirected, withdrawn or lost.

        - A URL that is not below the base URL is lost.
        - A URL in an unreadable folder is withdrawn.
        - For any other URL, its page or a rule of a host decides.
        """
        path = self._path_of(url)
        if path is None:
            return GoneUrl(url, Fate.LOST)
        for folder, origin in self._unreadable.items():
            if path.startswith(folder):
                return GoneUrl(url, Fate.WITHDRAWN, origin=origin)
        return self._classify_by_page_or_rule(url)

    def _path_of(self, url: str) -> str | None:
        """Returns the path of a URL below the base URL, decoded and without the query.

        With the base URL `https://a.example/blog/`, `https://a.example/blog/%61?b` → `a`. None for
        a URL that is not below the base URL.
        """
        return self._locator.path_of(url.partition("?")[0])

    def _file_at(self, url: str) -> str | None:
        """Finds the file that a server shows at a URL: `https://a.example/b/` → `b/index.html`.

        None if the site has no file for this URL.
        """
        path = self._path_of(url)
        if path is None:
            return None
        return file_for_url_path(self._plan.root, path, self._locator.served)

    def _classify_by_page_or_rule(self, url: str) -> GoneUrl:
        """Says what became of a URL, by the first of these that exists for it:

        1. an entry of `[[urls]]` in the configuration
        2. a file of the site, such as `a.html` for `https://a.example/a`
        3. a rule of a host, such as `/a /b 301`
        """
        plan = self._plan
        extra = plan.extra.get(comparison_key(url))
        if extra:
            result = select_extra(extra, plan.policy, plan.read_options, plan.root)
            if isinstance(result, Listed):
                # The entry has another spelling of the URL, at which the host may not answer.
                return _redirected_to_listed(url, result.loc, file="", is_uncertain=True)
            return GoneUrl(url, Fate.WITHDRAWN, origin=result.origin)
        # Files and rules do not depend on the query.
        url_without_query = url.partition("?")[0]
        file = self._file_at(url_without_query)
        if file is None:
            return self._classify_by_rules(url_without_query)
        return self._classify_by_file(url_without_query, file)

    def _classify_by_rules(self, url: str) -> GoneUrl:
        """Says what became of a URL for which the site has no file, by the rules of its hosts.

        With the rule `/a /b 301`, /a is redirected to /b. Without a rule, it is lost. If several
        hosts may serve the site, the rules of all are asked: first those that redirect.
        """
        rules = self._rules_for(url)
        rules.sort(key=lambda rule: rule.action is not Reason.REDIRECT)  # redirects first
        for rule in rules:
            # The rule denies access to /a.
            if rule.action is Reason.CLOSED:
                return GoneUrl(url, Fate.WITHDRAWN, origin=rule.origin)
            # `/a /b 301` redirects to /b, and `/a /b 200` shows the page of /b at /a. With either,
            # /a is lost if nothing is at /b.
            if rule.action in (Reason.REDIRECT, Reason.DUPLICATE):
                return self._redirected_or_lost(url, self._target_of_rule(rule), rule.origin)
        return GoneUrl(url, Fate.LOST)

    def _classify_by_file(self, url: str, file: str) -> GoneUrl:
        """Says what became of a URL whose file is still there, such as /a.html with `a.html`.

        If `a.html` is listed at /a now, /a.html counts as redirected to /a. That is uncertain if no
        server is known to answer at /a.html. `url` has today's host and no query.
        """
        page = self._select(file)
        result = page.result
        # Listed at `url` itself: the URL that was published had another host or a query, as in
        # http://old.example/a. No server is known to redirect from there.
        if isinstance(result, Listed) and result.loc == url:
            return _redirected_to_listed(url, result.loc, file, is_uncertain=True)
        # A rule leads to another page: `/a.html /b 301`. A rule `/a.html /a 301` does not.
        redirect = self._rule_at(url, file, Reason.REDIRECT)
        if redirect:
            target = self._target_of_rule(redirect)
            leads_to_other_page = self._file_at(target) != file
            if leads_to_other_page:
                return self._redirected_or_lost(url, target, redirect.origin)
        # Not listed any more, for a noindex or a canonical, for example.
        if isinstance(result, Excluded):
            return self._classify_by_excluded_page(url, file, page.facts, result)
        # Listed at /a. A rule redirects /a.html to /a, or servers answer at both.
        is_answered = redirect is not None or self._is_answered(url, file)
        return _redirected_to_listed(url, result.loc, file, is_uncertain=not is_answered)

    def _classify_by_excluded_page(
        self, url: str, file: str, facts: PageFacts, excluded: Excluded
    ) -> GoneUrl:
        """Says what became of a published URL whose page is not listed any more.

        With a noindex, it is withdrawn. With the canonical /b, it counts as redirected to /b.
        """
        # A noindex, or another reason that names no URL in its place.
        if excluded.reason not in _SIGNALS:
            return GoneUrl(url, Fate.WITHDRAWN, origin=excluded.origin)
        # The page redirects to /b, or has the canonical /b: redirected, or lost without /b.
        target = self._target_of_page(file, facts, excluded)
        gone = self._redirected_or_lost(url, target, excluded.origin)
        # It has the canonical /b, where nothing is. Visitors still get the page, so it is not lost.
        is_still_shown = excluded.reason is not Reason.REDIRECT
        if gone.fate is Fate.LOST and is_still_shown:
            return gone._replace(fate=Fate.WITHDRAWN)
        return gone

    def _select(self, file: str) -> SelectedPage:
        """Decides whether the page in a file is listed, as a build does. If not, says why.

        A build does not read files that a pattern of `ignore` matches, that no pattern of `include`
        matches, or that are in a linked folder. These are excluded as ignored.
        """
        plan = self._plan
        pattern = plan.root.ignore.deciding_pattern(file)
        if pattern and not pattern.negated:  # a negated pattern, `!a.html`, keeps the file
            origin = pattern.origin
        elif not plan.root.include.matches(file):
            origin = Origin("include", None, "no pattern matches")
        else:
            page = select_file(file, plan.policy, plan.read_options, plan.root)
            if page:
                return page
            origin = Origin(file, None, "is behind a link that is not followed")
        return SelectedPage(Excluded(file, Reason.IGNORED, origin))

    def _redirected_or_lost(self, url: str, target: str, origin: Origin) -> GoneUrl:
        """Says that a URL which leads to `target` is redirected, or lost if nothing is there.

        On this site, something is there if the target has a file, an entry in the configuration, or
        a rule of the host, which is not followed further. On another site, which cannot be read
        here, something always is. An unknown target, "", counts as one on another site.
        """
        is_on_this_site = self._path_of(target) is not None
        is_target_there = (
            not is_on_this_site
            or self._file_at(target) is not None
            or comparison_key(target) in self._plan.extra
            or bool(self._rules_for(target))
        )
        fate = Fate.REDIRECTED if is_target_there else Fate.LOST
        return GoneUrl(url, fate, target, origin)

    def _is_answered(self, url: str, file: str) -> bool:
        """Whether a server certainly answers at a URL of the page in `file`.

        - `/a.html` for `a.html`: True, because every server shows the file there.
        - `/a` for `a/index.html`: True, because every server redirects it to the folder, `/a/`.
        - `/a` for `a.html`: True only if the host is known, and shows the page there.
        """
        path = self._path_of(url)
        if path == file or f"{path}/" == folder_of(file):
            return True
        served = self._locator.served
        return served is not None and path in served.paths(file, self._locator.indexes)

    def _target_of_page(self, file: str, facts: PageFacts, excluded: Excluded) -> str:
        """Finds the URL that an excluded page names in its place, by the first of these:

        | the page                                                | result              |
        |---------------------------------------------------------|---------------------|
        | redirects to `/b` by a meta refresh, or has a canonical | `/b`                |
        | is taken away by a rule of the host, `/a /b 301`        | `/b`                |
        | is `b/index.html`, and `b.html` is listed in its place  | the URL of `b.html` |
        | redirects, but nothing shows where                      | ""                  |
        """
        url = self._locator.loc(file)
        signals = facts.metadata.signals
        signal = _SIGNALS[excluded.reason]
        if signal and signal in signals:
            target = resolve(signals[signal], base_of(facts.metadata, url)) or ""
            return self._in_style_of_base(target)
        rule = self._rule_at(url, file, excluded.reason)
        if rule:
            return self._target_of_rule(rule)
        if excluded.reason is Reason.DUPLICATE:
            listed_file = excluded.origin.source
            return self._locator.loc(listed_file)
        return ""

    def _rules_for(self, url: str) -> list[Rule]:
        """Finds the rules of possible hosts for a URL without a file: `/a /b 301` for `/a`.

        Rules that answer at every URL, such as `/* / 301`, are left out: they say nothing about
        this URL.
        """
        rules = self._plan.policy.moves_for_missing_file(url)
        return [rule for rule in rules if rule.origin not in self._origins_of_rules_for_all]

    def _rule_at(self, url: str, file: str, action: Reason) -> Rule | None:
        """Finds a rule of a host with this action for a page at its URL, None if there is none.

        `https://a.example/a`, `a.html` and `Reason.REDIRECT` → the rule `/a /b 301`. If it is not
        certain which host serves the site, each possible one is asked, and the first rule counts.
        """
        for rule in self._plan.policy.rules_at(url, file):
            # None stands for a host without a rule for the page.
            if rule is not None and rule.action is action:
                return rule
        return None

    def _target_of_rule(self, rule: Rule) -> str:
        """Finds the URL to which a rule leads, "" if that is not known."""
        return self._in_style_of_base(self._plan.policy.target_of(rule))

    def _in_style_of_base(self, url: str) -> str:
        """Writes a URL of this site with the scheme and the host of the base URL.

        With the base `https://a.example/`, `http://www.a.example/b` → `https://a.example/b`. URLs
        that differ from the base by more than `www.` and the scheme stay as they are.
        """
        base = self._locator.base
        bare_url = without_www(url)  # `a.example/b`
        bare_base = without_www(base)  # `a.example/`
        if not bare_url.startswith(bare_base):
            return url
        path = bare_url.removeprefix(bare_base)
        return base + path


def _find_rules_for_all(plan: Plan) -> set[Origin]:
    """Finds the lines with a host's rule that answers at every URL, such as `/* / 301`.

    These rules answer even at a made-up URL, at which no site has a page. They say nothing about
    what became of a single URL, so the caller leaves them out.
    """
    lines: set[Origin] = set()
    for ending in _ENDINGS:
        made_up_url = f"{plan.policy.locator.base}{_MADE_UP}{ending}"
        rules = plan.policy.moves_for_missing_file(made_up_url)
        lines.update(rule.origin for rule in rules)
    return lines


def _redirected_to_listed(url: str, loc: str, file: str, *, is_uncertain: bool) -> GoneUrl:
    """Says that a URL is redirected to the URL at which its page is listed now, `loc`.

    `https://a.example/b.html` → `https://a.example/b`, two URLs of the page in `file`, `b.html`.
    `is_uncertain` says that no server is known to redirect the first one, so visitors may not find
    the page any more. The run then warns of it.
    """
    origin = Origin(file)
    return GoneUrl(url, Fate.REDIRECTED, loc, origin, is_same_page=True, is_uncertain=is_uncertain)


def with_moved(
    gone: Collection[GoneUrl],
    plan: Plan,
    previous: Previous,
    new_ledger: NewLedger,
) -> Collection[GoneUrl]:
    """Returns the gone URLs, with lost ones marked as moved if their content is at another URL now.

    `/old` is lost, and `/new` has its content → `/old` has moved to `/new`.
    """
    # A lost URL with an origin has a redirect already, which leads to a missing page. The user has
    # to correct that one, so no second one is proposed.
    lost_urls = (one.url for one in gone if one.fate is Fate.LOST and one.origin is None)
    new_url_by_url = find_moved(set(islice(lost_urls, _MAX_LOST)), previous, new_ledger)
    if not new_url_by_url:
        return gone
    # What shows that a URL has moved, in messages: `sitemapper.ledger: the same content`.
    ledger = Origin(plan.ledger.label if plan.ledger else "ledger", None, "the same content")
    result: LongList[GoneUrl] = LongList()
    for one in gone:
        new_url = new_url_by_url.get(one.url)
        if not new_url:
            result.append(one)
            continue
        result.append(GoneUrl(one.url, Fate.MOVED, new_url, origin=ledger))
    return result


def find_moved(
    lost: Collection[str], previous: Previous, new_ledger: NewLedger
) -> Mapping[str, str]:
    """Finds which of the lost URLs have their content at another URL now: `{lost URL: new URL}`.

    The ledgers show the content of each page by its digest. `/old` has moved to `/new` only if all
    of these are true:

    - In the old ledger, `/old` is the only page with its digest.
    - In the new ledger, `/new` is the only page with this digest, and it is listed.
    - `/new` was not listed before. Otherwise, it was a page of its own, and not `/old` moved.
    """
    # The digests of the lost pages.
    digest_by_lost_url = {}
    for row in previous.ledger_rows():
        url = new_ledger.url(row)
        if url in lost and _digest_of(row) != NO_DIGEST.encode():
            digest_by_lost_url[url] = _digest_of(row)
    # If two pages have the same content, nothing shows which of them has moved. So only digests
    # that a single page has count.
    unique_before = _find_unique(set(digest_by_lost_url.values()), previous.all_ledger_rows())
    unique_in_both = _find_unique(unique_before, new_ledger.all_rows())
    if not unique_in_both:
        return {}
    # The listed pages that have these digests now.
    new_url_by_digest = {
        _digest_of(row): new_ledger.url(row)
        for row in listed_rows(new_ledger.all_rows())
        if _digest_of(row) in unique_in_both
    }
    # Leave out pages that were listed before, in the earlier sitemap or else in the old ledger.
    if previous.has_sitemap:
        urls_before = (parse_row(row)[0] for row in previous.all_rows())
    else:
        urls_before = (new_ledger.url(row) for row in previous.ledger_rows())
    listed_before = set(new_url_by_digest.values()).intersection(urls_before)
    moved = {}
    for lost_url, digest in digest_by_lost_url.items():
        new_url = new_url_by_digest.get(digest)
        if new_url and new_url not in listed_before:
            moved[lost_url] = new_url
    return moved


def _find_unique(digests: Collection[bytes], rows: Iterable[bytes]) -> set[bytes]:
    """Finds which of the given digests are in exactly one row of a ledger.

    Digests `{d, e}`, and rows with the digests d, e, e, f → `{d}`.
    """
    counts = Counter(filter(digests.__contains__, map(_digest_of, rows)))
    return {digest for digest, count in counts.items() if count == 1}


def _digest_of(row: bytes) -> bytes:
    """Reads the digest from a row of a ledger: `a.html TAB 2026-03-01 TAB 3f0c-…` → `3f0c-…`.

    "" for a line that is no row, such as a comment.
    """
    columns = row.split(b"\t", 3)
    return columns[2] if len(columns) > 2 else b""
