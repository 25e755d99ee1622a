"""The settings of a user's own server, such as `nginx.conf`, which are found but not read."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice

from ..fs import files_below, shown_path
from ..hosts.find import lookup_folders
from ..hosts.host import Host
from ..messages import Kind, Message

_NAMES = ("Caddyfile", "nginx.conf", "web.config", "serve.json", "render.yaml", ".surgeignore")
# Folders of a project in which people keep such files.
_FOLDERS = ("nginx", "conf.d", "docker", "deploy")
_FOLDERS_OF_NGINX = ("nginx", "conf.d")
_MOST_FILES = 500  # that are searched in each: `docker/` may contain the data of a server


def note_server_file(host: Host, site: str, cwd: str) -> Iterator[Message]:
    """The note that the settings of a server, such as `nginx.conf`, are not read.

    None if the site has a host whose rules are read, or if its project has no such file.
    """
    if host.is_known:
        return
    file = _find_server_file(lookup_folders(site, cwd))
    if file:
        yield Message(Kind.SERVER_FILE, (shown_path(file, cwd),))


def _find_server_file(folders: Sequence[str]) -> str | None:
    """The first file with the settings of a server, None if there is none.

    The first of the `folders` is the site, the others are those of its project. A file may stand in
    each of them, or in a folder such as `docker` of the project.
    """
    for folder in folders:
        for name in _NAMES:
            file = os.path.join(folder, name)
            if os.path.lexists(file):
                return file
    above_site = folders[1:] or folders  # a site without a project around it may be one itself
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
    """Whether a file in `nginx`, `docker` or the like has the settings of a server.

    `nginx/a.conf` has, and `docker/Caddyfile`, but not `docker/redis.conf`.
    """
    folder, name = os.path.split(file)
    # Outside of these folders, a `.conf` may be of any program.
    is_of_nginx = os.path.basename(folder) in _FOLDERS_OF_NGINX and name.endswith(".conf")
    return is_of_nginx or name in (*_NAMES, "default.conf")
