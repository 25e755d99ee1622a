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
    """What differs from the earlier sitemap. Without one, each URL is an added one."""
    if plan.previous is not None:
        return plan.changes
    return [Change("added", entry.loc, "", entry.lastmod or "") for entry in plan.entries]


def rows_of(changes: Iterable[Change], plan: Plan) -> list[str]:
    """The lines of a list. Nobody should submit that of a first run, so it says what it is."""
    first = [NO_BASELINE] if plan.previous is None else []
    return [*first, *map(str, changes)]


def waiting_list(file: str, plan: Plan) -> File:
    """The list in a file, with the changes of a build added to those that nobody has taken.

    Raises SitemapperError for a line of another shape.
    """
    changes = changes_of(plan)
    text = (read_regular(file) or b"").decode("utf-8", "replace")
    # The whole site, as the first run lists it, is no list of changes.
    is_whole = text.startswith(NO_BASELINE)
    if plan.previous is not None and not is_whole:
        changes = merge_changes(read_changes(text, file), changes)
    rows = rows_of(changes, plan)
    if is_whole and not rows:
        rows = text.splitlines()
    return File(file, "updated", "".join(f"{row}\n" for row in rows).encode())


def read_changes(text: str, label: str) -> list[Change]:
    """Reads the rows of a list, each once. Raises SitemapperError for a line of another shape."""
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
    return list(dict.fromkeys(changes))


def merge_changes(waiting: Iterable[Change], new: Iterable[Change]) -> list[Change]:
    """Adds changes to those that nobody has taken; the newest of each URL counts.

    A URL that was added and is removed again is in neither.
    """
    merged: dict[str, Change] = {}
    for change in (*waiting, *new):
        before = merged.pop(change.url, None)  # the newest come last
        if not (before and (before.kind, change.kind) == ("added", "removed")):
            merged[change.url] = change
    return list(merged.values())
