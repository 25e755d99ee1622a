"""The errors that a user can cause. Any other exception is a bug and keeps its traceback."""

HELP = "help: "  # begins the line that says what to do
# What to do if the system refuses to write a file, whose error says which of these it is.
WRITE_ADVICE = "check the free space, and the permissions of the file and its folder"


class SitemapperError(Exception):
    """An error for the user to read: what is wrong and where, then a line `help: ` with what to do.

    `SitemapperError("a.xml: is damaged", "build again")` → "a.xml: is damaged\\nhelp: build again"
    """

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(with_help(message, help))


def with_help(message: str, help: str) -> str:
    """Adds to a message a line that says what to do. Without help, the message stays as it is."""
    return f"{message}\n{HELP}{help}" if help else message


class ConfigError(SitemapperError):
    """The settings cannot be used. The message has a line for each problem, and its help below."""


class SiteError(SitemapperError):
    """The site's folder is missing, is not a folder, or cannot be read."""


class LedgerError(SitemapperError):
    """The ledger cannot be read. The message has the file, the line and what to do."""


class PreviousError(SitemapperError):
    """The sitemap that was published before cannot be read. Nothing was published.

    `problem` and `help` are for commands that publish nothing anyway.
    """

    def __init__(self, problem: str, help: str) -> None:
        super().__init__(f"{problem}, so nothing was published", help)
        self.problem = problem
        self.help = help


class WorkerError(SitemapperError):
    """Other processes or machines failed. Nothing was published."""


class GuardError(SitemapperError):
    """The new sitemap looks wrong and would replace a good one. Nothing was published."""


class PublishError(SitemapperError):
    """The output could not be written. The files published before are complete."""


class NetworkError(SitemapperError):
    """Another machine cannot be reached, or its answer is not usable."""


class OtherHostError(NetworkError):
    """A host redirects to another one, such as that of a login page."""
