"""A rule of the host closes, redirects or forbids the page (docs/protocol.md §5), or its file is
not uploaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model import Excluded, Reason
from .signal import Signal

if TYPE_CHECKING:
    from ..candidate import Candidate
    from ..policy import IndexPolicy


def check(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that every host that may serve the site takes away.

    It runs by the path, and again for the URL that the canonical names.
    """
    withheld = policy.host.withheld_by(page.path)
    if withheld is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, withheld)
    if page.has_open_form:
        return None
    if not page.effects or None in page.effects:
        return None
    effect = page.effects[0]
    if effect is None or effect.reason in _ignored(policy):
        return None
    return Excluded(page.path, effect.reason, effect.origin)


def _ignored(policy: IndexPolicy) -> set[Reason]:
    """The effects that do not exclude a page by themselves.

    The canonical of a header counts like one in the head.
    """
    ignored = {Reason.CANONICAL}
    if not policy.respect.noindex:
        ignored.add(Reason.NOINDEX)
    if not policy.respect.not_a_page:
        ignored.add(Reason.NOT_A_PAGE)
    return ignored


def has_rules(policy: IndexPolicy) -> bool:
    """Whether a possible host has rules, or lacks files."""
    return policy.host.has_rules or policy.host.may_withhold


SIGNAL = Signal("host", check, decides_by_path=has_rules)
