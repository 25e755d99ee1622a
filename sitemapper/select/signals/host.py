"""A rule of the host closes, redirects or forbids the page (docs/protocol.md §5), or its file is
not uploaded.
"""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that the host does not upload, or closes, redirects or forbids to index.

    It may not be certain which of several hosts serves the site. `page.rules` has an item for each
    possible host: the rule that it has for the page, or None if it just shows the page. If one of
    them shows it, it stays listed. Otherwise, the rule of the first host decides:

    | the rule of the first host   | result                                             |
    |------------------------------|----------------------------------------------------|
    | names a canonical            | None: the check of canonicals decides              |
    | a header with noindex        | excluded, or None if `[respect] noindex` is off    |
    | an error page such as /404   | excluded, or None if `[respect] not_a_page` is off |
    | a redirect, or a closed page | excluded                                           |
    """
    line = policy.host.ignoring_line(page.path)
    if line is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, line)
    # The canonical may name another URL of this page, from which the host does not redirect. So
    # nothing is decided before the page is read. Then this check runs again.
    if page.awaits_canonical:
        return None
    is_shown_by_one = None in page.rules
    if not page.rules or is_shown_by_one:
        return None
    rule = page.rules[0]
    if rule is None or rule.action is None or rule.action is Reason.CANONICAL:
        return None
    if rule.action is Reason.NOINDEX and not policy.respect.noindex:
        return None
    if rule.action is Reason.NOT_A_PAGE and not policy.respect.not_a_page:
        return None
    return Excluded(page.path, rule.action, rule.origin)


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether a possible host has rules, or a list of files that it does not upload."""
    return policy.host.has_rules or policy.host.may_ignore_files


SIGNAL = Signal("host", check, decides_by_path=has_rules)
