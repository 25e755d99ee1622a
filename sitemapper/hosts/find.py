"""The host of a site, from the files of the site and of its project."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import ConfigError
from ..fs import ancestors, files_below, is_named_below, open_inside, relative, shown_path
from ..messages import Kind, Message
from ..syntax.settings_files import read_table
from . import choose
from .host import NO_HOST, Host
from .provider import SITE, Hosting

_LIMIT = 4 << 20  # bytes of a file with rules
# Where a file with rules is looked for that is not at the top: in the nearest folders of the site,
# because each listing is one more than the walk needs.
_MOST_FOLDERS = 300
_MOST_ENTRIES = 5_000
_MANY = 50  # files of a folder that are read for clues


class HostFile(NamedTuple):
    """A project file of a host, and one of the sites that it publishes.

    The folders of `hosting` are absolute.
    """

    host: str
    file: str
    hosting: Hosting


def find_host(
    site: str, *, configured: str, builder: str, base_url: str, cwd: str, now: int = 0
) -> Host:
    """The host of a site and its rules.

    `site` and `cwd`, the working directory, are absolute. `configured` is the setting `host`, and
    `builder` the host that runs this build, "" if none does. `now` is the time of the run in
    seconds. Raises ConfigError for a broken file.
    """
    name = builder if builder and configured == "auto" else configured
    if name == "none":
        return NO_HOST
    folders = lookup_folders(site, cwd)
    texts = _texts(name, site, folders)
    try:
        host = choose.choose(name, texts, base_url, now)
    except ValueError as error:
        raise ConfigError((str(error),)) from None
    if not host.is_known and not texts:
        host = _host_of_clue(site, folders) or host
    return host._replace(unread=_note_unread(host, folders, cwd))


def published_by(folder: str, host: str = "auto") -> list[HostFile]:
    """What the files of a host in a folder, or for "auto" of all hosts, publish.

    The first existing folder of each counts. Raises ConfigError for a broken file.
    """
    found: list[HostFile] = []
    for name in choose.marker_names(host):
        file = os.path.join(folder, name)
        if not os.path.isfile(file):
            continue
        try:
            table = read_table(name, _text(ancestors(folder)[-1], file))
        except ValueError as error:
            raise ConfigError((str(error).replace(name, file, 1),)) from None
        for provider in choose.providers_marked_by(name):
            found += (
                HostFile(provider.name, file, _absolute(hosting, folder))
                for hosting in choose.readers()[provider.name].hosting(table)
            )
    return found


def _absolute(hosting: Hosting, start: str) -> Hosting:
    """The same with absolute folders, which were relative to `start`."""
    folders = [os.path.normpath(os.path.join(start, folder)) for folder in hosting.folders]
    return hosting._replace(folders=tuple(folders))


def _texts(name: str, site: str, folders: Sequence[str]) -> dict[str, str]:
    """The texts of the files with the rules of a host, by name; those in the site by path.

    `name` is that of the host, or "auto". `folders` are the site's and those above it, where files
    of the project may be. If files of the site identify the host, files above it do not count.
    """
    texts: dict[str, str] = {}
    for file in choose.file_names(name):
        text = _text(site, os.path.join(site, file))
        if text:
            texts[file] = text
    providers_in_site = choose.recognised_in_site()
    is_recognised = any(provider.is_recognised(frozenset(texts)) for provider in providers_in_site)
    is_found_in_site = name == "auto" and is_recognised
    is_configured = name in [provider.name for provider in providers_in_site]
    folders_of_project = folders[:1] if is_found_in_site else folders
    texts |= _nearest_markers(name, site, folders_of_project)
    names = {file for provider in providers_in_site for file in provider.files}
    may_be_deeper = name == "auto" and not texts
    is_deeper = may_be_deeper and is_named_below(
        site, names, folders=_MOST_FOLDERS, entries=_MOST_ENTRIES
    )
    if is_found_in_site or is_configured or is_deeper:
        texts |= _files_in_folders(site, names)
    return texts


def _nearest_markers(name: str, site: str, folders: Sequence[str]) -> dict[str, str]:
    """The project files of the nearest folder that has one, and where the site is as seen from it.

    Only files of one host count, or of all for "auto".
    """
    for folder in folders:
        files = [found.file for found in published_by(folder, name)]
        if files:
            top = ancestors(folder)[-1]
            texts = {os.path.basename(file): _text(top, file) for file in files}
            return texts | {SITE: _path(site, folder)}
    return {}


def _host_of_clue(site: str, folders: Sequence[str]) -> Host | None:
    """The only host of which the site or the project has a clue, None if there is not one."""
    top = folders[-1]
    found = set()
    for provider in choose.ALL:
        for clue in provider.clues:
            in_site = _has_words(site, os.path.join(site, clue.path), clue.words)
            if in_site or _has_words(top, os.path.join(top, clue.path), clue.words):
                found.add(provider.name)
    if len(found) != 1:
        return None
    return choose.choose(found.pop(), {}, "", 0)


def _has_words(root: str, path: str, words: Sequence[str]) -> bool:
    """Whether a file, or a file in a folder, contains one of some words."""
    files = [path]
    if os.path.isdir(path):
        names = sorted(os.listdir(path))[:_MANY]
        files = [os.path.join(path, name) for name in names]
    for file in files:
        if not os.path.isfile(file):
            continue
        text = "\n" + _text(root, file)
        if any(word in text for word in words):
            return True
    return False


def _files_in_folders(site: str, names: set[str]) -> dict[str, str]:
    """The files with some names in all folders of the site, by path."""
    texts: dict[str, str] = {}
    for file in files_below(site):
        if os.path.basename(file) in names:
            texts[_path(file, site)] = _text(site, file)
    return texts


def _note_unread(host: Host, folders: Sequence[str], cwd: str) -> Message | None:
    """The note on lines that are not certain, and on files that nobody can read, None for none.

    Such a file, for example the code of a worker, may decide about any URL.
    """
    lines = dict.fromkeys(line for rules in host.rules for line in rules.unread)
    unread = list(map(str, lines))
    for provider in choose.ALL:
        if host.is_known and provider.name in host.names:
            paths = [os.path.join(folder, name) for folder in folders for name in provider.unread]
            unread += [shown_path(path, cwd) for path in paths if os.path.exists(path)]
    if not unread:
        return None
    kind = Kind.HOST_RULES_UNREAD
    if "apache" in host.names:
        kind = Kind.HTACCESS_LINES_UNREAD
    return Message(kind, (unread[0],), len(unread))


def lookup_folders(site: str, cwd: str) -> list[str]:
    """The folders in which files of the project may be, from the site's upwards.

    They end at the repository's root or, without one, at the working directory. If the site is in
    neither, they are its own folder and the one above.
    """
    folders = ancestors(site)
    if os.path.exists(os.path.join(folders[-1], ".git")):
        return folders
    while not relative(folders[-1], cwd).startswith("."):
        folders.append(os.path.dirname(folders[-1]))
    is_in_cwd = folders[-1] == cwd
    if not is_in_cwd:
        return [site, os.path.dirname(site)]
    return folders


def _text(root: str, file: str) -> str:
    """A file in a site or repository `root`, "" if there is none. Raises OSError."""
    return (open_inside(root, file, _LIMIT) or b"").decode("utf-8-sig", "replace")


def _path(path: str, start: str) -> str:
    """A path as seen from a folder, with slashes."""
    return relative(path, start).replace(os.sep, "/")
