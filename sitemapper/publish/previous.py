"""What was published before a run, wherever it is: `previous` of the configuration.

Our own sitemaps in the output are read where they lie. A sitemap from elsewhere is read once,
before the pages. Its rows wait in a temporary file, in our own format and in their order, so that
everything that compares with them reads the same rows.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import IO, NamedTuple

from ..errors import PreviousError
from ..messages import Kind, Message
from ..protocol import SITEMAPINDEX, URLSET
from ..read import sitemap
from ..read.sitemap import Entry
from ..read.sitemap_xml import FileError
from ..site import Output, Run, Site
from ..syntax.ledger_rows import columns, listed_rows
from ..syntax.urls import resolve, web_origin, without_www
from . import formats, published
from .live_sitemap import (
    LiveSitemap,
    MissingSitemap,
    UnreadableSitemap,
    open_beside,
    read_with_parts,
)

_MEMORY_OF_ROWS = 1 << 20  # bytes, before they are written to a temporary file
_MAX_SEEN = 200_000  # URLs among which a repeated one is found, in some 13 MiB
_ADVICE = "compare with a copy: --previous FILE; or with nothing, this once: --previous none"


class Previous(NamedTuple):
    """What was published before a run, with which the run compares its own URLs.

    That is our sitemaps in the output, a sitemap from elsewhere or, without any, a ledger. Nothing
    is read until rows are asked for.
    """

    output: Output
    names: tuple[str, ...]  # the sitemaps in the output, in the order of their index
    has_main: bool  # a main sitemap is there, even if none of those that it names is
    ledger: str | None  # the path of the ledger that the run reads
    copy: IO[bytes] | None = None  # the rows of a sitemap from elsewhere
    place: str = ""  # the URL or file of this sitemap, in messages
    is_of_output: bool = True  # whether `previous` is "output", also if nothing is there
    notes: tuple[Message, ...] = ()  # on a sitemap from elsewhere

    def count_urls(self) -> int | None:
        """Counts the URLs in the sitemaps or, without a main sitemap, in the ledger.

        None if neither has been published, or the ledger lists no page.
        """
        if not self.has_main:
            return sum(1 for _ in self.ledger_rows()) or None
        return sum(1 for _ in self.all_rows())

    def count_dates(self) -> int:
        """Counts the URLs with a date in the sitemaps or, without a main sitemap, in the ledger."""
        if not self.has_main:
            dates = (date for _path, date, _digest, _url in map(columns, self.ledger_rows()))
            return sum(date[:1].isdigit() for date in dates)  # without a date, there is a dash
        return sum(b"<lastmod>" in row for row in self.all_rows())

    def all_rows(self) -> Iterator[bytes]:
        """Reads the `<url>` elements of all sitemaps, in their order.

        `<url><loc>https://a.example/b</loc></url>`, a line for each URL.
        """
        if self.copy is None:  # our sitemaps in the output
            yield from chain.from_iterable(map(self.rows, self.names))
            return
        self.copy.seek(0)
        for line in self.copy:
            yield line.rstrip(b"\n")

    def rows(self, name: str) -> Iterator[bytes]:
        """Reads the `<url>` elements of one sitemap in the output, up to the first damaged one."""
        return published.rows(name, self.output)

    def ledger_rows(self) -> Iterator[bytes]:
        """Reads the rows of listed pages in the ledger. Without a ledger, there are none."""
        return listed_rows(self.all_ledger_rows())

    def all_ledger_rows(self) -> Iterator[bytes]:
        """Reads all lines of the ledger. Without a ledger, there are none."""
        if self.ledger and os.path.exists(self.ledger):
            with open(self.ledger, "rb") as file:
                for line in file:
                    yield line.rstrip(b"\r\n")


def open_previous(output: Output, ledger: str | None = None) -> Previous:
    """Finds the sitemaps that we have published to the output.

    Those are the files in our index that are there, or the main sitemap alone. `ledger` is the path
    of the ledger that the run reads.
    """
    if not published.is_own_main(output):
        return Previous(output, names=(), has_main=False, ledger=ledger)
    named = published.list_indexed(output) or [output.name]
    names = tuple(name for name in named if os.path.isfile(output.path(name)))
    return Previous(output, names, has_main=True, ledger=ledger)


@contextmanager
def find_previous(source: str, site: Site, run: Run, ledger: str | None) -> Iterator[Previous]:
    """Finds what was published before a run. `source` is the value of the setting `previous`:

    | source | what is found |
    |---|---|
    | `output` | our sitemaps in the output |
    | `none` | nothing |
    | `live` | the sitemap on the site's host, nothing and a note if it has none yet |
    | a file or URL | this sitemap |

    A sitemap from elsewhere than the output is read here, once, and its rows are there during the
    block. `ledger` is the path of the ledger that the run reads. Raises PreviousError or
    NetworkError if there is a sitemap that cannot be read.
    """
    if source == "output":
        yield open_previous(site.output, ledger)
        return
    nothing = Previous(site.output, names=(), has_main=False, ledger=None, is_of_output=False)
    if source == "none":
        yield nothing
        return
    place = site.output.sitemap_url if source == "live" else source
    is_file = "://" not in place
    name = run.display(place) if is_file else place
    open_file = open_beside(place, run) if is_file else LiveSitemap(place, run).open
    with tempfile.SpooledTemporaryFile(_MEMORY_OF_ROWS) as file:
        rows = _Rows(file, site.base_url)
        try:
            read_with_parts(place, open_file, rows.read)
            rows.check(name)
        except MissingSitemap:  # the live site has none yet
            earlier = nothing._replace(notes=(Message(Kind.PREVIOUS_MISSING, (name,)),))
        except UnreadableSitemap as error:
            help = f"{error.help}{_ADVICE}"
            raise PreviousError(f"{error.name}: {error.problem}", help) from None
        else:
            earlier = Previous(
                output=site.output,
                names=(),
                has_main=True,
                ledger=ledger,
                copy=file,
                place=name,
                is_of_output=False,
                notes=tuple(rows.notes(name)),
            )
        yield earlier


class _Rows:
    """Writes the URLs of an earlier sitemap to a file, as rows of our format.

    They get the scheme and the host of this site: with the base `https://a.example/`, the row of
    `http://www.a.example/b` is `<url><loc>https://a.example/b</loc></url>`. URLs that are not below
    the base are only counted.
    """

    def __init__(self, file: IO[bytes], base_url: str) -> None:
        self._file = file
        self._base = base_url
        # Derived from the base URL.
        self._base_after_host = without_www(base_url)
        self._start_of_own_row = f"<url><loc>{formats.escape(base_url)}".encode()
        # Filled by `read`.
        self._seen: set[int] = set()  # hashes of URLs, because other tools may list one twice
        self._count_below_base = 0
        self._count_outside = 0
        self._first_outside = ""
        self._first_invalid: str | None = None  # the first text that is no URL

    def read(self, name: str, file: IO[bytes]) -> Sequence[str]:
        """Adds the URLs of a sitemap as rows. Of an index, returns the URLs of its sitemaps.

        Messages call the file `name`. Raises UnreadableSitemap if it is no sitemap, or its end is
        missing.
        """
        parts: list[str] = []
        try:
            blocks = sitemap.uncompressed(file)
            start = next(blocks, b"")
            if not start.strip():
                raise UnreadableSitemap(name, "is empty")
            # In an index of ours, the sitemaps of other tools say nothing about our URLs.
            for entry in sitemap.entries(chain([start], blocks), only_ours=True):
                # Each text file would be read as a text sitemap, so its lines have to be URLs.
                if entry.root != URLSET and not web_origin(entry.loc):
                    problem = "names no URL, so this is no sitemap"
                    raise UnreadableSitemap(f"{name}:{entry.line}", problem)
                if entry.root == SITEMAPINDEX:
                    parts.append(entry.loc)
                elif entry.root in (URLSET, sitemap.TEXT):
                    self._add(entry)
                else:
                    raise UnreadableSitemap(name, "is a feed, not a sitemap")
        except FileError as error:
            raise UnreadableSitemap(f"{name}:{error.line}", error.text) from None
        return parts

    def check(self, name: str) -> None:
        """Raises an error if the sitemap lists something, but no URL of this site.

        That is PreviousError if its URLs are those of another site, and UnreadableSitemap if its
        texts are no URLs. An empty sitemap is right. `name` is that of the sitemap in messages.
        """
        if self._count_below_base:
            return
        if self._count_outside:
            raise PreviousError(
                f"{name}: lists {self._first_outside}, which is not below {self._base}",
                f"name a sitemap of this site, or correct base_url. Or {_ADVICE}",
            )
        if self._first_invalid is not None:
            raise UnreadableSitemap(name, f"lists {self._first_invalid!r}, which is no URL")

    def notes(self, name: str) -> Iterator[Message]:
        """Notes if the sitemap lists no URL of this site, and how many it lists of other sites."""
        if not self._count_below_base:
            yield Message(Kind.PREVIOUS_EMPTY, (name,))
        if self._count_outside:
            subjects = (name, self._base, self._first_outside)
            yield Message(Kind.PREVIOUS_OUTSIDE, subjects, self._count_outside)

    def _add(self, entry: Entry) -> None:
        """Writes the row of an entry, unless its URL is there already, is invalid, or is outside.

        With the base `https://a.example/`:

        | entry | what happens |
        |---|---|
        | our own row for this base URL | is written as it is |
        | `tea`, which is no URL | is kept for messages, if it is the first |
        | a URL that came before, also with `www.` or another scheme | nothing |
        | `http://www.a.example/b` | a row of `https://a.example/b` is written |
        | a URL of another site | is counted as outside |
        """
        if entry.row.startswith(self._start_of_own_row):
            self._write(entry.row)
            return
        if not web_origin(entry.loc):
            if self._first_invalid is None:
                self._first_invalid = entry.loc
            return
        url = resolve(entry.loc, self._base) or entry.loc
        after_host = without_www(url)  # without scheme, too
        if hash(after_host) in self._seen:
            return
        if len(self._seen) < _MAX_SEEN:
            self._seen.add(hash(after_host))
        is_home_without_slash = after_host + "/" == self._base_after_host
        if not is_home_without_slash and not after_host.startswith(self._base_after_host):
            self._count_outside += 1
            self._first_outside = self._first_outside or url
            return
        url_here = self._base + after_host[len(self._base_after_host) :]
        lastmod = f"<lastmod>{formats.escape(entry.lastmod)}</lastmod>" if entry.lastmod else ""
        self._write(f"<url><loc>{formats.escape(url_here)}</loc>{lastmod}</url>".encode())

    def _write(self, row: bytes) -> None:
        self._file.write(row + b"\n")
        self._count_below_base += 1
