"""The commands, and what is wrong with a command line. Each loads its modules when it runs."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from .. import __version__
from ..messages import PreviewError, SitemapperError
from .console import emit, tell
from .options import (
    MAIN,
    PANELS,
    BuildFlags,
    ExplainFlags,
    FindingFlags,
    RunFlags,
    Site,
    SiteFlags,
    argument,
    flag,
)
from .submit import SubmitFlags
from .verify import VerifyFlags


def run(arguments: Sequence[str]) -> int:
    """Runs a command, and returns its exit code. Prints the errors that users can cause."""
    try:
        code: int = typer.main.get_command(app)(
            args=arguments, prog_name="sitemapper", standalone_mode=False
        )
        return code
    except SitemapperError as error:
        # A preview is built like the live site, so its job of CI must not fail.
        if isinstance(error, PreviewError) and arguments[0] in ("build", "check"):
            if not {"-q", "--quiet"}.intersection(arguments):
                tell("note", f"{error.text}, so nothing is published")
            return 0
        tell("error", error.text, error.help)
    except TyperException as error:
        text = error.format_message().replace("Value error, ", "")  # which pydantic puts before
        context = getattr(error, "ctx", None)
        if text.startswith("Usage:"):  # the help, for a command line without a command
            emit([text], err=True)
        else:
            tell("error", text, f"see {context.command_path} --help" if context else "")
    return 2


class _Command(TyperCommand):
    """A command whose help shows its options in panels. Typer keeps its click's types private."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the arguments, then the options of each panel."""
        panels: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record:
                panels[getattr(param, "rich_help_panel", None) or MAIN].append(record)
        for panel in PANELS:
            if panels[panel]:
                with formatter.section(panel):
                    formatter.write_dl(panels[panel])


app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Build, check and submit the sitemaps of a static site.\n\n"
    "A variable such as SITEMAPPER_BASE_URL stands for a flag such as --base-url.",
)


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", "-V", help="Print the version."),
) -> None:
    # No docstring: typer would show it as the help of the program.
    if version:
        emit([f"sitemapper {__version__}"])
        raise typer.Exit


def command(function: Callable[..., int]) -> Callable[..., int]:
    """Makes a command of a function, whose parameters become arguments and flags.

    A parameter may be a group of flags, such as `where: SiteFlags`. Then each field of this
    NamedTuple becomes a flag of its own, such as `--base-url`.
    """
    groups: dict[str, Any] = {}  # the NamedTuples, by the names of the parameters
    parameters: list[inspect.Parameter] = []  # as typer sees them: fields instead of groups
    for name, parameter in inspect.signature(function).parameters.items():
        if not hasattr(parameter.annotation, "_fields"):
            parameters.append(parameter)  # an ordinary parameter
            continue
        groups[name] = parameter.annotation
        fields = inspect.signature(parameter.annotation).parameters.values()
        parameters += [field.replace(kind=parameter.kind) for field in fields]

    @wraps(function)
    def call(**values: Any) -> int:
        """Gets all flags from typer, and gives the function its groups."""
        for name, kind in groups.items():
            values[name] = kind(**{field: values.pop(field) for field in kind._fields})
        return function(**values)

    # Typer reads the parameters of a command from the signature and the annotations.
    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(cls=_Command)(call)
    return call


@command
def build(*, site: Site = None, where: SiteFlags, flags: RunFlags, only: BuildFlags) -> int:
    """Build the sitemaps of a folder of HTML.

    Add their Sitemap: line to robots.txt. Write only files that change.

    \b
    sitemapper build
    sitemapper build public --base-url https://tea.example
    sitemapper build --dry-run --excluded -
    """
    from .run import run

    return run("build", site, where, flags, only)


@command
def check(*, site: Site = None, where: SiteFlags, flags: RunFlags) -> int:
    """Check that the published sitemaps are up to date.

    Exit with 1 if a build would change them, and with 2 if it would stop.

    \b
    sitemapper check
    sitemapper check public --previous live
    """
    from .run import run

    return run("check", site, where, flags, BuildFlags(dry_run=True))


@command
def explain(
    *,
    target: Annotated[str, argument("TARGET", "A page: its path in the site, or its URL.")],
    where: SiteFlags,
    only: ExplainFlags,
) -> int:
    """Explain why a page is listed or not.

    Print the file and the line that decided, and the origin of each value.

    \b
    sitemapper explain blog/a.html
    sitemapper explain https://tea.example/blog/
    """
    from .run import explain_page

    return explain_page(target, where, only)


@command
def validate(
    *,
    paths: Annotated[
        list[str], argument("PATH", "Sitemaps, folders, robots.txt, URLs; - for stdin.")
    ],
    flags: FindingFlags,
) -> int:
    """Validate any tool's sitemaps.

    Exit with 1 if there is an error.

    \b
    sitemapper validate public
    sitemapper validate public/sitemap.xml --select SM1
    sitemapper validate https://tea.example/sitemap.xml
    """
    from .findings import validate

    return validate(paths, flags)


@command
def verify(
    *,
    url: Annotated[
        str | None, argument("SITEMAP_URL", "A live sitemap  [default: the project's]")
    ] = None,
    only: VerifyFlags,
    flags: FindingFlags,
) -> int:
    """Verify the live sitemap and its pages.

    Request robots.txt, the sitemap and URLs in it. Exit with 1 if there is an error.

    \b
    sitemapper verify
    sitemapper verify --changes changes.tsv --wait 120
    sitemapper verify --at http://localhost:8000
    """
    from .verify import run

    return run(url, flags, only)


@command
def submit(*, site: Site = None, flags: SubmitFlags) -> int:
    """Notify search engines of changed URLs.

    Send the list of a build by IndexNow. What is not accepted stays in the list.

    \b
    sitemapper submit --changes changes.tsv
    """
    from .submit import run

    return run(site, flags)


@command
def init(
    *,
    site: Site = None,
    base_url: Annotated[
        str | None,
        flag("--base-url", MAIN, "The absolute URL at which the site's folder is served.", "URL"),
    ] = None,
    indexnow: Annotated[bool, flag("--indexnow", MAIN, "Create a key for `submit`.")] = False,
) -> int:
    """Write a first sitemapper.toml.

    It has what a build does not find by itself. An existing file is never replaced.

    \b
    sitemapper init
    sitemapper init public --base-url https://tea.example
    """
    from .init import run

    return run(site, base_url, has_key=indexnow)


@command
def schema() -> int:
    """Print the JSON Schema of sitemapper.toml.

    Editors use it to complete and check the file.
    """
    from importlib.resources import files

    from .. import config

    emit([files(config).joinpath("schema.json").read_text("utf-8").rstrip()])
    return 0
