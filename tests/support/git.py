"""A repository whose commits happen at midnight of days of January 2026."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

START = 1_767_225_600  # 2026-01-01
DAY = 86_400
WHO = {f"GIT_{role}_{key}": "x" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}


def day(number: int) -> str:
    """The time of the commits of a day."""
    return f"2026-01-{number:02}T00:00:00+00:00"


def noon(number: int) -> str:
    return f"2026-01-{number:02}T12:00:00+00:00"


class Repo:
    """A repository in a folder, which is made if there is none."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        if not (root / ".git").exists():
            self("init", "-q", "-b", "main", "--template=")  # git copies no examples of hooks

    def __call__(self, *arguments: str, on: float = 1) -> str:
        when = f"{START + (on - 1) * DAY:.0f} +0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        settings = ("core.fsync=none", "maintenance.auto=false", "protocol.file.allow=always", "commit.gpgsign=false")  # fmt: skip
        command = ["git", *(word for setting in settings for word in ("-c", setting)), *arguments]
        environment = os.environ | WHO | dates
        done = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, on: int, files: Mapping[str, str] = {}) -> None:
        """Writes files, and commits all that changed."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            # git takes files of one size and time for unchanged
            os.utime(path, (START + on * DAY,) * 2)
        self("add", "--all")
        self("commit", "-q", "-m", "x", on=on)

    def clone(self, *options: str) -> Repo:
        """A clone in a folder of its own, with what the clone's own commands wrote."""
        root = self.root.with_name(f"clone{len(os.listdir(self.root.parent))}")
        self("clone", "-q", *options, self.root.as_uri(), str(root))
        return Repo(root)
