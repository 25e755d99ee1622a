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

# One batch keeps what it has read of language versions, with at most so many links together. A link
# takes 100 bytes, so a batch of a site with many languages takes 10 MB.
_MAX_KEPT_LINKS = 100_000


class PageReader:
    """Reads the pages of a batch, and the language versions to which these pages link.

    What was read of a page is a record, so that nobody has to read the page again. The page
    `a.html` links to its German version `de/a.html`, which is a page of a later batch. This batch
    has to read it, too, and hands its record to that batch:

    - `packed`: the records for the next run, of pages and their versions
    - `pack_versions_after`: the records of versions for later batches of this run
    """

    def __init__(self, root: SiteRoot, options: ReadOptions, batch: Batch) -> None:
        """Unpacks what the last run and earlier batches have read of the pages in `batch`."""
        self.root = root
        self.options = options
        self._possible_sources = batch.sources  # by the path of the page
        self.parsed = 0  # how many pages were parsed
        # By path, the pages whose files were saved after the walk, with their new size and times.
        self.saved: dict[str, Page] = {}
        # 1. What was read of pages, by path.
        self._known_records: dict[str, cache.Record] = {}  # of pages that need not be parsed again
        self._records_for_next_run: dict[str, cache.Record] = {}
        self._versions_for_later_batches: dict[str, cache.Record] = {}  # parsed in this batch
        self._links_left = _MAX_KEPT_LINKS  # that these versions may have together
        # 2. The language versions of a page, if it and all its versions list the same ones.
        self._common_lists: dict[Page, Alternates] = {}
        # 3. What the last run has read, None if the run uses no cache.
        self._cached = batch.cached
        # The start of the run. A file that was saved just before it may be saved again with the
        # same times, so the next run must not trust these times (`cache.stat_of`). Without a cache,
        # records are only for this run. It may trust all times, as if they were long ago.
        self._now = sys.maxsize
        if batch.cached:
            self._now = batch.cached.now
            self._known_records = cache.unpack(batch.cached.blocks)
        # 4. What earlier batches have read, as `pack_versions_after` packed it.
        for path, packed in batch.versions.items():
            stat_and_list, record = marshal.loads(packed)
            if stat_and_list:
                stat, common_list = stat_and_list
                self._common_lists[Page(path, *stat)] = common_list
            if record:
                self._known_records[path] = record

    def facts(self, page: Page, *, is_version: bool = False) -> PageFacts | Excluded:
        """Reads the facts about a page, such as its titles. If it is unreadable: its exclusion.

        The record of the page that the last run or an earlier batch left may save work:

        1. size and times are the same → the facts in the record; the file is not opened
        2. only the bytes are the same → the facts in the record; the file is read, but not parsed
        3. there is no record, or the bytes have changed → the file is parsed

        `is_version`: another page links to this one as its language version. This page may then be
        in a later batch, which gets its record, so that the page is not parsed twice.
        """
        path = page.path
        options = self._options_for(path)
        # 1. By its size and times, without opening the file.
        record = self._record_for(path, options)
        if record and record[cache.STAT] == page[1:]:  # all fields but the path: size, times, inode
            self._records_for_next_run[path] = record
            return cache.facts_from(record)
        # A file that is not HTML, such as a PDF, is only opened for a digest of its bytes.
        must_open = options.digest or (options.reads and is_html(path))
        if not must_open:
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
                self._records_for_next_run[path] = updated_record
                return cache.facts_from(updated_record)
        # 3. By parsing it.
        if data and is_html(path):
            self.parsed += 1
        facts = extract_facts(path, data, options)
        if self._cached or is_version:  # without a cache, a version is kept for its own batch
            new_record = cache.make_record(read_page, content_hash, facts, self._now)
            if is_version:
                self._keep_version(path, new_record, len(facts.metadata.alternates))
            else:
                self._records_for_next_run[path] = new_record
        return facts

    def _options_for(self, path: str) -> ReadOptions:
        """Returns what to read of a page: titles and text size only if it may have a source file.

        They show later which of its possible sources it was built from: the page shows the title of
        this file, and at most as much text as this file can give (`max_text`).
        """
        possible_sources = self._possible_sources.get(path)
        if not possible_sources:
            return self.options
        # To count the exact size takes long. If the possible sources can give 500 and 900 bytes of
        # text, a page with at most 500 may come from either, however many it has. So its size must
        # be exact only above 500.
        smallest_limit = min(file.max_text for file in possible_sources)
        return self.options._replace(titles_and_size=True, exact_size_above=smallest_limit)

    def _record_for(self, path: str, options: ReadOptions) -> cache.Record | None:
        """Returns what was read of a page before, None if it lacks something that is wanted now.

        Only the titles and the exact text size may be lacking, because they are not read of all
        pages.
        """
        record = self._known_records.get(path)
        if record is None or not options.titles_and_size:
            return record
        titles_and_size = cache.facts_from(record).shown
        if titles_and_size is None:
            return None
        # The size may be only an upper limit. If sizes must be exact above 500 bytes, "at most 400"
        # is enough, but "at most 600" is not: the page may have 450.
        _titles, size, is_exact = titles_and_size
        is_exact_enough = is_exact or size <= options.exact_size_above
        return record if is_exact_enough else None

    def _keep_version(self, path: str, record: cache.Record, link_count: int) -> None:
        """Keeps the record of a language version that was parsed now, so that it is parsed once.

        `link_count` is the number of its links to language versions. If the versions that this
        batch keeps have too many links together, nothing is kept: it would take too much memory.
        """
        self._links_left -= 1 + link_count  # 1: the record itself
        if self._links_left <= 0:
            return
        self._known_records[path] = record  # other pages of this batch may link to it
        self._versions_for_later_batches[path] = record  # it may be a page of one of them
        self._records_for_next_run[path] = record

    def remember_common_list(self, versions: Iterable[LinkedPage]) -> None:
        """Remembers the links of pages that are versions of each other, and have the same links.

        The caller has compared the links of `en/a.html` and `de/a.html`, which takes long. When
        `de/a.html` is read as a page, `common_list_of` returns them without comparing again.
        """
        for version in versions:
            if version.page:
                self._common_lists[version.page] = version.alternates

    def common_list_of(self, page: Page) -> Alternates:
        """Returns the language versions of a page, if all of them list the same ones.

        `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`. Empty if they list
        others, or were not compared. Also empty if the file was saved after that: then `page` has
        another size or other times than the page that was compared.
        """
        return self._common_lists.get(page, ())

    def pack_versions_after(self, page: Page) -> dict[str, bytes]:
        """Packs what was read of pages of later batches: {path: bytes}.

        This batch has `de/a.html`, which links to its version `en/a.html`, so both were read. With
        `{"en/a.html": b"…"}`, a later batch need not read `en/a.html` again. `page` is the last
        page of this batch.
        """
        # By path: size, times and inode of the page, which are all its fields but the path, and the
        # language versions that it and all its versions list.
        stats_and_lists = {
            version.path: (version[1:], common_list)
            for version, common_list in self._common_lists.items()
        }
        last_key = path_key(page.path)
        packed_by_path = {}
        for path in self._versions_for_later_batches.keys() | stats_and_lists.keys():
            is_in_later_batch = path_key(path) > last_key  # in walk order
            if is_in_later_batch:
                stat_and_list = stats_and_lists.get(path)  # None: not compared, or not the same
                record = self._versions_for_later_batches.get(path)  # None: it was not parsed now
                packed_by_path[path] = marshal.dumps((stat_and_list, record))
        return packed_by_path

    @property
    def packed(self) -> bytes:
        """Packs what was read of the pages of this batch, for the next run. Empty without a cache.

        Their language versions are packed with them: when the next run reads `a.html`, it also
        needs `de/a.html`, which may be a page of another batch.
        """
        if not self._cached:
            return b""
        return marshal.dumps(self._records_for_next_run)
