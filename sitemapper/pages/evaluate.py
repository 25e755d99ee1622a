"""A batch of pages to verdicts: opens what must be read, then asks the reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple, cast

from ..extract import content
from ..extract.kind import no_page
from ..lastmod.page import modified
from ..model import (
    NO_FACTS,
    NO_METADATA,
    Batch,
    CachedBatch,
    Diagnostic,
    Excluded,
    LinkedPage,
    Listed,
    Origin,
    Page,
    PageFacts,
    PageUrl,
    Reason,
    WarningKind,
)
from ..output.extensions import Extension
from ..protocol import MAX_URL_LENGTH
from ..site import read, server, walk
from ..syntax import html
from ..syntax.hosts.files import HostEffect
from ..syntax.html_files import is_html
from . import cache, checks, overrides
from .checks import Candidate, Canonical, IndexPolicy
from .overrides import PageOverrides

# What Listed(...) does, without the Python call in between.
_new_listed = cast(Callable[[tuple[Any, ...]], Listed], partial(tuple.__new__, Listed))
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's malloc.h


class ReadOptions(NamedTuple):
    """What is read of pages: heads, dates, the digest of the content by a rule, what extensions need."""

    heads: bool
    dates: bool
    content: content.DigestRule | None
    extensions: tuple[Extension, ...]

    @property
    def reads(self) -> bool:
        """Whether pages are opened at all."""
        return bool(self.heads or self.dates or self.content or self.extensions)

    @property
    def stamp(self) -> str:
        """Names what is read, because records of pages are good for the same only; "" for nothing."""
        mark, more = self.content and self.content.mark, [e.setting for e in self.extensions if e.read]
        wanted = (self.heads or bool(self.extensions), self.dates, mark, *more)
        return repr(wanted) if any(wanted) else ""


class BatchVerdicts(NamedTuple):
    """The listed pages of a batch with their places in it and what they say; what is excluded; warnings;
    what to remember; how many were parsed; the rules that match any of the pages. Only rules have dated
    pages yet."""

    listed: Sequence[Listed]
    places: Sequence[int]
    seen: Sequence[PageFacts]
    excluded: Sequence[Excluded]
    warned: Sequence[Diagnostic]
    records: dict[str, cache.Record]
    parsed: int
    used: Set[Origin] = frozenset()


def tune_malloc() -> None:
    """Makes glibc keep freed memory for the next page.

    lexbor builds a tree for each page: in a run that digests 20,000 pages this saves 0.9 s of 7.
    """
    # Imported here: most runs parse few pages and need no ctypes.
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # no glibc
        return
    for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
        mallopt(option, 64 << 20)


class PageReader:
    """What pages say: remembered, or read now. `records` collects what to remember."""

    def __init__(self, folder: walk.SiteRoot, wanted: ReadOptions, memory: CachedBatch | None = None) -> None:
        self.folder = folder
        self.wanted = wanted
        self.records: dict[str, cache.Record] = {}
        self.parsed = 0
        self._memory = memory
        self._old = cache.unpack(memory.blocks) if memory else {}
        self._last: tuple[str, bytes] = "", b""

    def seen(self, page: Page) -> PageFacts | Excluded:
        """What the page says. A page that cannot be read is excluded."""
        known = self._old.get(page.path)
        if known and known[0] == page[1:]:
            self.records[page.path] = known
            return cache.facts_from(known)
        wanted, holds_html = self.wanted, is_html(page.path)
        if not page.size or not (holds_html or wanted.content):
            return NO_FACTS
        data = self._read(page)
        if isinstance(data, Excluded):
            return data
        memory = self._memory
        digest = cache.hash_bytes(data, memory.seed) if memory else b""
        if memory and known and known[1] == digest:
            self.records[page.path] = (cache.stat_of(page, memory.now), *known[1:])
            return cache.facts_from(known)
        if holds_html:
            self.parsed += 1
            head = html.parse(data) if wanted.heads or wanted.extensions else NO_METADATA
            kind = no_page(page.path, data) if wanted.heads else None
            seen = PageFacts(
                head, modified(data) if wanted.dates else None, None, kind, images=self._images(data)
            )
        else:
            seen = NO_FACTS
        self._remember(page, digest, seen)
        return seen

    def digested(self, page: Page, seen: PageFacts) -> PageFacts | Excluded:
        """The same with the digest of the page's content."""
        rule = self.wanted.content
        assert rule
        data = self._read(page) if page.size else b""
        if isinstance(data, Excluded):
            return data
        dropped: list[int] = []
        digest = content.digest(data, rule, is_html=is_html(page.path), dropped=dropped)
        seen = seen._replace(digest=digest, dropped=tuple(dropped))
        if page.path in self.records:
            self._remember(page, self.records[page.path][1], seen)
        return seen

    def _images(self, data: bytes) -> tuple[str, ...]:
        readers = [extension.read for extension in self.wanted.extensions if extension.read]
        main = content.main_part(html.parsed(data)) if readers else None
        return tuple(url for read in readers for url in read(main)) if main else ()

    def _remember(self, page: Page, digest: bytes, seen: PageFacts) -> None:
        if self._memory:
            self.records[page.path] = cache.make_record(page, digest, seen, self._memory.now)

    def _read(self, page: Page) -> bytes | Excluded:
        if self._last[0] != page.path:
            try:
                self._last = page.path, read.read(self.folder, page, html.SIZE_LIMIT)
            except OSError as error:
                return Excluded(page.path, Reason.UNREADABLE, Origin(error.strerror or type(error).__name__))
        return self._last[1]


