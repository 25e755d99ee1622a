"""The file is an app shell, which stands for other pages, or a fragment of one."""

from ...model import Excluded, Reason
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, _policy: IndexPolicy) -> Excluded | None:
    """Excludes a file that is not a page, such as an app shell: the text in `page.kind` says what.

    `kind` is None for a page, and for a file that a pattern of the user lists all the same.
    """
    if page.kind is None:
        return None
    return page.exclude(Reason.NOT_A_PAGE, page.kind)


SIGNAL = Signal("not_a_page", check)
