"""The facts about a page, from its file, or from an earlier batch that has read it."""

import marshal
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..model import (
    NO_FACTS,
    Alternates,
    Batch,
    Excluded,
    LinkedPage,
    Metadata,
    Page,
    PageFacts,
)
from ..syntax.html import SIZE_LIMIT
from ..syntax.urls import is_html
from . import server
from .facts import ReadOptions, extract_facts
from .walk import SiteRoot, path_key, unreadable

# The language versions that a batch parses are kept until they have so many hreflang links. A link
# takes 100 bytes, so on a site with many languages, a batch keeps 10 MB.
_MAX_KEPT_LINKS = 100_000
# What was read of a page: the size and times of its file, and its facts with the metadata first.
# It is a plain tuple of tuples, because marshal packs no NamedTuple.
_Record = tuple[tuple[int, ...], tuple[Any, ...], *tuple[Any, ...]]


class _Version(NamedTuple):
    """What a batch keeps of a language version that one of its pages names, such as `de/a.html`.

    - `record`: what was read of the page. None if it is not kept.
    - `common_links`: the hreflang links of the page, if all pages to which they lead have the same
      links. Empty if some have other links, or if they were not compared.
    - `stat`: the size and times of the file for which `common_links` are. Empty without them.
    """

    record: _Record | None = None
    common_links: Alternates = ()
    stat: tuple[int, ...] = ()


_NOTHING_KEPT = _Version()


