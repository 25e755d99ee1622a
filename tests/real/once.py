"""Makes what takes long, and is the same for many tests, once a run: for both of its processes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

# Fills an empty folder, and returns what is to be known about it.
Make = Callable[[Path], str]


class Once:
    """Makes folders, each in the first test that asks for it. The others wait until it is done."""

    def __init__(self, shared: Path) -> None:
        self._shared = shared

    def __call__(self, name: str, make: Make) -> tuple[Path, str]:
        """The folder of that name, and what `make` returned about it."""
        import fcntl  # Windows has none, and imports this file without running its tests

        folder = self._shared / name
        known = self._shared / f"{name}.known"
        with open(self._shared / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not known.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a test that failed
                folder.mkdir()
                known.write_text(make(folder))
        return folder, known.read_text()
