"""The errors a user can cause. Everything else that is raised is a bug and keeps its traceback."""

from __future__ import annotations


class SitemapperError(Exception):
    """What is wrong, where, and what to do: a message for a person; the command exits with 2."""


class ConfigError(SitemapperError):
    """The settings cannot be used; `problems` holds one finished line for each fault found."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[ConfigError], tuple[tuple[str, ...]]]:
        return ConfigError, (self.problems,)


class SiteError(SitemapperError):
    """The folder to walk is missing, is no folder, or cannot be read."""


class LedgerError(SitemapperError):
    """The ledger cannot be read; says the file, the line and what to do."""


class LimitError(SitemapperError):
    """The site does not fit the limits of the sitemap protocol (docs/PROTOCOL §0)."""


class WorkerError(SitemapperError):
    """Other processes or machines could not do their part; nothing was published."""


class GuardError(SitemapperError):
    """Publishing would replace a good sitemap by one that looks wrong; nothing was published."""


class PublishError(SitemapperError):
    """The output could not be written; what was published before is still whole."""
