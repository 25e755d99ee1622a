"""The list of changes that wait to be submitted: rows such as `added TAB https://example.com/a`."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..model import NO_BASELINE, UrlChange
from ..syntax.urls import without_scheme

# The end of a row that `submit` is sending. A build may queue the same URL again meanwhile; only
# the row with the mark goes when the engine has accepted it.
_SENDING = "\tsending"


class QueuedRow(NamedTuple):
    """A row of the list: the change, the URL, and whether `submit` is sending it."""

    kind: str
    url: str
    is_sending: bool

    def line(self) -> str:
        """Writes the row as a line: `added TAB https://a.example/b TAB sending`.

        A row without a URL, such as a comment, is only its text.
        """
        fields = f"{self.kind}\t{self.url}" if self.url else self.kind
        return f"{fields}{_SENDING if self.is_sending else ''}\n"


def parse_row(line: str) -> QueuedRow:
    """Reads a line: `added TAB https://a.example/b TAB sending` → added, this URL, and True.

    A line without a URL, such as a comment, is all `kind`, and its URL is "".
    """
    text = line.rstrip("\r\n")
    kind, _, url = text.removesuffix(_SENDING).partition("\t")
    return QueuedRow(kind, url, text.endswith(_SENDING))


def is_below(url: str, base_url: str) -> bool:
    """Whether a URL is below a base URL. Their schemes may differ.

    `http://a.example/blog/b` is below `https://a.example/blog/`.
    """
    return without_scheme(url).startswith(without_scheme(base_url))


def whole_site_row(base_url: str) -> str:
    """Writes the last row of a list that contains all URLs of a site, not only the changed ones.

    A build writes such a list for a site at `base_url` that had no earlier sitemap.
    """
    return f"{NO_BASELINE} for {base_url}: there was no earlier sitemap\n"


def names_whole_site(row: str, base_url: str) -> bool:
    """Whether a row says that its list contains all URLs of the site at this base URL.

    `whole_site_row` writes such rows.
    """
    return row.startswith(f"{NO_BASELINE} for {base_url}:")


def merge_lists(waiting: Iterable[str], new: Iterable[str], base_url: str) -> Iterator[str]:
    """Merges the waiting lines of a list of changes with those of a new one: one row for each URL.

    | waiting | new | result |
    |---|---|---|
    | `added` | `changed` | `changed`: the new row replaces the waiting one |
    | `added` | `removed` | no row: the search engine has never heard of the URL |
    | `changed` | none | `changed` |
    | `added`, sending | `changed` | both rows: the sent one goes when it is accepted |
    | any row below `base_url` in a list of the whole site | none | no row: it is no change |
    """
    old_rows = list(waiting)
    has_whole_site = any(names_whole_site(row, base_url) for row in old_rows)
    rows: dict[str, QueuedRow] = {}  # by URL; rows without one, such as comments, by their text
    # Keep the waiting rows.
    for old_row in old_rows:
        queued = parse_row(old_row)
        if queued.is_sending:
            yield queued.line()
        elif names_whole_site(old_row, base_url):
            continue
        elif not (has_whole_site and is_below(queued.url, base_url)):
            rows[queued.url or queued.kind] = queued
    # If none waits, the new list stays as it is.
    if not rows:
        yield from new
        return
    # Replace waiting rows by new ones for the same URL. These come last.
    for row in new:
        queued = parse_row(row)
        key = queued.url or queued.kind
        before = rows.pop(key, None)
        was_added = before is not None and before.kind == UrlChange.ADDED.value
        if not (was_added and queued.kind == UrlChange.REMOVED.value):
            rows[key] = queued
    for remaining in rows.values():
        yield remaining.line()


def begin_sending(lines: Iterable[str], base_url: str) -> Iterator[str]:
    """Marks the rows of URLs below `base_url` with `sending`, because `submit` sends them now.

    `added TAB https://a.example/b` → `added TAB https://a.example/b TAB sending`. Other lines, such
    as those of another site, stay as they are.
    """
    for line in lines:
        queued = parse_row(line)
        is_sent_now = is_below(queued.url, base_url)
        yield queued._replace(is_sending=True).line() if is_sent_now else line


def without_accepted(lines: Iterable[str], accepted: set[tuple[str, str]]) -> Iterator[str]:
    """Leaves out the rows that were sent and that the search engine has accepted.

    `accepted` are their changes and URLs: `{("added", "https://a.example/b")}`. A row for the same
    change that a build has added during the sending has no mark, and stays.
    """
    for line in lines:
        queued = parse_row(line)
        if not queued.is_sending or (queued.kind, queued.url) not in accepted:
            yield line


def end_sending(lines: Iterable[str], base_url: str) -> Iterator[str]:
    """Removes the mark `sending` from the rows that were not accepted, so that they wait again.

    They come first, merged with the rows that a build has added during the sending.
    """
    not_accepted: list[str] = []
    added_since: list[str] = []
    for line in lines:
        queued = parse_row(line)
        if queued.is_sending:
            not_accepted.append(queued._replace(is_sending=False).line())
        else:
            added_since.append(line)
    return merge_lists(not_accepted, added_since, base_url)
