"""The folder that is checked: which of its files are sitemaps, and which of them a URL means."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from sitemapper.config.files import regular
from sitemapper.errors import SitemapperError
from sitemapper.linter.reader import Stop, unpacked
from sitemapper.syntax import robots
from sitemapper.syntax.robots import Crawling
from sitemapper.syntax.urls import MAX_LENGTH

STDIN = "-"
ROBOTS = "robots.txt"
_WHAT = "name a sitemap, a folder or -"
_XML = re.compile(r".*\.xml(\.gz)?", re.IGNORECASE)
_CALLED_SITEMAP = re.compile(r".*sitemap.*\.xml(\.gz)?|sitemap[\w.-]*\.txt(\.gz)?", re.IGNORECASE)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)[\s/>]")
_SEEN = 1 << 20  # bytes in which the root must begin
_MAX_FOLDERS = 32  # of a URL that is looked for


class Tree:
    """A folder. What lies outside is neither found nor followed: a link may be a stranger's."""

    def __init__(self, top: str) -> None:
        self.top = top
        self._real = os.path.join(os.path.realpath(top or os.curdir), "")
        # How many folders of the URLs lie above this one: as the first file proves that is found.
        self._above: int | None = None
        self._roots: dict[str, str] = {}

    def crawling(self) -> Crawling | None:
        """The rules of its robots.txt for all crawlers."""
        path = os.path.join(self.top, ROBOTS)
        text = regular(path) if os.path.isfile(path) else None
        return None if text is None else robots.crawling(text, ["*"])

    def sitemaps(self) -> Iterator[str]:
        """Its robots.txt, and all files that are or should be sitemaps, in order of their names."""
        if self._holds(os.path.join(self.top, ROBOTS)):
            yield os.path.join(self.top, ROBOTS)
        for above, folders, names in os.walk(self.top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = os.path.join(above, name)
                named = _CALLED_SITEMAP.fullmatch(name)
                if (named or _XML.fullmatch(name)) and self._holds(path) and (named or self.root(path)):
                    yield path

    def file(self, url: str, by: str) -> str | None:
        """The file that a URL means, which the file `by` names; "" for none, None if nobody can tell."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        path = unquote(parts.path)
        names = [name for name in path.split("/") if name]
        is_odd = {".", ".."} & set(names) or (os.sep != "/" and re.search(r"[\\:]", path))
        if is_odd or parts.query or len(names) > _MAX_FOLDERS or len(url) >= MAX_LENGTH:
            return None
        for above in range(len(names)) if self._above is None else (self._above,):
            file = os.path.join(self.top, *names[above:])
            # That an index names itself is taken for true only where nothing must be cut off for it.
            if self._holds(file) and (not above or self._above or not os.path.samefile(file, by)):
                self._above = above
                return file
        return ""

    def root(self, path: str) -> str:
        """What `root` says of a file, read once."""
        if path not in self._roots:
            self._roots[path] = root(path)
        return self._roots[path]

    def _holds(self, path: str) -> bool:
        return os.path.isfile(path) and os.path.realpath(path).startswith(self._real)


def root(path: str) -> str:
    """`urlset` or `sitemapindex`, as the beginning of a file tells; "" for others."""
    seen = b""
    try:
        with opened(path) as blocks:
            for block in blocks:
                seen += block
                found = _ROOT.search(_without_comments(seen))
                if found or len(seen) > _SEEN:
                    break
    except (Stop, OSError):
        return ""
    name = found[1].decode() if seen and found else ""
    return name if name in ("urlset", "sitemapindex") else ""


def _without_comments(data: bytes) -> bytes:
    first, *rest = data.split(b"<!--")
    return first + b"".join(part.partition(b"-->")[2] for part in rest)


@contextmanager
def opened(name: str) -> Iterator[Iterator[bytes]]:
    """The unpacked blocks of a file, or of stdin. Raises SitemapperError if there is no such file."""
    if name == STDIN:
        yield unpacked(sys.stdin.buffer)
        return
    if "://" in name:
        raise SitemapperError(f"{name}: nothing is fetched here: curl -s {name} | sitemapper validate -")
    if not os.path.isfile(name):
        what = "is no regular file" if os.path.exists(name) else "there is no such file"
        raise SitemapperError(f"{name}: {what}; {_WHAT}")
    with open(name, "rb") as file:
        yield unpacked(file, is_packed=name.lower().endswith(".gz"))
