"""The URL is too long: the protocol allows fewer than 2,048 characters."""

from ...model import Excluded, Origin, Reason
from ...protocol import MAX_URL_LENGTH
from ..checked_page import CheckedPage
from ..policy import IndexPolicy
from .signal import Signal


def check(page: CheckedPage, _policy: IndexPolicy) -> Excluded | None:
    """Excludes a page whose listed URL is too long."""
    loc = page.location.loc
    if len(loc) < MAX_URL_LENGTH:
        return None
    origin = Origin(f"{len(loc)} characters", None, "at most 2,047")
    return Excluded(page.path, Reason.TOO_LONG, origin)


SIGNAL = Signal("too_long", check)
