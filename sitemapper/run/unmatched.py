"""The user's patterns that had no effect in a run. Most match again one day, and some never can."""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

from ..messages import Kind, Message
from ..read import server
from ..read.kind import kind_of
from ..read.walk import SiteRoot
from ..syntax.gitignore import Line, literal_path
from ..syntax.html import head_end
from ..syntax.urls import PAGE_ENDINGS


class Unmatched(NamedTuple):
    """What a run reports of the user's patterns that had no effect.

    - `warnings` are about patterns that can never match, or that add nothing
    - `notes` name a folder or a file that a misspelt pattern may mean
    - `places` say where patterns stand that may match one day: `sitemapper.toml:8: drafts/`
    """

    warnings: list[Message]
    notes: list[Message]
    places: list[str]


def describe_unmatched(lines: Iterable[Line], folder: str, root: SiteRoot) -> Unmatched:
    """Says what to report of the patterns that had no effect in this run.

    `../drafts/` gets a warning, because it can never match. `drafts/` may match later, so only its
    place is reported. `folder` is the absolute path of the site as the user names it, which may be
    a symbolic link.
    """
    warnings: list[Message] = []
    notes: list[Message] = []
    places: list[str] = []
    for line in lines:
        place = _describe_place(line)
        # `../drafts/` can never match.
        reason = _why_it_never_matches(line.text, folder, root)
        if reason:
            warnings.append(Message(Kind.IDLE, (f"{place} ({reason})",)))
            continue
        # `include = ["a.html"]` is not needed, because HTML files are pages anyway. But an app
        # shell is listed only because of it, and the run does not count this as an effect.
        is_in_include = line.origin.source == "include"
        if is_in_include and line.text.lower().endswith(PAGE_ENDINGS):
            if not _is_listed_by_pattern(line.text, root):
                warnings.append(Message(Kind.INCLUDE, (place,)))
            continue
        # `drafts/` may match later. A person may have written it twice.
        if place in places:
            continue
        places.append(place)
        # `blgo/` may be a typo, if the site has the folder `blog/`.
        similar_path = _find_similar_path(line.text, root)
        if similar_path:
            notes.append(Message(Kind.PATTERN_TYPO, (line.text, similar_path)))
    return Unmatched(warnings, notes, places)


def _describe_place(line: Line) -> str:
    """Describes where a pattern is written, with its text.

    `--ignore drafts/` for a flag; `sitemapper.toml:8: drafts/` for a line of a file.
    """
    source = line.origin.source
    if source.startswith("--"):
        return f"{source} {line.text}"
    # A rule may have several patterns, and its origin has the text of all. Only this one is shown.
    return str(line.origin._replace(text=line.text))


def _why_it_never_matches(text: str, folder: str, root: SiteRoot) -> str:
    """Says why a pattern can never match a page, as a phrase for a message; "" if it can.

    | pattern for the site public/ | result |
    |---|---|
    | `./drafts/` | no path of the site has a ./ or ../ in it |
    | `public/drafts/` | it begins with the site's own folder; write drafts/ |
    | `drafts/` | "": there may be drafts one day |

    As in git, a pattern is compared with paths below the site's folder (gitignore(5), "PATTERN
    FORMAT"). `folder` is the absolute path of this folder as the user names it.
    """
    path = text.strip().removeprefix("/")
    segments = path.removesuffix("/").split("/")
    if "." in segments or ".." in segments:
        return "no path of the site has a ./ or ../ in it"
    # `public/drafts/` can match if the site has a folder public/ inside.
    exists_in_site = os.path.lexists(root.file(segments[0]))
    if exists_in_site:
        return ""
    for site in (folder, root.root):  # `root.root` is the same folder without symbolic links
        path_in_site = _remove_site_folder(path, site)
        if path_in_site:
            return f"it begins with the site's own folder; write {path_in_site}"
    return ""


def _remove_site_folder(path: str, site: str) -> str:
    """Removes the site's own folder from the beginning of a path. "" if it is not there.

    For the site /a/b/public, `public/drafts/` and `b/public/drafts/` → `drafts/`.
    """
    segments = path.removesuffix("/").split("/")
    segments_of_site = site.strip(os.sep).split(os.sep)
    # The longest beginning counts: for the site a/a, the pattern `a/a/b` means `b`.
    for length in range(len(segments) - 1, 0, -1):
        if segments[:length] == segments_of_site[-length:]:
            return path.split("/", length)[length]
    return ""


def _find_similar_path(pattern: str, root: SiteRoot) -> str:
    """Finds the folder or file that a misspelt pattern probably means.

    `blgo/` → `blog/`; `a/blog/` → `a/Blog/`. "" if the pattern has wildcards, if it names a folder
    or file that exists, or if no name in the same folder is similar.
    """
    path = (literal_path(pattern) or "").rstrip("/")
    if not path or os.path.lexists(root.file(path)):
        return ""
    folder, _, name = path.rpartition("/")
    try:
        names_in_folder = sorted(os.listdir(root.file(folder)))
    except OSError:  # no such folder, so no name in it is similar
        return ""
    name_by_lower_case = {other.lower(): other for other in names_in_folder}
    # 0.7 lets two letters of four change places, as in `blgo` for `blog`.
    similar = get_close_matches(name.lower(), name_by_lower_case, n=1, cutoff=0.7)
    if not similar:
        return ""
    similar_name = name_by_lower_case[similar[0]]
    corrected = f"{folder}/{similar_name}" if folder else similar_name
    return f"{corrected}/" if pattern.rstrip().endswith("/") else corrected


def _is_listed_by_pattern(text: str, root: SiteRoot) -> bool:
    """Whether a pattern of `include` names an HTML file that is listed only because of the pattern.

    True for an app shell, which is no page by itself. False for a usual page, for a pattern with
    wildcards, and for a file that cannot be read.
    """
    path = literal_path(text)
    if not path:  # the pattern has wildcards
        return False
    data = server.read_at(root, path)
    if data is None:
        return False
    kind = kind_of(path, data, head_end(data))  # such as "app shell"; None for a usual page
    return kind is not None
