"""Dataclasses of options to typer's parameters, with grouped help and errors that name the flag."""

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import fields
from functools import wraps
from typing import Any, get_origin

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from ..errors import SitemapperError, with_help
from .options import CONTRADICTIONS, MAIN, PANELS, Flag
from .words import paint, use_color

SITE = typer.Argument(
    None, metavar="SITE", help="Folder of the built site  [default: .]", show_default=False
)


def heading(title: str) -> str:
    """The title of a part of the help."""
    return paint(title, "1", use_color("auto", sys.stdout))


class Command(TyperCommand):
    """A command whose help shows its options in panels.

    `{key}` in a help is the help of that key.
    """

    # typer keeps the types of its click private.
    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the arguments, then one list for each panel."""
        panels: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for param in self.get_params(ctx):
            is_argument = param.param_type_name == "argument"
            panel = "Arguments" if is_argument else getattr(param, "rich_help_panel", None) or MAIN
            if record := param.get_help_record(ctx):
                panels[panel].append((record[0], _filled(record[1])))
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
    # Imported here: the models cost start-up, and only help needs them.
    from ..config.messages import key_help

    return re.sub(r"^\{([\w.]+)\}", lambda match: key_help(match[1]), text)


def flags_of(kind: type) -> dict[str, Flag]:
    """The flag of each option, named after its field unless it has its own name."""
    flags = {field.name: field.metadata["flag"] for field in fields(kind)}
    return {
        name: f._replace(name=f.name or f"--{name.replace('_', '-')}") for name, f in flags.items()
    }


def command(*examples: str, hidden: Collection[str] = ()) -> Callable[[Callable[..., None]], Any]:
    """Makes a click command of a function. A parameter `options` with a dataclass becomes its
    flags.

    The examples are written without the name of the program. `hidden` flags are not in the help.
    """

    def decorate(function: Callable[..., None]) -> Any:
        app = typer.Typer(
            rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False
        )
        epilog = "\n".join(f"sitemapper {example}" for example in examples)
        app.command(cls=Command, epilog=epilog)(_parsing(function, hidden))
        return typer.main.get_command(app)

    return decorate


def _parsing(function: Callable[..., None], hidden: Collection[str]) -> Callable[..., None]:
    """The function with flags as parameters instead of `options`."""
    arguments = dict(inspect.signature(function).parameters)
    if "options" not in arguments:
        return function
    kind = arguments.pop("options").annotation
    flags = flags_of(kind)

    @wraps(function)
    def parse(**values: object) -> None:
        own = {name: values.pop(name) for name in arguments}
        named: dict[str, object] = {}
        for name, value in values.items():
            flag = flags[name]
            if (
                isinstance(value, float | int)
                and flag.least is not None
                and not flag.least <= value < 1e9
            ):
                bound = "less than 1,000,000,000" if value >= 1e9 else f"{flag.least} or more"
                raise SitemapperError(f"{flag.name}: must be {bound}, not {value}")
            if isinstance(value, list | tuple):
                value = tuple(",".join(value).split(",") if flag.has_commas and value else value)
            if value not in (None, ()):
                named[name] = value
        options = kind(**named)
        for pair in CONTRADICTIONS:
            if all(getattr(options, name, None) for name in pair):
                one, other = (flags[name].name for name in pair)
                raise SitemapperError(f"{one} and {other} exclude each other", f"leave out {other}")
        function(**own, options=options)

    parameters = [*arguments.values(), *_parameters(kind, hidden)]
    vars(parse)["__signature__"] = inspect.Signature(parameters)
    parse.__annotations__ = {p.name: p.annotation for p in parameters}
    return parse


def _parameters(kind: type, hidden: Collection[str]) -> Iterator[inspect.Parameter]:
    """The parameters from which typer makes the options."""
    for field, flag in zip(fields(kind), flags_of(kind).values(), strict=True):
        hint: Any = (
            field.type
        )  # already a type, because modules with options do not postpone annotations
        is_list = get_origin(hint) is tuple
        if flag.key:
            help = f"{{{flag.key}}} {flag.help}".strip()
        else:
            is_number = type(field.default) in (int, float)
            note = "repeatable" if is_list else f"default: {field.default}" if is_number else ""
            help = f"{flag.help}  [{note}]" if note else flag.help
        option: object = typer.Option(
            None,
            *filter(None, (flag.name, flag.short)),
            help=help,
            metavar=flag.metavar,
            show_default=False,
            hidden=field.name in hidden,
            rich_help_panel=flag.panel,
        )
        optional = list[str] if is_list else hint | None
        keyword = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(field.name, keyword, default=option, annotation=optional)


def usage_error(error: TyperException) -> str:
    """The error for a wrong command line, in the words that are used for wrong settings."""
    # Imported here: pydantic costs start-up.
    from pydantic import ValidationError

    from ..config.messages import sentence

    context = getattr(error, "ctx", None)
    if (
        isinstance(error, typer.BadParameter)
        and isinstance(error.__cause__, ValidationError)
        and error.param
    ):
        fault: dict[str, object] = {**error.__cause__.errors()[0]}
        if fault["type"] == "value_error":  # a choice: the message lists all of them
            fault |= {
                "type": "literal_error",
                "msg": str(fault["msg"]).partition(" is not one of ")[2],
            }
        return f"{max(error.param.opts, key=len)}: {sentence(fault)}"
    message = error.format_message()
    is_help = message.startswith("Usage:")  # the program without a command
    return with_help(
        message, f"see {context.command_path} --help" if context and not is_help else ""
    )
