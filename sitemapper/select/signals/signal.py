"""The parts of a signal: the words in a head that may have it, how it is read, and its check."""

from collections.abc import Callable
from typing import NamedTuple

from ...config import choices
from ...model import Excluded
from ...read.metadata import HeadReader
from ..checked_page import CheckedPage
from ..policy import IndexPolicy

Check = Callable[[CheckedPage, IndexPolicy], Excluded | None]


class Signal(NamedTuple):
    """A reason to leave a page out. All functions are of a module, so that workers find them.

    `check` gives the exclusion of a page, None if the page may be listed. `switch` is the key of
    `[respect]` that turns the signal off.

    A signal in the head has `words` and `read`. `read` gives the text that the check finds by
    `CheckedPage.text_of(name)`, None for most pages. It is given only tags that contain one of the
    `words` (see `HeadSignals`). Increase `version` when `read` changes and the words do not: the
    cache holds the texts.

    With `needs_kind`, the check looks at the kind of a file that is not a page, so that pages are
    read even if no signal in the head counts.

    `decides_by_path` tells whether the check, in a site with this policy, can exclude a page
    before it is read. With `decides_by_content`, it runs after a page was read, unless the page is
    known to say nothing: its head has no text, and neither its canonical nor a rule changes its
    URL.
    """

    name: str
    check: Check
    words: tuple[bytes, ...] = ()
    read: HeadReader | None = None
    version: int = 1
    switch: choices.Signal | None = None
    needs_kind: bool = False
    decides_by_path: Callable[[IndexPolicy], bool] | None = None
    decides_by_content: bool = True

    @property
    def needs_page(self) -> bool:
        """Whether pages have to be read for this signal."""
        return self.needs_kind or self.read is not None
