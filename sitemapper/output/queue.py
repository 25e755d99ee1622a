"""The list of changes that wait to be submitted: rows such as `added TAB https://example.com/a`."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..model import NO_BASELINE, UrlChange

# The end of a row that `submit` is sending. A build may queue the same URL again meanwhile; only
# the row with the mark goes when the engine has accepted it.
_SENDING = "\tsending"


class QueuedRow(NamedTuple):
    """A row of the list: the change, the URL, and whether `submit` is sending it."""

    kind: str
    url: str
    is_sending: bool

    def line(self) -> str:
        """The row as a line."""
        fields = f"{self.kind}\t{self.url}" if self.url else self.kind
        return f"{fields}{_SENDING if self.is_sending else ''}\n"


def parse_row(line: str) -> QueuedRow:
    """The parts of a line. The URL is empty in a line that is no row."""
    text = line.rstrip("\r\n")
    kind, _, url = text.removesuffix(_SENDING).partition("\t")
    return QueuedRow(kind, url, text.endswith(_SENDING))


def is_below(url: str, base_url: str) -> bool:
    """Whether a URL is below a base URL. Their schemes may differ."""
    return url.partition("://")[2].startswith(base_url.partition("://")[2])


def merge_lists(waiting: Iterable[str], new: Iterable[str]) -> Iterator[str]:
    """The remaining lines of a list of changes, merged with the lines of a new one.

    A new row of a URL replaces its old row, unless that is being sent. A URL that was added and
    then removed needs no row. If the list contains the whole site because there was nothing to
    compare with, it is dropped. Rows of other base URLs stay.
    """
    kinds: dict[str, str] = {}
    sending: list[str] = []
    for row in waiting:
        queued = parse_row(row)
        if row.startswith(NO_BASELINE):
            kinds.clear()
        elif queued.is_sending:
            sending.append(queued.line())
        else:
            kinds[queued.url] = queued.kind
    yield from sending
    if not kinds:
        yield from new
        return
    for row in new:
        queued = parse_row(row)
        before = kinds.pop(queued.url, "")
        is_undone = before == UrlChange.ADDED.value and queued.kind == UrlChange.REMOVED.value
        if not is_undone:
            kinds[queued.url] = queued.kind
    for url, kind in kinds.items():
        yield QueuedRow(kind, url, is_sending=False).line()


def begin_sending(lines: Iterable[str], base_url: str) -> Iterator[str]:
    """The lines, with a mark on those of a site, which are sent now."""
    for line in lines:
        queued = parse_row(line)
        is_own = is_below(queued.url, base_url)
        yield queued._replace(is_sending=True).line() if is_own else line


def without_accepted(lines: Iterable[str], accepted: set[tuple[str, str]]) -> Iterator[str]:
    """The lines, without those that were sent and accepted, each given by its change and URL."""
    for line in lines:
        queued = parse_row(line)
        if not queued.is_sending or (queued.kind, queued.url) not in accepted:
            yield line


def end_sending(lines: Iterable[str]) -> Iterator[str]:
    """The lines without marks: what was not accepted waits again, before what a build added."""
    rest: list[str] = []
    added: list[str] = []
    for line in lines:
        queued = parse_row(line)
        if queued.is_sending:
            rest.append(queued._replace(is_sending=False).line())
        else:
            added.append(line)
    return merge_lists(rest, added) if rest else iter(added)
