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
                is_outdated = _is_of_former_base(f"{folder}/", first_loc, output)
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


def _is_of_former_base(line_folder: str, first_loc: str, output: Output) -> bool:
    """Whether a line names our sitemap at a base URL that the site had before.

    `line_folder` is the URL of the line without the file's name. `first_loc` is the first URL in
    the published sitemap and shows the base URL of that build. If it is https://old.example/a/ and
    the base URL is another now, the line https://old.example/sitemap.xml is ours and outdated.
    """
    was_built_for_line = first_loc.startswith(line_folder)
    return was_built_for_line and not first_loc.startswith(output.base_url)


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
