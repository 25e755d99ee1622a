"""A rule of the configuration says `list = false`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model import Excluded, Reason
from .signal import Signal

if TYPE_CHECKING:
    from ..checked_page import CheckedPage
    from ..policy import IndexPolicy


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that the last matching rule does not list. The origin is the rule."""
    if page.overrides.list:
        return None
    return Excluded(page.path, Reason.RULE, dict(page.overrides.origins)["list"])


def has_rules(policy: IndexPolicy) -> bool:
    """Whether there are rules for pages."""
    return bool(policy.rules.values)


SIGNAL = Signal("rule", check, decides_by_path=has_rules, decides_by_content=False)
