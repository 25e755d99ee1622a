"""The host's robots.txt, and the URLs that it closes."""

import os
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from ..fs import regular
from ..syntax import robots


class RobotsFile(NamedTuple):
    """A robots.txt: the path, and the text, which is empty if the file is missing."""

    path: str
    text: bytes


def read_robots(site: str, *, output: str, base_url: str) -> RobotsFile | None:
    """The host's robots.txt: in the site's folder, else in the output's.

    None if the base URL is not the root of the host, where alone it is looked for (RFC 9309, 2.3).
    """
    if urlsplit(base_url).path != "/":
        return None
    for folder in (site, output):
        path = os.path.join(folder, "robots.txt")
        text = regular(path)
        if text is not None:
            return RobotsFile(path, text)
    return RobotsFile(os.path.join(output, "robots.txt"), b"")


def make_crawling(file: RobotsFile | None, agents: Sequence[str]) -> robots.Crawling | None:
    """The URLs that a robots.txt closes to all agents. None if it closes nothing."""
    # Lines that close a path, also misspelt ones such as "Dissallow:", begin with "di". Without
    # them, a run needs no protego.
    if file is None or b"di" not in file.text.lower():
        return None
    crawling = robots.crawling(file.text, agents)
    return None if crawling.allows_all else crawling
