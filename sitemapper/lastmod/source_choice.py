"""Chooses the source file of a page among those that may be it, by what the page shows. Pure."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..model import NoDate, PossibleSource


class Choice(NamedTuple):
    """The source of a page with the reason. Without one, the reason is what is missing.

    `cause` is the cause that the build counts, None if there is a source.
    """

    source: PossibleSource | None
    reason: str
    cause: NoDate | None = None


def choose(files: Sequence[PossibleSource], titles: Collection[str], size: int) -> Choice:
    """Chooses the source of a page with these titles and `size` bytes of main text.

    For tea.html, `files` may be `a/tea.md` and `b/tea.md`, if their paths fit. The page shows the
    title of

        a/tea.md only   a/tea.md
        both of them    the only one of which more than the title speaks for it: see
                        `PossibleSource.counts_without_title`
        none of them    the only one of which something speaks for it, such as the path that it
                        states for its page

    The choice has no source if no file or several are left, or if `_refuse` finds a reason against
    the file. If all files are large enough for the page, `size` may be more than it is.
    """
    files_with_shown_title = [
        file for file in files if file.title and file.title in titles and file.counts_with_title
    ]
    likely = files_with_shown_title
    if len(files_with_shown_title) != 1:  # none, or several with the same title
        remaining = files_with_shown_title or files
        likely = [file for file in remaining if file.counts_without_title]
    if len(likely) == 1:
        [source] = likely
        refused = _refuse(source, size, is_title_shown=bool(files_with_shown_title))
        if refused:
            return refused
        matching = "path and title" if files_with_shown_title else "path"
        return Choice(source=source, reason=f"{matching}{source.why}")
    # No file is likely, or several are: say which ones.
    names = " and ".join(file.name for file in files)
    if len(files) > 1:
        return Choice(source=None, reason=f"fits {names}", cause=NoDate.AMBIGUOUS)
    reason = f"the page does not show the title of {names}"
    return Choice(source=None, reason=reason, cause=NoDate.UNKNOWN)


def _refuse(source: PossibleSource, size: int, *, is_title_shown: bool) -> Choice | None:
    """Finds a reason why the only likely source did not make a page of so many bytes.

    Returns the choice of no source with that reason, or None:

    - The page does not show the title in the metadata of the source. A heading would be no reason,
      because it may be one of several, or generated.
    - All text of the source is generated, so its commits do not date the page.
    - The page has more text than a source of this size can have: 90 KB from 2 KB.
    """
    if source.has_own_title and not is_title_shown:
        reason = f"the page does not show the title of {source.name}"
        return Choice(source=None, reason=reason, cause=NoDate.UNKNOWN)
    if source.is_stub and not source.parts:
        reason = f"all text but the headings of {source.name} is generated"
        return Choice(source=None, reason=reason, cause=NoDate.EXCEEDED)
    if size > source.max_text:  # the rest would come from elsewhere
        held = f"its source {source.name} has {_bytes(source.size)}"
        reason = f"the page shows {_bytes(size)}, {held}"
        return Choice(source=None, reason=reason, cause=NoDate.EXCEEDED)
    return None


def _bytes(count: int) -> str:
    """Writes a size for a person: `900 bytes`, `12 KB`."""
    return f"{count:,} bytes" if count < 1024 else f"{count / 1024:,.0f} KB"