class PageReader:
    """Reads the pages of a batch, and the language versions to which these pages link.

    The page `a.html` links to its German version `de/a.html`, which is a page of a later batch.
    This batch reads both. `pack_versions_after` returns what is kept of `de/a.html`, so that the
    later batch need not parse it again.

    `parsed` counts the pages that were parsed. `saved` has, by path, each page whose file was saved
    after the walk, with its new size and times.
    """

    def __init__(self, root: SiteRoot, options: ReadOptions, batch: Batch) -> None:
        """Begins to read the pages in `batch`, with what earlier batches have read of them."""
        self.root = root
        self.options = options
        self.parsed = 0
        self.saved: dict[str, Page] = {}
        self._possible_sources = batch.sources  # by the path of the page
        # What this run has read of language versions, by path. It begins with those pages of this
        # batch that earlier batches have read. Versions that this batch reads are added.
        self._versions = {
            path: _Version(*marshal.loads(packed)) for path, packed in batch.versions.items()
        }
        self._kept_links = 0  # the hreflang links of the versions that `_keep_version` has added

    def facts(self, page: Page, *, is_version: bool = False) -> PageFacts | Excluded:
        """Reads the facts about a page, such as its titles. If it is unreadable: its exclusion.

        If it was read before, as the language version of another page, the file is opened again
        only if its size or times have changed.

        `is_version`: the page is read because another page links to it as its language version. It
        may be a page of a later batch, so what was read is kept.
        """
        path = page.path
        options = self._options_for(path)
        record = self._record_for(path, options)
        if record and record[0] == page[1:]:  # all fields but the path: size, times, inode
            return _facts_from(record)
        # A file that is not HTML, such as a PDF, is only opened for a digest of its bytes.
        must_open = options.digest or (options.reads and is_html(path))
        if not must_open:
            return NO_FACTS
        data = b""
        read_page = page
        if page.size:  # an empty file need not be opened
            try:
                read_page, data = server.read(self.root, page, SIZE_LIMIT)
            except OSError as error:
                return unreadable(path, error)
            if read_page is not page:  # it was saved after the walk
                self.saved[path] = read_page
        if data and is_html(path):
            self.parsed += 1
        facts = extract_facts(path, data, options)
        if is_version:
            self._keep_version(read_page, facts)
        return facts

    def _options_for(self, path: str) -> ReadOptions:
        """Returns what to read of a page. Its titles and text size show which file is its source.

        `tea.html` may come from `content/tea.md` or `notes/tea.md`. Its source is a file that has
        its title, and from which so much text can come (`max_text`). Without such files, neither
        its titles nor its size are read.
        """
        possible_sources = self._possible_sources.get(path)
        if not possible_sources:
            return self.options
        # At most 500 bytes can come from `content/tea.md`, and 900 from `notes/tea.md`. A page
        # with 500 or less may come from either, so its size need not be counted, which is slow.
        smallest_max_text = min(file.max_text for file in possible_sources)
        return self.options._replace(titles_and_size=True, exact_size_above=smallest_max_text)

    def _record_for(self, path: str, options: ReadOptions) -> _Record | None:
        """Returns what was read of a page before, None if it lacks something that is wanted now.

        Only the titles and the exact text size may be lacking, because they are not read of all
        pages.
        """
        record = self._versions.get(path, _NOTHING_KEPT).record
        if record is None or not options.titles_and_size:
            return record
        titles_and_size = _facts_from(record).shown
        if titles_and_size is None:
            return None
        # The size may be only an upper limit. If sizes must be exact above 500 bytes, "at most 400"
        # is enough, but "at most 600" is not: the page may have 450.
        _titles, size, is_exact = titles_and_size
        is_exact_enough = is_exact or size <= options.exact_size_above
        return record if is_exact_enough else None

    def _keep_version(self, page: Page, facts: PageFacts) -> None:
        """Keeps what was read of a language version, so that it is parsed only once.

        When the kept versions have too many hreflang links together, no more are kept, because they
        would take too much memory.
        """
        self._kept_links += len(facts.metadata.alternates) + 1  # 1: the rest takes memory, too
        if self._kept_links < _MAX_KEPT_LINKS:
            version = self._versions.get(page.path, _NOTHING_KEPT)
            stat = page[1:]  # all fields but the path
            record = (stat, tuple(facts.metadata), *facts[1:])  # metadata is the first field
            self._versions[page.path] = version._replace(record=record)

    def remember_common_links(self, versions: Iterable[LinkedPage]) -> None:
        """Remembers that pages have the same hreflang links, so that no later page compares them.

        `de/a.html` and `en/a.html` both link to /de/a as German and to /en/a as English. Links are
        compared when `de/a.html` is selected. For `en/a.html`, `common_links_of` returns them.
        """
        for linked in versions:
            page = linked.page
            kept = self._versions.get(page.path, _NOTHING_KEPT)
            # If the file is saved later, with another size or time, its links count no more.
            stat = page[1:]  # all fields but the path
            self._versions[page.path] = kept._replace(common_links=linked.alternates, stat=stat)

    def common_links_of(self, page: Page) -> Alternates:
        """Returns the hreflang links of a page if all pages to which they lead have the same links.

        `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`. Empty if they have
        others, if they were not compared, or if the file was saved after that.
        """
        version = self._versions.get(page.path, _NOTHING_KEPT)
        is_same_file = version.stat == page[1:]
        return version.common_links if is_same_file else ()

    def pack_versions_after(self, last_page: Page) -> dict[str, bytes]:
        """Packs what this batch has read of pages of later batches, so that they need not parse it.

        `a.html`, a page of this batch, links to its German version `de/a.html`, which comes after
        `last_page`, the last page of this batch: `{"de/a.html": b"…"}`, a packed `_Version`.
        """
        packed_versions = {}
        last_key = path_key(last_page.path)  # keys have the order of the walk
        for path, version in self._versions.items():
            is_of_later_batch = path_key(path) > last_key
            if is_of_later_batch:
                packed_versions[path] = marshal.dumps(tuple(version))  # it packs no NamedTuple
        return packed_versions


def _facts_from(record: _Record) -> PageFacts:
    """Makes the facts about a page of its record again."""
    _stat, metadata, *other_facts = record
    return PageFacts(Metadata(*metadata), *other_facts)
