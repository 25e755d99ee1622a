"""The sitemap that was published before, wherever it is: `previous` of the configuration.

It is read once, before the pages. Its rows wait in a temporary file, in our own format and in their
order, so that everything that compares with them reads the same rows.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO
from urllib.parse import unquote

from ..errors import PreviousError
from ..fs import open_file_inside
from ..linter.model import FileError, Node, origin
from ..linter.reader import elements, uncompressed
from ..linter.rules.documents import UNEXPECTED
from ..protocol import SITEMAPINDEX, URLSET
from ..site import Run, Site
from ..syntax.urls import resolve, without_www
from . import formats
from .changes import entry
from .live_sitemap import LiveSitemap, check_nested, check_parts
from .published import Found, Previous

_IN_MEMORY = 1 << 20  # bytes of the rows
_LONGEST = 1 << 20  # bytes of a row of ours
_MOST_SEEN = 200_000  # URLs that are known when one is listed twice, in some 13 MiB
_WAYS = (
    "compare with a copy: --previous FILE; or publish once without this protection: --previous none"
)
_HEADER = "pass --header NAME=ENVVAR"


@contextmanager
def read_previous(source: str, site: Site, run: Run, ledger: str | None) -> Iterator[Found]:
    """What was published before a run, if the key `previous` names another place than the output.

    `ledger` is the path of the ledger that the run reads. Raises PreviousError or NetworkError if
    there is a sitemap that cannot be read.
    """
    nothing = Previous(site.output, (), has_main=False, ledger=None, is_of_output=False)
    if source == "none":
        yield Found(nothing)
        return
    url = site.output.sitemap_url if source == "live" else source
    is_file = "://" not in url
    label = run.display(url) if is_file else url
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        rows = _Rows(file, site.base_url)
        if is_file:
            _add_files(url, label, rows, run)
        elif not LiveSitemap(url, run, _unreadable).read(rows.add):
            note = f"{url} does not exist yet, so there is nothing to compare with"
            yield Found(nothing, (note,))
            return
        rows.check(label)
        notes = tuple(rows.notes(label))
        previous = nothing._replace(has_main=True, ledger=ledger, copy=file, place=label)
        yield Found(previous, notes)


class _Rows:
    """The rows of the earlier sitemaps, in our format, with the URLs as this site writes them.

    http and https, with and without `www.`, are the same. URLs that are not below the base are only
    counted.
    """

    def __init__(self, file: IO[bytes], base_url: str) -> None:
        self._file = file
        self._base = base_url
        self._base_after_host = without_www(base_url)
        self._own_start = f"<url><loc>{formats.escape(base_url)}".encode()
        self._seen: set[int] = set()  # URLs of other tools, which may list one twice
        self._below = 0
        self._outside = 0
        self._first_outside = ""
        self._invalid: str | None = None  # the first text that is no URL

    def add(self, file: IO[bytes], label: str) -> list[str]:
        """Adds the URLs of a sitemap. Returns the URLs of its parts if it is an index.

        Messages call the file `label`. Raises PreviousError if it is no sitemap, or not whole.
        """
        try:
            start = next(uncompressed(file), b"")
            file.seek(0)
            if not start.strip():
                raise _unreadable(label, "is empty")
            is_own = formats.MARK in start[:512]
            if is_own and f"<{URLSET}".encode() in start[:512] and self._add_own(file):
                return []
            file.seek(0)
            blocks = uncompressed(file)
            if is_own:
                blocks = _without_others(blocks)
            return self._add_parsed(blocks, label)
        except FileError as error:
            raise _unreadable(f"{label}:{error.line}", error.text) from None

    def check(self, label: str) -> None:
        """Raises PreviousError if all URLs are those of another site, or none is a URL."""
        if self._below:
            return
        if not self._outside:
            if self._invalid is not None:
                raise _unreadable(label, f"lists {self._invalid!r}, which is no URL")
            return
        raise PreviousError(
            f"{label}: lists {self._first_outside}, which is not below {self._base}, so nothing "
            "was published",
            f"name a sitemap of this site, or correct base_url. Or {_WAYS}",
        )

    def notes(self, label: str) -> Iterator[str]:
        """A note on URLs that are not compared, or on a sitemap without any."""
        if not self._below:
            yield f"{label}: lists no URL, so there is nothing to compare with"
        if self._outside:
            amount = f"{self._outside:,} URLs" if self._outside > 1 else "1 URL"
            yield f"{label}: {amount} not below {self._base}, such as {self._first_outside}"

    def _add_own(self, file: IO[bytes]) -> bool:
        """Adds the rows of a sitemap that we wrote, without parsing them.

        Returns whether it is whole and as we wrote it. Otherwise, nothing is added.
        """
        before = self._file.tell(), self._below, self._outside
        last = b""
        for line in _lines(uncompressed(file)):
            if line.startswith(self._own_start) and line.endswith(b"</url>"):
                self._write(line)
            elif line.startswith(b"<url>"):
                self._add_url(*entry(line))
            last = line
        if last == b"</urlset>":
            return True
        position, self._below, self._outside = before
        self._file.seek(position)
        self._file.truncate()
        return False

    def _add_parsed(self, blocks: Iterator[bytes], label: str) -> list[str]:
        """Adds the URLs of any sitemap. Returns the URLs of its parts if it is an index.

        Raises FileError if it cannot be read to its end, and PreviousError if it is no sitemap.
        """
        parts: list[str] = []
        fault: FileError | None = None  # the last one, after which reading goes on, or not
        for element in elements(blocks):
            if isinstance(element, FileError):
                if element.rule is not UNEXPECTED:
                    fault = element
                continue
            fault = None
            root, node = element
            loc = _text_of(node, "loc")
            if root != URLSET and not origin(loc):
                raise FileError(UNEXPECTED, node.line, "names no URL, so this is no sitemap")
            if root == SITEMAPINDEX:
                parts.append(loc)
            elif root in (URLSET, "text"):
                self._add_once(loc, _text_of(node, "lastmod"))
            else:
                raise _unreadable(label, "is a feed, not a sitemap")
        if fault:
            raise fault
        return parts

    def _add_once(self, loc: str, date: str) -> None:
        """Adds a URL of a sitemap by any tool, unless it is there already, or is none."""
        if not origin(loc):
            if self._invalid is None:
                self._invalid = loc
            return
        url = resolve(loc, self._base) or loc
        key = hash(without_www(url))
        if key in self._seen:
            return
        if len(self._seen) < _MOST_SEEN:
            self._seen.add(key)
        self._add_url(url, date)

    def _add_url(self, loc: str, date: str) -> None:
        """Adds a URL in the scheme and on the host of this site, or counts it as outside."""
        after_host = without_www(loc)
        if after_host + "/" == self._base_after_host:
            after_host += "/"
        if not after_host.startswith(self._base_after_host):
            self._outside += 1
            self._first_outside = self._first_outside or loc
            return
        url = self._base + after_host[len(self._base_after_host) :]
        dated = f"<lastmod>{formats.escape(date)}</lastmod>" if date else ""
        self._write(f"<url><loc>{formats.escape(url)}</loc>{dated}</url>".encode())

    def _write(self, row: bytes) -> None:
        self._file.write(row + b"\n")
        self._below += 1


def _text_of(node: Node, name: str) -> str:
    """The text of a child of an entry, "" without one."""
    children = node.named(name, node.space)
    return children[0].text if children else ""


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file without their ends. One without an end counts; empty ones do not."""
    begun = b""
    for block in chain(blocks, [b"\n"]):
        *lines, begun = (begun + block).split(b"\n")
        yield from filter(None, lines)
        if len(begun) > _LONGEST:  # no line of ours; the parser has its own limits
            return


