"""A rule of the host closes, redirects or forbids the page (docs/protocol.md §5), or its file is
not uploaded.
"""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that the host does not upload, or closes, redirects or forbids to index.

    `page.rules` has an item for each host on which the site may be: the rule that the host applies
    to the page, or None if it just shows the page. All of them must have a rule for the page to be
    excluded, and the reason is the rule of the first host:

    | the rule of the first host      | result                                                 |
    |---------------------------------|--------------------------------------------------------|
    | a header with a canonical       | None: the canonical signal checks this one, too        |
    | noindex                         | excluded, or None if `[respect] noindex` is off        |
    | an error page such as /404      | excluded, or None if `[respect] not_a_page` is off     |
    | a redirect, or a closed page    | excluded                                               |
    """
    line = policy.host.ignoring_line(page.path)
    if line is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, line)
    # The page's canonical may name another of its URLs, at which the host shows the page. So the
    # check runs again after the page was read.
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
