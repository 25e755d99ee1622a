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
    """Reads the pages of a batch, and the language versions to which these pages link.

    The page `a.html` links to its German version `de/a.html`, which is a page of a later batch.
    This batch has to read it, too, and keeps its record. A record has the facts that were read from
    a page, so that nobody has to read it again:

    - `packed`: the records of pages and of their versions, for the next run
    - `pack_versions_after`: the records of versions in later batches, for these batches
    """

    def __init__(self, root: SiteRoot, options: ReadOptions, batch: Batch) -> None:
        """Unpacks what the last run and earlier batches have read of the pages in `batch`."""
        self.root = root
        self.options = options
        self._possible_sources = batch.sources
        # 1. What callers want to know in the end.
        self.parsed = 0  # how many pages were parsed
        # By path, the pages whose files were saved after the walk, with their new size and times.
        self.saved: dict[str, Page] = {}
        # 2. The records of pages that were read, by path. `_keep` adds to all of them.
        self._known_records: dict[str, cache.Record] = {}  # with these, a page need not be parsed
        self._records_of_pages: dict[str, cache.Record] = {}  # for the cache: pages of this batch
        self._records_of_versions: dict[str, cache.Record] = {}  # for the cache: their versions
        self._new_versions: dict[str, cache.Record] = {}  # for later batches: versions parsed now
        self._links_left = _MAX_KEPT_LINKS
        # 3. By path, the list of language versions that a page and all its versions have, and the
        # size and times that the page had then.
        self._common_lists: dict[str, tuple[tuple[int, ...], Alternates]] = {}
        # 4. The cache of the last run, None if the run uses no cache.
        self._cached = batch.cached
        # The start of the run. A file that was saved just before it may be saved again with the
        # same times, so the next run must not trust these times (`cache.stat_of`). Without a cache,
        # records are only for this run. It may trust all times, as if they were long ago.
        self._now = sys.maxsize
        if batch.cached:
            self._now = batch.cached.now
            self._known_records = cache.unpack(batch.cached.blocks)
        # 5. What earlier batches have read, as `pack_versions_after` packed it.
        for path, row in batch.versions.items():
            common_list, record = marshal.loads(row)
            if common_list:
                self._common_lists[path] = common_list
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
            self._keep(path, record, is_version=is_version)
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
                self._keep(path, updated_record, is_version=is_version)
                return cache.facts_from(updated_record)
        # 3. By parsing it.
        if data and is_html(path):
            self.parsed += 1
        facts = extract_facts(path, data, options)
        if self._cached or is_version:  # without a cache, a version is kept for its own batch
            new_record = cache.make_record(read_page, content_hash, facts, self._now)
            self._keep(path, new_record, is_version=is_version, parsed_facts=facts)
        return facts

    def _options_for(self, path: str) -> ReadOptions:
        """Returns what to read of a page. Titles and text size only if it may have a source file.

        They show later which file is the source: the page shows the title of its source, and not
        more text than this file can give (`max_text`).
        """
        if path not in self._possible_sources:
            return self.options
        # If one file can give 500 bytes of text and another one 900, a page with at most 500 may
        # come from either. The exact size, which takes long to count, is only needed above that.
        smallest_limit = min(file.max_text for file in self._possible_sources[path])
        return self.options._replace(titles_and_size=True, exact_size_above=smallest_limit)

    def _record_for(self, path: str, options: ReadOptions) -> cache.Record | None:
        """Returns the known record of a page, None if it lacks a fact that `options` ask for.

        Only the titles and the text size may be lacking. If the size must be exact above 500 bytes
        (`options.exact_size_above`):

        | text size in the record | result     |
        |-------------------------|------------|
        | none                    | None       |
        | 600 bytes, exact        | the record |
        | at most 400 bytes       | the record |
        | at most 600 bytes       | None       |
        """
        record = self._known_records.get(path)
        if record is None or not options.titles_and_size:
            return record
        titles_and_size = cache.facts_from(record).shown
        if titles_and_size is None:  # the page had no possible source when it was read
            return None
        _titles, size, is_exact = titles_and_size
        is_exact_enough = is_exact or size <= options.exact_size_above
        return record if is_exact_enough else None

    def _keep(
        self,
        path: str,
        record: cache.Record,
        *,
        is_version: bool,
        parsed_facts: PageFacts | None = None,
    ) -> None:
        """Keeps the record of a page for the cache, and that of a new version for later batches.

        `is_version`: another page links to this one as its language version. `parsed_facts`: the
        facts if the page was parsed now, None if they are from a known record.
        """
        if not is_version:
            self._records_of_pages[path] = record  # for the cache
            return
        if parsed_facts:
            # A batch keeps versions with 100,000 links together, about 10 MB. It keeps no more, and
            # their own batches parse them again.
            self._links_left -= 1 + len(parsed_facts.metadata.alternates)  # 1: the record itself
            if self._links_left <= 0:
                return
            self._known_records[path] = record  # for other pages of this batch
            self._new_versions[path] = record  # for the batch of the version
        self._records_of_versions[path] = record  # for the cache

    def remember_common_list(self, versions: Iterable[LinkedPage]) -> None:
        """Remembers for each of these pages that all its language versions list the same versions.

        The caller has compared the lists of `en/a.html` and `de/a.html`, which takes long. When
        `de/a.html` is read as a page, `common_list_of` returns the list without comparing again.
        """
        for version in versions:
            page = version.page
            if page:
                # If somebody saves the file before it is read as a page, its list may be another.
                # Its size and times show that.
                stat = page[1:]  # size, times and inode: all fields but the path
                self._common_lists[page.path] = (stat, version.alternates)

    def common_list_of(self, page: Page) -> Alternates:
        """Returns the list of language versions that a page and all its versions have in common.

        `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`. Empty if the lists
        were not compared or differ, or if the file was saved after that.
        """
        stat_and_list = self._common_lists.get(page.path)
        if stat_and_list is None:
            return ()
        old_stat, common_list = stat_and_list
        stat = page[1:]  # size, times and inode: all fields but the path
        return common_list if old_stat == stat else ()

    def pack_versions_after(self, page: Page) -> dict[str, bytes]:
        """Packs what was read of pages of later batches: {path: bytes}.

        This batch has `de/a.html`, which links to its version `en/a.html`, so both were read. With
        `{"en/a.html": b"…"}`, a later batch need not read `en/a.html` again. `page` is the last
        page of this batch.
        """
        last_key = path_key(page.path)
        packed_by_path = {}
        for path in self._new_versions.keys() | self._common_lists.keys():
            is_in_later_batch = path_key(path) > last_key  # in walk order
            if is_in_later_batch:
                common_list = self._common_lists.get(path)  # None: not compared, or not the same
                record = self._new_versions.get(path)  # None: the page was not parsed
                packed_by_path[path] = marshal.dumps((common_list, record))
        return packed_by_path

    @property
    def packed(self) -> bytes:
        """Packs the records of the pages of this batch into bytes, for the cache.

        The records of their language versions are packed with them: when the next run reads
        `a.html`, it also needs `de/a.html`, which may be a page of another batch. Empty without a
        cache.
        """
        if not self._cached:
            return b""
        return marshal.dumps(self._records_of_versions | self._records_of_pages)
