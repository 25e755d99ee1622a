"""The parts of a signal: the words in a head that may have it, how it is read, and its check."""

from collections.abc import Callable
from typing import NamedTuple

from ...config import choices
from ...model import Excluded
from ...read.metadata import HeadReader
from ..checked_page import CheckedPage
from ..policy import IndexPolicy

Check = Callable[[CheckedPage, IndexPolicy], Excluded | None]


def never(_policy: IndexPolicy) -> bool:
    """Says that a check cannot decide by the path of a page, on any site."""
    return False


class Signal(NamedTuple):
    """A reason to leave a page out, such as noindex, and how it is read and checked.

    `check` gives the exclusion of a page, None if the page may be listed. `switch` is the key of
    `[respect]` that turns the signal off, None if nothing does. All functions are of a module, so
    that worker processes find them.

    A signal in the head has `words` and `read`. `read` gets only tags that contain one of the
    `words`. It gives the text of the signal, None for most pages, and the check finds this text by
    `CheckedPage.text_of(name)`.

    `decides_by_path` says for a site whether the check can exclude a page before it is read. That
    of robots.txt can, on a site that has one. It is `never` for a check that needs the content.
    With `is_only_of_path`, the check does not run after a page was read. All others do, except for
    a page with no signal in its head, whose URL nothing can change.
    """

    name: str
    check: Check
    words: tuple[bytes, ...] = ()
    read: HeadReader | None = None
    switch: choices.Signal | None = None
    decides_by_path: Callable[[IndexPolicy], bool] = never
    is_only_of_path: bool = False

    @property
    def needs_page(self) -> bool:
        """Whether pages have to be read for this signal."""
        return self.read is not None
