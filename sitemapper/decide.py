"""A batch of pages to verdicts: opens what must be read, asks the judge. The rim around pure decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, assert_never

from . import head, judge, site
from .extensions import Extension
from .head import Head
from .judge import Case, Decision, Law
from .model import Batch, Caution, Excluded, LastMod, Listed, Origin, Page, Reason, Warned
from .urls import MAX_LENGTH

_HTML = (".html", ".htm", ".xhtml", ".shtml", ".php")


class Verdicts(NamedTuple):
    """The listed pages of a batch, their places in it, what is excluded, and warnings."""

    listed: Sequence[Listed]
    places: Sequence[int]
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
    def extensions(self) -> tuple[Extension, ...]:
        """What is written besides the protocol's elements."""


def verdicts(
    batch: Batch,
    paths: Sequence[str],
    locs: Sequence[str],
    lastmods: Sequence[LastMod | None],
    by: Means,
) -> Verdicts:
    """The verdict on each page, in order."""
    law = by.law
    if not (law.reads_heads or law.knows_paths or batch.twins or by.extensions or _too_long(locs)):
        listed = judge.all_listed(paths, locs, lastmods)
        return Verdicts(listed, range(len(listed)), [], [])
    kept: list[tuple[int, Listed]] = []
    excluded: list[Excluded] = []
    warned: list[Warned] = []
    for n, (page, loc, lastmod) in enumerate(zip(batch.pages, locs, lastmods, strict=True)):
        decision = decide(page, loc, lastmod, batch.twins.get(page.path), by)
        warned += decision.warned
        match decision.verdict:
            case Listed() as entry:
                kept.append((n, entry))
            case Excluded() as verdict:
                excluded.append(verdict)
            case other:
                assert_never(other)
    return Verdicts([entry for _, entry in kept], [n for n, _ in kept], excluded, warned)


def _too_long(locs: Sequence[str]) -> bool:
    return max(map(len, locs), default=0) >= MAX_LENGTH


def decide(page: Page, loc: str, lastmod: LastMod | None, twin: str | None, by: Means) -> Decision:
    """The verdict on one page: by its path first, and only then by its contents."""
    law, folder = by.law, by.folder
    said = judge.by_path(page.path, loc, law) if law.knows_paths else None
    if said is not None:
        return _with_hidden_noindex(said, page, law, folder)
    found = inspect(page, law.reads_heads or bool(by.extensions), folder)
    if isinstance(found, Excluded):
        return Decision(found)
    canonical = judge.named(found, loc, law)
    if canonical is not None and canonical.path is not None:
        canonical = canonical._replace(served=site.served(folder, canonical.path))
    decision = judge.judge(Case(page, loc, lastmod, found, canonical, twin), law)
    if isinstance(decision.verdict, Listed) and by.extensions and found is not head.NOTHING:
        return _extended(decision, decision.verdict, found, by)
    return decision


def inspect(page: Page, wanted: bool, folder: site.Folder) -> Head | Excluded:
    """What the page's head says; a page that cannot be read is excluded."""
    if not wanted or not page.size or not _is_html(page.path):
        return head.NOTHING
    try:
        return head.parse(site.read(folder, page, head.SIZE_LIMIT))
    except OSError as error:
        return Excluded(page.path, Reason.UNREADABLE, Origin(error.strerror or type(error).__name__))


def _is_html(path: str) -> bool:
    return path.lower().endswith(_HTML) or "." not in path.rpartition("/")[2]


def _with_hidden_noindex(said: Decision, page: Page, law: Law, folder: site.Folder) -> Decision:
    """A crawler that robots.txt keeps away cannot see a noindex: worth a warning (docs/PROTOCOL §4)."""
    assert isinstance(said.verdict, Excluded)
    if said.verdict.reason is not Reason.ROBOTS or not law.respect.noindex:
        return said
    found = inspect(page, True, folder)
    if isinstance(found, Head) and found.noindex:
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
        found = None if page is None else inspect(page, True, folder)
        return found if isinstance(found, Head) else None

    return look
