"""The folder that is checked: which of its files are sitemaps, and which of them a URL means."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from ..errors import SitemapperError
from ..fs import regular
from ..protocol import MAX_URL_LENGTH, SITEMAPINDEX, URLSET
from ..syntax import robots
from .compressed import uncompressed
from .elements import FileError

STDIN = "-"
ROBOTS = "robots.txt"
WHAT = "name a sitemap, a folder or -"
_XML = re.compile(r".*\.xml(\.gz)?", re.IGNORECASE)
_CALLED_SITEMAP = re.compile(r"(?>.*?sitemap).*\.xml(\.gz)?|sitemap[\w.-]*\.txt(\.gz)?", re.IGNORECASE)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)[\s/>]")
_START = 1 << 20  # bytes in which the root must begin
_MAX_FOLDERS = 32  # in a URL whose file is looked for


class Tree:
    """A folder. Does not find or follow anything outside it, because a link may be a stranger's."""

    def __init__(self, top: str) -> None:
        self.top = top
        self._real = os.path.join(os.path.realpath(top or os.curdir), "")
        # How many folders of the URLs are above this one, known from the first file that is found.
        self._above: int | None = None
        self._roots: dict[str, str] = {}

    def crawling(self, agents: Sequence[str]) -> robots.Crawling | None:
        """The rules of its robots.txt for some crawlers; None if it has none, or no crawler is given."""
        path = os.path.join(self.top, ROBOTS)
        text = regular(path, robots.SIZE_LIMIT) if agents and self._holds(path) else None
        return None if text is None else robots.crawling(text, agents)

    def sitemaps(self) -> Iterator[str]:
        """Its robots.txt and all files that are or should be sitemaps, sorted by name in each folder."""
        if self._holds(os.path.join(self.top, ROBOTS)):
            yield os.path.join(self.top, ROBOTS)
        folders = [self.top]
        while folders:
            folder, below, names = next(os.walk(folders.pop()), ("", [], []))
            for name in sorted(names):
                path = os.path.join(folder, name)
                is_named = _CALLED_SITEMAP.fullmatch(name)
                if (is_named or _XML.fullmatch(name)) and self._holds(path) and (is_named or self.root(path)):
                    yield path
            paths = (os.path.join(folder, n) for n in sorted(below, reverse=True) if not n.startswith("."))
            folders += [path for path in paths if not os.path.islink(path)]

    def file(self, url: str, by: str) -> str | None:
        """The file that a URL in the file `by` means; "" if there is none, None if that is unknown."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        path = unquote(parts.path)
        names = [name for name in path.split("/") if name]
        is_odd = {".", ".."} & set(names) or (os.sep != "/" and re.search(r"[\\:]", path))
        if is_odd or parts.query or len(names) > _MAX_FOLDERS or len(url) >= MAX_URL_LENGTH:
            return None
        for above in range(len(names)) if self._above is None else (self._above,):
            file = os.path.join(self.top, *names[above:])
            # An index may name itself, but not as the first proof that folders must be dropped.
            if self._holds(file) and (not above or self._above or not os.path.samefile(file, by)):
                self._above = above
                return file
        return ""

    def root(self, path: str) -> str:
        """`urlset` or `sitemapindex`, by the beginning of a file; "" for others."""
        if path not in self._roots:
            self._roots[path] = _root(path)
        return self._roots[path]

    def _holds(self, path: str) -> bool:
        return os.path.isfile(path) and os.path.realpath(path).startswith(self._real)


def _root(path: str) -> str:
    start = b""
    match = None
    try:
        with open_blocks(path) as blocks:
            for block in blocks:
                start += block
                first, *rest = start.split(b"<!--")
                match = _ROOT.search(first + b"".join(part.partition(b"-->")[2] for part in rest))
                if match or len(start) > _START:
                    break
    except (FileError, OSError):
        return ""
    name = match[1].decode() if match else ""
    return name if name in (URLSET, SITEMAPINDEX) else ""


@contextmanager
def open_blocks(name: str) -> Iterator[Iterator[bytes]]:
    """The uncompressed blocks of a file or stdin. Raises SitemapperError if there is no such file."""
    if name == STDIN:
        if sys.stdin is None:
            raise SitemapperError("stdin is closed", WHAT)
        yield uncompressed(sys.stdin.buffer)
        return
    if "://" in name:
        raise SitemapperError(f"{name}: is a URL, not a file", f"curl -s {name} | sitemapper validate -")
    if not os.path.isfile(name):
        what = "not a regular file" if os.path.exists(name) else "no such file"
        raise SitemapperError(f"{name}: {what}", WHAT)
    with open(name, "rb") as file:
        yield uncompressed(file, is_gz=name.lower().endswith(".gz"))
