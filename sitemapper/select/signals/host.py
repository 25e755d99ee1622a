"""A rule of the host closes, redirects or forbids the page (docs/protocol.md §5), or its file is
not uploaded.
"""

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
    # The canonical may name another URL of this page, for which the host has no rule. So nothing is
    # decided before the page is read. Then this check runs again.
    if page.waits_for_canonical:
        return None
    # `page.rules` has an item for each possible host, None for one that shows the page. It is empty
    # if no host has rules.
    rule = page.rules[0] if page.rules else None
    if rule is None or None in page.rules:
        return None
    # A header that names a canonical is for the check of canonicals.
    if rule.action is None or rule.action is Reason.CANONICAL:
        return None
    # The user may have turned off noindex or not_a_page (an error page) under `[respect]`.
    if rule.action is Reason.NOINDEX and not policy.respect.noindex:
        return None
    if rule.action is Reason.NOT_A_PAGE and not policy.respect.not_a_page:
        return None
    return Excluded(page.path, rule.action, rule.origin)


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether a possible host has rules, or a list of files that it does not upload."""
    return policy.host.has_rules or policy.host.may_ignore_files


SIGNAL = Signal("host", check, decides_by_path=has_rules)
