"""Finds folders of built pages beside the sources: other copies of the site. Pure.

Somebody may commit the site that is built from content/ to docs/, or deploy to another folder. Its
pages fit the pages of the site as well as their sources do, but nobody writes them.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from ..model import SourceCandidate

_WITNESSES = 3  # pages of a folder that other files are written for
_HTML = re.compile(r"\.x?html?$", re.IGNORECASE)
# a/index.html and a.html are two forms of one page.
_FORM = re.compile(r"(?:(?:^|/)index)?\.x?html?$", re.IGNORECASE)


def copied_folders(choices: Mapping[str, Sequence[SourceCandidate]]) -> set[str]:
    """The folders that hold other copies of the site; `choices` are the candidates of its pages.

    Such a folder has pages of the site under their own paths, and other files are written for them:
    text in Markdown, or HTML with metadata. One of these suffices in a folder of the generator.
    Plain HTML that a tool copies to the site has no such files beside it.
    """
    witnesses: dict[str, int] = defaultdict(int)
    folders: set[str] = set()
    for path, candidates in choices.items():
        if len(candidates) < 2:
            continue
        written = [file for file in candidates if _is_written(file)]
        for file in candidates:
            folder = _folder_of_copy(file, path)
            if not folder:
                continue
            others = [other for other in written if not is_below(other.name, {folder})]
            if any(other.is_trusted for other in others):
                folders.add(folder)
            elif others:
                witnesses[folder] += 1
    folders.update(folder for folder, count in witnesses.items() if count >= _WITNESSES)
    return folders


def is_below(name: str, folders: Set[str]) -> bool:
    """Whether a file is in one of the folders."""
    folder = name
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in folders:
            return True
    return False


def _is_written(file: SourceCandidate) -> bool:
    """Whether a file is certainly no built page: its metadata name its title, or it is no HTML."""
    return file.is_named or not _HTML.search(file.name)


def _folder_of_copy(file: SourceCandidate, path: str) -> str:
    """The folder in which a file has the path that a page has in the site, "" if it is no copy."""
    if _is_written(file):
        return ""
    page = _FORM.sub("", path)
    name = _FORM.sub("", file.name)
    return name.removesuffix(f"/{page}") if name.endswith(f"/{page}") else ""
