"""The list of changed URLs: `build --changes` writes it, `submit` and `verify` take it."""

import re
from collections.abc import Iterable, Sequence
from typing import cast

from ..files import read_regular
from ..messages import SitemapperError
from ..model import Change, ChangeKind, File, Plan

# The first line of the list of a first run, which has the whole site.
NO_BASELINE = "# no baseline"
_ROW = re.compile(r"(added|changed|removed)\t(https?://[!-~]+)")


def changes_of(plan: Plan) -> Sequence[Change]:
    """The URLs that differ from the earlier sitemap. Without one, all URLs are added ones."""
    if plan.previous is not None:
        return plan.changes
    return [Change("added", entry.loc, "", entry.lastmod or "") for entry in plan.entries]


def rows_of(changes: Iterable[Change], plan: Plan) -> list[str]:
    """The lines of a list. Nobody should submit that of a first run, so it says what it is."""
    first = [NO_BASELINE] if plan.previous is None else []
    return [*first, *map(str, changes)]


def waiting_list(file: str, plan: Plan) -> File:
    """The file of `build --changes`, with its new text: the earlier changes, and those of `plan`.

    Changes wait in the file until `submit` takes them. Raises SitemapperError for a line that is no
    change.
    """
    changes = changes_of(plan)
    text = (read_regular(file) or b"").decode("utf-8", "replace")
    # The list of a first run has the whole site. No change is added to it, but the first one
    # replaces it.
    has_whole_site = text.startswith(NO_BASELINE)
    if plan.previous is not None and not has_whole_site:
        changes = merge_changes(read_changes(text, file), changes)
    rows = rows_of(changes, plan)
    if has_whole_site and not rows:
        rows = text.splitlines()
    return File(file, "updated", "".join(f"{row}\n" for row in rows).encode())


def read_changes(text: str, label: str) -> list[Change]:
    """Reads the text of a list, with rows such as `added`, a tab and `https://a.example/b`.

    A row that is there twice counts once. `label` names the list in an error. Raises
    SitemapperError for a line of another shape.
    """
    changes: list[Change] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith(NO_BASELINE):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            raise SitemapperError(
                f"{label}:{number}: is not `added`, `changed` or `removed`, a tab and a URL",
                "pass the list that `sitemapper build --changes FILE` wrote",
            )
        changes.append(Change(cast(ChangeKind, row[1]), row[2]))
    return list(dict.fromkeys(changes))  # each once, in their order


def merge_changes(waiting: Iterable[Change], new: Iterable[Change]) -> list[Change]:
    """Joins the changes that wait to be submitted with those of a new build.

    Of each URL, only the newest change stays. A URL that was added and is removed again is left
    out, because no search engine has heard of it.
    """
    merged: dict[str, Change] = {}
    for change in (*waiting, *new):
        earlier = merged.pop(change.url, None)  # the newest come last
        was_added = earlier is not None and earlier.kind == "added"
        if was_added and change.kind == "removed":
            continue
        merged[change.url] = change
    return list(merged.values())
