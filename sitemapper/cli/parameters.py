"""Dataclasses of options to typer's parameters, with grouped help and errors that name the flag."""

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any, get_origin

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from ..errors import SitemapperError, with_help
from .console import BOLD, paint, use_color
from .options import MAIN, PANELS, Flag

if TYPE_CHECKING:
    from pydantic import ValidationError

_TOO_MUCH = 1_000_000_000  # what a number must be below: a socket takes no longer time limit
SITE = typer.Argument(
    None, metavar="SITE", help="Folder of the built site  [default: found]", show_default=False
)


def heading(title: str) -> str:
    """The title of a part of the help."""
    return paint(title, BOLD, use_color("auto", sys.stdout))


class Command(TyperCommand):
    """A command whose help shows its options in panels.

    `{key}` in a help is the help of that key.
    """

    # typer keeps the types of its click private.
    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the arguments, then the options of each panel below its title."""
        panels: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if not record:  # a hidden option
                continue
            names, text = record
            if param.param_type_name == "argument":
                panel = "Arguments"
            else:
                panel = getattr(param, "rich_help_panel", None) or MAIN
            panels[panel].append((names, _filled(text)))
        for panel in ("Arguments", *PANELS):
            if panels[panel]:
                with formatter.section(heading(panel)):
                    formatter.write_dl(panels[panel])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Writes the examples, one per line."""
        if self.epilog:
            with formatter.section(heading("Examples")):
                formatter.write("".join(f"  {line}\n" for line in self.epilog.splitlines()))

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """The completions. Some shells show the help beside them."""
        items = super().shell_complete(ctx, incomplete)
        for item in items:
            item.help = item.help and _filled(item.help)
        return items


def _filled(text: str) -> str:
    """The text with the help of the key with which it may begin, as in `{sitemap.gzip} More`."""
    # Imported here: the models cost start-up, and only help needs them.
    from ..config.messages import key_help

    return re.sub(r"^\{([\w.]+)\}", lambda match: key_help(match[1]), text)


def flags_of(kind: type) -> dict[str, Flag]:
    """The flag of each option, by its field: `base_url` has the flag `--base-url`."""
    flags: dict[str, Flag] = {}
    for field in fields(kind):
        flag: Flag = field.metadata["flag"]
        name = flag.name or f"--{field.name.replace('_', '-')}"
        flags[field.name] = flag._replace(name=name)
    return flags


def command(*examples: str, hidden: Collection[str] = ()) -> Callable[[Callable[..., None]], Any]:
    """Makes a click command of a function.

    A parameter `options` with a dataclass becomes the flags of the command. The examples, such as
    "check public", are for the end of its help. `hidden` flags are not in the help, because they
    change nothing that the command does.
    """

    def decorate(function: Callable[..., None]) -> Any:
        app = typer.Typer(
            rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False
        )
        epilog = "\n".join(f"sitemapper {example}" for example in examples)
        app.command(cls=Command, epilog=epilog)(_with_flags(function, hidden))
        return typer.main.get_command(app)

    return decorate


def _with_flags(function: Callable[..., None], hidden: Collection[str]) -> Callable[..., None]:
    """The function with a parameter for each flag in place of `options`.

    `check(site, *, options: CheckOptions)` becomes `check(site, *, base_url, ignore, …)`, from
    which typer can make a command.
    """
    arguments = dict(inspect.signature(function).parameters)
    if "options" not in arguments:
        return function
    kind = arguments.pop("options").annotation

    @wraps(function)
    def parse(**values: object) -> None:
        arguments_given = {name: values.pop(name) for name in arguments}
        function(**arguments_given, options=_options(kind, values))  # the other values are flags

    # typer makes the parameters of a command from the signature and the annotations.
    parameters = [*arguments.values(), *_parameters(kind, hidden)]
    vars(parse)["__signature__"] = inspect.Signature(parameters)
    parse.__annotations__ = {p.name: p.annotation for p in parameters}
    return parse


