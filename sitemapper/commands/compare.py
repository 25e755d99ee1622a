"""`check --against`: compares another tool's sitemap with the pages of the site."""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import IO, NamedTuple

from ..errors import SitemapperError
from ..find.load import Setup
from ..find.plan import make_plan
from ..lastmod.ledger import local_ledger, open_ledger
from ..linter import Finding, Rule, validate
from ..linter.engine import OnEntry, check_sitemap
from ..linter.model import Context, Document, LintedEntry
from ..linter.rules import pages
from ..model import BatchResult, Excluded, Reason
from ..plan import Plan, with_ledger
from ..protocol import SITEMAPINDEX
from ..publish.earlier import LiveSitemap, MissingSitemap, UnreadableSitemap, read_with_parts
from ..read import server, walk
from ..read.sitemap import parse_row, uncompressed
from ..run import stream
from ..run.rows import open_rows
from ..site import Run
from ..syntax.dates import period
from ..syntax.urls import is_page_name, relative_path, resolve, web_origin

_DAY = 86_400
_SITE_LISTS = "the site's form is "

# Beginnings of the codes of rules about the sitemap itself that matter for its URLs and dates.
# Other faults, such as a wrong priority, are not reported.
_SITEMAP_RULES = ("SM1", "SM203", "SM301", "SM303", "SM4")
_RULE_BY_REASON = {
    Reason.NOINDEX: pages.NOINDEX, Reason.REDIRECT: pages.REDIRECTS,
    Reason.CANONICAL: pages.CANONICAL_ELSEWHERE, Reason.ROBOTS: pages.DISALLOWED,
}  # fmt: skip


class OtherEntry(NamedTuple):
    """A URL in the other sitemap: its line and file, and its date ("" for none)."""

    line: int
    file: str
    date: str
    loc: str

    def finding(self, rule: Rule, message: str) -> Finding:
        """Makes a finding about this entry, which names its URL, file and line."""
        return rule.at(self.file, self.line, f"{self.loc}: {message}")


def compare(
    setup: Setup, against: str, *, now: datetime, files: list[tuple[str, int]]
) -> Iterator[Finding]:
    """Compares another tool's sitemap with the pages of the site, and gives the findings.

    `against` names the other sitemap: a file, a folder or a URL. Three kinds of findings come in
    this order:

    1. errors of the sitemap itself
    2. its entries that no page has, or whose date is wrong
    3. pages that it does not list

    Adds each file that is read to `files`, with its number of entries. Raises SitemapperError for
    errors that a user can fix.
    """
    site, run = setup.site, setup.run
    plan = make_plan(setup, now, local_ledger(site, run))
    comparison = _Comparison(plan, against)
    seconds = int(now.timestamp())
    findings: Iterable[Finding]
    if "://" in against:
        findings = _validate_live(against, run, seconds, comparison.add_entry, files)
    else:
        findings = validate(
            [against],
            now=seconds,
            on_entry=comparison.add_entry,
            on_file=lambda *file: files.append(file),
        )
    yield from (found for found in findings if found.code.startswith(_SITEMAP_RULES))
    # If nothing was read, or only a robots.txt that names no sitemap, there is nothing to compare.
    if all(os.path.basename(name) == "robots.txt" for name, _ in files):
        raise SitemapperError(f"{against}: no sitemap found", "pass a sitemap or its folder")
    comparison.check_base_url()
    # The pages are read and dated as in a build. On a new machine, the ledger that dates them is a
    # copy of the live one, which is only downloaded now.
    with (
        open_ledger(site, run) as (ledger, _),
        open_rows(with_ledger(plan, ledger)) as rows,
    ):
        for result in stream.batch_results(plan, rows):
            comparison.add_pages(result)
    yield from sorted(comparison.entry_findings(), key=lambda found: (found.file, found.line))
    yield from comparison.unlisted_findings()


