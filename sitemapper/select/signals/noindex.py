"""A robots meta forbids indexing (Google, "Robots meta tag")."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...model import Excluded, Reason
from ...syntax.html import Tags
from ...syntax.robots import AGENTS, Indexing, read_directives
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal

WORDS = tuple(agent.encode() for agent in AGENTS)


class RobotsMeta(NamedTuple):
    """A robots meta as written in a page, and what its content says about indexing."""

    name: str
    content: str
    indexing: Indexing


def robots_metas(tags: Tags) -> Iterator[RobotsMeta]:
    """Yields the metas of a page that are for all crawlers or for Googlebot, anywhere in the page.

    `<meta name="ROBOTS" content="noindex">` → the name `ROBOTS`, the content `noindex`, and that
    indexing is forbidden.
    """
    for meta in tags.metas:
        name = meta.get("name")
        if name and name.strip().lower() in AGENTS:
            content = meta.get("content") or ""
            yield RobotsMeta(name, content, _read_content(content))


@lru_cache(maxsize=64)
def _read_content(content: str) -> Indexing:
    """Reads whether the content of a meta forbids indexing, and after which date it does.

    The results are stored, because most pages of a site have the same meta, and the signal
    `unavailable_after` reads it, too.
    """
    return read_directives(content)


def read(tags: Tags) -> str | None:
    """Reads the first meta that forbids indexing: `<meta name="robots" content="noindex">`.

    None if there is none.
    """
    for meta in robots_metas(tags):
        if meta.indexing.is_forbidden:
            return f'<meta name="{meta.name}" content="{meta.content}">'
    return None


def check(page: CheckedPage, _policy: IndexPolicy) -> Excluded | None:
    """Excludes a page with a meta that forbids indexing."""
    tag = page.text_of("noindex")
    return page.exclude(Reason.NOINDEX, tag) if tag else None


SIGNAL = Signal("noindex", check, words=WORDS, read=read, switch="noindex")
