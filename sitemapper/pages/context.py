"""Decides about a file with the help of other files, if its own content is not enough."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from ..extract.kind import INDEX, LACKS, LOADED, UNLINKED
from ..model import Origin
from ..site import read, server
from ..site.walk import SiteRoot
from ..syntax.urls import is_page_name

_PAGES, _SCRIPTS, _BYTES = 5, 50, 256 * 1024  # of a folder, and of a file, that are checked
_LEVELS = 8  # of folders, at the top and above a file
# A call or a setting that loads a file of HTML into a page.
_LOADS = (
    rb"""(?i)(?:\.(?:load|get)\(|\bfetch\(|\.open\(\s*+["']GET["']\s*+,|\btemplateUrl["']?\s*+[:=])"""
    rb"""\s*+["'`](?:\./|/)?([^"'`\s?#<>{}$]+\.x?html?)["'`\s?#]"""
)
_SCRIPT = rb"""(?i)<script\b[^<>]*\ssrc\s*=\s*["']?(?:\./|/)?([^"'\s<>?#]+\.m?js)"""


class SiteContext:
    """The files around the pages. The scripts of each folder are read once."""

    def __init__(self, root: SiteRoot) -> None:
        self._root = root
        # By folders, and references without a first slash.
        self._loads: dict[str, dict[str, Origin]] = {}

    def settle(self, path: str, kind: str) -> Origin | None:
        """The evidence that a file of this kind is not a page. None if it may be one."""
        folder = path[: path.rfind("/") + 1]
        if kind == LOADED:
            return self._loader(path)
        if kind == UNLINKED:
            if self._root.is_linked is None or self._root.is_linked(folder, ()):
                return None
            return Origin(path, None, "part of a search to which no page links")
        if kind.startswith(LACKS):
            missing, kind = kind.removeprefix(LACKS).split(":", 1)
            if self._has_file(missing, folder):
                return None
        if kind == INDEX:
            pattern = self._root.ignore.verdict(path)
            if pattern and pattern.negated:
                return None  # "!genindex.html" lists it
        name, _, line = kind.partition(":")
        return Origin(path, int(line) if line else None, name)

    def _has_file(self, reference: str, folder: str) -> bool:
        """Whether the site has a file that a page of a folder names.

        The page may be for another place: the end of the reference is enough, at the top of the
        site or in the folder.
        """
        names = [name for name in reference.split("/") if name not in ("", ".", "..")]
        endings = ["/".join(names[start:]) for start in range(len(names))]
        in_folder = [folder + ending for ending in endings]
        return any(server.kind_at(self._root, place) for place in [*endings, *in_folder])

    def _loader(self, path: str) -> Origin | None:
        """The line of a script, in the file's folder or above, that loads it."""
        folders = ["", *(path[: n + 1] for n, character in enumerate(path) if character == "/")]
        folders = [*folders[:_LEVELS], *folders[_LEVELS:][-_LEVELS:]]  # a path may have thousands
        for folder in folders:
            if folder not in self._loads:
                self._loads[folder] = dict(self._read_loads(folder))
            references = (path[len(start) :] for start in folders if folder.startswith(start))
            for origin in filter(None, map(self._loads[folder].get, references)):
                if origin.source != path:
                    return origin
        return None

    def _read_loads(self, folder: str) -> Iterator[tuple[str, Origin]]:
        """The files that the pages and scripts of a folder load, and the scripts of these pages."""
        try:
            names = sorted(
                os.listdir(self._root.file(folder)), key=lambda name: (name[:6] != "index.", name)
            )
        except OSError:
            return
        scripts = dict.fromkeys(folder + name for name in names if name.endswith((".js", ".mjs")))
        for page in islice(filter(is_page_name, names), _PAGES):
            data = self._read(folder + page)
            names_in_page = (match[1].decode("latin-1") for match in re.finditer(_SCRIPT, data))
            scripts |= dict.fromkeys(folder + name for name in names_in_page)
            yield from _loads(folder + page, data)
        for script in islice(scripts, _SCRIPTS):
            yield from _loads(script, self._read(script))

    def _read(self, path: str) -> bytes:
        file = server.file_for_url_path(self._root, path)  # it never leads out of the site
        with suppress(OSError):
            page = server.find_page(self._root, file) if file else None
            return read.read(self._root, page, _BYTES) if page else b""
        return b""


def _loads(file: str, data: bytes) -> Iterator[tuple[str, Origin]]:
    line, at = 1, 0
    for match in re.finditer(_LOADS, data):
        text = " ".join(match[0].decode("utf-8", "replace").split())
        line, at = line + data.count(b"\n", at, match.start()), match.start()
        yield match[1].decode("utf-8", "replace"), Origin(file, line, text)
