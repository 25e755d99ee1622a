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

    The site may be on one of several hosts. For the page `a.html` at /a:

        each has a rule: `/a /b 301` and `/a /c 301`   excluded by the rule of the first host
        only one has a rule: `/a /b 301`               listed, because the other host shows it
        none has a rule                                listed

    A rule such as a noindex excludes nothing if the user has turned it off under `[respect]`.
    """
    line = policy.host.ignoring_line(page.path)
    if line is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, line)
    # Hosts may have other rules for the URL that the canonical of the page names. This check runs
    # again after the page was read, when its canonical is known.
    if not page.is_read and _has_to_wait_for_canonical(policy):
        return None
    rule = page.location.deciding_rule
    if rule is None:
        return None
    reason = _reason_of(rule, policy)
    return Excluded(page.path, reason, rule.origin) if reason else None


def _has_to_wait_for_canonical(policy: IndexPolicy) -> bool:
    """Says whether a rule of a host may exclude a page only after its canonical was read.

    For example, the host shows `b.html` at /b and at /b/. The rule `/b /c 301` redirects /b. But
    the canonical of `b.html` may be /b/. The page is then listed at /b/.

    False if the setting `[respect] canonical` is off, or if the host is not known: the rules for
    /b, the URL by the path, then exclude the page before it is read.
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
