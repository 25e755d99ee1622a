"""A batch of pages to verdicts: opens what must be read, asks the judge. The rim around pure decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, assert_never

from sitemapper.lastmod import content
from sitemapper.lastmod.page import modified
from sitemapper.model import (
    NOTHING,
    UNSEEN,
    Batch,
    Caution,
    Excluded,
    Head,
    Listed,
    Origin,
    Page,
    Reason,
    Seen,
    Warned,
)
from sitemapper.pages import reasons as judge
from sitemapper.pages.reasons import Case, Decision, Law
from sitemapper.pipeline.plan import Plan
from sitemapper.site import read as reading
from sitemapper.site import walk as walking
from sitemapper.syntax import html as head
from sitemapper.syntax.urls import MAX_LENGTH

_HTML = (".html", ".htm", ".xhtml", ".shtml", ".php")


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's malloc.h


class Verdicts(NamedTuple):
    """The listed pages of a batch, not dated yet but by rules, with their places in it and what they say;
    what is excluded; warnings; what was read; whether files outside the walk had a say."""

    listed: Sequence[Listed]
    places: Sequence[int]
    seen: Sequence[Seen]
    excluded: Sequence[Excluded]
    warned: Sequence[Warned]
    found: Mapping[str, Seen]
    looks_outside: bool = False


def keep_memory() -> None:
    """Tells glibc not to give memory back after each page, to ask for it again before the next.

    lexbor builds a tree for each: of a run that digests 20,000 pages this spares 0.9 s of 7.
    """
    # Imported here: an unchanged site needs neither lexbor nor ctypes.
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # no glibc
        return
    for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
        mallopt(option, 64 << 20)


def lists_all(batch: Batch, locs: Sequence[str], plan: Plan) -> bool:
    """Whether no page of a batch can be excluded or given a value, so that none must be looked at."""
    asked = plan.law.reads_heads or plan.law.knows_paths or plan.extensions or plan.dating.reads_pages
    return not (asked or batch.twins or max(map(len, locs), default=0) >= MAX_LENGTH)


class Reader:
    """What the pages of a batch say: known already, or read now, and remembered for the cache."""

    def __init__(self, plan: Plan, known: Mapping[str, Seen]) -> None:
        self.found: dict[str, Seen] = {}
        self.looks_outside = False
        self.by_path = plan.law.knows_paths
        self.reads = plan.law.reads_heads or bool(plan.extensions) or plan.dating.reads_pages
        self._plan = plan
        self._known = known
        self._last: tuple[str, bytes] | None = None

    def seen(self, page: Page) -> Seen | Excluded:
        """What the page says; a page that cannot be read is excluded."""
        plan = self._plan
        found = self._known.get(page.path)
        if found is None:
            if not page.size or not _is_html(page.path):
                return UNSEEN
            data = self._read(page)
            if isinstance(data, Excluded):
                return data
            found = Seen(
                head.parse(data) if plan.law.reads_heads or plan.extensions else NOTHING,
                modified(data) if "page" in plan.dating.sources else None,
            )
        self.found[page.path] = found
        return found

    def digested(self, page: Page, seen: Seen) -> Seen | Excluded:
        """The same with the digest of the page's content, if it is asked for."""
        rule = self._plan.content
        if rule is None or seen.digest is not None:
            return seen
        data = self._read(page) if page.size else b""
        if isinstance(data, Excluded):
            return data
        seen = seen._replace(digest=content.digest(data, rule, is_html=_is_html(page.path)))
        self.found[page.path] = seen
        return seen

    def _read(self, page: Page) -> bytes | Excluded:
        if self._last is None or self._last[0] != page.path:
            try:
                self._last = page.path, reading.read(self._plan.folder, page, head.SIZE_LIMIT)
            except OSError as error:
                return Excluded(page.path, Reason.UNREADABLE, Origin(error.strerror or type(error).__name__))
        return self._last[1]


