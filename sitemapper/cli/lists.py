"""The files that `--excluded`, `--changes` and `--report` name."""

import os
import re
from collections.abc import Iterable, Iterator

from ..errors import SitemapperError
from ..files import read_regular
from ..model import Excluded, Reason
from .console import emit, shown
from .options import STDOUT

_START_BYTES = 4096  # the longest path in a list is shorter
# How the report, a list of changes and a list of excluded pages begin.
_OURS = re.compile(
    r"<!doctype html>\n<!-- sitemapper report -->|# no baseline\n|(added|changed|removed)\t"
    rf"|[^\t\n]+\t({'|'.join(reason.value for reason in Reason)})\t"
)


def check_file(flag: str, path: str) -> None:
    """Raises SitemapperError for a file that cannot be written, or that no such flag has written.

    A typo must not destroy a page of the site.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.access(folder, os.W_OK):
        raise SitemapperError(f"{flag}: {folder}: is no folder that can be written")
    start = read_regular(path, _START_BYTES) or b""
    if start and not _OURS.match(start.decode("utf-8", "replace")):
        text = f"{flag}: {path}: was not written by sitemapper, so it is not replaced"
        raise SitemapperError(text, "choose another file name")


def excluded_rows(excluded: Iterable[Excluded]) -> Iterator[str]:
    """Yields the path, the reason and what decided, with tabs between."""
    for one in excluded:
        yield "\t".join(map(shown, (one.path, one.reason.value, str(one.origin))))


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Writes the lines of a file, or prints them."""
    if path == STDOUT:
        emit(lines)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
