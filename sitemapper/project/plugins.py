"""The projects with our plugin, and the records that the plugin leaves in the user's cache.

A record contains the settings and the sources of each page. With it, `explain`, `check` and a build
by hand give the same answers as the plugin.
"""

import json
import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from hashlib import blake2b

from ..config.layers import Generator, Layer
from ..config.load import with_tuples
from ..config.settings import Config, Settings
from ..fs import ancestors, open_regular
from ..model import Origin, SourceFiles
from ..syntax.gitignore import BUILT_IN
from .candidate import places_in
from .generators import ALL, LIMIT, start_of, text_of

_PYTHON = r"(?m)^[^#\n]*\bsitemapper\.integrations\.(sphinx|pelican)\b"
_YAML = (
    r"(?m)^[ \t]*(?:-[ \t]*)?[\"']?sitemapper[\"']?[ \t\r]*(?:[:#].*)?$|^plugins:.*[\[, "
    r"]sitemapper\b"
)
_WITH_PLUGIN = [generator for generator in ALL if generator.plugin]


def find_record(cache: str | None, cwd: str, site: str | None) -> Layer | None:
    """The plugin's record for a site, or for its only site, in the nearest project.

    None if there is none.
    """
    for folder in ancestors(cwd) if cache else ():
        for place, names in places_in(folder):
            if any(uses_plugin(generator, place, names) for generator in _WITH_PLUGIN):
                record = _read_record(os.path.join(cache or "", _name(place)))
                if record and site in (None, record.values["site"]):
                    return record
    return None


def uses_plugin(generator: Generator, folder: str, names: Collection[str]) -> bool:
    """Whether the project files of a generator name our plugin. `names` are those in the folder."""
    return bool(generator.plugin) and any(
        re.search(_PYTHON if name.endswith(".py") else _YAML, text_of(folder, name))
        for name in generator.settings
        if name in names
    )


def make_record(settings: Settings, label: str) -> tuple[str, bytes]:
    """The record of what a plugin published from a project's folder:

    its name in the cache, its text.
    """
    project, sources = settings.cwd, settings.source_files or SourceFiles("", {})
    names = [name for generator in _WITH_PLUGIN for name in generator.settings]
    files = [os.path.join(project, name) for name in (label.partition(":")[0], *names)]
    files += [path for path, _ in settings.read_from]
    patterns = (line.text for line in settings.ignore_lines if line.origin.source == BUILT_IN)
    values = settings.model_dump(
        exclude_unset=True, by_alias=True, include=set(Config.model_fields)
    )
    ledger = os.path.join(settings.project, settings.ledger.path)
    values["ledger"] = values.get("ledger", {}) | {"path": ledger}
    record = {
        "label": label,
        "project": settings.project,
        "files": files,
        "digest": _digest(files),
        "settings": values,
        "built_in": [text for text in patterns if text in settings.ignore],
        "folder": os.path.abspath(sources.folder),
        "sources": {page: list(map(str, names)) for page, names in sources.of.items()},
    }
    return _name(project), json.dumps(record, default=str).encode()


def _read_record(path: str) -> Layer | None:
    """A record as a layer of the configuration.

    None if there is none, or if it is damaged, writable by other users, or of a removed site. It is
    stale if files that the plugin read have changed.
    """
    with suppress(OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        with open_regular(path) as file:
            record, about = json.load(file), os.fstat(file.fileno())
        # Otherwise, others with access to the folder could choose what the next build reads and
        # writes.
        is_own = os.name == "nt" or (about.st_uid == os.geteuid() and not about.st_mode & 0o022)
        values = with_tuples(record["settings"])
        site = Config.model_validate(values).site
        if is_own and os.path.isdir(site) and record["digest"] == _digest(record["files"]):
            layer = Layer(
                values, record["label"], record["project"], built_in=tuple(record["built_in"])
            )
            files = SourceFiles(record["folder"], with_tuples(record["sources"]))
            origins = dict.fromkeys(("site", "base_url"), Origin(layer.label))
            return layer._replace(origins=origins, source_files=files)
    return None


def _name(project: str) -> str:
    """The file of a project's record in the cache."""
    return f"{blake2b(os.fsencode(os.path.realpath(project)), digest_size=12).hexdigest()}.plugin"


def _digest(files: Sequence[str]) -> str:
    texts = b"".join(blake2b(start_of(path, LIMIT)).digest() for path in files)
    return blake2b(texts, digest_size=16).hexdigest()
