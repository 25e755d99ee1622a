"""What a build says of the pages that it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import sitemapper
from sitemapper import Excluded, Observer, Reason

from . import NOW, asking, settings


class Heard(NamedTuple):
    """What a build left out, with reason and origin, and the examples of its warnings by kind."""

    excluded: dict[str, tuple[Reason, str]]
    warned: dict[str, tuple[str, ...]]


def heard(root: Path, **values: Any) -> Heard:
    class RunObserver(Observer):
        def __init__(self) -> None:
            self.found: dict[str, tuple[Reason, str]] = {}

        def excluded(self, excluded: Excluded) -> None:
            self.found[excluded.path] = (excluded.reason, str(excluded.origin))

    ears = RunObserver()
    options = asking(settings(root, **values), allow_empty=True)
    summary = sitemapper.build(options, now=NOW, observer=ears)
    return Heard(ears.found, {kind.name: examples for kind, examples, _, _ in summary.warnings})
