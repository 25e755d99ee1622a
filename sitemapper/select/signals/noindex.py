"""A robots meta forbids indexing (docs/protocol.md §4)."""

from functools import lru_cache
from typing import NamedTuple

from ...model import Excluded, Reason
from ...syntax.html import Tags
from ...syntax.robots import AGENTS, read_directives
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal

WORDS = tuple(agent.encode() for agent in AGENTS)


class RobotsMeta(NamedTuple):
    """A meta for crawlers, as written."""

    name: str
    content: str


def robots_metas(tags: Tags) -> list[RobotsMeta]:
    """The metas of a page that are for all crawlers or for Googlebot, anywhere in the page.

    `<meta name="ROBOTS" content="noindex">` → `RobotsMeta("ROBOTS", "noindex")`.
    """
    found = []
    for meta in tags.metas:
        name = meta.get("name")
        if name and name.strip().lower() in AGENTS:
            found.append(RobotsMeta(name, meta.get("content") or ""))
    return found


@lru_cache(maxsize=64)
def directives_of(content: str) -> tuple[bool, str | None]:
    """Whether the content of a meta forbids indexing, and the date after which it does.

    "noindex, nofollow" → (True, None). Stored, because most pages of a site have the same meta, and
    two signals read it.
    """
    return read_directives(content)


def read(tags: Tags) -> str | None:
    """The first meta that forbids indexing: `<meta name="robots" content="noindex">`.

    None if there is none.
    """
    for meta in robots_metas(tags):
        forbids, _ = directives_of(meta.content)
        if forbids:
            return f'<meta name="{meta.name}" content="{meta.content}">'
    return None


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page with a meta that forbids indexing."""
    tag = page.text_of("noindex")
    return page.exclude(Reason.NOINDEX, tag) if tag else None


SIGNAL = Signal("noindex", check, words=WORDS, read=read, switch="noindex")
