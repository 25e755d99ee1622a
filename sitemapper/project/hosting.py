"""The host of the site, from its files in the project, and its robots.txt."""

import os
from urllib.parse import urlsplit

from .. import hosts
from ..config.layers import ancestors
from ..config.settings import Settings
from ..errors import ConfigError
from ..fs import regular, relative
from ..hosts import Host
from ..hosts.files import SITE, Hosting
from ..syntax import robots


def published_by(folder: str) -> list[tuple[str, str, Hosting]]:
    """What the hosts' files in a folder publish: the host, the file, and the possible absolute
    folders.

    The first existing folder counts. Raises ConfigError for a broken file.
    """
    found: list[tuple[str, str, Hosting]] = []
    for name in hosts.MARKERS:
        file = os.path.join(folder, name)
        try:
            targets = hosts.hosting(name, _text(file)) if os.path.isfile(file) else []
        except ValueError as error:
            raise ConfigError((str(error).replace(name, file, 1),)) from None
        for host, target in targets:
            places = tuple(
                os.path.normpath(os.path.join(folder, place)) for place in target.folders
            )
            found.append((host.name, file, target._replace(folders=places)))
    return found


def find_host(settings: Settings, now: int = 0) -> Host:
    """The host and its rules at a time in seconds. Raises ConfigError for a broken file."""
    chosen = (settings.host == "auto" and settings.builder) or settings.host
    if chosen == "none":
        return Host((), ())
    texts = {name: _text(os.path.join(settings.site, name)) for name in hosts.FILES}
    texts = {name: text for name, text in texts.items() if text}
    is_marked = chosen == "auto" and not texts.keys().isdisjoint(hosts.SITE_MARKERS)
    folders = _lookup_folders(settings)
    markers: list[str] = []  # files of the nearest folder that has one
    for folder in folders[:1] if is_marked else folders:
        markers = markers or [
            file for host, file, _ in published_by(folder) if chosen in ("auto", host)
        ]
    texts |= {os.path.basename(file): _text(file) for file in markers}
    if markers:
        texts[SITE] = relative(settings.site, os.path.dirname(markers[0])).replace(os.sep, "/")
    if is_marked or chosen in hosts.IN_FOLDERS:
        for folder, _, names in os.walk(settings.site):
            files = [os.path.join(folder, name) for name in hosts.SITE_MARKERS if name in names]
            texts |= {
                relative(file, settings.site).replace(os.sep, "/"): _text(file) for file in files
            }
    try:
        found = hosts.choose(chosen, texts, urlsplit(settings.base_url).netloc, now)
    except ValueError as error:
        raise ConfigError((str(error),)) from None
    known = [provider for provider in hosts.ALL if found.is_known and provider.name in found.names]
    names = [*hosts.OTHERS, *(name for provider in known for name in provider.unread)]
    paths = dict.fromkeys(os.path.join(folder, name) for folder in folders for name in names)
    unread = ", ".join(settings.display_path(path) for path in paths if os.path.exists(path))
    note = f"found but not read: {unread}; the effect on URLs is not known"
    return found._replace(notes=(*found.notes, *([note] if unread else [])))


def _lookup_folders(settings: Settings) -> list[str]:
    """The folders from the site's up to the repository's root, or else to the working directory."""
    folders = ancestors(settings.site)
    if os.path.exists(os.path.join(folders[-1], ".git")):
        return folders
    while not relative(folders[-1], settings.cwd).startswith("."):
        folders.append(os.path.dirname(folders[-1]))
    return (
        folders if folders[-1] == settings.cwd else [settings.site, os.path.dirname(settings.site)]
    )


def _text(file: str) -> str:
    return (regular(file) or b"").decode("utf-8-sig", "replace")


def read_robots(settings: Settings) -> tuple[str, bytes] | None:
    """The path and text of the host's robots.txt: in the site, else in the output.

    None if the base URL is not the root of the host. A missing file has an empty text.
    """
    if urlsplit(settings.base_url).path != "/":
        return None
    paths = [os.path.join(folder, "robots.txt") for folder in (settings.site, settings.output_dir)]
    files = ((path, regular(path)) for path in paths)
    return next(((path, text) for path, text in files if text is not None), (paths[-1], b""))


def make_crawling(file: tuple[str, bytes] | None, settings: Settings) -> robots.Crawling | None:
    """The URLs that a robots.txt closes. None if it closes nothing or is not to be respected."""
    text = file[1] if file and settings.respect.robots else None
    # Lines that close a path, also misspelt ones, begin with "di". Without them, a run needs no
    # protego.
    crawling = (
        robots.crawling(text, settings.robots.agents) if text and b"di" in text.lower() else None
    )
    return None if crawling is None or crawling.allows_all else crawling
