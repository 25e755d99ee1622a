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
    """The source of a page with these titles and this many bytes of main text.

    `tea.md` and `tea.rst` may both be the source of tea.html. The one whose title the page shows is
    its source, else the one that counts without a title, else none. `size` may be more than the
    page has, if all files are large enough for it.
    """
    shown = [
        file for file in files if file.title and file.title in titles and file.counts_with_title
    ]
    likely = shown
    if len(shown) != 1:  # none, or several with the same title
        likely = [file for file in shown or files if file.counts_without_title]
    if len(likely) == 1:
        [source] = likely
        missing = _find_missing(source, size, is_title_shown=bool(shown))
        if missing:
            return missing
        matching = "path and title" if shown else "path"
        return Choice(source=source, reason=f"{matching}{source.why}")
    names = " and ".join(file.name for file in files)
    if len(files) > 1:
        return Choice(source=None, reason=f"fits {names}", cause=NoDate.AMBIGUOUS)
    reason = f"the page does not show the title of {names}"
    return Choice(source=None, reason=reason, cause=NoDate.UNKNOWN)


def _find_missing(source: PossibleSource, size: int, *, is_title_shown: bool) -> Choice | None:
    """Why the only likely source did not make a page of so many bytes, None if it did.

    A title that the page does not show excludes the source only if the metadata have it. A heading
    may be one of several, or generated.
    """
    if source.has_own_title and not is_title_shown:
        reason = f"the page does not show the title of {source.name}"
        return Choice(source=None, reason=reason, cause=NoDate.UNKNOWN)
    if source.is_stub and not source.parts:
        reason = f"all text but the headings of {source.name} is generated"
        return Choice(source=None, reason=reason, cause=NoDate.EXCEEDED)
    if size > source.most_text:
        held = f"its source {source.name} has {_bytes(source.size)}"
        reason = f"the page shows {_bytes(size)}, {held}"
        return Choice(source=None, reason=reason, cause=NoDate.EXCEEDED)
    return None


def _bytes(count: int) -> str:
    """A size for a person: `900 bytes`, `12 KB`."""
    return f"{count:,} bytes" if count < 1024 else f"{count / 1024:,.0f} KB"
