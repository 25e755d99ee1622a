"""The facts about a page, from the cache or from its file."""

import marshal
import sys
from collections.abc import Iterable

from ..model import (
    NO_FACTS,
    Alternates,
    Batch,
    Excluded,
    LinkedPage,
    Page,
    PageFacts,
)
from ..syntax.html import SIZE_LIMIT
from ..syntax.urls import is_html
from . import cache, server
from .facts import ReadOptions, extract_facts
from .walk import SiteRoot, path_key, unreadable

_ALONE = Batch((), (), {})
# The links to language versions that one batch keeps of pages of other batches, 100 bytes each: so
# a site with many languages takes 10 MB.
_MOST_KEPT_LINKS = 100_000


class PageReader:
    """Reads the pages of a batch, and pages of other batches that are language versions of them.

    Pages are read in batches of 1,000, one after the other. A page names its versions in other
    languages, such as `de/a.html`, which may be in another batch. What was read of such a version
    is kept, so that its own batch need not read it again.
    """

    def __init__(self, root: SiteRoot, options: ReadOptions, batch: Batch = _ALONE) -> None:
        self.root = root
        self.options = options
        self._sources = batch.sources
        # Filled by `facts`, all by path.
        self.parsed = 0  # how many pages were parsed
        self.saved: dict[str, Page] = {}  # after the walk, with their new size and times
        self.records: dict[str, cache.Record] = {}  # of the batch, for the cache
        self._records_of_versions: dict[str, cache.Record] = {}  # in any batch, for the cache
        self._newly_read: set[str] = set()  # the language versions that were parsed
        self._links_left = _MOST_KEPT_LINKS
        # Filled by `agree`: the stat of a page, and the list that all its language versions have.
        self._agreed: dict[str, tuple[tuple[int, ...], Alternates]] = {}
        # What earlier runs and batches read: from the cache, and from batches with its versions.
        self._cached = batch.cached
        self._now = sys.maxsize  # without a cache, no page is too young for its record
        self._remembered: dict[str, cache.Record] = {}
        if batch.cached:
            self._now = batch.cached.now
            self._remembered = cache.unpack(batch.cached.blocks)
        for path, row in batch.versions.items():
            agreed, record = marshal.loads(row)
            if agreed:
                self._agreed[path] = agreed
            if record:
                self._remembered[path] = record

    def facts(self, page: Page, *, is_version: bool = False) -> PageFacts | Excluded:
        """Reads the facts about a page, such as its titles. An exclusion if it is unreadable.

        The cache record of the page from the last run may save work:

        - size and times are the same → the file is not opened
        - only the bytes are the same → the file is read, and not parsed
        - all else → the file is parsed

        `is_version` is for a page that another page names as its language version, which may be in
        another batch.
        """
        path = page.path
        options = self._options_for(path)
        # 1. Without opening the file.
        record = self._record_for(path, options)
        if record and record[cache.STAT] == page[1:]:  # all but the path
            self._keep(path, record, is_version=is_version)
            return cache.facts_from(record)
        # A file that is not HTML, such as a PDF, is only opened for a digest of its bytes.
        if not (options.digest or (options.reads and is_html(path))):
            return NO_FACTS
        # 2. By the hash of its bytes, without parsing them.
        data = b""
        read_page = page
        if page.size:  # an empty file need not be opened
            try:
                read_page, data = server.read(self.root, page, SIZE_LIMIT)
            except OSError as error:
                return unreadable(path, error)
            if read_page is not page:  # it was saved after the walk
                self.saved[path] = read_page
        content_hash = b""
        if self._cached:
            content_hash = cache.hash_bytes(data, self._cached.seed)
            if record and record[cache.CONTENT_HASH] == content_hash:
                # A new build often writes the same bytes again, with new times.
                updated_record = cache.with_stat_of(read_page, record, self._now)
                self._keep(path, updated_record, is_version=is_version)
                return cache.facts_from(updated_record)
        # 3. By parsing it.
        if data and is_html(path):
            self.parsed += 1
        facts = extract_facts(path, data, options)
        if self._cached or is_version:
            new_record = cache.make_record(read_page, content_hash, facts, self._now)
            self._keep(path, new_record, is_version=is_version, read_now=facts)
        return facts

    def _options_for(self, path: str) -> ReadOptions:
        """Says what to read of a page. If it may have source files, also its titles and text size.

        A source is ruled out if the page shows more bytes of text than the source can give it
        (`max_text`). `enough` is the smallest of these limits. A text at most that long rules out
        no source, so its exact size, which takes ten times as long to get, is not needed.
        """
        if path not in self._sources:
            return self.options
        smallest_limit = min((file.max_text for file in self._sources[path]), default=0)
        return self.options._replace(shown=True, enough=smallest_limit)

    def _record_for(self, path: str, options: ReadOptions) -> cache.Record | None:
        """Gets the cache record of a page. None if it lacks a fact, so that the page is read again.

        Of a page that may have source files, the record must also have the titles and text size:

        - the page had no source in the last run, so titles and size were not read → None
        - the size is only an upper limit, and above `options.enough` → it is not good enough: None
        - the size is exact, or at most `options.enough` → the record
        """
        record = self._remembered.get(path)
        if record is None or not options.shown:
            return record
        shown = cache.facts_from(record).shown
        if shown is None:
            return None
        _, size, is_exact = shown
        return record if is_exact or size <= options.enough else None

    def _keep(
        self,
        path: str,
        record: cache.Record,
        *,
        is_version: bool,
        read_now: PageFacts | None = None,
    ) -> None:
        """Keeps the record of a page, which is written to the cache after the batch.

        `read_now` are the facts of a page that was read now, None if they came from the cache.

        A language version (`is_version`) that was read now is also kept for later batches, unless
        those before it have 100,000 links together, which is 10 MB. A version that is not kept is
        read again by its own batch.
        """
        if not is_version:
            self.records[path] = record
            return
        if read_now:
            self._links_left -= 1 + len(read_now.metadata.alternates)  # 1: for the record itself
            if self._links_left <= 0:  # not for the cache either: its own batch does that
                return
            self._newly_read.add(path)
            self._remembered[path] = record
        self._records_of_versions[path] = record

    def agree(self, versions: Iterable[LinkedPage]) -> None:
        """Remembers that these pages have the same list of language versions.

        When the turn of one of them comes, `agreed` returns the list, and it is not compared again.
        An entry without a page is passed over.
        """
        for _, links, page in versions:
            if page:
                stat = page[1:]  # all but the path
                self._agreed[page.path] = (stat, links)

    def agreed(self, page: Page) -> Alternates:
        """Returns the list of language versions that `agree` remembered for this page.

        Empty if `agree` was not called with the page, or if its file has changed since. The caller
        then compares the lists of all versions.
        """
        agreed = self._agreed.get(page.path)
        if agreed is None:
            return ()
        stat, links = agreed
        if stat != page[1:]:
            return ()
        return links

    def versions_after(self, page: Page) -> dict[str, bytes]:
        """Packs what was read of pages of later batches, by path: `{"de/a.html": b"…"}`.

        `page` is the last page of this batch. Later batches have the paths after it in walk order.

        The bytes of a page are two values, packed by marshal: the list of language versions that
        `agree` remembered for it, and its record if it was read now. Each is None if there is none.
        The PageReader of the later batch unpacks them, and need not repeat the work.
        """
        last_key = path_key(page.path)
        packed_by_path = {}
        for path in self._newly_read | self._agreed.keys():
            if path_key(path) <= last_key:
                continue
            record = None
            if path in self._newly_read:
                record = self._remembered[path]
            packed_by_path[path] = marshal.dumps((self._agreed.get(path), record))
        return packed_by_path

    @property
    def packed(self) -> bytes:
        """Packs the records of pages, and of versions in other batches. Empty without a cache."""
        if not self._cached:
            return b""
        return cache.pack(self._records_of_versions | self.records)
