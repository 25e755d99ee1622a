"""Chooses the source file of a page among those that may be it, by what the page shows. Pure."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..model import NoDate, PossibleSource, ShownBy


class Choice(NamedTuple):
    """The source file that was chosen for a page, with the reason: `path and title; …`.

    `source` is None if no file was chosen. `reason` then says why, as `fits a/tea.md and b/tea.md`,
    and `cause` is the cause that the build counts. With a source, `cause` is None.
    """

    source: PossibleSource | None
    reason: str
    cause: NoDate | None = None


def choose(files: Sequence[PossibleSource], titles: Collection[str], size: int) -> Choice:
    """Chooses the source file of a page by what the page shows, or says why it chooses none.

    Both a/tea.md and b/tea.md have a path like that of tea.html. If the page shows the title of
    a/tea.md only, this is its source. `titles` are the titles in the page. Its main text has
    `size` bytes, or fewer.
    """
    files_with_shown_title = [
        file
        for file in files
        # If only the paths are similar, a title such as "About" may be the same by chance.
        if file.title and file.title in titles and file.shown_by is not ShownBy.NOTHING
    ]
    is_title_shown = bool(files_with_shown_title)
    # The page shows the title of one file, which is probably the source.
    if len(files_with_shown_title) == 1:
        likely = files_with_shown_title
    # It shows the titles of several files, or none. One of these, or else of all files, may be the
    # source by its path alone, as with `permalink: /tea.html`.
    else:
        candidates = files_with_shown_title or files
        likely = [file for file in candidates if file.is_source_by_path]
    if len(likely) == 1:
        [source] = likely
        refused = _refuse(source, size, is_title_shown=is_title_shown)
        if refused:
            return refused
        return Choice(source=source, reason=_say_why(source, is_title_shown=is_title_shown))
    names = " and ".join(file.name for file in files)
    if len(files) > 1:
        return Choice(source=None, reason=f"fits {names}", cause=NoDate.AMBIGUOUS)
    reason = f"the page does not show the title of {names}"
    return Choice(source=None, reason=reason, cause=NoDate.UNKNOWN)


def _say_why(source: PossibleSource, *, is_title_shown: bool) -> str:
    """Says why a file was chosen as the source of a page, as `explain` prints it.

    `path and title; it sets this path itself` if page and file have a similar path and the same
    title, and the file has a line such as `permalink: /tea/`.
    """
    in_common = "path and title" if is_title_shown else "path"
    if source.shown_by is ShownBy.OWN_PATH:
        return f"{in_common}; it sets this path itself"
    # So many titles show that the generator reads the folder, though no setting says so.
    if source.shown_by is ShownBy.TITLED_FOLDER:
        return f"{in_common}; at least 3 pages show the titles of files in its folder"
    return f"{in_common} in the generator's folder"


def _refuse(source: PossibleSource, size: int, *, is_title_shown: bool) -> Choice | None:
    """Refuses the only likely source of a page if its commits would not date the page's text.

    Returns a choice without a source that says why, or None if the source is not refused. `size` is
    the size of the page's main text in bytes. The reasons to refuse a source are:

    - The page does not show the title that the source has in its metadata. A missing heading is no
      reason: a source may have several headings.
    - The source has only a line such as `::: package.module`, for which a tool writes the
      documentation of a program. If the files of that program are known, they are the `parts` of
      the source, and their commits do date the page.
    - The page has 90 KB of text, and the source 2 KB. Most of the text comes from elsewhere.
    """
    if source.has_own_title and not is_title_shown:
        reason = f"the page does not show the title of {source.name}"
        return Choice(source=None, reason=reason, cause=NoDate.UNKNOWN)
    is_all_generated = source.is_stub and not source.parts
    if is_all_generated:
        reason = f"all text but the headings of {source.name} is generated"
        return Choice(source=None, reason=reason, cause=NoDate.EXCEEDED)
    if size > source.max_text:
        reason = (
            f"the page shows {_bytes(size)}, its source {source.name} has {_bytes(source.size)}"
        )
        return Choice(source=None, reason=reason, cause=NoDate.EXCEEDED)
    return None


def _bytes(count: int) -> str:
    """Writes a size for a person: `900 bytes`, `12 KB`."""
    return f"{count:,} bytes" if count < 1024 else f"{count / 1024:,.0f} KB"