class PageVerdict(NamedTuple):
    """The verdict on one page, what the page says, and warnings."""

    verdict: Listed | Excluded
    seen: PageFacts = NO_FACTS
    warned: Sequence[Diagnostic] = ()


def verdicts(
    batch: Batch, locs: Sequence[str], policy: IndexPolicy, wanted: ReadOptions, folder: walk.SiteRoot
) -> BatchVerdicts:
    """The verdict on each page, in order."""
    asks_path, is_bare = policy.has_path_rules, policy.locator.style == "bare"
    if not (asks_path or wanted.reads or batch.twins) and max(map(len, locs), default=0) < MAX_URL_LENGTH:
        paths = [page.path for page in batch.pages]  # which nothing can exclude or give a value
        nothing = repeat(None)
        entries = list(map(_new_listed, zip(paths, locs, nothing, nothing, nothing, repeat(""))))
        return BatchVerdicts(entries, range(len(paths)), (), (), (), {}, 0)
    reader = PageReader(folder, wanted, batch.memory)
    listed: list[Listed] = []
    places: list[int] = []
    seen: list[PageFacts] = []
    excluded: list[Excluded] = []
    warned: list[Diagnostic] = []
    used: set[Origin] = set()
    for n, (page, loc) in enumerate(zip(batch.pages, locs, strict=True)):
        twin = batch.twins.get(page.path)
        if is_bare:  # the twin of a/index.html is in another folder
            owner = server.file_for_url_path(folder, policy.locator.served_path(page.path))
            twin = owner if owner != page.path else None
        values = overrides.NO_OVERRIDES
        if policy.rules:
            values = overrides.values(policy.rules, page.path)
            used.update(origin for _, origin in values.origins)
        judged = judge(page, loc, twin, policy, reader, values if asks_path else None)
        warned += judged.warned
        if isinstance(judged.verdict, Excluded):
            excluded.append(judged.verdict)
        else:
            listed.append(judged.verdict)
            places.append(n)
            seen.append(judged.seen)
    return BatchVerdicts(listed, places, seen, excluded, warned, reader.records, reader.parsed, used)


