"""The facts about a page, from the cache or from its file."""

import marshal
import sys
from collections.abc import Iterable
from typing import Any

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

# One batch keeps the language versions that it has parsed, with at most so many links together. A
# link takes 100 bytes, so a batch of a site with many languages takes 10 MB.
_MAX_KEPT_LINKS = 100_000


class PageReader:
    """Reads the pages of a batch, and the language versions to which these pages link.

    What was read of a page is its record. With it, the page need not be parsed again. The page
    `a.html` links to its German version `de/a.html`, which is a page of a later batch. This batch
    reads both, and returns their records:

    - `packed`: all of them, for the next run
    - `pack_versions_after`: those of `de/a.html` and the like, for later batches of this run
    """

    def __init__(self, root: SiteRoot, options: ReadOptions, batch: Batch) -> None:
        """Unpacks what the last run and earlier batches have read of the pages in `batch`."""
        self.root = root
        self.options = options
        self._possible_sources = batch.sources  # by the path of the page
        self._cached = batch.cached  # what the last run has read, None if the run uses no cache
        # The next run does not trust the times of a file that was saved just before this run began:
        # it may have been saved again with the same times. Without a cache, records are for this
        # run only, which trusts all times: they are before `sys.maxsize`.
        self._now = batch.cached.now if batch.cached else sys.maxsize
        # For the caller: how many pages were parsed. By path, the pages whose files were saved
        # after the walk, with their new size and times.
        self.parsed = 0
        self.saved: dict[str, Page] = {}
        # By path, the records from before this batch, and those for the next run.
        self._known_records = cache.unpack(batch.cached.blocks) if batch.cached else {}
        self._records_to_keep: dict[str, cache.Record] = {}
        # By path, the records of language versions that this batch has parsed, for later batches.
        self._parsed_versions: dict[str, cache.Record] = {}
        # By path, the fields of a page, and its hreflang links if all its versions have the same.
        self._common_links: dict[str, tuple[tuple[Any, ...], Alternates]] = {}
        self._links_left = _MAX_KEPT_LINKS  # of versions that this batch may still keep
        for path, packed in batch.versions.items():
            self._unpack_version(path, packed)

    def facts(self, page: Page, *, is_version: bool = False) -> PageFacts | Excluded:
        """Reads the facts about a page, such as its titles. If it is unreadable: its exclusion.

        If the last run or an earlier batch has read the page, its record saves work:

        1. size and times are the same → the facts in the record; the file is not opened
        2. only the bytes are the same → the facts in the record; the file is read, but not parsed
        3. there is no record, or the bytes have changed → the file is parsed

        `is_version`: the page is read because another page links to it as its language version. It
        may be a page of a later batch, which gets its record then.
        """
        path = page.path
        options = self._options_for(path)
        # 1. By its size and times, without opening the file.
        record = self._record_for(path, options)
        if record and record[cache.STAT] == page[1:]:  # all fields but the path: size, times, inode
            self._records_to_keep[path] = record
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
                self._records_to_keep[path] = cache.with_stat_of(read_page, record, self._now)
                return cache.facts_from(record)
        # 3. By parsing it.
        if data and is_html(path):
            self.parsed += 1
        facts = extract_facts(path, data, options)
        if is_version:
            self._keep_version(read_page, content_hash, facts)
        elif self._cached:
            new_record = cache.make_record(read_page, content_hash, facts, self._now)
            self._records_to_keep[path] = new_record
        return facts

    def _options_for(self, path: str) -> ReadOptions:
        """Returns what to read of a page: titles and text size only if it may have a source file.

        They show later from which of its possible sources it was built. The page shows the title of
        this file, and at most as much text as this file can give (`max_text`).
        """
        possible_sources = self._possible_sources.get(path)
        if not possible_sources:
            return self.options
        # Each of these files can give so much text. A page with less may be built from any of them,
        # so its exact size decides nothing. To count it would take long.
        smallest_max_text = min(file.max_text for file in possible_sources)
        return self.options._replace(titles_and_size=True, exact_size_above=smallest_max_text)

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

    def _keep_version(self, page: Page, content_hash: bytes, facts: PageFacts) -> None:
        """Keeps the facts about a language version that was parsed, so that it is parsed only once.

        If the versions that this batch keeps have too many links together, nothing is kept, because
        it would take too much memory.
        """
        self._links_left -= 1 + len(facts.metadata.alternates)  # 1: the record itself
        if self._links_left <= 0:
            return
        record = cache.make_record(page, content_hash, facts, self._now)
        self._known_records[page.path] = record  # other pages of this batch may link to it
        self._parsed_versions[page.path] = record  # it may be a page of a later batch
        self._records_to_keep[page.path] = record

    def remember_common_links(self, versions: Iterable[LinkedPage]) -> None:
        """Remembers the hreflang links of some pages, because all of these have the same links.

        `de/a.html` and `en/a.html` link to each other as German and English versions, and to no
        others. To compare their links takes long. When `en/a.html` is read as a page,
        `common_links_of` returns its links without comparing them again.
        """
        for version in versions:
            if version.page:
                self._common_links[version.page.path] = (tuple(version.page), version.alternates)

    def common_links_of(self, page: Page) -> Alternates:
        """Returns the hreflang links of a page if all pages to which they lead have the same links.

        `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`. Empty if they have
        others, if they were not compared, or if the file was saved after that.
        """
        compared_page, links = self._common_links.get(page.path, (None, ()))
        is_unchanged = compared_page == page  # the path, the size and the times
        return links if is_unchanged else ()

    def pack_versions_after(self, page: Page) -> dict[str, bytes]:
        """Packs what this batch has parsed of pages of later batches, which do not parse it again.

        `de/a.html` of this batch links to its English version `en/a.html`, so both were read. The
        batch of `en/a.html` gets `{"en/a.html": b"…"}`. `page` is the last one of this batch.
        """
        last_key = path_key(page.path)  # keys have the order in which pages are walked
        paths = self._parsed_versions.keys() | self._common_links.keys()
        return {path: self._pack_version(path) for path in paths if path_key(path) > last_key}

    def _pack_version(self, path: str) -> bytes:
        """Packs the record of a parsed page, and the hreflang links of `common_links_of`.

        One of them may be missing. It is None then.
        """
        record = self._parsed_versions.get(path)
        common_links = self._common_links.get(path)
        return marshal.dumps((record, common_links))

    def _unpack_version(self, path: str, packed: bytes) -> None:
        """Takes over what an earlier batch has packed of a page, by `_pack_version`."""
        record, common_links = marshal.loads(packed)
        if record:
            self._known_records[path] = record
        if common_links:
            self._common_links[path] = common_links

    @property
    def packed(self) -> bytes:
        """Packs what was read of the pages of this batch, for the next run. Empty without a cache.

        Their language versions are packed with them: when the next run reads `a.html`, it also
        needs its German version `de/a.html`, which may be a page of another batch.
        """
        if not self._cached:
            return b""
        return marshal.dumps(self._records_to_keep)
