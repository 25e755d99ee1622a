"""The user's patterns that decide nothing in a run: most match again one day, some never can."""

import os
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from ..messages import Kind, Message
from ..read import contents
from ..read.kind import kind_of
from ..read.walk import SiteRoot, page_names
from ..syntax.gitignore import Line, Patterns, literal_path
from ..syntax.html import head_end
from ..syntax.urls import PAGE_ENDINGS

_MOST_NAMES = 10_000  # that are compared without regard to case


class Unmatched(NamedTuple):
    """The warnings and notes about patterns, and the places of those that may match one day."""

    warnings: list[Message]
    notes: list[Message]
    places: list[str]


def judge(
    included: Collection[Line], others: Collection[Line], folder: str, root: SiteRoot
) -> Unmatched:
    """Judges patterns that had no effect on a site: those of `include`, and all others.

    `folder` is the site as the user names it, an absolute path. It may be a symbolic link.
    """
    found = Unmatched(warnings=[], notes=[], places=[])
    possible = []
    for line in (*included, *others):
        reason = _misplacement(line.text, folder, root)
        if reason:
            found.warnings.append(_warning(Kind.IDLE, line, reason))
        else:
            possible.append(line)
    is_include = set(included).__contains__
    # Patterns of `include` have no case.
    differing = _differing_in_case([line for line in possible if not is_include(line)], root)
    for line in possible:
        if line in differing:
            reason = f"the site has {differing[line]}"
            found.warnings.append(_warning(Kind.IDLE, line, reason))
        elif is_include(line) and line.text.lower().endswith(PAGE_ENDINGS):
            if not _needs_its_name(line.text, root):
                found.warnings.append(_warning(Kind.INCLUDE, line))
        elif _place(line) not in found.places:
            found.places.append(_place(line))
            name = _similar_name(line.text, root)
            if name:
                found.notes.append(Message(Kind.PATTERN_TYPO, (line.text, name)))
    return found


def _warning(kind: Kind, line: Line, reason: str = "") -> Message:
    """A warning about a pattern, with what is wrong with it."""
    place = _place(line)
    return Message(kind, (f"{place} ({reason})" if reason else place,))


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
    if ".." in segments:
        return "it leads out of the site"
    if "." in segments:
        kept = "/".join(segment for segment in path.split("/") if segment != ".")
        return f"no path has a ./ in it; write {kept}"
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
    """The folder or file that a pattern without wildcards probably means: `blgo/` → `blog/`.

    "" if it names something that is there, or if no name in the same folder is like it.
    """
    path = (literal_path(pattern) or "").rstrip("/")
    if not path or os.path.lexists(root.file(path)):
        return ""
    folder, _, name = path.rpartition("/")
    try:
        names = os.listdir(root.file(folder))
    except OSError:  # no such folder, so no name in it is like this one
        return ""
    # 0.7 lets two letters of four change places, as in `blgo` for `blog`.
    similar = get_close_matches(name, names, n=1, cutoff=0.7)
    if not similar:
        return ""
    corrected = f"{folder}/{similar[0]}" if folder else similar[0]
    return f"{corrected}/" if pattern.rstrip().endswith("/") else corrected


def _needs_its_name(text: str, root: SiteRoot) -> bool:
    """Whether a pattern of `include` names a file that would be no page without it."""
    path = literal_path(text)
    data = contents.read_at(root, path) if path else None
    if path is None or data is None:  # a warning of the run names a file that cannot be read
        return False
    return kind_of(path, data, head_end(data)) is not None


def _differing_in_case(lines: Sequence[Line], root: SiteRoot) -> dict[Line, str]:
    """The patterns that only their case keeps from matching, each with a page that it would match.

    Looks at the first pages of the site by name.
    """
    with_letters = [line for line in lines if line.text.lower() != line.text.upper()]
    if not with_letters:
        return {}
    names = list(islice(page_names(root), _MOST_NAMES))
    differing = {}
    for line in with_letters:
        alike = list(filter(Patterns([line], any_case=True).matches, names))
        is_matched = any(map(Patterns([line]).matches, alike))
        if alike and not is_matched:
            differing[line] = alike[0]
    return differing