def _validate_live(
    url: str, run: Run, now: int, on_entry: OnEntry, files: list[tuple[str, int]]
) -> list[Finding]:
    """Downloads a sitemap and, if it is an index, the sitemaps that it names. Returns the findings.

    Adds each sitemap to `files`, with its number of entries, and calls `on_entry` with each entry.
    Raises SitemapperError if any of the sitemaps cannot be read.
    """
    if not web_origin(url):
        raise SitemapperError(
            f"--against: {url!r} is not an http or https URL", "pass a file, a folder or a URL"
        )
    findings: list[Finding] = []

    def read(name: str, file: IO[bytes]) -> list[str]:
        """Checks one sitemap, and returns the URLs of the sitemaps that it names if it is an index.

        `read_with_parts` calls this for `url`, and then for each of these URLs.
        """
        document = Document(Context(now, name))
        parts: list[str] = []
        for found in check_sitemap(name, uncompressed(file), document):
            if isinstance(found, Finding):
                findings.append(found)
                continue
            on_entry(name, found)
            if document.root == SITEMAPINDEX:
                parts.append(found.loc)
        files.append((name, document.entries))
        return parts

    try:
        read_with_parts(url, LiveSitemap(url, run).open, read)
    except MissingSitemap:
        raise SitemapperError(f"{url}: does not exist", "correct the URL of the sitemap") from None
    except UnreadableSitemap as error:
        # For a URL, `start_of_help` is "if the host wants a secret, pass --header …. Otherwise, ".
        help = f"{error.start_of_help}compare with a copy (--against FILE)"
        raise SitemapperError(f"{error.name}: {error.problem}", help) from None
    return findings


