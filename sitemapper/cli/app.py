"""The command line: its commands, whose files are loaded when they are used."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from .._version import __version__
from .parameters import heading

# In the order of the help. Each sentence is also the first of the command's own help.
COMMANDS = {
    "build": "Build the sitemaps of a folder of HTML.",
    "check": "Check that the published sitemaps are up to date.",
    "explain": "Explain why a page is listed or not.",
    "init": "Write a first sitemapper.toml.",
    "validate": "Validate any tool's sitemaps.",
    "verify": "Verify the live sitemap and its pages.",
    "submit": "Notify search engines of changed URLs.",
    "schema": "Print the JSON Schema of sitemapper.toml.",
}


class _Program(TyperGroup):
    """Loads only the file of the command that runs. Help and completion load none."""

    def __init__(self, **attributes: Any) -> None:
        # The group needs only the names, because `get_command` loads the command of a name.
        attributes["commands"] = COMMANDS
        super().__init__(**attributes)

    # typer keeps the types of its click private.
    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Imports the file of a command, and returns its click command: `build` of build.py.

        None if there is no command with this name.
        """
        if cmd_name not in COMMANDS:
            return None
        return getattr(import_module(f".{cmd_name}", __package__), cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes a line for each command."""
        with formatter.section(heading("Commands")):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    cls=_Program,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Build, check and submit the sitemaps of a static site.",
)


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", "-V", help="Print the version."),
) -> None:
    # Handles the options that need no command, such as `sitemapper --version`. The help text of the
    # program is that of `app`.
    if version:
        typer.echo(f"sitemapper {__version__}")
        raise typer.Exit


command_line: Any = typer.main.get_command(app)  # the click command for the whole command line
