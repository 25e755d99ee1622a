"""The note on pages without a date: how many, why, and the one thing that helps."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..messages import Message, count, listing
from .source import pages_above

# The pages of a list of other pages, by their paths.
_LIST = re.compile(
    r"""(?ix)
      (?:^|/)(?:page|p)[/-]?\d+(?:/index)?\.x?html?$  # blog/page/2/index.html
    | (?:^|/)(?:tags?|categor(?:y|ies)|topics?|authors?|archives?)(?:/|\.x?html?$)
    | (?:^|/)(?:19|20)\d\d(?:/\d\d?){0,2}(?:/index)?\.x?html?$  # blog/2026/05/index.html
    """
)


class Cause(NamedTuple):
    """Why pages have no date, in a sentence about them, and what helps."""

    text: str
    help: str


_LEDGER = "--ledger sitemapper.ledger dates each page when its content changes from now on"
_MAP = "name the sources of the pages with [[git.map]]"
# In the order in which they are named: the help of the first one counts.
CAUSES = {
    "shallow clone": Cause(
        "this is a shallow clone, without the commit that changed the page",
        "fetch the history: git fetch --unshallow (in GitHub Actions, fetch-depth: 0 for "
        "actions/checkout)",
    ),
    "no source": Cause("no source is known", _MAP),
    "implausible": Cause(
        "its date is in the future or before 1991",
        "correct the date, or the clock of the machine that set it",
    ),
    "two sources": Cause("two sources fit", _MAP),
    "more text than its source": Cause("the page shows more than its source", _MAP),
    "not committed": Cause("the last edit is not committed", "commit it"),
    "git left out": Cause("only git dates it, and `lastmod` lacks git", "add git to `lastmod`"),
    "deploy": Cause("only commits over nearly all pages wrote the file", _LEDGER),
    "file time": Cause("a copy or a build wrote the file", _LEDGER),
    "list": Cause("a home page or a list of other pages, which has no source of its own", ""),
}


def find_lists(paths: Sequence[str]) -> set[str]:
    """Finds the home page and lists: other pages lie below, or the path is of a page of a list."""
    return pages_above(paths) | {path for path in paths if _LIST.search(path)}


def note_undated(causes: Iterable[tuple[str, str]]) -> list[Message]:
    """Writes a note on pages without a date, which come with their causes; lists do not count."""
    undated = [(path, cause) for path, cause in causes if cause != "list"]
    if not undated:
        return []
    counts = Counter(cause for _, cause in undated)
    named = [cause for cause in CAUSES if cause in counts]
    why = CAUSES[named[0]].text
    if len(named) > 1:
        why = "; ".join(f"{counts[cause]:,}: {CAUSES[cause].text}" for cause in named)
    examples = listing(path for path, _ in undated)
    pages = count(len(undated), "page has", "pages have")
    text = f"{pages} no date: {why} ({examples})"
    return [Message("note", "no-date", text, CAUSES[named[0]].help)]
