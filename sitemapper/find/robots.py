"""The host's robots.txt, and the URLs that it closes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..fs import open_inside
from ..site import RobotsFile

if TYPE_CHECKING:
    from ..syntax.crawling import Crawling

_LIMIT = 4 << 20  # bytes; crawlers read 500 KiB (RFC 9309, 2.5), and a build keeps all of it


def read_robots(site: str, *, output: str, base_url: str) -> RobotsFile | None:
    """Reads the robots.txt in the folder of the site or, if it has none, in that of the output.

    | the case | result |
    |---|---|
    | neither folder has one | an empty text, with the path in the output |
    | the base URL is not the root of a host: https://a.example/docs/ | None |

    In the last case, crawlers would not read it (RFC 9309, 2.3). Raises OSError if the file cannot
    be read, or is a link out of its folder.
    """
    if urlsplit(base_url).path != "/":
        return None
    for folder in (site, output):
        path = os.path.join(folder, "robots.txt")
        text = open_inside(folder, path, _LIMIT)
        if text is not None:
            return RobotsFile(path, text)
    return RobotsFile(os.path.join(output, "robots.txt"), b"")


def make_crawling(file: RobotsFile | None, agents: Sequence[str]) -> Crawling | None:
    """Parses the rules of a robots.txt for some crawlers, such as `Googlebot` and `Bingbot`.

    With the rules, the caller leaves out the URLs that are closed to all of these `agents`. None if
    the file closes nothing to them, as most do, or if there is no file.
    """
    # Lines that close a path, also misspelt ones such as "Dissallow:", begin with "di". Without
    # them, a run needs no protego.
    if file is None or b"di" not in file.text.lower():
        return None
    # Imported here: many robots.txt close nothing.
    from ..syntax.crawling import read_crawling

    crawling = read_crawling(file.text, agents)
    return None if crawling.allows_all else crawling