class _Comparison:
    """The other sitemap in memory, compared with each page of the site.

    The caller uses the methods in this order:

    1. `add_entry` for each entry of the other sitemap
    2. `add_pages` for all pages of the site
    3. `entry_findings`, and then `unlisted_findings`

    An entry and a page belong together if their URLs have the same path: the entry
    `http://a.example/%61` and the page https://a.example/a have the path `a`.

    There may be millions of URLs. To save memory, the key of a URL is the hash of its path, and an
    entry is kept as bytes. Hashes have 64 bits, so no two paths are expected to have the same one.
    """

    def __init__(self, plan: Plan, against: str) -> None:
        """Makes a comparison without entries and pages. `against` names the other sitemap."""
        self._plan = plan
        self._against = against
        self._files: list[str] = []  # of the other sitemap
        # Each URL is under its key in one of these three, by who lists it.
        self._entries_of_other_only: dict[int, bytes] = {}  # as `add_entry` stores them
        self._keys_of_both: set[int] = set()
        self._urls_of_site_only: dict[int, str] = {}
        # Of these, the pages whose other URL, in the other sitemap, was reported already.
        self._keys_already_reported: set[int] = set()
        # The pages of entries in `_entries_of_other_only`, if the site excludes them.
        self._excluded: dict[int, Excluded] = {}
        self._differences: list[Finding] = []  # wrong URLs and dates of pages that both list

    def _path(self, loc: str) -> str:
        """Returns the text by which URLs are compared: the decoded path below the base URL.

        With the base URL `https://a.example/`, both `http://a.example/%61` and
        `https://a.example/a` → `a`. A URL of another site, or with a query, stays as it is.
        """
        base_url = self._plan.site.base_url
        url = resolve(loc, base_url) or loc
        path = relative_path(url, base_url)
        return url if path is None else path

    def _path_below_base(self, loc: str) -> str | None:
        """Decodes the path of a URL below the base URL: `https://a.example/%61?x=1` → `a`.

        None for a URL of another site.
        """
        path = self._path(loc.partition("?")[0])
        is_of_another_site = "://" in path  # `_path` has left the URL as it is
        return None if is_of_another_site else path

    def add_entry(self, file: str, entry: LintedEntry) -> None:
        """Keeps an entry of another tool's sitemap, to be compared with the page that has its URL.

        `file` is the sitemap that has the entry. Of several entries with the same URL, the first is
        kept.
        """
        is_of_sitemap = entry.node.name == "sitemap"  # the entries of an index are no pages
        has_absolute_url = web_origin(entry.loc) != ""
        if is_of_sitemap or not has_absolute_url:
            return
        # Entries come file by file.
        if self._files[-1:] != [file]:
            self._files.append(file)
        file_number = len(self._files) - 1
        # As bytes, an entry takes a third of the memory. `_parse_entry` undoes this.
        entry_as_bytes = f"{entry.line}\0{file_number}\0{entry.date}\0{entry.loc}".encode()
        key = hash(self._path(entry.loc))
        self._entries_of_other_only.setdefault(key, entry_as_bytes)

    def _parse_entry(self, entry_as_bytes: bytes) -> OtherEntry:
        """Reads an entry from the bytes in which `add_entry` keeps it."""
        line, file_number, date, loc = entry_as_bytes.decode().split("\0", 3)
        return OtherEntry(line=int(line), file=self._files[int(file_number)], date=date, loc=loc)

    def check_base_url(self) -> None:
        """Raises SitemapperError if no URL of the other sitemap is below the base URL of the site.

        The base URL must be wrong then, and findings about single pages would not say so. Does
        nothing if the other sitemap lists no URL. Called before pages are added.
        """
        entries = self._entries_of_other_only.values()
        if not entries:
            return
        locs = (self._parse_entry(entry).loc for entry in entries)
        if any(self._path_below_base(loc) is not None for loc in locs):
            return
        first = self._parse_entry(next(iter(entries)))
        raise SitemapperError(
            f"{self._against}: none of its {len(entries):,} URLs is below "
            f"{self._plan.site.base_url}, for example {first.loc}",
            "set base_url to the URL of its pages",
        )

    def add_pages(self, result: BatchResult) -> None:
        """Compares the next pages of the site, listed and excluded ones, with the other sitemap."""
        for excluded in result.excluded:
            for path in self._url_paths(excluded):
                key = hash(path)
                # The other sitemap lists this page. A finding will say why the site does not.
                if key in self._entries_of_other_only:
                    self._excluded[key] = excluded
        for entries in result.entries:
            if entries.series.format == "xml":  # a text sitemap would have the same URLs again
                for row in entries.data.splitlines():
                    loc, date = parse_row(row)
                    self._compare_listed(loc, date)

    def _url_paths(self, excluded: Excluded) -> Sequence[str]:
        """Lists the URL paths at which another sitemap may list a page that the site excludes.

        `b.html` → `b.html`, `b` and `b/`, because the other sitemap may have any form of the URL. A
        URL of `[[urls]]` has no file, and so only its own path.
        """
        if "://" in excluded.path:
            return [self._path(excluded.path)]
        return self._plan.policy.locator.served_paths(excluded.path)

    def _compare_listed(self, loc: str, date: str) -> None:
        """Compares a URL that the site lists, and its date, with the entry of the other sitemap.

        Keeps a finding for each difference. A URL without an entry is kept as one of the site only.
        """
        key = hash(self._path(loc))
        # Two listed URLs may have one path: /a/b of a page, and /a%2Fb of `[[urls]]`.
        if key in self._keys_of_both:
            return
        entry_as_bytes = self._entries_of_other_only.pop(key, None)
        if entry_as_bytes is None:
            self._urls_of_site_only[key] = loc
            return
        self._keys_of_both.add(key)
        entry = self._parse_entry(entry_as_bytes)
        # Another spelling: `http://a.example/b` for https://a.example/b. `resolve` decodes %7E to
        # ~, for example, which means the same and is no finding.
        if resolve(entry.loc, loc) != loc:
            self._differences.append(entry.finding(pages.OTHER_FORM, f"{_SITE_LISTS}{loc}"))
        message = self._compare_dates(entry.date, date)
        if message:
            self._differences.append(entry.finding(pages.WRONG_DATE, message))

    def _compare_dates(self, stated: str, actual: str) -> str:
        """Says what is wrong with the date that the other sitemap states for a page.

        `stated` is the date in the other sitemap, `actual` the date that a build would write:

            stated      actual      result
            none        2026-03-01  ""
            2026-03-09  2026-03-01  `lastmod 2026-03-09, but it last changed on 2026-03-01`
            2026-03-01  2026-03-09  `lastmod 2026-03-01, but it changed again on 2026-03-09`
            2026-03-02  2026-03-01  "": one day is allowed, because a date has no time zone
        """
        stated_period = period(stated)
        actual_period = period(actual)
        if stated_period is None or actual_period is None:
            return ""
        stated_start, stated_end = stated_period
        actual_start, actual_end = actual_period
        if stated_start > actual_end + _DAY:
            return f"lastmod {stated}, but it last changed on {actual}"
        # If file times date pages, `actual` may be too late: a file may be rewritten without a
        # change.
        is_exact = "mtime" not in self._plan.date_policy.sources
        if is_exact and stated_end < actual_start - _DAY:
            return f"lastmod {stated}, but it changed again on {actual}"
        return ""

    def entry_findings(self) -> Iterator[Finding]:
        """Yields what is wrong with the entries of the other sitemap, after all pages were added.

        First the wrong URLs and dates. Then, for each URL that the site does not list, the reason.
        """
        yield from self._differences
        for key, entry_as_bytes in self._entries_of_other_only.items():
            entry = self._parse_entry(entry_as_bytes)
            if key in self._excluded:
                yield self._explain_excluded(entry, self._excluded[key])
            else:
                yield from self._explain_without_page(entry)

    def _explain_excluded(self, entry: OtherEntry, excluded: Excluded) -> Finding:
        """Makes the finding about an entry whose page the site excludes, such as a noindex page."""
        rule = _RULE_BY_REASON.get(excluded.reason, pages.LEFT_OUT)
        # The file and line that decide: `robots.txt:2: Disallow: /a`. For a line of the page
        # itself, only its text: `<meta name="robots" content="noindex">`.
        origin = excluded.origin
        is_in_page = origin.source == excluded.path
        where = origin.text if is_in_page else origin
        return entry.finding(rule, f"{excluded.reason.value} ({where})")

    def _explain_without_page(self, entry: OtherEntry) -> Iterator[Finding]:
        """Yields a finding that says why no page of a build has the URL of an entry.

        no file has the URL                         → no page has it
        the site lists the file at another URL      → the site's form of the URL
        `ignore` names the file                     → the pattern
        the file is a page that a build leaves out  → no `include` pattern, or a link
        the file is no page, such as a PDF          → no finding
        """
        root = self._plan.root
        path = self._path_below_base(entry.loc)
        file = None if path is None else server.file_for_url_path(root, path)
        if file is None:
            yield entry.finding(pages.NO_PAGE, "no page of the site has this URL")
            return
        message = self._describe_other_form(file)
        if message:
            yield entry.finding(pages.OTHER_FORM, message)
            return
        pattern = root.ignore.deciding_pattern(file)
        if pattern and not pattern.negated:
            yield entry.finding(pages.LEFT_OUT, f"ignored ({pattern.origin})")
        elif is_page_name(file) and not walk.would_list(root, file):
            message = "no `include` pattern matches, or a link leads there"
            yield entry.finding(pages.LEFT_OUT, message)

    def _describe_other_form(self, file: str) -> str:
        """Makes the message that the site lists the file of an entry at another URL.

        The other sitemap has an entry for /b.html, and the site lists the file `b.html` at /b:
        `the site's form is https://a.example/b`. "" if the site does not list the file.
        """
        locator = self._plan.policy.locator
        for path in locator.served_paths(file):  # b.html, b and b/
            key = hash(path)
            # The other sitemap has a second entry, for /b.
            if key in self._keys_of_both:
                return f"also listed as {locator.encoded(path)}"
            # It has no entry for /b. `unlisted_findings` need not report /b a second time.
            if key in self._urls_of_site_only:
                self._keys_already_reported.add(key)
                return f"{_SITE_LISTS}{self._urls_of_site_only[key]}"
        return ""

    def unlisted_findings(self) -> Iterator[Finding]:
        """Yields a finding for each page that the other sitemap lacks.

        Called after `entry_findings`, which reports the pages that the other sitemap lists at
        another URL.
        """
        for key, loc in self._urls_of_site_only.items():
            if key in self._keys_already_reported:
                continue
            message = f"{loc}: can be indexed, but is not listed"
            yield pages.UNLISTED.at(self._against, 1, message)