def _without_others(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes of an index of ours, without the sitemaps of other tools that it also names."""
    mark = formats.OTHERS
    kept = b""  # may contain the beginning of the mark
    for block in blocks:
        data = kept + block
        before, found, _ = data.partition(mark)
        if found:
            yield before + f"</{SITEMAPINDEX}>".encode()
            return
        kept = data[-len(mark) :]
        yield data[: -len(mark)]
    yield kept


def _unreadable(label: str, what: str, may_be_opened: bool = False) -> PreviousError:
    """The error for an earlier sitemap that cannot be read. Without it, there is no protection.

    A host may also hide a sitemap behind nonsense, so a secret header may help at any URL.
    """
    help = _WAYS
    if may_be_opened:
        help = f"to send a secret to the host, {_HEADER}. Or {_WAYS}"
    elif "://" in label:
        help = f"{_WAYS}. If the host asks for a secret, {_HEADER}"
    return PreviousError(f"{label}: {what}, so nothing was published", help)


def _add_files(path: str, label: str, rows: _Rows, run: Run) -> None:
    """Adds a sitemap in a file. The parts of an index lie beside it and are never requested.

    Raises PreviousError if one cannot be read.
    """
    parts = check_parts(_add_file(path, label, rows), label, _unreadable)
    folder = os.path.dirname(path)
    for part in parts:
        name = unquote(part).rpartition("/")[2]
        beside = os.path.join(folder, name)
        label_of_part = run.display(beside)
        check_nested(_add_file(beside, label_of_part, rows), label_of_part, _unreadable)


def _add_file(path: str, label: str, rows: _Rows) -> list[str]:
    """Adds the URLs of a file, and returns its parts if it is an index. Raises PreviousError."""
    try:
        with open_file_inside(os.path.dirname(path), path) as file:
            return rows.add(file, label)
    except OSError as error:
        raise _unreadable(label, f"cannot be read: {error.strerror or error}") from None
