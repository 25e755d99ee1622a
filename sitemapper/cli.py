"""The command line: parse, one call, report, exit code. The only place that prints or reads the clock."""

from __future__ import annotations

import gc
import inspect
import io
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import Enum
from types import GenericAlias
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer

from . import __version__
from .errors import SitemapperError

if TYPE_CHECKING:
    from .settings import Settings


class Flag(NamedTuple):
    """One option: its name, its type, its help, and the key of the configuration that it sets."""

    name: str
    kind: Any
    help: str
    key: tuple[str, ...] = ()
    metavar: str | None = None

    @property
    def parameter(self) -> str:
        """The name of the Python parameter."""
        return self.name.partition("/")[0].removeprefix("--").replace("-", "_")


def _choice(*values: str) -> Any:
    return Enum("Choice", {value: value for value in values}, type=str)


SIGNALS: Any = GenericAlias(list, (_choice("noindex", "canonical", "refresh", "robots", "host"),))
STYLE = _choice("auto", "directory", "clean", "slash", "file")
ENGINE = _choice("local", "dask")
FORMAT = _choice("text", "json")
COLOR = _choice("auto", "always", "never")
CONFIGURED = (
    Flag("--base-url", str, "URL at which the folder is served.", ("base_url",), "URL"),
    Flag("--output", str, "Folder for the sitemaps  [default: the site]", ("output",), "DIR"),
    Flag(
        "--ignore", list[str], "Leave out what matches, gitignore syntax; repeatable.", ("ignore",), "PATTERN"
    ),
    Flag("--include", list[str], "Also list files such as *.pdf; repeatable.", ("include",), "PATTERN"),
    Flag("--url-style", STYLE, "How a/index.html and b.html are served (see README).", ("url_style",)),
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
    Flag("--gzip", _choice("no", "also", "only"), "Write .xml.gz files.", ("sitemap", "gzip")),
    Flag("--index", _choice("auto", "always"), "Write an index even for one sitemap.", ("sitemap", "index")),
    Flag("--max-urls", int, "URLs in one file, at most 50000.", ("sitemap", "max_urls"), "N"),
    Flag("--max-bytes", int, "Bytes of one file, at most 52428800.", ("sitemap", "max_bytes"), "N"),
    Flag("--robots/--no-robots", bool, "Write the Sitemap: line of robots.txt.", ("robots", "write")),
    Flag("--respect", SIGNALS, "Heed a signal that the configuration switches off; repeatable."),
    Flag("--no-respect", SIGNALS, "Do not heed a signal; repeatable."),
    Flag("--max-drop", float, "Percent of the published URLs that may be lost.", ("max_drop",), "PERCENT"),
    Flag("--strict", bool, "Exit with 1 if there were warnings.", ("strict",)),
)
RUNNING = (
    Flag("--config", str, "Configuration file  [default: sitemapper.toml, pyproject.toml]", metavar="FILE"),
    Flag("--dry-run", bool, "Tell what would be written, write nothing."),
    Flag("--allow-empty", bool, "Publish a sitemap without any URL, if it comes to that."),
    Flag("--jobs", int, "Processes  [default: as many as pay]", metavar="N"),
    Flag("--engine", ENGINE, "Who processes pages: this machine or a Dask cluster."),
    Flag("--scheduler", str, "The cluster's scheduler, tcp://HOST:8786.", metavar="ADDRESS"),
    Flag("--no-cache", bool, "Read every page, whatever is remembered of the last run."),
    Flag("--excluded", str, "Write what was left out and why (- for stdout).", metavar="FILE"),
    Flag("--changes", str, "Write which URLs are added, changed, removed (- for stdout).", metavar="FILE"),
    Flag("--format", FORMAT, "How the summary is printed."),
    Flag("--quiet", bool, "Print only errors (with --strict, warnings)."),
    Flag("--verbose", bool, "Do not shorten the list of files."),
    Flag("--color", COLOR, "Colour the output."),
)

INTERRUPTED = 130  # the exit code after Ctrl-C, as shells have it

# What `git rev-parse --local-env-vars` names, but for configuration.
GIT_LOCAL = (
    "DIR", "WORK_TREE", "INDEX_FILE", "PREFIX", "COMMON_DIR", "OBJECT_DIRECTORY", "GRAFT_FILE",
    "SHALLOW_FILE", "ALTERNATE_OBJECT_DIRECTORIES", "IMPLICIT_WORK_TREE", "REPLACE_REF_BASE",
    "NO_REPLACE_OBJECTS",
)  # fmt: skip
EXPLAINING = tuple(f for f in RUNNING if f.name in ("--config", "--format", "--color"))

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Sitemaps that search engines can trust, from a built static site.",
)


