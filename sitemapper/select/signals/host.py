"""A rule of the host closes, redirects or forbids the page (docs/protocol.md §5), or its file is
not uploaded.
"""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a page that the host does not upload, or closes, redirects or forbids to index.

    If several hosts may serve the site, each of them must take the page away, and the rule of the
    first one is the reason. A page that waits for its canonical is checked again after it is read.
    """
    line = policy.host.ignoring_line(page.path)
    if line is not None:
        return Excluded(page.path, Reason.NOT_DEPLOYED, line)
    # The canonical may name a URL of the page at which the host shows it.
    if page.awaits_canonical:
        return None
    # None stands for a host that shows the page. Without any host, there are no rules.
    rule = next(iter(page.rules), None)
    if rule is None or rule.action is None or None in page.rules:
        return None
    # The canonical in a header is checked by the canonical signal, like one in the head.
    if rule.action is Reason.CANONICAL:
        return None
    # Two keys of `[respect]` also turn off what a host says about the same.
    if rule.action is Reason.NOINDEX and not policy.respect.noindex:
        return None
    if rule.action is Reason.NOT_A_PAGE and not policy.respect.not_a_page:
        return None
    return Excluded(page.path, rule.action, rule.origin)


def has_rules(policy: IndexPolicy) -> bool:
    """Says whether a possible host has rules, or a list of files that it does not upload."""
    return policy.host.has_rules or policy.host.may_ignore_files


SIGNAL = Signal("host", check, decides_by_path=has_rules)