def _options(kind: type, values: Mapping[str, object]) -> object:
    """The options of a command, from the values that typer read.

    Raises SitemapperError for a number out of bounds, and for flags that exclude each other.
    """
    flags = flags_of(kind)
    given: dict[str, object] = {}
    for name, value in values.items():
        _check_bounds(flags[name], value)
        if isinstance(value, list | tuple):
            # `--lastmod git,page` is as good as two flags.
            texts = ",".join(value).split(",") if flags[name].has_commas and value else value
            value = tuple(texts)
        if value not in (None, ()):
            given[name] = value
    options = kind(**given)
    for name, value in given.items():
        if value:  # a plain flag that is not given is False
            _check_exclusions(flags[name], options, flags)
    # JSON is printed whole, which is what --quiet would prevent.
    if getattr(options, "quiet", False) and getattr(options, "format", "") == "json":
        raise SitemapperError("--quiet and --format json exclude each other", "leave out --quiet")
    return options


def _check_exclusions(flag: Flag, options: object, flags: Mapping[str, Flag]) -> None:
    """Raises SitemapperError if a flag is given with one that it excludes, as -q and -v."""
    for name in flag.excludes:
        if getattr(options, name, None):
            problem = f"{flag.name} and {flags[name].name} exclude each other"
            raise SitemapperError(problem, f"leave out {flags[name].name}")


def _check_bounds(flag: Flag, value: object) -> None:
    """Raises SitemapperError for a number that no run can use."""
    if flag.least is None or not isinstance(value, float | int):
        return
    if value >= _TOO_MUCH:
        raise SitemapperError(f"{flag.name}: must be less than {_TOO_MUCH:,}, not {value}")
    if not value >= flag.least:  # also true of nan
        raise SitemapperError(f"{flag.name}: must be {flag.least} or more, not {value}")


def _parameters(kind: type, hidden: Collection[str]) -> Iterator[inspect.Parameter]:
    """The parameters from which typer makes the options."""
    flags = flags_of(kind)
    for field in fields(kind):
        flag = flags[field.name]
        # Already a type, because modules with options do not postpone annotations.
        hint: Any = field.type
        is_list = get_origin(hint) is tuple
        names = [name for name in (flag.name, flag.short) if name]
        # typer takes the default of a plain flag as it is, and converts others by pydantic. None
        # shows that the flag is not given.
        is_plain_flag = hint is bool
        default = field.default if is_plain_flag else None
        if is_list:
            hint = list[str]
        elif not is_plain_flag:
            hint = hint | None
        option: object = typer.Option(
            default,
            *names,
            # The help of a key is filled in when it is shown, because it takes long to load.
            help=f"{{{flag.key}}} {flag.help}".strip() if flag.key else flag.help,
            metavar=flag.metavar,
            show_default=False,
            hidden=field.name in hidden,
            rich_help_panel=flag.panel,
        )
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=option,
            annotation=hint,
        )


def usage_error(error: TyperException) -> str:
    """The error for a wrong command line, in the words that are used for wrong settings."""
    # Imported here: pydantic costs start-up.
    from pydantic import ValidationError

    cause = error.__cause__
    if isinstance(cause, ValidationError) and isinstance(error, typer.BadParameter) and error.param:
        flag = max(error.param.opts, key=len)  # `--format` rather than a short form
        return f"{flag}: {_sentence(cause)}"
    message = error.format_message()
    context = getattr(error, "ctx", None)
    is_help = message.startswith("Usage:")  # the program without a command
    if is_help or not context:
        return message
    help = f"see {context.command_path} --help"
    if "unexpected extra argument" in message:
        help = f"put a name with spaces in quotes, or {help}"
        if any("--site" in param.opts for param in context.command.params):
            help = "name the folder of the site with --site FOLDER"
    return with_help(message, help)


def _sentence(error: "ValidationError") -> str:
    """Pydantic's error for the value of a flag, in the words for wrong settings."""
    # Imported here: only an error needs it.
    from ..config.messages import describe_fault

    fault: dict[str, object] = {**error.errors()[0]}
    if fault["type"] == "value_error":  # of typer: "'x' is not one of 'text', 'json'."
        _, _, choices = str(fault["msg"]).partition(" is not one of ")
        fault |= {"type": "literal_error", "msg": choices}
    return describe_fault(fault)
