"""The list of changes that wait to be submitted: rows such as `added TAB https://example.com/a`.

`build` adds rows to the list, and `submit` sends them to a search engine, then removes them. The
two may run at the same time, so `submit` marks the rows that it sends.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..model import NO_BASELINE, UrlChange
from ..syntax.urls import without_scheme

# The end of a row that `submit` is sending. A build may queue the same URL again meanwhile; only
# the row with the mark is removed when the search engine has accepted it.
_SENDING = "\tsending"


class QueuedRow(NamedTuple):
    """A row of the list: the change, the URL, and whether `submit` is sending it now.

    A comment is a row, too: its text is in `change`, and its `url` is "".
    """

    change: str
    url: str
    is_sending: bool

    @property
    def key(self) -> str:
        """Returns what makes the row unique in the list: the URL or, for a comment, its text."""
        return self.url or self.change

    def line(self) -> str:
        """Writes the row as a line: `added TAB https://a.example/b TAB sending`.

        A row without a URL, such as a comment, is only its text.
        """
        fields = f"{self.change}\t{self.url}" if self.url else self.change
        return f"{fields}{_SENDING if self.is_sending else ''}\n"


def parse_row(line: str) -> QueuedRow:
    """Reads a line: `added TAB https://a.example/b TAB sending` → added, this URL, and True.

    Of a line without a URL, such as a comment, the whole text is the `change`, and the URL is "".
    """
    text = line.rstrip("\r\n")
    change, _, url = text.removesuffix(_SENDING).partition("\t")
    return QueuedRow(change, url, is_sending=text.endswith(_SENDING))


def is_below(url: str, base_url: str) -> bool:
    """Whether a URL is below a base URL. Their schemes may differ.

    `http://a.example/blog/b` is below `https://a.example/blog/`.
    """
    return without_scheme(url).startswith(without_scheme(base_url))


def whole_site_note(base_url: str) -> str:
    """Writes the last line of a list of changes that has all URLs of a site, not only changed ones.

    `# no baseline for https://a.example/: there was no earlier sitemap`

    The first build of a site has no earlier sitemap to compare with, so it lists each page as
    added. The line tells `submit` not to send such a list.
    """
    return f"{NO_BASELINE} for {base_url}: there was no earlier sitemap\n"


def is_whole_site_note(line: str, base_url: str) -> bool:
    """Whether a line says that its list of changes has all URLs of the site at a base URL.

    `# no baseline for https://a.example/: …` → True for `https://a.example/`. The first build of a
    site adds this line, because it has nothing to compare with, and lists all pages as added.
    """
    return line.startswith(f"{NO_BASELINE} for {base_url}:")


def merge_lists(waiting: Iterable[str], new: Iterable[str], base_url: str) -> Iterator[str]:
    """Merges the list of changes that wait to be submitted with the list of a new build, as lines.

    The result has one row for each URL:

    | waiting   | new       | result                                                   |
    |-----------|-----------|----------------------------------------------------------|
    | `changed` | none      | `changed`                                                |
    | `added`   | `changed` | `changed`                                                |
    | `added`   | `removed` | no row: the search engine has never heard of the URL     |

    A waiting row that `submit` is sending now stays beside a new one. `submit` removes it later.
    What a first build has listed as added is left out, because it is the whole site.
    """
    rows: dict[str, QueuedRow] = {}  # of the result, by URL or, for a comment, by its text
    for row in _without_first_build(list(waiting), base_url):
        if row.is_sending:
            yield row.line()
        else:
            rows[row.key] = row
    if not rows:  # nothing to merge: the new list stays as it is
        yield from new
        return
    for line in new:
        row = parse_row(line)
        # The waiting row for this URL goes, so that the new one comes after all waiting ones.
        waiting_row = rows.pop(row.key, None)
        was_added = waiting_row is not None and waiting_row.change == UrlChange.ADDED.value
        is_removed_again = was_added and row.change == UrlChange.REMOVED.value
        if not is_removed_again:
            rows[row.key] = row
    for row in rows.values():
        yield row.line()


def _without_first_build(lines: Sequence[str], base_url: str) -> Iterator[QueuedRow]:
    """Reads the rows of a list, but leaves out what the first build of a site has added to it.

    A first build lists all pages of the site as added, which are no changes, and ends the list with
    a note. Rows of other sites stay, and so do rows that `submit` is sending now.
    """
    has_first_build = any(is_whole_site_note(line, base_url) for line in lines)
    for line in lines:
        if is_whole_site_note(line, base_url):
            continue
        queued = parse_row(line)
        is_of_first_build = has_first_build and is_below(queued.url, base_url)
        if not is_of_first_build or queued.is_sending:
            yield queued


def mark_as_sending(lines: Iterable[str], base_url: str) -> Iterator[str]:
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

    `accepted` are the changes and URLs of these rows: `{("added", "https://a.example/b")}`. Then
    the row `added TAB https://a.example/b TAB sending` is left out. The same row without `sending`
    stays, because a build has added it while the other one was being sent.
    """
    for line in lines:
        queued = parse_row(line)
        if not queued.is_sending or (queued.change, queued.url) not in accepted:
            yield line


def requeue_unaccepted(lines: Iterable[str], base_url: str) -> Iterator[str]:
    """Puts changes back in the queue that `submit` has sent, but that were not accepted.

    `lines` are the rows of the queue, without those that were accepted. While `submit` sends a row,
    it ends with `sending`. This word is removed now.

    Meanwhile, a build may have added newer rows for the same URLs, so both are merged:
    `added /b sending` and the later `changed /b` → `changed /b`.
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
