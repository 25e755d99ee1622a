"""What a build did: its files, and the changes of URLs."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from .model import Detected, Reason, WarningKind


class Change(Enum):
    """What publishing does to a file."""

    CREATED = "created"
    UPDATED = "updated"
    KEPT = "kept"
    REMOVED = "removed"


class UrlChange(Enum):
    """What a run does to a URL; changed means that its date is another."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


NO_BASELINE = "# no baseline"  # begins the last line of a list of changes that names the whole site


class FileChange(NamedTuple):
    """A file of the output and what happened to it; `urls` is None for what is no sitemap.

    `size` is in bytes before compression, None for a file that is removed.
    """

    name: str
    change: Change
    urls: int | None = None
    size: int | None = None


class Summary(NamedTuple):
    """What a build did. `previous` counts the URLs published before, None if nothing was; `changes`
    what became of them since, `dated` the pages that each source of dates dated, 0 for all if none did,
    `detected` the settings of the project.

    A warning is a kind, how often it came, and its first examples; notes are not warnings.
    """

    site: str
    sitemap: str
    listed: int
    excluded: dict[Reason, int]
    pruned: int
    files: tuple[FileChange, ...]
    warnings: tuple[tuple[WarningKind, int, tuple[str, ...]], ...]
    notes: tuple[str, ...]
    previous: int | None
    changes: dict[UrlChange, int]
    dated: dict[str, int]
    detected: tuple[Detected, ...] = ()
