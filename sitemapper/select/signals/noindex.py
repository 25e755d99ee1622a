"""A robots meta forbids indexing, or does so after a date (docs/protocol.md §4)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...model import Excluded, Reason
from ...syntax.html import Tags
from ...syntax.robots import AGENTS, Indexing, is_past, read_directives
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal

_WORDS = tuple(agent.encode() for agent in AGENTS)


class _RobotsMeta(NamedTuple):
    """A robots meta as written in a page, and what its content says about indexing."""

    name: str
    content: str
    indexing: Indexing


def _robots_metas(tags: Tags) -> Iterator[_RobotsMeta]:
    """Yields the metas of a page that are for all crawlers or for Googlebot, anywhere in the page.

    For `<meta name="ROBOTS" content="noindex">`: one with the name `ROBOTS`.
    """
    for meta in tags.metas:
        name = meta.get("name")
        if name and name.strip().lower() in AGENTS:
            content = meta.get("content") or ""
            yield _RobotsMeta(name, content, _read_content(content))


@lru_cache(maxsize=64)
def _read_content(content: str) -> Indexing:
    """Reads whether the content of a meta forbids indexing, and after which date it does.

    The results are stored, because most pages of a site have the same meta, and two signals read
    it.
    """
    return read_directives(content)


def read(tags: Tags) -> str | None:
    """Reads the first meta that forbids indexing: `<meta name="robots" content="noindex">`.

    None if there is none.
    """
    for meta in _robots_metas(tags):
        if meta.indexing.is_forbidden:
            return f'<meta name="{meta.name}" content="{meta.content}">'
    return None


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page with a meta that forbids indexing."""
    tag = page.text_of("noindex")
    return page.exclude(Reason.NOINDEX, tag) if tag else None


def read_date(tags: Tags) -> str | None:
    """Reads the first date after which the page is not to be indexed, as written. None without one.

    `<meta name="robots" content="unavailable_after: 2026-03-01">` → `2026-03-01`.
    """
    for meta in _robots_metas(tags):
        if meta.indexing.unavailable_after:
            return meta.indexing.unavailable_after
    return None


def check_date(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page whose `unavailable_after` has passed at the time of the run."""
    date = page.text_of("unavailable_after")
    if date is None or not is_past(date, policy.now):
        return None
    return page.exclude(Reason.NOINDEX, f"unavailable_after: {date}")


SIGNAL = Signal("noindex", check, words=_WORDS, read=read, switch="noindex")
UNAVAILABLE_AFTER = Signal(
    "unavailable_after", check_date, words=_WORDS, read=read_date, switch="noindex"
)
