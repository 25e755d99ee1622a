"""The user's patterns that had no effect in a run. Most match again one day, and some never can."""

import os
from collections.abc import Collection
from difflib import get_close_matches
from typing import NamedTuple

from ..messages import Kind, Message
from ..read import contents
from ..read.kind import kind_of
from ..read.walk import SiteRoot
from ..syntax.gitignore import Line, literal_path
from ..syntax.html import head_end
from ..syntax.urls import PAGE_ENDINGS


class Unmatched(NamedTuple):
    """The warnings and notes about patterns, and the places of those that may match one day."""

    warnings: list[Message]
    notes: list[Message]
    places: list[str]


def describe_unmatched(
    included: Collection[Line], others: Collection[Line], folder: str, root: SiteRoot
) -> Unmatched:
    """What to say of patterns that had no effect: those of `include`, and all others.

    `folder` is the site as the user names it, an absolute path. It may be a symbolic link.
    """
    found = Unmatched(warnings=[], notes=[], places=[])
    is_include = set(included).__contains__
    for line in (*included, *others):
        place = _place(line)
        reason = _misplacement(line.text, folder, root)
        if reason:
            found.warnings.append(Message(Kind.IDLE, (f"{place} ({reason})",)))
        elif is_include(line) and line.text.lower().endswith(PAGE_ENDINGS):
            if not _needs_its_name(line.text, root):
                found.warnings.append(Message(Kind.INCLUDE, (place,)))
        elif place not in found.places:
            found.places.append(place)
            name = _similar_name(line.text, root)
            if name:
                found.notes.append(Message(Kind.PATTERN_TYPO, (line.text, name)))
    return found


def _place(line: Line) -> str:
    """Where a pattern is, and its text. A rule may have several patterns."""
    source = line.origin.source
    if source.startswith("--"):
        return f"{source} {line.text}"
    return str(line.origin._replace(text=line.text))


def _misplacement(text: str, folder: str, root: SiteRoot) -> str:
    """Why a pattern can match no path that is relative to the site, "" if it can.

    git compares patterns with paths below the folder of the ignore file (gitignore(5), "PATTERN
    FORMAT"). No such path has a segment `.` or `..`, or begins above that folder.
    """
    path = text.strip().removeprefix("/")
    segments = path.removesuffix("/").split("/")
    if "." in segments or ".." in segments:
        return "no path of the site has a ./ or ../ in it"
    if os.path.lexists(root.file(segments[0])):
        return ""
    for site in (folder, root.root):
        above = site.strip(os.sep).split(os.sep)
        # The longest beginning first: with the site a/a, `a/a/b` is `b`.
        for length in range(len(segments) - 1, 0, -1):
            if segments[:length] == above[-length:]:
                kept = path.split("/", length)[length]
                return f"it begins with the site's own folder; write {kept}"
    return ""


def _similar_name(pattern: str, root: SiteRoot) -> str:
    """The folder or file that a pattern without wildcards probably means.

    `blgo/` → `blog/`, and `blog/` → `Blog/`. "" if the pattern names something that is there, or if
    no name in the same folder is like it.
    """
    path = (literal_path(pattern) or "").rstrip("/")
    if not path or os.path.lexists(root.file(path)):
        return ""
    folder, _, name = path.rpartition("/")
    try:
        names = {name.lower(): name for name in sorted(os.listdir(root.file(folder)))}
    except OSError:  # no such folder, so no name in it is like this one
        return ""
    # 0.7 lets two letters of four change places, as in `blgo` for `blog`.
    similar = get_close_matches(name.lower(), names, n=1, cutoff=0.7)
    if not similar:
        return ""
    similar_name = names[similar[0]]
    corrected = f"{folder}/{similar_name}" if folder else similar_name
    return f"{corrected}/" if pattern.rstrip().endswith("/") else corrected


def _needs_its_name(text: str, root: SiteRoot) -> bool:
    """Whether a pattern of `include` names a file that would be no page without it."""
    path = literal_path(text)
    data = contents.read_at(root, path) if path else None
    if path is None or data is None:  # a warning of the run names a file that cannot be read
        return False
    return kind_of(path, data, head_end(data)) is not None
