"""A batch of pages to verdicts: opens what must be read, asks the judge. The rim around pure decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, assert_never

from . import head, judge, site
from .extensions import Extension
from .head import Head
from .judge import Case, Decision, Law
from .lastmod import Dating
from .lastmod.page import modified
from .model import Batch, Caution, Excluded, Listed, Origin, Page, Reason, Warned
from .urls import MAX_LENGTH

_HTML = (".html", ".htm", ".xhtml", ".shtml", ".php")


class Verdicts(NamedTuple):
    """The listed pages of a batch, not dated yet but by rules, with their places in it and the dates
    that they give themselves; what is excluded; warnings."""

    listed: Sequence[Listed]
    places: Sequence[int]
    texts: Sequence[str | None]
    excluded: Sequence[Excluded]
    warned: Sequence[Warned]


class Means(Protocol):
    """What verdicts need besides the pages."""

    @property
    def law(self) -> Law:
        """What the judge goes by."""

    @property
    def folder(self) -> site.Folder:
        """Where pages are read."""

    @property
    def dating(self) -> Dating:
        """How pages are dated: whether what they say of it is wanted."""

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """What is written besides the protocol's elements."""


class Seen(NamedTuple):
    """What a page says: its head, and the date that it gives itself."""

    head: Head
    modified: str | None = None


UNSEEN = Seen(head.NOTHING)


def lists_all(batch: Batch, locs: Sequence[str], by: Means) -> bool:
    """Whether no page of a batch can be excluded or given a value, so that none must be looked at."""
    asked = by.law.reads_heads or by.law.knows_paths or by.extensions or by.dating.reads_pages
    return not (asked or batch.twins or max(map(len, locs), default=0) >= MAX_LENGTH)


def verdicts(batch: Batch, locs: Sequence[str], by: Means) -> Verdicts:
    """The verdict on each page, in order."""
    listed: list[Listed] = []
    places: list[int] = []
    texts: list[str | None] = []
    excluded: list[Excluded] = []
    warned: list[Warned] = []
    for n, (page, loc) in enumerate(zip(batch.pages, locs, strict=True)):
        decision, seen = decide(page, loc, batch.twins.get(page.path), by)
        warned += decision.warned
        match decision.verdict:
            case Listed() as entry:
                listed.append(entry)
                places.append(n)
                texts.append(seen.modified)
            case Excluded() as verdict:
                excluded.append(verdict)
            case other:
                assert_never(other)
    return Verdicts(listed, places, texts, excluded, warned)


def decide(page: Page, loc: str, twin: str | None, by: Means) -> tuple[Decision, Seen]:
    """The verdict on one page: by its path first, and only then by its contents."""
    law, folder = by.law, by.folder
    said = judge.by_path(page.path, loc, law) if law.knows_paths else None
    if said is not None:
        return _with_hidden_noindex(said, page, law, folder), UNSEEN
    seen = inspect(page, folder, dated=by.dating.reads_pages, wanted=law.reads_heads or bool(by.extensions))
    if isinstance(seen, Excluded):
        return Decision(seen), UNSEEN
    canonical = judge.named(seen.head, loc, law)
    if canonical is not None and canonical.path is not None:
        canonical = canonical._replace(served=site.served(folder, canonical.path))
    decision = judge.judge(Case(page, loc, seen.head, canonical, twin), law)
    if isinstance(decision.verdict, Listed) and by.extensions and seen is not UNSEEN:
        decision = _extended(decision, decision.verdict, seen.head, by)
    return decision, seen


def inspect(page: Page, folder: site.Folder, *, wanted: bool = True, dated: bool = False) -> Seen | Excluded:
    """What the page says; a page that cannot be read is excluded."""
    if not (wanted or dated) or not page.size or not _is_html(page.path):
        return UNSEEN
    try:
        data = site.read(folder, page, head.SIZE_LIMIT)
    except OSError as error:
        return Excluded(page.path, Reason.UNREADABLE, Origin(error.strerror or type(error).__name__))
    found = head.parse(data) if wanted else head.NOTHING
    return Seen(found, modified(data) if dated else None)


def _is_html(path: str) -> bool:
    return path.lower().endswith(_HTML) or "." not in path.rpartition("/")[2]


def _with_hidden_noindex(said: Decision, page: Page, law: Law, folder: site.Folder) -> Decision:
    """A crawler that robots.txt keeps away cannot see a noindex: worth a warning (docs/PROTOCOL §4)."""
    assert isinstance(said.verdict, Excluded)
    if said.verdict.reason is not Reason.ROBOTS or not law.respect.noindex:
        return said
    found = inspect(page, folder)
    if isinstance(found, Seen) and found.head.noindex:
        return said._replace(warned=(*said.warned, Warned(Caution.HIDDEN, page.path)))
    return said


def _extended(decision: Decision, listed: Listed, found: Head, by: Means) -> Decision:
    look = _looker(by.law, by.folder)
    xml, warned = "", decision.warned
    for extension in by.extensions:
        more, faults = extension.render(found, listed.loc, look)
        xml += more
        warned += faults
    return Decision(listed._replace(extended=xml), warned)


def _looker(law: Law, folder: site.Folder) -> Callable[[str], Head | None]:
    """Gives an extension the head of another page of the site, by its URL."""

    def look(loc: str) -> Head | None:
        path = law.locator.path_of(loc)
        file = None if path is None else site.served(folder, path)
        page = None if file is None else site.page(folder, file)
        found = None if page is None else inspect(page, folder)
        return found.head if isinstance(found, Seen) else None

    return look