def takes(*flags: Flag) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command its options from the tables above, so that commands share one definition."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[:-1]
        options = [
            inspect.Parameter(
                flag.parameter,
                inspect.Parameter.KEYWORD_ONLY,
                default=typer.Option(
                    None, flag.name, help=flag.help, metavar=flag.metavar, show_default=False
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


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        typer.echo(f"sitemapper {__version__}")
        raise typer.Exit


@app.command(
    epilog="Examples:  sitemapper build public --base-url https://example.com  |  "
    "sitemapper build --dry-run --excluded -"
)
@takes(*CONFIGURED, *RUNNING)
def build(
    site: str | None = typer.Argument(
        None, help="Folder of the built site  [default: .]", show_default=False
    ),
    **given: Any,
) -> None:
    """Walk SITE and publish its sitemaps and the Sitemap: line of robots.txt."""
    from . import report
    from .building import build as run

    json = given["format"] == FORMAT("json")
    to_stdout = [f"--{name} -" for name in ("excluded", "changes") if given[name] == "-"]
    to_stdout += ["--format json"] if json else []
    if len(to_stdout) > 1:
        raise SitemapperError(f"{' and '.join(to_stdout)} would both write to stdout; name a file")
    started = time.monotonic()
    settings = _settings(site, given)
    if given["jobs"] is not None and given["jobs"] < 1:
        raise SitemapperError(f"--jobs: {given['jobs']} must be 1 or more")
    own = {"allow_empty": bool(given["allow_empty"]), "jobs": given["jobs"] or 0}
    settings = settings.model_copy(update=own | {"scheduler": _scheduler(given)})
    dry_run = bool(given["dry_run"])
    quiet = bool(given["quiet"]) or not sys.stderr.isatty()
    with (
        _list(given, "excluded") as excluded,
        _list(given, "changes") as changes,
        report.Ears(excluded, changes, keep=json, quiet=quiet) as ears,
    ):
        summary = run(settings, now=_now(), dry_run=dry_run, listener=ears, cache=_cache(given))
    seconds = time.monotonic() - started
    if not given["quiet"]:
        if json:
            text = report.summary_json(summary, ears.kept, seconds, dry_run=dry_run)
        else:
            colour, verbose = _coloured(given, sys.stdout), bool(given["verbose"])
            text = report.summary_text(summary, seconds, dry_run=dry_run, colour=colour, verbose=verbose)
        typer.echo(text, nl=False, color=True)
        sys.stdout.flush()
    failed = settings.strict and bool(summary.warnings)
    if failed or not given["quiet"]:
        _say(report.warning_lines(summary, _coloured(given, sys.stderr), notes=not given["quiet"]))
    if failed:
        raise typer.Exit(1)


@app.command(
    epilog="Examples:  sitemapper explain blog/a.html  |  sitemapper explain https://example.com/blog/"
)
@takes(Flag("--site", str, "Folder of the built site  [default: .]", metavar="DIR"), *CONFIGURED, *EXPLAINING)
def explain(
    target: str = typer.Argument(
        ..., metavar="PAGE", help="A page: its path in the site, as typed in a shell, or its URL."
    ),
    **given: Any,
) -> None:
    """Say whether a page is listed, why, and where each of its values comes from."""
    from . import report
    from .explanation import explain as answer

    found = answer(_settings(given["site"], given), target, now=_now())
    if given["format"] == FORMAT("json"):
        typer.echo(report.explanation_json(found), nl=False)
    else:
        typer.echo(report.explanation_text(found, _coloured(given, sys.stdout)), nl=False, color=True)


@app.command(epilog="Examples:  sitemapper init  |  sitemapper init public")
def init(
    site: str | None = typer.Argument(None, help="Folder of the built site  [default: the generator's]"),
) -> None:
    """Look at a project and write a first sitemapper.toml; never replaces one."""
    from . import detect

    target = os.path.join(os.getcwd(), "sitemapper.toml")
    found = detect.detect(site, os.getcwd())
    try:
        with open(target, "x", encoding="utf-8") as file:
            file.write(found.text)
    except FileExistsError:
        raise SitemapperError(
            "sitemapper.toml: is there already and is not replaced; move it away first"
        ) from None
    except OSError as error:
        raise SitemapperError(
            f"sitemapper.toml: {error.strerror}; run init in a folder you can write"
        ) from None
    for sentence in found.said:
        typer.echo(sentence)
    typer.echo("wrote sitemapper.toml; look it over, then: sitemapper build --dry-run")


@app.command()
def schema() -> None:
    """Print the JSON Schema of sitemapper.toml, for editors."""
    import json

    from .settings import Config

    shape = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}
    typer.echo(json.dumps(shape, indent=2))


def _scheduler(given: dict[str, Any]) -> str | None:
    """The address of the cluster's scheduler, if there is to be one."""
    if given["engine"] == ENGINE("dask"):
        if not given["scheduler"]:
            raise SitemapperError("--engine dask needs --scheduler, such as tcp://10.0.0.1:8786")
        if not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", given["scheduler"]):
            raise SitemapperError(
                f"--scheduler: {given['scheduler']} must be scheme, host and port, like tcp://10.0.0.1:8786"
            )
        return str(given["scheduler"])
    if given["scheduler"]:
        raise SitemapperError("--scheduler is for --engine dask")
    return None


def _cache(given: dict[str, Any]) -> str | None:
    from platformdirs import user_cache_dir

    try:
        return None if given["no_cache"] else user_cache_dir("sitemapper", appauthor=False)
    except RuntimeError:  # a user without a home
        return None


def _now() -> datetime:
    return datetime.now(UTC)


def _settings(site: str | None, given: dict[str, Any]) -> Settings:
    from .config import load
    from .config_sources import COMMAND_LINE

    values = _overrides(site, given)
    return load(values, label=COMMAND_LINE, config=given["config"], env=os.environ, cwd=os.getcwd())


def _overrides(site: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """The flags in the shape of the configuration file."""
    values: dict[str, Any] = {} if site is None else {"site": site}
    for flag in CONFIGURED:
        value = given[flag.parameter]
        if flag.key and value is not None and value != []:
            *tables, key = flag.key
            table = values
            for name in tables:
                table = table.setdefault(name, {})
            table[key] = value.value if isinstance(value, Enum) else value
    for flag_name, heeded in (("respect", True), ("no_respect", False)):
        for signal in given[flag_name] or ():
            values.setdefault("respect", {})[signal.value] = heeded
    if given["no_lastmod"]:
        values["lastmod"] = []
    return values


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line, err=True, color=True)


def _coloured(given: dict[str, Any], stream: Any) -> bool:
    choice = given["color"].value if given["color"] else "auto"
    if choice == "auto":
        return bool(stream.isatty()) and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return bool(choice == "always")


@contextmanager
def _list(given: dict[str, Any], name: str) -> Iterator[IO[str] | None]:
    """The list that a flag asks for, kept aside until the end, so that it is no page of its own run."""
    target = given[name]
    if not target:
        yield None
        return
    if not os.path.isdir(os.path.dirname(os.path.abspath(target))):
        raise SitemapperError(f"--{name}: {target}: No such folder; name a file that can be written")
    if os.path.isdir(target):
        raise SitemapperError(f"--{name}: {target}: is a folder; name a file")
    with tempfile.SpooledTemporaryFile(1 << 20, "w+", encoding="utf-8") as rows:
        try:
            yield rows
        finally:
            rows.seek(0)
            if target == "-":
                shutil.copyfileobj(rows, sys.stdout)
            else:
                with open(target, "w", encoding="utf-8") as file:
                    shutil.copyfileobj(rows, file)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code: 0 fine, 1 found something, 2 could not do it."""
    try:
        app(args=list(sys.argv[1:] if argv is None else argv), prog_name="sitemapper")
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            _say(["interrupted; what was published before is still whole"])
        return stop.code if isinstance(stop.code, int) else 2
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not complain again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (SitemapperError, OSError) as error:
        from .report import error_lines

        what = (
            error if isinstance(error, SitemapperError) else f"{error.filename or 'output'}: {error.strerror}"
        )
        never = {"color": COLOR("never") if "never" in sys.argv else None}
        _say(error_lines(str(what), _coloured(never, sys.stderr)))
        return 2
    return 0


def script() -> None:
    """The console script."""
    # Nothing on the hot path makes cycles, so counting references frees it all: 8 % of a large run.
    gc.disable()
    # A git hook sets these for its own repository; the site may lie in another.
    for name in GIT_LOCAL:
        os.environ.pop(f"GIT_{name}", None)
    # Nobody plugs into our models; looking for plugins costs pydantic 10 ms.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its number, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = main()
    if code == INTERRUPTED:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """Ends at once: what waits for other processes at a common end only complains that they are gone."""
    sys.stdout.flush()
    if "multiprocessing" in sys.modules:
        for process in sys.modules["multiprocessing"].active_children():
            process.kill()
    os._exit(code)
