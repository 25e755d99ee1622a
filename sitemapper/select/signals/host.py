"""A rule of the host closes, redirects or forbids the page."""

from ...hosts.rule import Rule
from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that the host redirects, closes or forbids to index.

    The rule `/a /b 301` excludes `a.html` at /a. But if the site may be on another host, which has
    no rule for /a, the page stays listed.
    """
    # This check runs before the page is read, and again after it. If the canonical of the page may
    # choose a URL with other rules, only the second time counts.
    if not page.is_read and _may_canonical_change_rules(policy):
        return None
    # If several hosts are possible, each must have a rule. That of the first one is the reason.
    rule = page.location.deciding_rule
    if rule is None:
        return None
    # None for a rule that the user has turned off under `[respect]`, such as a noindex.
    reason = _reason_of(rule, policy)
    return Excluded(page.path, reason, rule.origin) if reason else None


def _may_canonical_change_rules(policy: IndexPolicy) -> bool:
    """Says whether the canonicals of pages may choose URLs for which the host has other rules.

    For example, the host shows `b.html` at /b and at /b/. The rule `/b /c 301` redirects /b. But if
    the canonical of `b.html` is /b/, the page is listed at /b/, where the rule has no effect.
    """
    # On an unknown host, it is not known whether the page is at /b/, too: the rules for /b decide.
    is_host_known = policy.locator.served is not None
    # The user may have turned canonicals off by `[respect] canonical = false`.
    return is_host_known and policy.respect.canonical


def _reason_of(rule: Rule, policy: IndexPolicy) -> Reason | None:
    """Gives the reason for which a rule of a host excludes pages, None if it excludes none."""
    reason = rule.action
    if reason is Reason.CANONICAL:  # a header with a canonical, which another check compares
        return None
    # The user may have turned off noindex under `[respect]`.
    if reason is Reason.NOINDEX and not policy.respect.noindex:
        return None
    return reason  # None for a rule that only keeps later ones from the page


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether a possible host has rules."""
    return policy.host.has_rules


SIGNAL = Signal("host", check, decides_by_path=has_rules)
