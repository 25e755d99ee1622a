"""Which project runs sitemapper as a plugin, and what the plugin left in the cache."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..config.layers import Generator, Layer, ancestors
from .candidate import places_in
from .generators import ALL, text_of

_PYTHON = r"(?m)^[^#\n]*\bsitemapper\.integrations\.(sphinx|pelican)\b"
_YAML = r"(?m)^[ \t]*(?:-[ \t]*)?[\"']?sitemapper[\"']?[ \t\r]*(?:[:#].*)?$|^plugins:.*[\[, ]sitemapper\b"
_WITH_PLUGIN = [generator for generator in ALL if generator.plugin]


def find_record(cache: str | None, cwd: str, site: str | None) -> Layer | None:
    """What the plugin of the nearest project left of a site, or of its only one; None if nothing did."""
    for folder in ancestors(cwd) if cache else ():
        for place, names in places_in(folder):
            if any(uses_plugin(generator, place, names) for generator in _WITH_PLUGIN):
                # Imported here: its model costs some 5 ms, and few projects have a record.
                from .plugin_record import read_record

                record = read_record(cache or "", place)
                if record and site in (None, record.settings.site):
                    return record.layer()
    return None


def uses_plugin(generator: Generator, folder: str, names: Collection[str]) -> bool:
    """Whether the project files of a generator name our plugin; `names` are those in the folder."""
    return bool(generator.plugin) and any(
        re.search(_PYTHON if name.endswith(".py") else _YAML, text_of(folder, name))
        for name in generator.settings
        if name in names
    )
