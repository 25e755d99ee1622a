"""The `Sitemap:` lines of robots.txt: the one for our sitemap, outdated ones, and dead ones."""

import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote

from ..model import Shard
from ..output import changes, published
from ..output.shards import Spool
from ..settled import Output, Site
from ..syntax import robots


class OwnLine(NamedTuple):
    """Our line of robots.txt, and the entries of the sitemap that it names."""

    output: Output
    shards: Sequence[Shard]
    spool: Spool

    def update(self, text: bytes, replaced: Iterable[str]) -> bytes:
        """The text with our line, without those that it replaces.

        `replaced` are the names of sitemaps of other tools that are replaced.
        """
        output = self.output
        first_loc = published.first_loc(output)
        lines = robots.sitemap_lines(text)
        outdated = []
        for url in lines:
            folder, _, name = url.rpartition("/")
            if name == output.name:
                is_outdated = _has_other_base(first_loc, f"{folder}/", output)
            else:
                # With another name, it may belong to another configuration, unless there is no file
                # of this name yet.
                is_outdated = not first_loc and self._is_renamed(name, f"{folder}/")
            if is_outdated:
                outdated.append(url)
        gone = {output.base_url + name for name in replaced if name != output.name}
        outdated += [url for url in lines if unquote(url) in gone]
        return robots.with_sitemap(text, output.sitemap_url, outdated)

    def _is_renamed(self, name: str, folder: str) -> bool:
        """Whether a line with another name is for our sitemap: most of its pages are the same."""
        former = self.output._replace(name=name)
        first_loc = ""
        with suppress(OSError):  # an unreadable file is not ours
            first_loc = published.first_loc(former)
        is_of_line = first_loc.startswith(folder)
        return is_of_line and changes.is_renamed(former, self.shards, self.spool)


def _has_other_base(first_loc: str, folder: str, output: Output) -> bool:
    """Whether a line with our name has the base URL of the published sitemap, and not today's.

    The published sitemap begins with `first_loc`.
    """
    return first_loc.startswith(folder) and not first_loc.startswith(output.base_url)


def list_dead_lines(text: bytes, written: Collection[str], site: Site) -> list[str]:
    """The URLs of lines below our base for which there is no file.

    `written` are the names of the files that the run writes.
    """
    output = site.output
    dead = []
    for url in robots.sitemap_lines(text):
        if not url.startswith(output.base_url):
            continue
        path = unquote(url.removeprefix(output.base_url))
        files = (os.path.join(output.folder, path), os.path.join(site.root, path))
        if path not in written and not any(map(os.path.exists, files)):
            dead.append(url)
    return dead
