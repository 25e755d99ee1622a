"""Files of servers of one's own, such as `nginx.conf`, which are not read."""

import os
from collections.abc import Sequence
from itertools import islice

from ..config.choices import SERVER_ADVICE
from ..fs import files_below, shown_path
from ..hosts.find import lookup_folders
from ..hosts.host import Host

_NAMES = ("Caddyfile", "nginx.conf", "web.config", "serve.json", "render.yaml", ".surgeignore")
# Folders of a project in which people keep such files, and at how many of their files we look:
# `docker/` may contain the data of a server.
_FOLDERS = ("nginx", "conf.d", "docker", "deploy")
_FOLDERS_OF_NGINX = ("nginx", "conf.d")
_MOST_FILES = 500


def note_server_file(host: Host, site: str, cwd: str) -> str | None:
    """The note that a file of a server is not read: `nginx.conf is not read. If your server …`.

    None if the host of the site is known, or its project has no such file. The file is only looked
    for, and never opened.
    """
    if host.is_known:
        return None
    file = _find_server_file(lookup_folders(site, cwd))
    if file is None:
        return None
    return f"{shown_path(file, cwd)} is not read. {SERVER_ADVICE}"


def _find_server_file(folders: Sequence[str]) -> str | None:
    """The first file of a server in the site, which is the first folder, or in the project."""
    for folder in folders:
        for name in _NAMES:
            file = os.path.join(folder, name)
            if os.path.lexists(file):
                return file
    above_site = folders[1:] or folders  # a project may be the site
    for folder in above_site:
        for name in _FOLDERS:
            top = os.path.join(folder, name)
            if os.path.islink(top):  # it may lead out of the project
                continue
            for file in islice(files_below(top, skipped=(".",)), _MOST_FILES):
                if _is_of_server(file):
                    return file
    return None


def _is_of_server(file: str) -> bool:
    """Whether a file below one of `_FOLDERS` is of a server, as `nginx/a.conf` is."""
    folder, name = os.path.split(file)
    # Elsewhere, other `*.conf` may be of any program.
    is_of_nginx = os.path.basename(folder) in _FOLDERS_OF_NGINX and name.endswith(".conf")
    return is_of_nginx or name in (*_NAMES, "default.conf")
