"""From dataclasses of options to typer's parameters, their grouped help, and errors that name the flag."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar, get_origin

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from ..errors import with_help
from .options import OUTPUT, PANELS, Flag

Options = TypeVar("Options")


class Command(TyperCommand):
    """A command whose help shows its options in panels. `{key}` in a help is the help of that key."""

    # typer keeps the types of its click private.
    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the arguments, then one list for each panel."""
        self._fill_in_help()
        panels: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for param in self.get_params(ctx):
            is_argument = param.param_type_name == "argument"
            panel = "Arguments" if is_argument else getattr(param, "rich_help_panel", None) or OUTPUT
            if record := param.get_help_record(ctx):
                panels[panel].append(record)
        for panel in ("Arguments", *PANELS):
            if panels[panel]:
                with formatter.section(panel):
                    formatter.write_dl(panels[panel])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Completions, some shells show the help beside them."""
        self._fill_in_help()
        return super().shell_complete(ctx, incomplete)

    def _fill_in_help(self) -> None:
        # Imported here: the models cost start-up, and only help needs them.
        from ..config.describe import key_help

        for param in self.params:
            text = getattr(param, "help", None) or ""
            filled = re.sub(r"^\{([\w.]+)\}", lambda match: key_help(match[1]), text)
            if filled != text:
                vars(param)["help"] = filled


def flags_of(kind: type) -> Iterator[tuple[str, Any, Flag]]:
    """The name, the type and the flag of each option."""
    for field in fields(kind):
        hint: Any = field.type  # a type, because options.py does not postpone annotations
        yield field.name, hint.__origin__, hint.__metadata__[0]


def flag_names(kind: type) -> dict[str, str]:
    """The flags that set keys of the configuration, by key."""
    return {flag.key: _name(name, flag).partition("/")[0] for name, _, flag in flags_of(kind) if flag.key}


def _name(field: str, flag: Flag) -> str:
    return flag.name or f"--{field.replace('_', '-')}"


def takes(
    kind: type[Options], hidden: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the flags of a dataclass, which it gets as `options`. `hidden` are not in its help."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        arguments = [
            p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "options"
        ]
        flags = {name: flag for name, _, flag in flags_of(kind)}

        @wraps(command)
        def parse(**values: object) -> None:
            own = {p.name: values.pop(p.name) for p in arguments}
            parsed = {
                name: _parsed(value, flags[name]) for name, value in values.items() if value is not None
            }
            command(**own, options=kind(**parsed))

        parameters = [*arguments, *_parameters(kind, hidden)]
        vars(parse)["__signature__"] = inspect.Signature(parameters)
        parse.__annotations__ = {p.name: p.annotation for p in parameters}
        return parse

    return decorate


def _parsed(value: object, flag: Flag) -> object:
    if not isinstance(value, list | tuple):
        return value
    return tuple(part for text in value for part in (text.split(",") if flag.has_commas else [text]))


def _parameters(kind: type, hidden: Collection[str]) -> Iterator[inspect.Parameter]:
    for name, hint, flag in flags_of(kind):
        help = f"{{{flag.key}}} {flag.help}".strip() if flag.key else flag.help
        option: object = typer.Option(
            None,
            *filter(None, (_name(name, flag), flag.short)),
            help=help,
            metavar=flag.metavar,
            show_default=False,
            hidden=name in hidden,
            rich_help_panel=flag.panel,
        )
        optional = list[str] if get_origin(hint) is tuple else hint | None
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=optional)


def usage_error(error: TyperException) -> str:
    """A wrong command line in the words that the settings have for wrong values."""
    # Imported here: pydantic costs start-up.
    from pydantic import ValidationError

    from ..config.messages import sentence

    context = getattr(error, "ctx", None)
    if isinstance(error, typer.BadParameter) and isinstance(error.__cause__, ValidationError) and error.param:
        fault: dict[str, object] = {**error.__cause__.errors()[0]}
        if fault["type"] == "value_error":  # a choice, of which the message names all
            fault |= {"type": "literal_error", "msg": str(fault["msg"]).partition(" is not one of ")[2]}
        return f"{max(error.param.opts, key=len)}: {sentence(fault)}"
    message = error.format_message()
    is_help = message.startswith("Usage:")  # of the program without a command
    return with_help(message, f"see {context.command_path} --help" if context and not is_help else "")
