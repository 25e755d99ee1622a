"""The options of the commands: one table, and how a command gets its share of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from types import GenericAlias
from typing import Any, NamedTuple, get_args

import typer

from ..config import choices


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


SIGNALS: Any = GenericAlias(list, (_choice(*get_args(choices.Signal)),))
STYLE = _choice(*get_args(choices.Style))
GZIP = _choice(*get_args(choices.Gzip))
INDEX = _choice(*get_args(choices.Index))
ENGINE = _choice("local", "dask")
FORMAT = _choice("text", "json")
REPORT = _choice("text", "json", "github")
COLOR = _choice("auto", "always", "never")
CONFIGURED = (
    Flag("--base-url", str, "URL at which the folder is served.", ("base_url",), "URL"),
    Flag("--output", str, "Folder for the sitemaps  [default: the site]", ("output",), "DIR", "-o"),
    Flag(
        "--ignore", list[str], "Leave out what matches, gitignore syntax; repeatable.", ("ignore",), "PATTERN"
    ),
    Flag("--include", list[str], "Also list files such as *.pdf; repeatable.", ("include",), "PATTERN"),
    Flag("--url-style", STYLE, "How the server names a/index.html and b.html.", ("url_style",)),
    Flag(
        "--lastmod",
        list[str],
        "Source of dates: page, git, ledger, mtime; repeatable, first is best.",
        ("lastmod",),
        "SOURCE",
    ),
    Flag("--no-lastmod", bool, "Write no dates."),
    Flag("--ledger", str, "Remember in FILE when contents changed.", ("ledger", "path"), "FILE"),
    Flag("--text", bool, "Also write sitemap.txt, one URL a line.", ("sitemap", "text")),
    Flag("--gzip", GZIP, "Write .xml.gz files.", ("sitemap", "gzip")),
    Flag("--index", INDEX, "Write an index even for one sitemap.", ("sitemap", "index")),
    Flag("--max-urls", int, "URLs in one file, at most 50000.", ("sitemap", "max_urls"), "N"),
    Flag("--max-bytes", int, "Bytes of one file, at most 52428800.", ("sitemap", "max_bytes"), "N"),
    Flag("--robots/--no-robots", bool, "Write the Sitemap: line of robots.txt.", ("robots", "write")),
    Flag("--respect", SIGNALS, "Heed a signal that the configuration switches off; repeatable."),
    Flag("--no-respect", SIGNALS, "Do not heed a signal; repeatable."),
    Flag("--max-drop", float, "Percent of the published URLs that may be lost.", ("max_drop",), "PERCENT"),
    Flag("--strict", bool, "Exit with 1 if there were warnings.", ("strict",)),
)
_QUIET = Flag("--quiet", bool, "Print only errors (with --strict, warnings).", short="-q")
RUNNING = (
    Flag("--config", str, "Configuration file  [default: sitemapper.toml, pyproject.toml]", metavar="FILE"),
    Flag("--dry-run", bool, "Tell what would be written, write nothing."),
    Flag("--allow-empty", bool, "Publish a sitemap without any URL, if it comes to that."),
    Flag("--jobs", int, "Processes  [default: as many as pay]", metavar="N"),
    Flag("--engine", ENGINE, "Who processes pages: this machine or a Dask cluster."),
    Flag("--scheduler", str, "The cluster's scheduler, tcp://HOST:8786.", metavar="ADDRESS"),
    Flag("--cache", str, "Folder of the cache  [default: the user's; SITEMAPPER_CACHE]", metavar="DIR"),
    Flag("--no-cache", bool, "Read every page, whatever the cache remembers."),
    Flag("--no-live", bool, "Do not read the ledger of the live site ([ledger] live)."),
    Flag("--excluded", str, "Write what was left out and why (- for stdout).", metavar="FILE"),
    Flag("--changes", str, "Write which URLs are added, changed, removed (- for stdout).", metavar="FILE"),
    Flag("--tracked", bool, "Exit with 1 if git does not track a file of the sitemap."),
    Flag("--format", FORMAT, "How the summary is printed."),
    _QUIET,
    Flag("--verbose", bool, "Do not shorten the list of files.", short="-v"),
    Flag("--color", COLOR, "Colour the output."),
)
BUILDING = (
    *(f for f in RUNNING if f.name != "--format"),
    Flag("--exit-code", bool, "Exit with 1 if anything was written, as git diff --exit-code does."),
    Flag("--format", REPORT, "How the summary is printed; github: as annotations of a workflow."),
)
_FINDING = (Flag("--format", REPORT, "How findings are printed; github: as annotations of a workflow."),)
_BUILDS_ONLY = ("--dry-run", "--format")
CHECKING = (
    Flag("--against", str, "Hold another generator's sitemap against the pages instead.", metavar="FILE|DIR"),
    *(f for f in RUNNING if f.name not in _BUILDS_ONLY),
    *_FINDING,
)
VALIDATING = (
    Flag("--select", list[str], "Only these rules, SM203 or a family, SM2; repeatable.", metavar="CODE"),
    Flag("--disable", list[str], "Not these rules; repeatable.", metavar="CODE"),
    Flag("--strict", bool, "Exit with 1 for warnings too."),
    *_FINDING,
    _QUIET,
    Flag("--verbose", bool, "Show all findings.", short="-v"),
    *(f for f in RUNNING if f.name == "--color"),
)
SUBMITTING = (
    Flag("--changes", str, "Send what a build listed with --changes (- for stdin).", metavar="FILE"),
    Flag("--all", bool, "Send all published URLs, whatever was sent before."),
    Flag("--dry-run", bool, "List what would be sent, send nothing."),
    Flag("--wait", float, "Seconds to wait for the key file to be live  [default: 60]", metavar="SECONDS"),
    Flag("--endpoint", str, "Engine to tell  [default: api.indexnow.org]", ("submit", "endpoint"), "URL"),
    Flag("--key", str, "IndexNow key.", ("submit", "key"), "KEY"),
    *(f for f in CONFIGURED if f.name == "--base-url"),
    *(f for f in RUNNING if f.name in ("--config", "--format", "--quiet", "--color")),
)
EXPLAINING = tuple(f for f in RUNNING if f.name in ("--config", "--no-live", "--format", "--color"))


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
