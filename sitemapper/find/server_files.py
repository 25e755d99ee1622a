"""The settings of a user's own server, such as `nginx.conf`, which are found but not read."""

import os
from collections.abc import Iterator

from ..fs import shown_path
from ..hosts.find import lookup_folders
from ..hosts.host import Host
from ..messages import Kind, Message

_NAMES = ("Caddyfile", "nginx.conf", "web.config", "serve.json", "render.yaml", ".surgeignore")


def note_server_file(host: Host, site: str, cwd: str) -> Iterator[Message]:
    """The note on the first file with the settings of a server, such as `nginx.conf`.

    The file may be in the site or in a folder of its project. There is no note if the site has a
    host whose rules are read.
    """
    if host.is_known:
        return
    for folder in lookup_folders(site, cwd):
        for name in _NAMES:
            file = os.path.join(folder, name)
            if os.path.lexists(file):
                yield Message(Kind.SERVER_FILE, (shown_path(file, cwd),))
                return
