"""Decides about a file with the help of other files, if its own content is not enough."""

import os
import re
from collections.abc import Iterator
from itertools import islice

from ..model import Origin
from ..syntax.gitignore import literal_path
from ..syntax.urls import is_page_name
from . import contents, server
from .kind import INDEX, LACKS, LOADED, UNLINKED
from .walk import SiteRoot

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
        """The evidence that a file is not a page. None if it may be one.

        `kind` is what its content looks like (read/kind.py). Some kinds also depend on other
        files: on a script that loads it, on links to it, or on a file that it names.
        """
        if self._is_named(path):
            return None
        folder = path[: path.rfind("/") + 1]
        if kind == LOADED:
            return self._loader(path)
        if kind == UNLINKED:
            if self._root.is_linked is None or self._root.is_linked(folder, ()):
                return None
            return Origin(path, None, "part of a search to which no page links")
        name_and_line = kind
        if kind.startswith(LACKS):
            needed_file, name_and_line = kind.removeprefix(LACKS).split(":", 1)
            if self._has_file(needed_file, folder):
                return None
        if name_and_line == INDEX:
            pattern = self._root.ignore.verdict(path)
            if pattern and pattern.negated:
                return None  # "!genindex.html" lists it
        name, _, line = name_and_line.partition(":")
        return Origin(path, int(line) if line else None, name)

    def _is_named(self, path: str) -> bool:
        """Whether a pattern of `include` names this file, without wildcards: `LICENSE`."""
        pattern = self._root.include.verdict(path)
        if pattern is None or pattern.negated:
            return False
        name = literal_path(pattern.origin.text)
        return name is not None and f"/{path}".lower().endswith(f"/{name.lower()}")

    def _has_file(self, reference: str, folder: str) -> bool:
        """Whether the site has a file that a page of a folder names.

        The page may be made for another place. So the end of the reference is enough, at the top of
        the site or in the folder: for `/docs/a.js`, also `a.js`.
        """
        names = [name for name in reference.split("/") if name not in ("", ".", "..")]
        endings = ["/".join(names[start:]) for start in range(len(names))]
        in_folder = [folder + ending for ending in endings]
        return any(server.kind_at(self._root, place) for place in [*endings, *in_folder])

    def _loader(self, path: str) -> Origin | None:
        """The line of a script or a page, in the file's folder or above, that loads the file.

        None if there is none. A reference counts from the folder of the script or from one above.
        """
        all_folders = [""]
        all_folders += (path[: end + 1] for end, sign in enumerate(path) if sign == "/")
        # A path may have thousands.
        folders = [*all_folders[:_LEVELS], *all_folders[_LEVELS:][-_LEVELS:]]
        for folder in folders:
            if folder not in self._loads:
                self._loads[folder] = dict(self._read_loads(folder))
            origin_by_reference = self._loads[folder]
            for start in folders:
                if not folder.startswith(start):
                    continue
                origin = origin_by_reference.get(path.removeprefix(start))
                if origin and origin.source != path:
                    return origin
        return None

    def _read_loads(self, folder: str) -> Iterator[tuple[str, Origin]]:
        """The files that pages and scripts of a folder load: the reference, and the line.

        Looks into the first pages, the scripts of the folder, and scripts that these pages name.
        """
        try:
            unordered = os.listdir(self._root.file(folder))
        except OSError:
            return
        names = sorted(unordered, key=lambda name: (not name.startswith("index."), name))
        scripts = dict.fromkeys(folder + name for name in names if name.endswith((".js", ".mjs")))
        for page in islice(filter(is_page_name, names), _PAGES):
            data = self._read(folder + page)
            names_in_page = [match[1].decode("latin-1") for match in re.finditer(_SCRIPT, data)]
            scripts |= dict.fromkeys(folder + name for name in names_in_page)
            yield from _loads(folder + page, data)
        for script in islice(scripts, _SCRIPTS):
            yield from _loads(script, self._read(script))

    def _read(self, path: str) -> bytes:
        """The beginning of a file of the site. Empty if it cannot be read, or leads elsewhere."""
        file = server.file_for_url_path(self._root, path)  # it never leads out of the site
        if file is None:
            return b""
        return contents.read_at(self._root, file, _BYTES) or b""


def _loads(file: str, data: bytes) -> Iterator[tuple[str, Origin]]:
    """The references to files that a script or page loads, each with its line and code."""
    line = 1
    position = 0
    for match in re.finditer(_LOADS, data):
        code = " ".join(match[0].decode("utf-8", "replace").split())
        line += data.count(b"\n", position, match.start())
        position = match.start()
        yield match[1].decode("utf-8", "replace"), Origin(file, line, code)
