"""The error that a user can cause. Any other exception is a bug and keeps its traceback."""


class SitemapperError(Exception):
    """What is wrong and where, and what to do about it. A command prints it and exits with 2."""

    def __init__(self, text: str, help: str = "") -> None:
        super().__init__(f"{text}\nhelp: {help}" if help else text)
        self.text = text
        self.help = help


class PreviewError(SitemapperError):
    """The site was built for a preview, so nothing is published. A command exits with 0."""
