"""The host's robots.txt: where it is, and what it disallows."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from ..config.settings import Settings
from ..fs import regular
from ..syntax import robots


def read_robots(settings: Settings) -> tuple[str, bytes] | None:
    """The host's robots.txt, its path and text: the site's, else the output's.

    None if the base URL is not the host's root. A missing file has no text.
    """
    if urlsplit(settings.base_url).path != "/":
        return None
    paths = [os.path.join(folder, "robots.txt") for folder in (settings.site, settings.output_dir)]
    files = ((path, regular(path)) for path in paths)
    return next(((path, text) for path, text in files if text is not None), (paths[-1], b""))


def make_crawling(file: tuple[str, bytes] | None, settings: Settings) -> robots.Crawling | None:
    """What a robots.txt closes; None if it closes nothing or is not to be respected."""
    text = file[1] if file and settings.respect.robots else None
    # Whatever closes a path, misspelt too, begins with "di". Without it, a run needs no protego.
    crawling = robots.crawling(text, settings.robots.agents) if text and b"di" in text.lower() else None
    return None if crawling is None or crawling.allows_all else crawling