def verdicts(batch: Batch, locs: Sequence[str], plan: Plan) -> Verdicts:
    """The verdict on each page, in order."""
    listed: list[Listed] = []
    places: list[int] = []
    seen: list[Seen] = []
    excluded: list[Excluded] = []
    warned: list[Warned] = []
    reader = Reader(plan, batch.seen)
    if reader.reads or plan.content:
        reading.warm(plan.folder, _unread(batch, locs, reader, plan.law))
    for n, (page, loc) in enumerate(zip(batch.pages, locs, strict=True)):
        decision, said = decide(page, loc, batch.twins.get(page.path), reader, plan)
        warned += decision.warned
        match decision.verdict:
            case Listed() as entry:
                listed.append(entry)
                places.append(n)
                seen.append(said)
            case Excluded() as verdict:
                excluded.append(verdict)
            case other:
                assert_never(other)
    return Verdicts(listed, places, seen, excluded, warned, reader.found, reader.looks_outside)


def decide(page: Page, loc: str, twin: str | None, reader: Reader, plan: Plan) -> tuple[Decision, Seen]:
    """The verdict on one page: by its path first, and only then by its contents."""
    law, folder = plan.law, plan.folder
    said = judge.by_path(page.path, loc, law) if reader.by_path else None
    if said is not None:
        return _with_hidden_noindex(said, page, reader, law), UNSEEN
    seen = reader.seen(page) if reader.reads else UNSEEN
    if isinstance(seen, Excluded):
        return Decision(seen), UNSEEN
    decision = None if reader.by_path or twin else judge.plain(page.path, loc, seen.head)
    if decision is None:
        canonical = judge.named(seen.head, loc, law)
        if canonical is not None and canonical.path is not None:
            canonical = canonical._replace(served=walking.served(folder, canonical.path))
            reader.looks_outside |= not walking.is_walked(folder, canonical.served)
        decision = judge.judge(Case(page, loc, seen.head, canonical, twin), law)
    if isinstance(decision.verdict, Excluded):
        return decision, seen
    if plan.extensions and seen is not UNSEEN:
        decision = _extended(decision, decision.verdict, seen.head, plan)
    digested = reader.digested(page, seen)
    return (Decision(digested), UNSEEN) if isinstance(digested, Excluded) else (decision, digested)


def _unread(batch: Batch, locs: Sequence[str], reader: Reader, law: Law) -> Iterator[Page]:
    """The pages whose bytes decide, and are not known from an earlier run."""
    for page, loc in zip(batch.pages, locs, strict=True):
        if page.path not in batch.seen and not (reader.by_path and judge.by_path(page.path, loc, law)):
            yield page


def _is_html(path: str) -> bool:
    return path.lower().endswith(_HTML) or "." not in path.rpartition("/")[2]


def _with_hidden_noindex(said: Decision, page: Page, reader: Reader, law: Law) -> Decision:
    """A crawler that robots.txt keeps away cannot see a noindex: worth a warning (docs/PROTOCOL §4)."""
    assert isinstance(said.verdict, Excluded)
    if said.verdict.reason is not Reason.ROBOTS or not law.respect.noindex:
        return said
    found = reader.seen(page)
    if isinstance(found, Seen) and found.head.noindex:
        return said._replace(warned=(*said.warned, Warned(Caution.HIDDEN, page.path)))
    return said


def _extended(decision: Decision, listed: Listed, found: Head, plan: Plan) -> Decision:
    xml, warned = "", decision.warned
    for extension in plan.extensions:
        more, faults = extension.render(found, listed.loc, _looker(plan))
        xml += more
        warned += faults
    return Decision(listed._replace(extended=xml), warned)


def _looker(plan: Plan) -> Callable[[str], Head | None]:
    """Gives an extension the head of another page of the site, by its URL."""

    def look(loc: str) -> Head | None:
        path = plan.law.locator.path_of(loc)
        file = None if path is None else walking.served(plan.folder, path)
        page = None if file is None else walking.page(plan.folder, file)
        found = None if page is None else Reader(plan, {}).seen(page)
        return found.head if isinstance(found, Seen) else None

    return look
