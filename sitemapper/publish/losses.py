"""What a run changes in what was published, and what became of each URL that is gone."""

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..files import site_file
from ..hosts.host import target_url
from ..messages import Message, Severity, count, listing
from ..model import Before, Change, Dated, Entry, Excluded, Gone, Origin, Reason, Site
from ..read.sitemap import SitemapEntry
from ..select import Selected
from ..syntax.dates import moment
from ..syntax.urls import origin_of, page_at, resolve, without_www
from .earlier import linked_name

# No site has a page with this name: a rule that answers there says nothing about a single URL.
_MADE_UP = "/sitemapper-made-this-up"
# Fates that need a person, and what to do.
_FATES_TO_MEND = (
    ("lost", "lost", "redirect them, or add them to [[urls]] if they are served"),
    ("moved", "moved", "make sure that the host redirects them"),
    (
        "form",
        "listed in another form now",
        "make sure that the host redirects them, or set url_style if it serves them",
    ),
)


class Compared(NamedTuple):
    """The entries of a run compared with the earlier sitemap."""

    changes: list[Change]  # changed, added, removed
    urls: int  # of the earlier sitemap
    dates: int  # of its URLs that stay


def compare_urls(
    entries: Sequence[Entry], earlier: Iterable[SitemapEntry | Entry], base_url: str
) -> Compared:
    """Compares entries with those of an earlier sitemap, of which each is read once."""
    # The date of a page that the earlier sitemap has is None from then on.
    pages: dict[str, str | None] = {entry.loc: entry.lastmod or "" for entry in entries}
    removed: dict[str, Change] = {}
    changes: list[Change] = []
    stayed = dates = 0
    for old in earlier:
        url, old_date = old.loc, old.lastmod or ""
        if url not in pages:
            url = resolve(url, base_url) or url  # another tool may encode more or less
        if url not in pages:
            removed[url] = Change("removed", url, old_date)
            continue
        date = pages[url]
        if date is None:  # listed twice
            continue
        pages[url] = None
        stayed += 1
        dates += old_date != ""
        if old_date != date and moment(old_date) != moment(date):
            changes.append(Change("changed", url, old_date, date))
    changes += [Change("added", url, "", date) for url, date in pages.items() if date is not None]
    changes += removed.values()
    return Compared(changes, stayed + len(removed), dates)


def edits_without_date(before: Before, dated: Dated, changes: Sequence[Change]) -> Iterator[Change]:
    """Yields pages that were edited though their date stays: twice on one day, by the ledger."""
    known = {change.url for change in changes}
    old_rows, new_rows = before.rows or {}, dated.rows or {}
    for entry in dated.entries:
        path = entry.page.path if entry.page else entry.loc
        old, new = old_rows.get(path), new_rows.get(path)
        if old is None or new is None or entry.loc in known:
            continue
        # The first four digits are the version of the rule: digests of two versions always differ.
        if old.digest != new.digest and old.digest[:4] == new.digest[:4]:
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


