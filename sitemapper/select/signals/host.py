"""A rule of the host closes, redirects or forbids the page (docs/protocol.md §5), or its file is
not uploaded.
"""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that every host that may serve the site takes away.

    It runs by the path, and again for the URL that the canonical names.
    """
    line = policy.host.ignoring_line(page.path)
    if line is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, line)
    if page.awaits_canonical or not page.rules or None in page.rules:
        return None
    rule = page.rules[0]
    if rule is None or rule.action is None or rule.action in _ignored(policy):
        return None
    return Excluded(page.path, rule.action, rule.origin)


def _ignored(policy: IndexPolicy) -> set[Reason]:
    """The actions that do not exclude a page by themselves.

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
    return policy.host.has_rules or policy.host.may_ignore_files


SIGNAL = Signal("host", check, decides_by_path=has_rules)
