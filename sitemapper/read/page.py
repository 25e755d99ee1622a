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

# One batch keeps records of language versions for other batches, with at most so many links
# together. A link takes 100 bytes, so a batch of a site with many languages takes 10 MB.
_MAX_KEPT_LINKS = 100_000


class PageReader:
    """Reads the pages of a batch, and pages of other batches that are language versions of them.

    Pages are read in batches of 1,000, one after the other. A page names its versions in other
    languages, such as `de/a.html`, which may be in another batch. What was read of such a version
    is kept, so that its own batch need not read it again.

    A record has the facts that were read from a page. Records are kept for two purposes:

    - `packed`: records of pages and language versions, for the cache and so for the next run
    - `pack_versions_after`: records of language versions in later batches, for these batches
    """

    def __init__(self, root: SiteRoot, options: ReadOptions, batch: Batch) -> None:
        """Unpacks what was read of these pages before: by the last run, and by earlier batches.

        `batch` has this in packed bytes. It also has the possible source files of its pages.
        """
        self.root = root
        self.options = options
        self._sources = batch.sources
        # 1. What `facts` finds for the caller.
        self.parsed = 0  # how many pages were parsed
        # By path, the pages whose files were saved after the walk, with their new size and times.
        self.saved: dict[str, Page] = {}
        # 2. What goes to the cache and to later batches, all by path (see `_keep`).
        self._records: dict[str, cache.Record] = {}  # of the pages of this batch
        self._records_of_versions: dict[str, cache.Record] = {}  # of language versions of them
        self._newly_read: dict[str, cache.Record] = {}  # of the versions that were parsed now
        self._links_left = _MAX_KEPT_LINKS
        # Filled by `agree`: the stat of a page, and the list that all its language versions have.
        self._agreed: dict[str, tuple[tuple[int, ...], Alternates]] = {}
        # 3. What was read before: by the last run, which is in the cache, and by earlier batches.
        self._cached = batch.cached
        # The start of the run. A file that was saved just before may be saved again with the same
        # times, so its record gets no stat for the next run (`cache.stat_of`). Without a cache, no
        # record is for the next run. Then this is in the far future, so that each has a stat.
        self._now = sys.maxsize
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
        """Reads the facts about a page, such as its titles. If it is unreadable: its exclusion.

        The record of the page that the last run or an earlier batch left may save work:

        1. size and times are the same → the facts in the record; the file is not opened
        2. only the bytes are the same → the facts in the record; the file is read, but not parsed
        3. there is no record, or the bytes have changed → the file is parsed

        The record of the page is kept for the cache. `is_version` says that another page names the
        page as its language version, so it may be in another batch, which gets the record, too.
        """
        path = page.path
        options = self._options_for(path)
        # 1. By its size and times, without opening the file.
        record = self._record_for(path, options)
        if record and record[cache.STAT] == page[1:]:  # all fields but the path: size, times, inode
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
        if self._cached or is_version:  # a version: without a cache too, for its own batch
            new_record = cache.make_record(read_page, content_hash, facts, self._now)
            self._keep(path, new_record, is_version=is_version, read_now=facts)
        return facts

    def _options_for(self, path: str) -> ReadOptions:
        """Returns what to read of a page: what is read of all pages, and perhaps two more facts.

        These are its titles and the size of its text. They are read only if the page has possible
        source files, because they show later which one is the source: the page shows the title of
        its source, and not more text than this file can give (`max_text`).

        `harmless_size` saves time. If one file can give 500 bytes and another one 900, a page with
        at most 500 bytes of text may come from either file. Then its exact size is not needed.
        """
        if path not in self._sources:
            return self.options
        smallest_limit = min(file.max_text for file in self._sources[path])
        return self.options._replace(titles_and_size=True, harmless_size=smallest_limit)

    def _record_for(self, path: str, options: ReadOptions) -> cache.Record | None:
        """Returns the record of a page from the cache, if it has all the facts that are wanted.

        None if there is no record, or if it lacks a fact. Then the caller reads the page again.

        Titles and text size are wanted only for a page with possible sources. A record has both or
        neither. Its size is exact, or an upper limit. A limit is enough if it is at most
        `harmless_size`. If that is 500 bytes:

        | text size in the record | result     |
        |-------------------------|------------|
        | none                    | None       |
        | 600 bytes, exact        | the record |
        | at most 400 bytes       | the record |
        | at most 600 bytes       | None       |
        """
        record = self._remembered.get(path)
        if record is None or not options.titles_and_size:
            return record
        titles_and_size = cache.facts_from(record).shown
        if titles_and_size is None:  # the page had no source in the last run
            return None
        _, size, is_exact = titles_and_size
        return record if is_exact or size <= options.harmless_size else None

    def _keep(
        self,
        path: str,
        record: cache.Record,
        *,
        is_version: bool,
        read_now: PageFacts | None = None,
    ) -> None:
        """Keeps the record of a page for the cache, and perhaps for later batches of this run.

        `is_version` says that another page names this page as its language version. `read_now` are
        the facts if the page was parsed now, None if they are from its old record.

        - a page of this batch: its record is kept for the cache
        - a version that was parsed now: for the cache, this batch and later batches. But after 10
          MB of such records, it is not kept, and its own batch reads the page again
        - a version with facts from its old record: for the cache
        """
        if not is_version:
            self._records[path] = record
            return
        if read_now:
            self._links_left -= 1 + len(read_now.metadata.alternates)  # 1: for the record itself
            if self._links_left <= 0:  # records with 100,000 links, about 10 MB, are kept already
                return
            self._newly_read[path] = record
            self._remembered[path] = record
        self._records_of_versions[path] = record

    def agree(self, versions: Iterable[LinkedPage]) -> None:
        """Remembers that language versions of a page have the same list of versions.

        The caller has compared their lists, which takes long. If `en/a.html` and `de/a.html` agree,
        they need not be compared again when it is the turn of `de/a.html`: `agreed` then returns
        its list. Entries of `versions` without a page are passed over.
        """
        for version in versions:
            page = version.page
            if page:
                # If the file is saved before its turn, its stat shows that the list may be another.
                stat = page[1:]  # size, times and inode: all fields but the path
                self._agreed[page.path] = (stat, version.alternates)

    def agreed(self, page: Page) -> Alternates:
        """Returns the language versions of a page, if they are known to name each other.

        `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`, if `agree` was
        called with the page. Empty if it was not, or if the file was saved after that. The caller
        then reads the other versions to find out.
        """
        agreed = self._agreed.get(page.path)
        if agreed is None:
            return ()
        old_stat, links = agreed
        stat = page[1:]  # size, times and inode: all fields but the path
        return links if old_stat == stat else ()

    def pack_versions_after(self, page: Page) -> dict[str, bytes]:
        """Packs what was read of pages of later batches: {path: bytes}.

        This batch has `de/a.html`, which names `en/a.html` as its language version, so both were
        read. With `{"en/a.html": b"…"}`, the batch of `en/a.html` need not repeat the work. `page`
        is the last page of this batch.

        The bytes are a pair. The PageReader of the later batch unpacks them:

        - the stat of the page, and the list that all its language versions have (see `agree`).
          None if their lists were not compared
        - the record of the page. None if it was not parsed
        """
        last_key = path_key(page.path)
        packed_by_path = {}
        for path in self._newly_read.keys() | self._agreed.keys():
            is_in_later_batch = path_key(path) > last_key  # in walk order
            if is_in_later_batch:
                found = (self._agreed.get(path), self._newly_read.get(path))
                packed_by_path[path] = marshal.dumps(found)
        return packed_by_path

    @property
    def packed(self) -> bytes:
        """Packs the records that `_keep` kept into bytes, for one block of the cache.

        The next run unpacks the block when it comes to the same pages. It needs the records of
        their language versions then, too, such as `de/a.html` for `a.html`. So these are in the
        block, though the versions may be pages of other batches. Empty without a cache.
        """
        if not self._cached:
            return b""
        return marshal.dumps(self._records_of_versions | self._records)
