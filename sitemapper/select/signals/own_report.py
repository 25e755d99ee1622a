"""The file is a report by sitemapper, which is noindex. No setting lists it."""

from ...model import Excluded, Reason
from ...read.kind import OWN_REPORT
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Excludes a report by sitemapper, even if `[respect]` turns off noindex and `not_a_page`."""
    if page.facts.kind != OWN_REPORT:
        return None
    return page.exclude(Reason.NOT_A_PAGE, OWN_REPORT)


# It needs the kind too, but pages are not read for reports alone.
SIGNAL = Signal("own_report", check)
