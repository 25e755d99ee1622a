"""A rule of the host closes, redirects or forbids the page (docs/protocol.md §5), or its file is
not uploaded.
"""

from ...hosts.rule import Rule
from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that the host does not upload, or redirects, closes or forbids to index.

    If several hosts may serve the site, the page stays listed if one of them shows it. Otherwise,
    the rule of the first host decides, such as `/a /b 301`.
    """
    line = policy.host.ignoring_line(page.path)
    if line is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, line)
    # The canonical may name another URL of the page, for which the host has no rule. This check
    # runs again when the page was read, and decides then.
    if page.waits_for_canonical:
        return None
    # `page.rules` has an item for each possible host. It is empty if no host has rules.
    first_rule = page.rules[0] if page.rules else None
    is_shown_by_one = None in page.rules
    if first_rule is None or is_shown_by_one:
        return None
    reason = _reason_of(first_rule, policy)
    if reason is None:
        return None
    return Excluded(page.path, reason, first_rule.origin)


def _reason_of(rule: Rule, policy: IndexPolicy) -> Reason | None:
    """Gives the reason for which a rule of a host excludes pages, None if it excludes none."""
    reason = rule.action
    if reason is Reason.CANONICAL:  # a header with a canonical, which another check compares
        return None
    # The user may have turned off noindex or not_a_page (an error page) under `[respect]`.
    if reason is Reason.NOINDEX and not policy.respect.noindex:
        return None
    if reason is Reason.NOT_A_PAGE and not policy.respect.not_a_page:
        return None
    return reason  # None for a rule that only keeps later ones from the page


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether a possible host has rules, or a list of files that it does not upload."""
    return policy.host.has_rules or policy.host.may_ignore_files


SIGNAL = Signal("host", check, decides_by_path=has_rules)
