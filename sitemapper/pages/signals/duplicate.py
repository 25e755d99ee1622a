"""Two files have one URL, and the server prefers the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model import Excluded
from ...syntax.urls import is_clash
from .signal import Signal

if TYPE_CHECKING:
    from ..candidate import Candidate
    from ..policy import IndexPolicy


def check(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that is not shown at its URL."""
    served = policy.locator.served
    if served and is_clash(page.path, page.twin):
        has_own_url = bool(served.paths(page.path, has_twin=True))
        return None if has_own_url else page.exclude_for_twin(page.loc)
    if page.canonical or page.twin is None:
        return None
    if policy.locator.loc(page.twin) != page.loc:
        return None
    return page.exclude_for_twin(page.loc)


SIGNAL = Signal("duplicate", check)
