"""The errors a user can cause. Everything else that is raised is a bug and keeps its traceback."""

from __future__ import annotations

import errno

HELP = "help: "  # begins the line of a message that says what to do


class SitemapperError(Exception):
    """A message for a person: what is wrong and where, then a `help:` line with what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(with_help(message, help))


def with_help(message: str, help: str) -> str:
    """The message, and on a line of its own what to do about it."""
    return f"{message}\n{HELP}{help}" if help else message


def write_advice(error: OSError) -> str:
    """What to do about a file that the system does not let us write."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "free disk space"
        case errno.EFBIG:
            return "raise the limit on the size of files (ulimit -f)"
        case errno.EROFS:
            return "choose a folder that can be written"
        case errno.EACCES | errno.EPERM:
            return "fix the permissions of the file and its folder"
    return "check the path, the disk and the permissions"


class ConfigError(SitemapperError):
    """The settings cannot be used. `problems` holds one message for each error found."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[ConfigError], tuple[tuple[str, ...]]]:
        return ConfigError, (self.problems,)


class SiteError(SitemapperError):
    """The folder to walk is missing, is no folder, or cannot be read."""


class LedgerError(SitemapperError):
    """The ledger cannot be read; says the file, the line and what to do."""


class WorkerError(SitemapperError):
    """Other processes or machines could not do their part; nothing was published."""


class GuardError(SitemapperError):
    """Publishing would replace a good sitemap by one that looks wrong; nothing was published."""


class PublishError(SitemapperError):
    """The output could not be written; what was published before is still whole."""


class NetworkError(SitemapperError):
    """Another machine cannot be reached, or does not answer as it must."""
