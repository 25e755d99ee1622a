"""Which project runs sitemapper as a plugin, and where in the cache the record of its build is."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from ..config.layers import ancestors
from ..fs import regular, relative
from .generators import text_of

if TYPE_CHECKING:
    from .plugin_record import PluginRecord

_PYTHON = r"(?m)^[^#\n]*\bsitemapper\.integrations\.(sphinx|pelican)\b"
_YAML = r"(?m)^[ \t]*(?:-[ \t]*)?[\"']?sitemapper[\"']?[ \t\r]*(?:[:#].*)?$|^plugins:.*[\[, ]sitemapper\b"
# The files that name a plugin, how they do, and what runs it.
USES = {
    **dict.fromkeys(("mkdocs.yml", "mkdocs.yaml"), (_YAML, "mkdocs build")),
    "conf.py": (_PYTHON, "sphinx-build"),
    **dict.fromkeys(("pelicanconf.py", "publishconf.py"), (_PYTHON, "pelican")),
}
_BELOW = ("", "docs", "doc", "source", "docs/source", "doc/source")  # where a repository has such a file


def find_record(cache: str | None, cwd: str) -> tuple[PluginRecord | None, str | None]:
    """The record of the nearest project that uses a plugin, or a note that it has none."""
    places = (os.path.normpath(os.path.join(f, name)) for f in ancestors(cwd) for name in _BELOW)
    for place in places if cache else ():
        for name, (pattern, command) in USES.items():
            path = os.path.join(place, name)
            if os.path.isfile(path) and re.search(pattern, text_of(place, name)):
                if record := _read(os.path.join(cache or "", record_name(place))):
                    return record, None
                what = f"{relative(path, cwd)} uses the plugin, which has left no current record of a build"
                return None, f"{what}: run {command} for its settings and for what made each page"
    return None, None


def _read(path: str) -> PluginRecord | None:
    """The record in a file; None if it is stale or damaged."""
    with suppress(OSError, ValueError, RecursionError):
        if data := regular(path):
            # Imported here: few projects have one.
            from ..config.load import with_tuples
            from .plugin_record import PluginRecord

            record = PluginRecord.model_validate(with_tuples(json.loads(data)))
            return record if record.is_current else None
    return None


def record_name(project: str) -> str:
    """The file of a project's record in the cache."""
    key = os.fsencode(os.path.realpath(project))
    return f"{blake2b(key, digest_size=12).hexdigest()}.plugin"