def judge(
    page: Page,
    loc: str,
    twin: str | None,
    policy: IndexPolicy,
    reader: PageReader,
    ruled: PageOverrides | None,
) -> PageVerdict:
    """The verdict on one page: by its path first, unless `ruled` is None, and only then by its contents."""
    path = page.path
    values = ruled or overrides.NO_OVERRIDES
    effects: Sequence[HostEffect | None] = ()
    if ruled:
        effects = policy.effects(loc)
        candidate = Candidate(path, loc, twin, values, effects)
        excluded = checks.first(candidate, policy, checks.PATH_CHECKS)
        if excluded:
            warned = (*checks.cautions(candidate, excluded, policy), *_hidden(excluded, page, policy, reader))
            return PageVerdict(excluded, NO_FACTS, warned)
    seen = reader.seen(page) if reader.wanted.reads else NO_FACTS
    if isinstance(seen, Excluded):
        return PageVerdict(seen)
    canonical = None if seen.head.canonical in (None, loc) else _canonical(page, seen, loc, policy, reader)
    candidate = Candidate(path, loc, twin, values, effects, seen.head, canonical, seen.no_page)
    excluded = checks.first(candidate, policy, checks.CONTENT_CHECKS)
    warned = tuple(checks.cautions(candidate, excluded, policy)) if effects or canonical else ()
    if excluded:
        return PageVerdict(excluded, seen, warned)
    if reader.wanted.content and seen.digest is None:
        digested = reader.digested(page, seen)
        if isinstance(digested, Excluded):
            return PageVerdict(digested)
        seen = digested
    loc = candidate.own_loc(policy)
    extended = ""
    if reader.wanted.extensions:
        extended, faults = _extended(page, seen, loc, policy, reader)
        warned = (*warned, *faults)
    return PageVerdict(
        Listed(path, loc, values.lastmod, values.changefreq, values.priority, extended), seen, warned
    )


def _canonical(
    page: Page, seen: PageFacts, loc: str, policy: IndexPolicy, reader: PageReader
) -> Canonical | None:
    """The page that the canonical names, and the file that the server shows there."""
    named = checks.named(seen.head, loc, policy)
    if named is None:
        return None
    url, path = named
    served = None if path is None else server.file_for_url_path(reader.folder, path)
    if served is not None and served != page.path and server.is_same_file(reader.folder, served, page.path):
        served = page.path  # a link leads there
    return Canonical(url, seen.head.canonical or "", path, served)


def _hidden(excluded: Excluded, page: Page, policy: IndexPolicy, reader: PageReader) -> Iterator[Diagnostic]:
    """A crawler that robots.txt keeps away cannot see a noindex (docs/protocol.md §4)."""
    if excluded.reason is Reason.ROBOTS and policy.respect.noindex:
        found = reader.seen(page)
        if isinstance(found, PageFacts) and found.head.noindex:
            yield Diagnostic(WarningKind.HIDDEN, page.path)


def _extended(
    page: Page, seen: PageFacts, loc: str, policy: IndexPolicy, reader: PageReader
) -> tuple[str, list[Diagnostic]]:
    """The XML of the extensions, and what makes crawlers ignore it."""
    xml = ""
    warned: list[Diagnostic] = []
    if seen is not NO_FACTS:
        own = PageUrl(
            loc, frozenset({loc, *map(policy.locator.encoded, policy.locator.served_paths(page.path))})
        )
        for extension in reader.wanted.extensions:
            more, faults = extension.render(seen, own, partial(_look, policy, reader))
            xml += more
            warned += faults
    return xml, warned


def _look(policy: IndexPolicy, reader: PageReader, url: str) -> LinkedPage | None:
    """Another page of the site."""
    path = policy.locator.path_of(url)
    file = None if path is None else server.file_for_url_path(reader.folder, path)
    page = None if file is None else server.find_page(reader.folder, file)
    found = None if page is None else PageReader(reader.folder, reader.wanted).seen(page)
    if page is None or not isinstance(found, PageFacts):
        return None
    loc = policy.locator.loc(page.path)
    canonical = _canonical(page, found, loc, policy, reader)
    own = canonical if canonical and canonical.served == page.path else None
    return LinkedPage(Candidate(page.path, loc, canonical=own).own_loc(policy), found)
