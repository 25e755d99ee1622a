"""The facts about a page: remembered from the last run, or read now."""

from __future__ import annotations

from collections.abc import Container, Mapping

from ..extract.facts import METADATA_ONLY, ReadOptions, extract_facts
from ..model import NO_FACTS, CachedBatch, Excluded, Origin, Page, PageFacts, Reason
from ..recent import Recent
from ..site import read
from ..site.walk import SiteRoot
from ..syntax.html import SIZE_LIMIT
from ..syntax.html_files import is_html
from . import cache
from .context import SiteContext


class PageReader:
    """Reads the pages of a batch; of those that are `sourced`, also what they show.

    `records` collects what to remember, `parsed` counts HTML that was read.
    """

    def __init__(
        self,
        root: SiteRoot,
        options: ReadOptions,
        cached: CachedBatch | None = None,
        recent: Recent[Page, PageFacts] | None = None,
        sourced: Container[str] = (),
    ) -> None:
        self.root = root
        self.options = options
        self.parsed = 0
        self.context = SiteContext(root)
        self.records: dict[str, cache.Record] = {}
        self._cached = cached
        self._recent = recent
        self._sourced = sourced
        self._remembered: Mapping[str, cache.Record] = cache.unpack(cached.blocks) if cached else {}

    def facts(self, page: Page) -> PageFacts | Excluded:
        """What the page says. A page that cannot be read is excluded; none is opened without need."""
        path = page.path
        options = self._options_for(path)
        record = self._remembered.get(path)
        if record and options.shown and cache.facts_from(record).shown is None:
            record = None
        if record and record[0] == page[1:]:
            self.records[path] = record
            return cache.facts_from(record)
        if not (options.digest or (options.reads and is_html(path))):
            return NO_FACTS
        known = self._recent.get(page) if self._recent and options == METADATA_ONLY else None
        if known and self._cached is None:
            return known
        try:
            data = read.read(self.root, page, SIZE_LIMIT) if page.size else b""
        except OSError as error:
            return Excluded(path, Reason.UNREADABLE, Origin(error.strerror or type(error).__name__))
        if self._cached is None:
            return self._extract(page, data)
        content_hash = cache.hash_bytes(data, self._cached.seed)
        if record and record[1] == content_hash:
            self.records[path] = (cache.stat_of(page, self._cached.now), *record[1:])
            return cache.facts_from(record)
        facts = known or self._extract(page, data)
        self.records[path] = cache.make_record(page, content_hash, facts, self._cached.now)
        return facts

    @property
    def packed(self) -> bytes:
        """What to remember of the pages; nothing without a cache."""
        return cache.pack(self.records) if self._cached else b""

    def facts_of_version(self, page: Page) -> PageFacts | Excluded:
        """The metadata of a page that another page names, from memory if it was read recently."""
        record = self._remembered.get(page.path)
        if record and record[0] == page[1:]:
            return cache.facts_from(record)
        facts = self._recent and self._recent.get(page)
        return facts or PageReader(self.root, METADATA_ONLY, recent=self._recent).facts(page)

    def _options_for(self, path: str) -> ReadOptions:
        return self.options._replace(shown=True) if path in self._sourced else self.options

    def _extract(self, page: Page, data: bytes) -> PageFacts:
        self.parsed += bool(data) and is_html(page.path)
        facts = extract_facts(page.path, data, self._options_for(page.path))
        if self._recent:
            self._recent.put(page, facts)
        return facts
