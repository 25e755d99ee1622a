"""The host that serves the site, as its files in the project tell."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from ..config.settings import Settings
from ..errors import ConfigError
from ..fs import regular
from ..syntax import hosts
from ..syntax.hosts import Host


def find_host(settings: Settings, now: int = 0) -> Host:
    """The host and its rules at a time, in seconds. Raises ConfigError for a broken file."""
    folders = (settings.cwd or os.curdir, os.path.dirname(settings.site), settings.site)
    files = [(name, os.path.join(settings.site, name)) for name in hosts.FILES]
    files += [(m, p) for m in hosts.MARKERS for f in folders if os.path.isfile(p := os.path.join(f, m))]
    texts = {file: (regular(path) or b"").decode("utf-8-sig", "replace") for file, path in files}
    try:
        return hosts.choose(settings.host, texts, urlsplit(settings.base_url).netloc, now)
    except ValueError as error:
        raise ConfigError((str(error),)) from None
