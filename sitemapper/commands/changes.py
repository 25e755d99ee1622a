"""The list of changed URLs: `build --changes` writes it, `submit` and `verify` take it."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, cast

from ..errors import SitemapperError
from ..files import read_regular
from ..model import Change, Entry, File, Plan

# The first line of the list of a first run, which has the whole site.
NO_BASELINE = "# no baseline"
Kind = Literal["added", "changed", "removed"]
_ROW = re.compile(r"(added|changed|removed)\t(https?://[!-~]+)")


class ChangedUrl(NamedTuple):
    """A URL of the list, and what a build did with it."""

    kind: Kind
    url: str

    def __str__(self) -> str:
        return f"{self.kind}\t{self.url}"


def changes_of(plan: Plan, entries: Iterable[Entry]) -> Sequence[Change]:
    """What differs from the earlier sitemap. Without one, each URL is an added one."""
    if plan.previous is not None:
        return plan.changes
    return [Change("added", one.loc, "", one.lastmod or "") for one in entries]


def rows_of(changes: Iterable[Change], plan: Plan) -> list[str]:
    """The lines of a list. Nobody should submit that of a first run, so it says what it is."""
    first = [NO_BASELINE] if plan.previous is None else []
    return [*first, *(str(ChangedUrl(one.kind, one.url)) for one in changes)]


def waiting_list(file: str, changes: Sequence[Change], plan: Plan) -> File:
    """The list in a file, with the changes of a build added to those that nobody has taken.

    Raises SitemapperError for a line of another shape.
    """
    rows = rows_of(changes, plan)
    text = (read_regular(file) or b"").decode("utf-8", "replace")
    # The whole site, as the first run lists it, is no list of changes.
    if NO_BASELINE in text:  # earlier versions wrote it at the end
        rows = rows or text.splitlines()
    elif plan.previous is not None:
        new = [ChangedUrl(one.kind, one.url) for one in changes]
        rows = [str(one) for one in merge_changes(read_changes(text, file), new)]
    return File(file, "updated", "".join(f"{row}\n" for row in rows).encode())


def read_changes(text: str, label: str) -> list[ChangedUrl]:
    """Reads the rows of a list, each once. Raises SitemapperError for a line of another shape."""
    changes: dict[ChangedUrl, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith(NO_BASELINE):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            raise SitemapperError(
                f"{label}:{number}: is not `added`, `changed` or `removed`, a tab and a URL",
                "pass the list that `sitemapper build --changes FILE` wrote",
            )
        changes[ChangedUrl(cast(Kind, row[1]), row[2])] = None
    return list(changes)


def merge_changes(waiting: Iterable[ChangedUrl], new: Iterable[ChangedUrl]) -> list[ChangedUrl]:
    """Adds changes to those that nobody has taken; the newest of each URL counts.

    A URL that was added and is removed again is in neither.
    """
    kinds: dict[str, ChangedUrl] = {}
    for change in (*waiting, *new):
        before = kinds.pop(change.url, None)  # the newest come last
        if not (before and (before.kind, change.kind) == ("added", "removed")):
            kinds[change.url] = change
    return list(kinds.values())
