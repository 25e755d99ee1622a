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

    `page.location.rules` has a rule of each possible host, or None for a host without one:

        [`/a /b 301`]                excluded by this rule
        [`/a /b 301`, `/a /c 301`]   excluded by the rule of the first host
        [`/a /b 301`, None]          listed: the second host shows the page
        []                           listed: no host has rules

    A rule such as a noindex excludes nothing if the user has turned it off under `[respect]`.
    """
    line = policy.host.ignoring_line(page.path)
    if line is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, line)
    # This check runs before the page is read, and again when its canonical is known.
    if not page.is_read and _may_canonical_choose_url(policy):
        return None
    rules = page.location.rules
    first_rule = rules[0] if rules else None
    is_shown_by_one = None in rules
    if first_rule is None or is_shown_by_one:
        return None
    reason = _reason_of(first_rule, policy)
    return Excluded(page.path, reason, first_rule.origin) if reason else None


def _may_canonical_choose_url(policy: IndexPolicy) -> bool:
    """Says whether the canonical of a page may choose another URL of the page, with other rules.

    The rule `/b /c 301` takes `b.html` away at /b. If the host also shows it at /b/, and its
    canonical is /b/, it is listed there. False if the host is not known, or if canonicals do not
    count (`[respect]`).
    """
    is_host_known = policy.locator.served is not None
    return is_host_known and policy.respect.canonical


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
