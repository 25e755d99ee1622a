"""A rule of the configuration says `list = false`."""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page for which `[[rules]]` of the configuration say `list = false`.

    If several rules for the page set `list`, the last one decides. Its line is the origin.
    """
    if page.overrides.list:
        return None
    return Excluded(page.path, Reason.RULE, dict(page.overrides.origins)["list"])


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether the configuration has `[[rules]]`."""
    return bool(policy.rules)


SIGNAL = Signal("rule", check, decides_by_path=has_rules, decides_by_content=False)
