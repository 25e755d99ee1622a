"""Makes typer commands of functions and dataclasses of options.

Their help groups the options in panels, and their errors name the flag.
"""

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import Field, fields
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

_NUMBERS_BELOW = 1_000_000_000  # numbers of flags: a socket takes no longer time limit in seconds
# Flags, commands and values that earlier versions had, and what to do instead.
LEFT = {
    "--color": "leave it out; NO_COLOR=1 turns colours off",
    "--allow-empty": "use --max-drop 100, which also allows an empty sitemap",
    "--exit-code": "use --tracked, which also fails if git does not track a file",
    "--cache": "leave it out, because nothing is cached any more",
    "--no-cache": "leave it out, because nothing is cached any more",
    "--redirects": "write the redirects yourself; -v lists each page that moved",
    "--no-live": "use --previous none, or --previous FILE with a copy of the live sitemap",
    "--header": "download the sitemap, and pass --previous FILE; only verify sends headers",
    "--no-respect not_a_page": "name the file in `include`, which lists it",
    "--output -": "pass a folder, and print the sitemap in it",
    "--against": "use `check --previous OLD.xml` to compare sitemaps, and `validate` for faults",
    "rule": "docs/rules.md explains the rules",
    "--format sarif": "use --format json",
    "--format junit": "use --format json",
    "--format markdown": "use --format github, which adds the findings to the summary of the job",
}
SITE = typer.Argument(
    None, metavar="SITE", help="Folder of the built site  [default: found]", show_default=False
)


def heading(title: str) -> str:
    """Returns the title of a part of the help, in bold on a terminal."""
    return paint(title, BOLD, use_color(sys.stdout))