class _Fates:
    """Says what became of URLs, from what the site and its host have there now."""

    def __init__(self, site: Site, entries: Sequence[Entry], excluded: Sequence[Excluded]) -> None:
        self._site = site
        self._files = _Files(site.found.folder)
        # An entry of `[[urls]]` has its URL as its path, listed or not.
        self._urls = {one.page.path if one.page else one.loc: one.loc for one in entries}
        self._excluded = {one.path: one for one in excluded}
        rule = site.host.move_at(_MADE_UP, has_file=False)
        self._for_all = rule.origin if rule else None

    def today(self, url: str) -> str:
        """The URL at the base URL of today. A site moves to another host with its paths."""
        base_url, former = self._site.base_url, without_www(self._site.former_base_url)
        rest = without_www(url)
        if former and rest.startswith(former):
            return base_url + rest.removeprefix(former)
        return origin_of(base_url) + url.removeprefix(origin_of(url))

    def of(self, url: str) -> Gone:
        """Says what became of a URL that is not listed any more, by all but its content."""
        base_url = self._site.base_url
        today = self.today(url)
        plain = today.partition("?")[0]
        if not f"{plain}/".startswith(base_url):
            return Gone(url, "lost")
        path = page_at(today, base_url, self._files)
        on_host = "/" + plain.removeprefix(base_url)
        rule = self._site.host.move_at(on_host, has_file=path is not None)
        if rule and rule.origin != self._for_all:
            if rule.action is Reason.CLOSED:
                return Gone(url, "excluded", "", Reason.CLOSED, rule.origin)
            target = target_url(rule.target, base_url)
            return Gone(url, "redirected", target, None, rule.origin)
        listed = self._urls.get(path or today)
        if listed:
            return Gone(url, "form", listed)
        page = excluded_at(path, self._excluded) if path else self._excluded.get(today)
        if page is None:
            return Gone(url, "lost")
        if page.reason is Reason.DUPLICATE:
            return Gone(url, "form", page.target)
        if page.reason is Reason.REDIRECT:
            return Gone(url, "redirected", page.target, None, page.origin)
        return Gone(url, "excluded", page.target, page.reason, page.origin)


def explain_gone(
    site: Site, changes: Sequence[Change], selected: Selected, dated: Dated, before: Before
) -> list[Gone]:
    """Says what became of each URL that is removed.

    A lost URL has moved if, by the ledger, only one new URL has its content now.
    """
    removed = [change.url for change in changes if change.kind == "removed"]
    if not removed:
        return []
    fates = _Fates(site, dated.entries, selected.excluded)
    rows, new_rows = before.rows or {}, dated.rows or {}
    added = {change.url for change in changes if change.kind == "added"}
    digests = Counter(row.digest for row in (*rows.values(), *new_rows.values()))
    targets: dict[str, str] = {}  # by the digests of their content
    for entry in dated.entries:
        row = new_rows.get(entry.page.path) if entry.page else None
        if row and entry.loc in added and digests[row.digest] == 2:  # one of each ledger
            targets[row.digest] = entry.loc
    result: list[Gone] = []
    for url in removed:
        gone = fates.of(url)
        path = page_at(fates.today(url), site.base_url, rows)
        target = targets.get(rows[path].digest) if path else None
        if target and gone.fate == "lost":
            gone = Gone(url, "moved", target, None, Origin("the ledger", None, "the same content"))
        result.append(gone)
    return result


def messages_on_gone(gone: Sequence[Gone], before: Before) -> Iterator[Message]:
    """What a person has to do about URLs that are gone."""
    severity: Severity = "note"
    start = ""
    if not before.is_ours:
        severity = "warning"
        start = f"{before.label}, which another tool wrote: "
    for fate, what, help in _FATES_TO_MEND:
        chosen = [one for one in gone if one.fate == fate]
        urls = [f"{one.url} → {one.target}" if one.target else one.url for one in chosen]
        if urls:
            text = f"{start}{count(len(urls), 'earlier URL')} {what}: {listing(urls)}"
            yield Message(severity, fate, text, help)


def losses_of_foreign(
    site: Site, before: Before, earlier: Iterable[SitemapEntry | Entry]
) -> Iterator[Message]:
    """Warns of what another tool's sitemap has beside URLs, and ours lacks."""
    settings = site.found.config.settings
    start = f"{before.label}, which another tool wrote, "
    if not settings.hreflang and any(one.alternates for one in earlier):
        text = f"{start}has hreflang alternates"
        yield Message("warning", "foreign-hreflang", text, "write hreflang = true")
    if not settings.images and any(one.images for one in earlier):
        yield Message("warning", "foreign-images", f"{start}has images", "write images = true")
    name = linked_name(site)
    if name not in ("", before.name):
        text = f"{start}is not {name}, to which the home page links"
        help = f'change the link, or write sitemap = {{ name = "{name}" }}'
        yield Message("warning", "foreign-name", text, help)
