"""The options of the commands: one table, and how a command gets its share of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from types import GenericAlias
from typing import Any, NamedTuple, get_args

import typer
from typer.exceptions import TyperException

from ..config import choices
from ..errors import with_help


class Flag(NamedTuple):
    """One option: its name, its type, its help, and the key of the configuration that it sets."""

    name: str
    kind: Any
    help: str
    key: tuple[str, ...] = ()
    metavar: str | None = None
    short: str | None = None

    @property
    def parameter(self) -> str:
        """The name of the Python parameter."""
        return self.name.partition("/")[0].removeprefix("--").replace("-", "_")


def _choice(*values: str) -> Any:
    return Enum("Choice", {value: value for value in values}, type=str)


_SIGNALS = ", ".join(get_args(choices.Signal))
SIGNALS: Any = GenericAlias(list, (_choice(*get_args(choices.Signal)),))
STYLE = _choice(*get_args(choices.Style))
GZIP = _choice(*get_args(choices.Gzip))
INDEX = _choice(*get_args(choices.Index))
ENGINE = _choice("local", "dask")
FORMAT = _choice("text", "json")
REPORT = _choice("text", "json", "github")
FINDINGS = _choice("text", "json", "github", "sarif", "junit", "markdown")
COLOR = _choice("auto", "always", "never")
CONFIGURED = (
    Flag("--base-url", str, "Absolute URL of the site's folder.", ("base_url",), "URL"),
    Flag(
        "--output",
        str,
        "Folder in which to write the sitemaps, - for stdout  [default: the site]",
        ("output",),
        "DIR",
        "-o",
    ),
    Flag(
        "--ignore",
        list[str],
        "Leave out files that match, in gitignore syntax; repeatable.",
        ("ignore",),
        "PATTERN",
    ),
    Flag(
        "--include",
        list[str],
        "List more kinds of files, such as *.pdf; repeatable.",
        ("include",),
        "PATTERN",
    ),
    Flag("--url-style", STYLE, "How the server names a/index.html and b.html.", ("url_style",)),
    Flag(
        "--lastmod",
        list[str],
        "Take dates from page, git, ledger or mtime; repeatable, the first that knows a date wins.",
        ("lastmod",),
        "SOURCE",
    ),
    Flag("--no-lastmod", bool, "Write no dates."),
    Flag("--ledger", str, "Remember in FILE when each page's content changed.", ("ledger", "path"), "FILE"),
    Flag("--text", bool, "Also write sitemap.txt, with one URL per line.", ("sitemap", "text")),
    Flag("--gzip", GZIP, "Write .xml.gz files.", ("sitemap", "gzip")),
    Flag("--index", INDEX, "Write an index even for one sitemap.", ("sitemap", "index")),
    Flag("--max-urls", int, "Maximum number of URLs per file, up to 50000.", ("sitemap", "max_urls"), "N"),
    Flag(
        "--max-bytes", int, "Maximum number of bytes per file, up to 52428800.", ("sitemap", "max_bytes"), "N"
    ),
    Flag(
        "--robots/--no-robots", bool, "Write the Sitemap: line of robots.txt, or do not.", ("robots", "write")
    ),
    Flag(
        "--respect",
        SIGNALS,
        f"Respect a signal that the configuration ignores: {_SIGNALS}; repeatable.",
        (),
        "SIGNAL",
    ),
    Flag("--no-respect", SIGNALS, "Ignore a signal; repeatable.", (), "SIGNAL"),
    Flag(
        "--max-drop",
        float,
        "Stop if more than this percentage of the published URLs would be lost.",
        ("max_drop",),
        "PERCENT",
    ),
    Flag("--strict", bool, "Exit with 1 if there were warnings.", ("strict",)),
)
_QUIET = Flag("--quiet", bool, "Print only errors, and with --strict also warnings.", short="-q")
RUNNING = (
    Flag("--config", str, "Configuration file  [default: sitemapper.toml, pyproject.toml]", metavar="FILE"),
    Flag("--dry-run", bool, "Print what would change, without writing anything."),
    Flag("--allow-empty", bool, "Publish the sitemap even if it contains no URL."),
    Flag("--jobs", int, "Number of processes  [default: auto]", metavar="N"),
    Flag("--engine", ENGINE, "Process pages on this machine or on a Dask cluster."),
    Flag(
        "--scheduler", str, "Address of the cluster's scheduler, such as tcp://HOST:8786.", metavar="ADDRESS"
    ),
    Flag("--cache", str, "Folder of the cache  [env: SITEMAPPER_CACHE]", metavar="DIR"),
    Flag("--no-cache", bool, "Read every page, without a cache."),
    Flag("--no-live", bool, "Do not read the ledger of the live site."),
    Flag(
        "--excluded",
        str,
        "Write the excluded pages with their reasons to FILE (- for stdout).",
        metavar="FILE",
    ),
    Flag(
        "--changes", str, "Write the added, changed and removed URLs to FILE (- for stdout).", metavar="FILE"
    ),
    Flag(
        "--report", str, "Write a page that shows what is listed, what is not, and why.", metavar="FILE.html"
    ),
    Flag("--tracked", bool, "Exit with 1 if git does not track one of the files."),
    Flag("--format", FORMAT, "Format of the summary."),
    _QUIET,
    Flag("--verbose", bool, "List every file.", short="-v"),
    Flag("--color", COLOR, "Use colours in the output."),
)
BUILDING = (
    *(
        f._replace(help="List every file, and examples of each reason.") if f.name == "--verbose" else f
        for f in RUNNING
        if f.name != "--format"
    ),
    Flag("--replace", bool, "Take over a sitemap that another tool wrote."),
    Flag("--exit-code", bool, "Exit with 1 if anything was written, as git diff --exit-code does."),
    Flag("--format", REPORT, "Format of the summary; github writes workflow annotations."),
)
_FINDING = (
    Flag("--baseline", str, "Do not fail for the findings in FILE.", metavar="FILE"),
    Flag(
        "--write-baseline",
        str,
        "Write the findings to FILE as known ones, instead of failing.",
        metavar="FILE",
    ),
    Flag("--format", FINDINGS, "Format of the findings; github writes workflow annotations."),
)
_BUILDS_ONLY = ("--dry-run", "--format")
CHECKING = (
    Flag("--against", str, "Compare another tool's sitemap with the pages instead.", metavar="FILE|DIR"),
    *(f for f in RUNNING if f.name not in _BUILDS_ONLY),
    *_FINDING,
)
VALIDATING = (
    Flag(
        "--select",
        list[str],
        "Check only this rule, such as SM203, or family, such as SM2; repeatable.",
        metavar="CODE",
    ),
    Flag("--disable", list[str], "Skip this rule or family; repeatable.", metavar="CODE"),
    Flag("--strict", bool, "Exit with 1 if there are warnings."),
    *_FINDING,
    _QUIET,
    Flag("--verbose", bool, "Print every finding.", short="-v"),
    *(f for f in RUNNING if f.name == "--color"),
)
SUBMITTING = (
    Flag(
        "--changes",
        str,
        "Send the list of a build, and take out what is accepted (- for stdin).",
        metavar="FILE",
    ),
    Flag("--all", bool, "Send every published URL."),
    Flag("--dry-run", bool, "Print what would be sent, without sending anything."),
    Flag(
        "--wait", float, "Wait so many seconds until the key file is live  [default: 60]", metavar="SECONDS"
    ),
    Flag(
        "--endpoint",
        str,
        "Search engine to notify  [default: api.indexnow.org]",
        ("submit", "endpoint"),
        "URL",
    ),
    Flag("--key", str, "IndexNow key.", ("submit", "key"), "KEY"),
    *(f for f in CONFIGURED if f.name == "--base-url"),
    *(f for f in RUNNING if f.name in ("--config", "--format", "--quiet", "--color")),
)
EXPLAINING = tuple(f for f in RUNNING if f.name in ("--config", "--no-live", "--format", "--color"))


def wrong_usage(error: TyperException) -> str:
    """A wrong command line in the words that the settings have for wrong values."""
    # Imported here: pydantic costs start-up.
    from pydantic import ValidationError

    from ..config.messages import sentence

    context = getattr(error, "ctx", None)
    if isinstance(error, typer.BadParameter) and isinstance(error.__cause__, ValidationError) and error.param:
        fault: Any = error.__cause__.errors()[0]
        if fault["type"] == "value_error":  # a choice, of which the message names all
            fault = fault | {"type": "literal_error", "msg": fault["msg"].partition(" is not one of ")[2]}
        return f"{max(error.param.opts, key=len)}: {sentence(fault)}"
    message = error.format_message()
    is_help = message.startswith("Usage:")  # of the program without a command
    return with_help(message, f"see {context.command_path} --help" if context and not is_help else "")


def takes(*flags: Flag) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command its options from the tables above, so that commands share one definition."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[:-1]
        options = [
            inspect.Parameter(
                flag.parameter,
                inspect.Parameter.KEYWORD_ONLY,
                default=typer.Option(
                    None,
                    *filter(None, (flag.name, flag.short)),
                    help=flag.help,
                    metavar=flag.metavar,
                    show_default=False,
                ),
                annotation=flag.kind | None,
            )
            for flag in flags
        ]
        parameters = [*own, *options]
        described: Any = command  # functions have a signature to set, their type does not know it
        described.__signature__ = inspect.Signature(parameters)
        described.__annotations__ = {p.name: p.annotation for p in parameters}
        return command

    return decorate
