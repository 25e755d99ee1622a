"""The host that serves the site, as its files in the project show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from ..config.layers import ancestors
from ..config.settings import Settings
from ..errors import ConfigError
from ..fs import regular, relative
from ..syntax import hosts
from ..syntax.hosts import Host
from ..syntax.hosts.files import SITE, Hosting, Provider


class Published(NamedTuple):
    """What the settings file of a host publishes: its `key` names the folders, of which the first that is
    there counts; there is none if the file leaves it open."""

    host: str
    file: str
    key: str
    folders: tuple[str, ...]


def published_by(folder: str) -> list[Published]:
    """What the settings files of hosts in a folder publish. Raises ConfigError for a broken one."""
    return [
        Published(host.name, file, target.key, tuple(os.path.join(folder, name) for name in target.folders))
        for name, file in _files(folder)
        for host, target in _hosting(name, file)
    ]


def find_host(settings: Settings, now: int = 0) -> Host:
    """The host and its rules at a time, in seconds. Raises ConfigError for a broken file."""
    chosen = (settings.host == "auto" and settings.builder) or settings.host
    if chosen == "none":
        return Host((), ())
    texts = {name: _text(os.path.join(settings.site, name)) for name in hosts.FILES}
    texts = {name: text for name, text in texts.items() if text}
    is_marked = chosen == "auto" and not texts.keys().isdisjoint(hosts.SITE_MARKERS)
    folders = _lookup_folders(settings)
    markers = _markers(chosen, folders[:1] if is_marked else folders)
    texts |= {os.path.basename(file): _text(file) for file in markers}
    if markers:
        texts[SITE] = relative(settings.site, os.path.dirname(markers[0])).replace(os.sep, "/")
    if is_marked or chosen in hosts.IN_FOLDERS:
        texts |= _in_folders(settings.site)
    try:
        host = hosts.choose(chosen, texts, urlsplit(settings.base_url).netloc, now)
    except ValueError as error:
        raise ConfigError((str(error),)) from None
    return host._replace(notes=(*host.notes, *_unread(host, folders, settings)))


def _markers(chosen: str, folders: Iterable[str]) -> list[str]:
    """The project files that describe hosting, by the chosen host or, for `auto`, by any.

    They lie in the nearest folder that has one.
    """
    for folder in folders:
        found = [one.file for one in published_by(folder) if chosen in ("auto", one.host)]
        if found:
            return list(dict.fromkeys(found))
    return []


def _in_folders(site: str) -> dict[str, str]:
    """The texts of files that hosts read in every folder, by their paths in the site."""
    return {
        relative(os.path.join(folder, name), site).replace(os.sep, "/"): _text(os.path.join(folder, name))
        for folder, _, names in os.walk(site)
        for name in hosts.SITE_MARKERS
        if name in names
    }


def _unread(host: Host, folders: Iterable[str], settings: Settings) -> Iterator[str]:
    """A note that names what may decide about URLs, and is not read."""
    names = [name for one in hosts.ALL if host.is_known and one.name in host.names for name in one.unread]
    paths = [os.path.join(folder, name) for folder in folders for name in (*hosts.OTHERS, *names)]
    if found := [settings.display_path(path) for path in dict.fromkeys(paths) if os.path.exists(path)]:
        yield f"found, not read: {', '.join(found)}; what it does to URLs is not known"


def _lookup_folders(settings: Settings) -> list[str]:
    """From the site's folder up to the repository's root, or else to the working directory."""
    folders = ancestors(settings.site)
    if os.path.exists(os.path.join(folders[-1], ".git")):
        return folders
    while not relative(folders[-1], settings.cwd).startswith("."):
        folders.append(os.path.dirname(folders[-1]))
    return folders if folders[-1] == settings.cwd else [settings.site, os.path.dirname(settings.site)]


def _hosting(name: str, file: str) -> list[tuple[Provider, Hosting]]:
    try:
        return hosts.hosting(name, _text(file))
    except ValueError as error:
        raise ConfigError((str(error).replace(name, file, 1),)) from None


def _files(folder: str) -> list[tuple[str, str]]:
    return [(name, file) for name in hosts.MARKERS if os.path.isfile(file := os.path.join(folder, name))]


def _text(file: str) -> str:
    return (regular(file) or b"").decode("utf-8-sig", "replace")
