"""What a run changes in what was published, and what became of each URL that is gone."""

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..files import site_file
from ..model import Before, Change, Dated, Entry, Excluded, Gone, Origin, Reason, Site
from ..read.sitemap import SitemapEntry
from ..syntax.dates import moment
from ..syntax.urls import comparison_key, origin_of, page_at, path_below, resolve, without_www

# No site has a page with this name: a rule that answers there says nothing about a single URL.
_MADE_UP = "/sitemapper-made-this-up"


class Compared(NamedTuple):
    """The entries of a run compared with the earlier sitemap."""

    changes: list[Change]  # changed, added, removed
    urls: int  # of the earlier sitemap
    dates: int  # of its URLs that stay


def compare_urls(
    entries: Sequence[Entry], earlier: Iterable[SitemapEntry], base_url: str
) -> Compared:
    """Compares entries with those of an earlier sitemap, of which each is read once."""
    # The date of a page that the earlier sitemap has is None from then on.
    pages: dict[str, str | None] = {entry.loc: entry.lastmod or "" for entry in entries}
    removed: dict[str, Change] = {}
    changed: list[Change] = []
    stayed = dates = 0
    for old in earlier:
        url = old.loc
        if url not in pages:
            url = resolve(url, base_url) or url  # another tool may encode more or less
        if url not in pages:
            removed[url] = Change("removed", url, old.lastmod)
            continue
        date = pages[url]
        if date is None:  # listed twice
            continue
        pages[url] = None
        stayed += 1
        dates += old.lastmod != ""
        if old.lastmod != date and moment(old.lastmod) != moment(date):
            changed.append(Change("changed", url, old.lastmod, date))
    added = [Change("added", url, "", date) for url, date in pages.items() if date is not None]
    changes = [*changed, *added, *removed.values()]
    return Compared(changes, stayed + len(removed), dates)


def edits_without_date(before: Before, dated: Dated, changes: Sequence[Change]) -> Iterator[Change]:
    """Yields pages that were edited though their date stays: twice on one day, by the ledger."""
    known = {change.url for change in changes}
    old_rows, new_rows = before.rows or {}, dated.rows or {}
    for entry in dated.entries:
        path = entry.page.path if entry.page else entry.loc
        if path not in old_rows or path not in new_rows or entry.loc in known:
            continue
        old, new = old_rows[path].digest, new_rows[path].digest
        # The first four digits are the version of the rule: those of two versions always differ.
        if old != new and old[:4] == new[:4]:
            date = entry.lastmod or ""
            yield Change("changed", entry.loc, date, date)


# --- What became of URLs


def excluded_at(path: str, excluded: Mapping[str, Excluded]) -> Excluded:
    """Why a file is left out: by itself, by a folder above it, or because of its name."""
    end = len(path)
    while end > 0:
        if path[:end] in excluded:
            return excluded[path[:end]]
        end = path.rfind("/", 0, end - 1) + 1
    return Excluded(path, Reason.IGNORED, Origin("include", None, "no pattern matches"))


class _Files(Container[str]):
    """The files of a folder, by their paths."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and os.path.isfile(site_file(self._folder, path))


class Fates:
    """Says what became of URLs, from what the site and its host have there now."""

    def __init__(self, site: Site, entries: Sequence[Entry], excluded: Sequence[Excluded]) -> None:
        self._site = site
        self._files = _Files(site.found.folder)
        self._listed = {comparison_key(entry.loc): entry.loc for entry in entries}
        self._urls = {entry.page.path: entry.loc for entry in entries if entry.page}
        self._excluded = {one.path: one for one in excluded}
        rule = site.host.move_at(_MADE_UP, has_file=False)
        self._for_all = rule.origin if rule else None

    def today(self, url: str) -> str:
        """The URL at the base URL of today. A site moves to another host with its paths."""
        base_url, former = self._site.base_url, self._site.former_base_url
        if former and without_www(url).startswith(without_www(former)):
            return base_url + without_www(url)[len(without_www(former)) :]
        return origin_of(base_url) + url.removeprefix(origin_of(url))

    def of(self, url: str) -> Gone:
        """Says what became of a URL that is not listed any more, by all but its content."""
        today = self.today(url)
        base_url = self._site.base_url
        if path_below(today.partition("?")[0], base_url) is None:
            return Gone(url, "lost")
        listed = self._listed.get(comparison_key(today))
        if listed:
            return Gone(url, "form", listed)
        path = page_at(today, base_url, self._files)
        rule = self._site.host.move_at(self._path_on_host(today), has_file=path is not None)
        if rule and rule.origin != self._for_all:
            if rule.action is Reason.CLOSED:
                return Gone(url, "excluded", "", Reason.CLOSED, rule.origin)
            target = resolve(rule.target, base_url) or ""
            if path is None or page_at(target, base_url, self._files) != path:
                return self._redirected(url, target, rule.origin)
        if path in self._urls:
            return Gone(url, "form", self._urls[path])
        # An entry of `[[urls]]` has its URL as its path.
        page = excluded_at(path, self._excluded) if path else self._excluded.get(today)
        if page is None:
            return Gone(url, "lost")
        if page.reason is Reason.DUPLICATE:
            return Gone(url, "form", page.target)
        if page.reason is Reason.REDIRECT:
            return self._redirected(url, page.target, page.origin)
        return Gone(url, "excluded", page.target, page.reason, page.origin)

    def _redirected(self, url: str, target: str, origin: Origin) -> Gone:
        """A URL that leads to where nothing is is lost. What is on another site is not known."""
        base_url = self._site.base_url
        here = self.today(target)
        if not f"{without_www(target)}/".startswith(without_www(base_url)):
            return Gone(url, "redirected", target, None, origin)
        is_there = (
            page_at(here, base_url, self._files) is not None
            or comparison_key(here) in self._listed
            or self._site.host.move_at(self._path_on_host(here), has_file=False) is not None
        )
        return Gone(url, "redirected" if is_there else "lost", here, None, origin)

    def _path_on_host(self, url: str) -> str:
        return "/" + url.partition("?")[0].removeprefix(self._site.base_url)

    def with_moved(
        self, gone: Sequence[Gone], before: Before, dated: Dated, added: Container[str]
    ) -> list[Gone]:
        """Marks lost URLs as moved whose content, by the ledger, only one new URL has now."""
        old_rows, new_rows = before.rows or {}, dated.rows or {}
        old = Counter(row.digest for row in old_rows.values())
        new = Counter(row.digest for row in new_rows.values())
        new_urls: dict[str, str] = {}
        for entry in dated.entries:
            row = new_rows.get(entry.page.path) if entry.page else None
            if row and entry.loc in added and old[row.digest] == new[row.digest] == 1:
                new_urls[row.digest] = entry.loc
        ledger = Origin("the ledger", None, "the same content")
        result: list[Gone] = []
        for one in gone:
            path = page_at(self.today(one.url), self._site.base_url, old_rows)
            target = new_urls.get(old_rows[path].digest) if path else None
            # A URL with an origin has a redirect to where nothing is: a person mends that one.
            if target and one.fate == "lost" and one.origin is None:
                one = Gone(one.url, "moved", target, None, ledger)
            result.append(one)
        return result
