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

# A path that no site has. A host's rule that applies even there applies everywhere.
_MADE_UP_PATH = "/sitemapper-made-this-up"
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
    """Compares entries with those of an earlier sitemap: which are added, changed and removed.

    A change is `Change("changed", "https://a.example/tea/", "2026-03-01", "2026-05-01")`, with the
    dates before and after. A URL that the earlier sitemap lists twice counts once.
    """
    # The new dates by URL, "" for an entry without a date. Below, the value becomes None when the
    # earlier sitemap has the URL, so URLs that still have a text at the end were added.
    dates_by_url: dict[str, str | None] = {entry.loc: entry.lastmod or "" for entry in entries}
    removed: dict[str, Change] = {}
    changes: list[Change] = []

    # Look for each earlier URL among the new ones, to find what was removed and what changed.
    stayed = dates = 0  # earlier URLs that are still listed, and how many of them had a date
    for old in earlier:
        url, old_date = old.loc, old.lastmod or ""
        if url not in dates_by_url:
            url = resolve(url, base_url) or url  # another tool may encode more or less
        if url not in dates_by_url:
            removed[url] = Change("removed", url, old_date)
            continue
        date = dates_by_url[url]
        if date is None:  # the earlier sitemap lists it twice, and it was counted already
            continue
        dates_by_url[url] = None  # found in both sitemaps, so it is not new
        stayed += 1
        if old_date:
            dates += 1
        # One moment may be written in two ways, such as with Z and with +00:00.
        if old_date != date and moment(old_date) != moment(date):
            changes.append(Change("changed", url, old_date, date))

    # What the earlier sitemap did not have was added. An added URL has no date before.
    for url, date in dates_by_url.items():
        if date is not None:
            changes.append(Change("added", url, "", date))
    changes += removed.values()
    return Compared(changes, stayed + len(removed), dates)


def edits_without_date(before: Before, dated: Dated, changes: Sequence[Change]) -> Iterator[Change]:
    """Yields a change for each page whose content changed though its date did not.

    That happens if a page is edited twice on one day. Only the ledger shows it: this file has a row
    for each page, with a digest (a hash) of its content. URLs in `changes` are left out.
    """
    reported = {change.url for change in changes}
    old_rows = before.rows or {}
    new_rows = dated.rows or {}
    for entry in dated.entries:
        path = entry.page.path if entry.page else entry.loc
        old = old_rows.get(path)
        new = new_rows.get(path)
        if old is None or new is None or entry.loc in reported:
            continue
        # The first four digits name the rule that made the digest. Another rule makes another
        # digest of the same content.
        is_same_rule = old.digest[:4] == new.digest[:4]
        if is_same_rule and old.digest != new.digest:
            date = entry.lastmod or ""
            yield Change("changed", entry.loc, date, date)


# --- What became of URLs


def excluded_at(path: str, excluded: Mapping[str, Excluded]) -> Excluded:
    """Finds why a file of the site is left out: by itself, or with a folder above it.

    For `a/b/c.html`, it looks for `a/b/c.html`, then `a/b/`, then `a/`, which are the keys of
    `excluded`. A file that is not among them has a name that no pattern of `include` matches.
    """
    end = len(path)
    while end > 0:
        file_or_folder = path[:end]
        if file_or_folder in excluded:
            return excluded[file_or_folder]
        end = path.rfind("/", 0, end - 1) + 1  # behind the slash of the next folder above
    return Excluded(path, Reason.IGNORED, Origin("include", None, "no pattern matches"))


class _Files(Container[str]):
    """The files of a folder. `path in files` looks at the disk, so no list of them is needed."""

    def __init__(self, folder: str) -> None:
        """Takes the folder in which the paths begin, such as `/srv/public`."""
        self._folder = folder

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and os.path.isfile(site_file(self._folder, path))


