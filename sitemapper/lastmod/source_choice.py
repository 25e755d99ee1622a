"""Chooses the source file of a page among those that may be it, by what the page shows. Pure."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..model import NoDate, SourceCandidate


class Choice(NamedTuple):
    """The source of a page and why it counts, or None, what is missing, and the cause."""

    source: SourceCandidate | None
    reason: str
    cause: NoDate | None = None


def choose(candidates: Sequence[SourceCandidate], titles: Collection[str], size: int) -> Choice:
    """The source of a page with these titles and this many bytes of main text, or what is missing.

    `tea.md` and `tea.rst` both fit tea.html. The one whose title the page shows is its source, else
    the one whose folder is proved, else none. The page may have fewer bytes than `size` if no
    candidate is too small for them.
    """
    with_title = [
        file for file in candidates if file.title and file.title in titles and file.may_count
    ]
    likely = with_title
    if len(with_title) != 1:
        likely = [file for file in with_title or candidates if file.is_proved]
    if len(likely) == 1:
        [source] = likely
        missing = _find_missing(source, size, is_title_shown=bool(with_title))
        fits = "path and title" if with_title else "path"
        return missing or Choice(source, f"{fits}{source.why}")
    names = " and ".join(file.name for file in candidates)
    if len(candidates) > 1:
        return Choice(None, f"fits {names}", NoDate.AMBIGUOUS)
    return Choice(None, f"nothing proves the folder of {names}", NoDate.UNKNOWN)


def _find_missing(source: SourceCandidate, size: int, *, is_title_shown: bool) -> Choice | None:
    """Why the only likely source did not make a page of so many bytes, None if it did.

    A missing title excludes it only if the title comes from its metadata. A heading may be one of
    several, or generated.
    """
    if source.is_named and not is_title_shown:
        reason = f"the page does not show the title of {source.name}"
        return Choice(None, reason, NoDate.UNKNOWN)
    if source.is_stub and not source.parts:
        reason = f"all text but the headings of {source.name} is generated"
        return Choice(None, reason, NoDate.EXCEEDED)
    if size > source.most_text:
        held = f"its source {source.name} has {_bytes(source.size)}"
        return Choice(None, f"the page shows {_bytes(size)}, {held}", NoDate.EXCEEDED)
    return None


def _bytes(count: int) -> str:
    return f"{count:,} bytes" if count < 1024 else f"{count / 1024:,.0f} KB"
