"""What the plugin of a generator left in the user's cache: its settings, and what made each page.

With it, `explain`, `check` and a build by hand give the plugin's answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b

from pydantic import BaseModel, ConfigDict

from ..config.layers import Layer
from ..config.load import with_tuples
from ..config.settings import Config, Settings
from ..fs import open_regular
from ..model import Origin, SourceFiles
from ..syntax.gitignore import BUILT_IN
from .generators import ALL, LIMIT, start_of

# The project files whose change makes a record stale.
_FILES = [name for generator in ALL if generator.plugin for name in generator.settings]


class PluginRecord(BaseModel):
    """What a plugin published. Its values have the shape of sitemapper.toml, and its paths are absolute.

    `project` is the folder that they are relative to. `files` are those that decided them, `digest` is of
    these files. `built_in` are the ignore patterns that nobody wrote. `sources` are by page.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    label: str
    project: str
    files: tuple[str, ...]
    digest: str
    settings: Config
    built_in: tuple[str, ...]
    folder: str
    sources: dict[str, tuple[str, ...]]

    @property
    def is_current(self) -> bool:
        """Whether the site is there, and the files are those that the plugin read."""
        return os.path.isdir(self.settings.site) and self.digest == _digest(self.files)

    def layer(self) -> Layer:
        """The settings and what made the pages, as a layer of the configuration."""
        return Layer(
            self.settings.model_dump(exclude_unset=True, by_alias=True),
            self.label,
            self.project,
            origins=dict.fromkeys(("site", "base_url"), Origin(self.label)),
            built_in=self.built_in,
            source_files=SourceFiles(self.folder, self.sources),
        )


def make_record(settings: Settings, label: str) -> tuple[str, bytes]:
    """The name of a record in the cache, and its text, of what a plugin published from a project's folder."""
    project, sources = settings.cwd, settings.source_files or SourceFiles("", {})
    files = [os.path.join(project, name) for name in (label.partition(":")[0], *_FILES)]
    files += [path for path, _ in settings.read_from]
    patterns = (line.text for line in settings.ignore_lines if line.origin.source == BUILT_IN)
    values = settings.model_dump(exclude_unset=True, by_alias=True, include=set(Config.model_fields))
    values["ledger"] = values.get("ledger", {}) | {
        "path": os.path.join(settings.project, settings.ledger.path)
    }
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


def read_record(cache: str, project: str) -> PluginRecord | None:
    """The record of a project; None if there is none, or if it is stale, damaged, or open to other users."""
    with suppress(OSError, ValueError, RecursionError):
        with open_regular(os.path.join(cache, _name(project))) as file:
            data, about = file.read(), os.fstat(file.fileno())
        # On POSIX, who shares the folder could else choose what the next build reads and writes.
        is_own = os.name == "nt" or (about.st_uid == os.geteuid() and not about.st_mode & 0o022)
        record = PluginRecord.model_validate(with_tuples(json.loads(data))) if is_own else None
        return record if record and record.is_current else None
    return None


def _name(project: str) -> str:
    """The file of a project's record in the cache."""
    return f"{blake2b(os.fsencode(os.path.realpath(project)), digest_size=12).hexdigest()}.plugin"


def _digest(files: Sequence[str]) -> str:
    texts = b"".join(blake2b(start_of(path, LIMIT)).digest() for path in files)
    return blake2b(texts, digest_size=16).hexdigest()