class Command(TyperCommand):
    """A command whose help shows its options in panels.

    `{sitemap.gzip}` at the beginning of an option's help stands for the help of that key.
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
            panels[panel].append((names, _fill_in_key_help(text)))
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
        """Returns the completions of a word, with the help that some shells show beside them."""
        items = super().shell_complete(ctx, incomplete)
        for item in items:
            if item.help:
                item.help = _fill_in_key_help(item.help)
        return items


def _fill_in_key_help(text: str) -> str:
    """Replaces a key at the beginning of a help with the help of that key.

    `{sitemap.gzip} More` → `Pack the sitemaps. More`. Other texts stay as they are.
    """
    # Imported here: the models cost start-up, and only help needs them.
    from ..config.messages import key_help

    return re.sub(r"^\{([\w.]+)\}", lambda match: key_help(match[1]), text)


def flags_of(kind: type) -> dict[str, Flag]:
    """Returns the flag of each field of a dataclass of options, by the name of the field.

    A flag without a name gets that of its field: `base_url` → `--base-url`.
    """
    flags: dict[str, Flag] = {}
    for field in fields(kind):
        flag: Flag = field.metadata["flag"]
        name = flag.name or f"--{field.name.replace('_', '-')}"
        flags[field.name] = flag._replace(name=name)
    return flags


def command(*examples: str, hidden: Collection[str] = ()) -> Callable[[Callable[..., None]], Any]:
    """Decorates a function, to make a click command of it.

    The fields of the dataclass of its parameter `options` become the flags of the command:
    `base_url: str | None` → `--base-url`. The examples, such as "check public", stand at the end of
    its help. `hidden` are fields whose flags are not in the help, because they change nothing that
    the command does.
    """

    def decorate(function: Callable[..., None]) -> Any:
        """Makes the command that reads flags and calls the function with them."""
        # Typer makes commands only of the functions of an app, so this one gets its own app.
        app = typer.Typer(
            rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False
        )
        examples_in_help = "\n".join(f"sitemapper {example}" for example in examples)
        register = app.command(cls=Command, epilog=examples_in_help)
        register(_with_flags(function, hidden))
        return typer.main.get_command(app)

    return decorate


def _with_flags(function: Callable[..., None], hidden: Collection[str]) -> Callable[..., None]:
    """Wraps a function so that typer sees a parameter for each flag, in place of `options`.

    typer cannot make flags of a dataclass. For `check(site, *, options: CheckOptions)`, the wrapper
    is `check(site, *, base_url, ignore, …)`. It puts the flags into one CheckOptions, and calls the
    function with it. A function without `options` is returned as it is.
    """
    arguments = dict(inspect.signature(function).parameters)
    if "options" not in arguments:
        return function
    options_class = arguments["options"].annotation
    del arguments["options"]  # the rest are arguments such as `site`

    @wraps(function)
    def call_with_options(**values: object) -> None:
        argument_values = {name: values[name] for name in arguments}
        flag_values = {name: value for name, value in values.items() if name not in arguments}
        function(**argument_values, options=_make_options(options_class, flag_values))

    # typer reads the parameters of a command from the signature and the annotations of its
    # function, so the wrapper gets those of the flags.
    parameters = [*arguments.values(), *_make_parameters(options_class, hidden)]
    vars(call_with_options)["__signature__"] = inspect.Signature(parameters)
    call_with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return call_with_options


def _make_options(kind: type, values: Mapping[str, object]) -> object:
    """Makes the options of a command from the values that typer read, by the names of their fields.

    `{"lastmod": ["git,page"], "jobs": None}` → `CheckOptions(lastmod=("git", "page"))`. `kind` is
    the dataclass of the options. A flag that is not given has the value None or an empty list, and
    keeps the default of its field.

    Raises SitemapperError for a number out of bounds, and for flags that exclude each other.
    """
    flags = flags_of(kind)
    given = _given_values(values, flags)
    options = kind(**given)
    for name, value in given.items():
        if not value:  # typer gives False for a plain flag such as --all that is not there
            continue
        for other in flags[name].excludes:
            if getattr(options, other, None):
                problem = f"{flags[name].name} cannot be used with {flags[other].name}"
                raise SitemapperError(problem, f"leave out {flags[other].name}")
    # JSON is printed whole, which is what --quiet would prevent.
    if getattr(options, "quiet", False) and getattr(options, "format", "") == "json":
        raise SitemapperError("--quiet cannot be used with --format json", "leave out --quiet")
    return options


def _given_values(values: Mapping[str, object], flags: Mapping[str, Flag]) -> dict[str, object]:
    """Selects the values of those flags that the user gave, for the fields of the options.

    Lists become tuples: `["a/", "b/"]` → `("a/", "b/")`. If the flag allows commas, they are split,
    too: `["git,page"]` → `("git", "page")`. Raises SitemapperError for a number out of bounds.
    """
    given: dict[str, object] = {}
    for name, value in values.items():
        if value is None or value in ([], ()):
            continue  # not given
        if isinstance(value, list | tuple):
            # `--lastmod git,page` means the same as `--lastmod git --lastmod page`.
            texts = ",".join(value).split(",") if flags[name].has_commas else value
            given[name] = tuple(texts)
        else:
            # Flags that set a key of the configuration have no bounds here. Those are checked with
            # the other values of the key.
            smallest = flags[name].min_number
            if smallest is not None and isinstance(value, float | int):
                _check_bounds(flags[name].name, value, smallest)
            given[name] = value
    return given


def _check_bounds(flag: str, value: float, smallest: float) -> None:
    """Raises SitemapperError for a number that no run can use, such as `--jobs 0`."""
    if value >= _NUMBERS_BELOW:
        raise SitemapperError(f"{flag}: must be less than {_NUMBERS_BELOW:,}, not {value}")
    if not value >= smallest:  # not `<`, which is false for nan
        raise SitemapperError(f"{flag}: must be {smallest} or more, not {value}")


def _make_parameters(kind: type, hidden: Collection[str]) -> Iterator[inspect.Parameter]:
    """Yields a parameter for typer for each field of a dataclass of options.

    Each has the name of its field. typer reads the name, help and panel of the flag from the
    `typer.Option` that is the default of the parameter. Fields in `hidden` are not in the help.
    """
    flags = flags_of(kind)
    for field in fields(kind):
        flag = flags[field.name]
        type_hint, value_if_not_given = _type_for_typer(field)
        described_flag: object = typer.Option(
            value_if_not_given,
            *filter(None, (flag.name, flag.short)),
            help=_help_to_fill_in(flag),
            metavar=flag.metavar,
            show_default=False,
            hidden=field.name in hidden,
            rich_help_panel=flag.panel,
        )
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=described_flag,
            annotation=type_hint,
        )


def _type_for_typer(field: Field[Any]) -> tuple[Any, object]:
    """Returns the type of an option for typer, and the value that typer gives if it is not there.

    | field                           | type and value                                 |
    |---------------------------------|------------------------------------------------|
    | `all: bool = False`             | `bool`, False                                  |
    | `ignore: tuple[str, ...] = ()`  | `list[str]`, None: the flag may be repeated    |
    | `rate: float = 10`              | `float | None`, None                           |

    None shows `_make_options` that the flag was not given. It then uses the default of the field.
    """
    # A type and not a string, because modules with options do not postpone annotations.
    type_hint: Any = field.type
    if type_hint is bool:
        return bool, field.default
    if get_origin(type_hint) is tuple:
        return list[str], None
    return type_hint | None, None


def _help_to_fill_in(flag: Flag) -> str:
    """Returns the help of a flag, with the name of its key if it sets one: `{sitemap.gzip} More`.

    When the help is shown, `_fill_in_key_help` replaces the name by the help of the key. That takes
    long to load, and most runs show no help.
    """
    return f"{{{flag.key}}} {flag.help}".strip() if flag.key else flag.help


def usage_error(error: TyperException) -> str:
    """Writes the message for a wrong command line, such as one with an unknown flag.

    - `build --format xml` → `--format: must be one of …`, in the words for wrong settings
    - no command → the help of the program, which begins with "Usage:"

    - `check --against` → what stands in, for what has left (`LEFT`)

    Any other message is that of typer, with advice:

    - `build --frmat json` → see the help of the command
    - `build my site` → put a name with spaces in quotes
    - `explain a.html public` → pass `--site FOLDER`, for a command with this flag
    """
    # Imported here: pydantic costs start-up.
    from pydantic import ValidationError

    cause = error.__cause__
    if isinstance(cause, ValidationError) and isinstance(error, typer.BadParameter) and error.param:
        flag = max(error.param.opts, key=len)  # `--format` rather than a short form
        given = f"{flag} {cause.errors()[0]['input']}"
        if given in LEFT:
            return f"{given}: {LEFT[given]}"
        return f"{flag}: {_describe_wrong_value(cause)}"
    message = error.format_message()
    context = getattr(error, "ctx", None)
    # Such as "No such option: --against", and "No such command 'rule'."
    unknown = re.match(r"No such \w+:? '?([\w-]+)", message)
    if unknown and unknown[1] in LEFT:
        return f"{unknown[1]}: {LEFT[unknown[1]]}"
    is_help = message.startswith("Usage:")  # the program without a command
    if is_help or not context:
        return message
    help = f"see {context.command_path} --help"
    if "unexpected extra argument" in message:
        help = f"put a name with spaces in quotes, or {help}"
        if any("--site" in param.opts for param in context.command.params):
            help = "pass the site's folder with --site FOLDER"
    return with_help(message, help)


def _describe_wrong_value(error: "ValidationError") -> str:
    """Says what is wrong with the value of a flag, in the same words as for a wrong setting."""
    # Imported here: only an error needs it.
    from ..config.messages import describe_fault, explain_choice

    fault = error.errors()[0]
    # Typer checks choices itself. Its error has them only in the message: "'x' is not one of
    # 'text', 'json'."
    is_wrong_choice = fault["type"] == "value_error"
    if is_wrong_choice:
        _, _, quoted_choices = fault["msg"].partition(" is not one of ")
        return explain_choice(fault["input"], re.findall(r"'([^']*)'", quoted_choices))
    return describe_fault(fault)