class _Fates:
    """Says what became of earlier URLs, from what the site and its host have there now."""

    def __init__(self, site: Site, entries: Sequence[Entry], excluded: Sequence[Excluded]) -> None:
        """Takes the new entries of the site, and the pages that are left out."""
        self._site = site
        self._files = _Files(site.found.folder)

        # By the paths of pages. An entry of `[[urls]]` has no path, and is found by its URL.
        self._listed_urls = {
            entry.page.path if entry.page else entry.loc: entry.loc for entry in entries
        }
        self._excluded = {page.path: page for page in excluded}

        # The host may have a rule for all paths, such as a redirect of the whole site. It says
        # nothing of a single URL, so `of` passes it over. Asking for a path that no site has
        # finds it.
        rule_for_all = site.host.move_at(_MADE_UP_PATH, has_file=False)
        self._origin_for_all = rule_for_all.origin if rule_for_all else None

    def today(self, url: str) -> str:
        """Rewrites an earlier URL to the host and base that the site has today.

        `https://old.example/a` → `https://new.example/a`. So what is there can be looked up after
        the site has moved.
        """
        # A former base URL, `https://old.example/docs/`, may have had another path.
        base_url = self._site.base_url
        former = without_www(self._site.former_base_url)
        rest = without_www(url)
        if former and rest.startswith(former):
            return base_url + rest.removeprefix(former)
        return origin_of(base_url) + url.removeprefix(origin_of(url))

    def of(self, url: str) -> Gone:
        """Says what became of a URL that is not listed any more.

        For example, `Gone(url, "redirected", "https://a.example/new/")`. As on the host, its rules
        come first, then the file that is there now.
        """
        # Outside of the site, nothing is known.
        base_url = self._site.base_url
        today = self.today(url)
        without_query = today.partition("?")[0]
        if not f"{without_query}/".startswith(base_url):
            return Gone(url, "lost")

        # What the host does at this URL, whatever page is there.
        path = page_at(today, base_url, self._files)
        path_on_host = "/" + without_query.removeprefix(base_url)
        rule = self._site.host.move_at(path_on_host, has_file=path is not None)
        if rule and rule.origin != self._origin_for_all:
            if rule.action is Reason.CLOSED:
                return Gone(url, "excluded", "", Reason.CLOSED, rule.origin)
            if rule.action is Reason.REDIRECT:
                target = target_url(rule.target, base_url)
                return Gone(url, "redirected", target, None, rule.origin)
            # A rewrite is passed over: it shows another page there, or the same one for all URLs.

        # The page that is there now: listed at another URL, left out, or missing.
        listed_url = self._listed_urls.get(path or today)
        if listed_url:
            return Gone(url, "form", listed_url)
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
    """Says what became of each URL that the earlier sitemap has and the new one lacks.

    `https://a.example/tea/` may be redirected, excluded or lost, for example. A lost URL counts as
    moved if exactly one new URL has its content, by the digests in the ledger.
    """
    removed = [change.url for change in changes if change.kind == "removed"]
    if not removed:
        return []

    # The new URLs by the digests of their contents. A content that several pages share shows
    # nothing: one that moved is in two rows, once in the old ledger and once in the new one.
    old_rows = before.rows or {}
    new_rows = dated.rows or {}
    added = {change.url for change in changes if change.kind == "added"}
    digests = Counter(row.digest for row in (*old_rows.values(), *new_rows.values()))
    added_by_digest: dict[str, str] = {}
    for entry in dated.entries:
        row = new_rows.get(entry.page.path) if entry.page else None
        if row and entry.loc in added and digests[row.digest] == 2:
            added_by_digest[row.digest] = entry.loc

    # The ledger knows the old page by its path, which the URL has on the host of today.
    fates = _Fates(site, dated.entries, selected.excluded)
    result: list[Gone] = []
    for url in removed:
        gone = fates.of(url)
        path = page_at(fates.today(url), site.base_url, old_rows)
        target = added_by_digest.get(old_rows[path].digest) if path else None
        if target and gone.fate == "lost":
            gone = Gone(url, "moved", target, None, Origin("the ledger", None, "the same content"))
        result.append(gone)
    return result


def messages_on_gone(gone: Sequence[Gone], before: Before) -> Iterator[Message]:
    """Writes a message for each fate that needs a person, such as a redirect for lost URLs.

    It is a warning if another tool listed them: then no guard stops the run.
    """
    severity: Severity = "note"
    start = ""
    if not before.is_ours:
        severity = "warning"
        start = f"{before.label}, which another tool wrote: "
    for fate, what, help in _FATES_TO_MEND:
        losses = [loss for loss in gone if loss.fate == fate]
        urls = [f"{loss.url} → {loss.target}" if loss.target else loss.url for loss in losses]
        if urls:
            text = f"{start}{count(len(urls), 'earlier URL')} {what}: {listing(urls)}"
            yield Message(severity, fate, text, help)


def losses_of_foreign(
    site: Site, before: Before, earlier: Iterable[SitemapEntry | Entry]
) -> Iterator[Message]:
    """Warns of what another tool's sitemap has and ours lacks, before it is replaced.

    That is hreflang, images, or the name to which the home page links. `earlier` are its entries.
    """
    settings = site.found.config.settings
    start = f"{before.label}, which another tool wrote, "
    if not settings.hreflang and any(entry.alternates for entry in earlier):
        text = f"{start}has hreflang alternates"
        yield Message("warning", "foreign-hreflang", text, "write hreflang = true")
    if not settings.images and any(entry.images for entry in earlier):
        yield Message("warning", "foreign-images", f"{start}has images", "write images = true")
    name = linked_name(site)
    if name not in ("", before.name):
        text = f"{start}is not {name}, to which the home page links"
        help = f'change the link, or write sitemap = {{ name = "{name}" }}'
        yield Message("warning", "foreign-name", text, help)
