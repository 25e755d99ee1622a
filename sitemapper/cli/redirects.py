"""The file of `--redirects`: what redirects the pages that moved."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import SitemapperError
from ..fs import regular
from ..model import Summary
from ..observer import Observer
from .options import STDOUT
from .targets import is_stream

if TYPE_CHECKING:
    from ..hosts.redirect_lines import Redirect, RedirectWriter


class RedirectList(Observer):
    """Writes the redirects of a run, if any page moved, or prints them when the run is over.

    A file is written together with the sitemaps, after the rules that earlier runs left in it.
    """

    wants_changes = False

    def __init__(self, target: str, *, is_dry_run: bool) -> None:
        self._target = target
        self._is_dry_run = is_dry_run
        self._writer: RedirectWriter | None = None
        self._redirects: Sequence[Redirect] = ()

    def moved(self, writer: RedirectWriter, redirects: Sequence[Redirect]) -> None:
        """Keeps the redirects."""
        self._writer = writer
        self._redirects = redirects

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """The file. Raises SitemapperError if it has the redirects of another host."""
        if self._writer is None or self._is_dry_run or is_stream(self._target):
            return
        earlier = (regular(self._target) or b"").decode("utf-8", "replace")
        if earlier and earlier.partition("\n")[0] != self._writer.mark:
            file = self._writer.file
            problem = f"--redirects: {self._target}: has no redirects for {file}, so it stays"
            raise SitemapperError(problem, "name another file")
        text = self._writer.text(self._redirects, earlier)
        yield self._target, [text.encode()]

    def print(self) -> None:
        """Writes what goes to stdout or a device."""
        if self._writer is None or not is_stream(self._target):
            return
        text = self._writer.text(self._redirects)
        if self._target == STDOUT:
            sys.stdout.write(text)
        else:
            with open(self._target, "w", encoding="utf-8") as file:
                file.write(text)
