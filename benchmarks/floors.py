"""Bare loops that do only what nobody can leave out: what a build is measured against.

python benchmarks/floors.py LEVEL PATH

Each level does what those before it do: `list` (scandir on a descriptor, one lstat and one row of XML for each
page, in walk order), `read` (open, read, close), `head` (lexbor up to `<body>`: tags and attributes),
or, in place of `head`, `parse` (lexbor on the whole page, and the text of its body). `urls` reads one
sitemap by expat, and keeps its URLs in a set.
"""

from __future__ import annotations

import gc
import os
import stat
import sys
from collections.abc import Callable
from xml.parsers import expat

_ROW = "<url><loc>https://example.com/%s</loc><lastmod>%d</lastmod></url>\n"
Work = Callable[[bytes], object]


def list_pages(folder: str, place: str, rows: list[str], work: Work | None) -> None:
    """The pages of a folder and of those below it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    with os.scandir(descriptor) as entries:
        names = sorted(
            entry.name
            if entry.name.endswith(".html")
            else entry.name + "/"
            if entry.is_dir(follow_symlinks=False)
            else ""
            for entry in entries
        )
    for name in names:
        if name.endswith("/"):
            list_pages(os.path.join(folder, name), place + name, rows, work)
        elif name:
            status = os.lstat(name, dir_fd=descriptor)
            if stat.S_ISREG(status.st_mode):
                rows.append(_ROW % (place + name, status.st_mtime_ns // 1_000_000_000))
                if work:
                    file = os.open(name, os.O_RDONLY, dir_fd=descriptor)
                    work(os.read(file, status.st_size))
                    os.close(file)
    os.close(descriptor)
    if len(rows) > 1000:
        sys.stdout.write("".join(rows))
        rows.clear()


def head_work() -> Work:
    """Reads the tags of heads."""
    from selectolax.lexbor import LexborHTMLParser

    def work(data: bytes) -> object:
        end = data.find(b"<body", 0, 1 << 16)
        tree = LexborHTMLParser(data[:end] if end >= 0 else data)
        return [[node.attributes for node in tree.tags(name)] for name in ("meta", "link", "base")]

    return work


def parse_work() -> Work:
    """Reads whole pages."""
    from selectolax.lexbor import LexborHTMLParser

    def work(data: bytes) -> object:
        body = LexborHTMLParser(data).body
        return body and body.text()

    return work


def urls(path: str) -> None:
    """The URLs of a sitemap in a set."""
    found: set[str] = set()
    texts: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: texts.clear()
    parser.CharacterDataHandler = texts.append
    parser.EndElementHandler = lambda name: found.add("".join(texts)) if name == "loc" else None
    with open(path, "rb") as file:
        parser.ParseFile(file)
    print(len(found))


def keep_memory() -> None:
    """Tells glibc to keep freed memory for the next tree, as we do."""
    import ctypes

    for option in (-1, -3):
        ctypes.CDLL(None).mallopt(option, 64 << 20)


def main(level: str, path: str) -> None:
    gc.disable()
    if level == "urls":
        return urls(path)
    works = {"head": head_work, "parse": parse_work}
    if level in ("head", "parse"):
        keep_memory()
    work = works[level]() if level in works else len if level == "read" else None
    rows: list[str] = []
    list_pages(path, "", rows, work)
    sys.stdout.write("".join(rows))
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
