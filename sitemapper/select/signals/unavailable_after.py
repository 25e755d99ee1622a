"""A robots meta forbids indexing after a date (Google, "Robots meta tag")."""

from ...model import Excluded, Reason
from ...syntax.html import Tags
from ...syntax.robots import is_past
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .noindex import WORDS, robots_metas
from .signal import Signal


def read(tags: Tags) -> str | None:
    """Reads the first date after which the page is not to be indexed, as written. None without one.

    `<meta name="robots" content="unavailable_after: 2026-03-01">` → `2026-03-01`.
    """
    for meta in robots_metas(tags):
        if meta.indexing.unavailable_after:
            return meta.indexing.unavailable_after
    return None


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page whose `unavailable_after` has passed at the time of the run."""
    date = page.text_of("unavailable_after")
    if date is None or not is_past(date, policy.now):
        return None
    return page.exclude(Reason.NOINDEX, f"unavailable_after: {date}")


SIGNAL = Signal("unavailable_after", check, words=WORDS, read=read, switch="noindex")
