"""A git repository whose commits happen on days of January 2026, and sites built from one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import sitemapper
from sitemapper.commands.build import Summary

from . import BASE, NOW, ledger, write_site

DAY = 86_400
START = 1_767_225_600  # 2026-01-01


def day(number: int) -> str:
    return f"2026-01-{number:02}T00:00:00+00:00"


def noon(number: int) -> str:
    return f"2026-01-{number:02}T12:00:00+00:00"


def edit(root: Path, name: str, text: str, number: int) -> None:
    """Edits a file at noon of a day of January 2026."""
    write_site(root, {name: text}, mtime=START + number * DAY - DAY // 2)


class Repo:
    """A repository in which each commit happens on a day of January 2026."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self("init", "-q", "-b", "main", "--template=")  # git copies no examples of hooks

    def __call__(self, *command: str, number: int = 1) -> str:
        when = f"{START + (number - 1) * DAY} +0000"
        who = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", "x"), ("EMAIL", "x@y"), ("DATE", when))
        }
        settings = {
            "commit.gpgsign": "false",
            "protocol.file.allow": "always",
            "maintenance.auto": "false",  # it would be a process after each commit
            "core.fsync": "none",
        }
        quiet = [word for pair in settings.items() for word in ("-c", "=".join(pair))]
        done = subprocess.run(
            ("git", *quiet, *command),
            cwd=self.root,
            env=os.environ | who,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, number: int, files: dict[str, str]) -> None:
        write_site(self.root, files)
        self("add", "--all")
        self("commit", "-q", "-m", "x", number=number)

    def clone(self, *options: str) -> Repo:
        """A clone in a folder of its own, whose files are as old as the clone."""
        root = self.root.with_name(f"clone{len(os.listdir(self.root.parent))}")
        self("clone", "-q", *options, self.root.as_uri(), str(root))
        return Repo(root)


MAPS = [
    {"page": "{path}/index.html", "source": ["content/{path}.md", "content/{path}/index.md"]},
    {"page": "index.html", "source": ["content/index.md"]},
]


def site_of(root: Path, *pages: str) -> Path:
    """The built site; `public` is not in git, as usual."""
    return write_site(root / "public", dict.fromkeys(pages, "<p>"))


def dates(root: Path, *pages: str, **values: object) -> dict[str, str | None]:
    """The date of each page; a project with maps has a configuration, whose folder they start from."""
    site_of(root, *pages)
    summary = load(root, **values)
    assert len(summary.selected.listed) == len(pages)
    return ledger.dates(root / "public")


def load(root: Path, **values: object) -> Summary:
    given = {
        "base_url": "https://example.com",
        "site": str(root / "public"),
        "lastmod": ["git"],
        "git": {"map": MAPS},
    }
    return sitemapper.build(sitemapper.load({**given, **values}, cwd=str(root)), now=NOW)


def auto_dates(root: Path, *, warns: bool = False, **values: object) -> dict[str, str | None]:
    """The date of each page, as a build writes it for which nothing else is configured."""
    given = {"base_url": BASE, "site": str(root / "public"), **values}
    summary = sitemapper.build(sitemapper.load(given, cwd=str(root)))
    assert any(one.severity == "warning" for one in summary.messages) == warns
    return ledger.dates(root / "public")
