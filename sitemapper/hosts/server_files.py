"""The configuration of a server of one's own that lies in the repository."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import urlsplit

from ..fs import files_below, open_inside, relative, shown_path
from .provider import SITE

_LIMIT = 1 << 20  # bytes of a file
_MANY = 500  # files of a folder that are looked at
_FOLDERS = ("nginx", "conf.d", "caddy", "docker", "deploy")
# Patterns are compiled when they are used.
_NGINX = r"nginx.*\.conf|default\.conf|.*\.nginx(?:\.conf)?"
_CADDY = r"(?i)Caddyfile(?:\.[\w-]+)?|.*\.Caddyfile"
SERVERS = ("caddy", "nginx")
# Names of servers that are not the public one.
_OTHERS = r"(?i)(?<![a-z])(?:staging|dev|development|test|testing|local|localhost)(?![a-z])"


_NOTHING: Mapping[str, str] = {}


class ServerFiles(NamedTuple):
    """The files that were found, and the text of the only one that is for the site, by its path.

    `host` is the server of this text, "" if there is none.
    """

    files: tuple[str, ...] = ()
    texts: Mapping[str, str] = _NOTHING
    host: str = ""


def find_server(
    folders: Sequence[str], base_url: str, cwd: str, configured: str = ""
) -> ServerFiles:
    """The files of servers in the folders above the site, and the one that serves the base URL.

    A file counts if it has a block for the base URL, whose path is empty. Of several that differ,
    none counts. If a server is configured, only its files count.
    """
    url = urlsplit(base_url)
    top = folders[-1]
    above_site = folders[1:] or folders
    found: list[str] = []
    fitting: dict[str, str] = {}
    in_site = _in_site(folders[0]) if len(folders) > 1 else []
    for file in chain(in_site, chain.from_iterable(map(_candidates, above_site))):
        path = relative(file, top).replace(os.sep, "/")
        if re.search(_OTHERS, path):
            continue
        shown = shown_path(file, cwd)
        found.append(shown)
        text = (open_inside(top, file, _LIMIT) or b"").decode("utf-8-sig", "replace")
        is_asked = configured not in SERVERS or configured == _server_of(file)
        if is_asked and url.path in ("", "/") and _serves(file, text, url.netloc):
            fitting[shown] = text
    if len(set(fitting.values())) != 1:
        return ServerFiles(tuple(found))
    name = next(iter(fitting))
    return ServerFiles(tuple(found), {name: fitting[name]}, _server_of(name))


def only_file(texts: Mapping[str, str]) -> str | None:
    """The name of the only file of a server among the texts of a project. None of several."""
    files = [name for name in texts if name != SITE]
    return files[0] if len(files) == 1 else None


def _in_site(site: str) -> Iterator[str]:
    """The files of the site in which a server may be configured."""
    file = os.path.join(site, "Caddyfile")
    if os.path.isfile(file):
        yield file
    for folder in ("nginx", "conf.d"):
        yield from _candidates_in(site, folder)


def _candidates(project: str) -> Iterator[str]:
    """The files of a folder in which a server may be configured."""
    for name in ("Caddyfile", "nginx.conf"):
        file = os.path.join(project, name)
        if os.path.isfile(file):
            yield file
    for folder in _FOLDERS:
        yield from _candidates_in(project, folder)


def _candidates_in(project: str, folder: str) -> Iterator[str]:
    """The files below a folder in which a server may be configured."""
    start = os.path.join(project, folder)
    if not os.path.isdir(start):
        return
    for path in sorted(islice(files_below(start, skipped=(".",)), _MANY)):
        name = os.path.basename(path)
        is_in_own_folder = folder in ("nginx", "conf.d") and name.endswith(".conf")
        if is_in_own_folder or re.fullmatch(_NGINX, name) or re.fullmatch(_CADDY, name):
            yield path


def _server_of(file: str) -> str:
    """The server that a file configures."""
    return "caddy" if re.fullmatch(_CADDY, os.path.basename(file)) else "nginx"


def _serves(file: str, text: str, netloc: str) -> bool:
    """Whether a text can be read and has a block for a host name."""
    # Imported here: few projects have such files.
    from .caddy.sites import choose_site
    from .nginx import choose_server

    choose_block = choose_site if _server_of(file) == "caddy" else choose_server
    try:
        return choose_block(text, netloc) is not None
    except ValueError:
        return False
