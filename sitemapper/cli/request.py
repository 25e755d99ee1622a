"""What a command line asks for: settings, lists, the cache, where results go."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, TYPE_CHECKING, get_args

from ..config.choices import Signal
from ..errors import GuardError, SitemapperError
from .options import STDOUT, BuildOptions, CheckOptions, RunOptions, SiteOptions, SubmitOptions, VerifyOptions
from .parameters import flag_name, flag_names, flags_of
from .signals import end_in_order

if TYPE_CHECKING:
    from ..commands.judge import Scope
    from ..commands.submit import ChangeList
    from ..config.load import Detect
    from ..config.settings import Settings


def run_settings(site: str | None, options: BuildOptions | CheckOptions) -> Settings:
    """The settings of a build or check, with those that only flags have."""
    printed = [f"--{name} -" for name in ("excluded", "changes") if getattr(options, name) == STDOUT]
    printed += [f"--format {options.format}"] if options.format not in ("text", "github") else []
    replaces = isinstance(options, BuildOptions) and options.replace
    if isinstance(options, BuildOptions) and options.output == STDOUT:
        printed += ["--output -", *(["--format github"] if options.format == "github" else [])]
        for name in ("dry_run", "exit_code", "tracked"):
            if getattr(options, name):
                flag = flag_name(name)
                raise SitemapperError(f"--output - and {flag} exclude each other", f"leave out {flag}")
        options = replace(options, output=None)
    if len(printed) > 1:
        problem = f"{' and '.join(printed)} would both write to stdout"
        raise SitemapperError(problem, "name a file for one of them")
    run = {
        "allow_empty": options.allow_empty,
        "replace": replaces,
        "jobs": options.jobs or 0,
        "scheduler": _scheduler(options),
    }
    return load_settings(site, options).model_copy(update=run)


@contextmanager
def stdout_output(settings: Settings) -> Iterator[Settings]:
    """The settings of a build whose only sitemap goes to stdout at the end. robots.txt stays as it is."""
    from ..output.shards import layout

    if len(layout((), settings)) > 1 or settings.sitemaps or settings.sitemap.others or settings.ledger.live:
        help = "name a folder, or do without text, gzip, index, others, [[sitemaps]] and live"
        raise SitemapperError("--output -: stdout takes one file, and these settings make more", help)
    robots = settings.robots.model_copy(update={"write": False})
    with tempfile.TemporaryDirectory(prefix="sitemapper-") as folder:
        yield settings.model_copy(update={"output": folder, "robots": robots})
        if (count := sum(name.endswith(".xml") for name in os.listdir(folder))) > 1:
            what = (
                f"--output -: stdout takes one file, and the site needs {count - 1:,} sitemaps and an index"
            )
            raise SitemapperError(what, "name a folder")
        with open(os.path.join(folder, settings.sitemap.name), encoding="ascii") as file:
            shutil.copyfileobj(file, sys.stdout)


def _scheduler(options: RunOptions) -> str | None:
    """The address of the cluster's scheduler, if there is to be one."""
    address = options.scheduler
    if address and not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", address):
        problem = f"--scheduler: must be scheme, host and port, not {address}"
        raise SitemapperError(problem, "for example tcp://10.0.0.1:8786")
    return address


def cache_folder(options: object = None) -> str | None:
    """The folder of the cache; None for a run without one."""
    from platformdirs import user_cache_dir

    from ..config.layers import ENV_CACHE

    named = None
    if isinstance(options, RunOptions):
        if options.no_cache:
            return None
        named = options.cache
    try:
        return named or os.environ.get(ENV_CACHE) or user_cache_dir("sitemapper", appauthor=False)
    except RuntimeError:  # a user without a home
        return None


def load_settings(site: str | None, options: SiteOptions | SubmitOptions) -> Settings:
    """The settings of the configuration, the environment and the flags. Raises ConfigError."""
    from ..project.detect import layer_below

    if isinstance(options, SiteOptions) and options.output == STDOUT:
        raise SitemapperError("--output -: only build prints the sitemap", "name a folder")
    detect = layer_below(site, cache_folder(options))
    settings = _load(_overrides(site, options), options, detect, config=options.config)
    end_in_order()
    no_live = isinstance(options, SiteOptions) and options.no_live
    return settings.model_copy(update={"no_live": no_live})


def _load(
    values: Mapping[str, object], options: object, detect: Detect | None, *, config: str | None = None
) -> Settings:
    """The settings above what a plugin or the project says; prints a note where the plugin left nothing."""
    import typer

    from ..config.layers import COMMAND_LINE
    from ..config.load import load

    settings = load(
        values,
        label=COMMAND_LINE,
        flags=flag_names(type(options)),
        config=config,
        env=os.environ,
        cwd=os.getcwd(),
        detect=detect,
    )
    if settings.detected_project.note and not getattr(options, "quiet", False):
        typer.echo(f"note: {settings.detected_project.note}", err=True)
    return settings


def verify_scope(sitemap: str | None, options: VerifyOptions) -> tuple[Scope, Settings]:
    """What `verify` asks, and the settings. Raises SitemapperError for URLs that are none."""
    from urllib.parse import urljoin, urlsplit

    from ..commands.judge import Scope
    from ..project.detect import layer_below
    from ..syntax.urls import normalise_base

    def base_of(flag: str, url: str) -> str:
        try:
            return normalise_base(url)
        except ValueError as error:
            raise SitemapperError(f"{flag}: {error}") from None

    root = urljoin(sitemap, "/") if sitemap and "://" in sitemap else sitemap
    values = {"base_url": base_of("SITEMAP_URL", root)} if root else {}
    settings = _load(
        values, options, None if sitemap else layer_below(None, cache_folder(options), needs_site=False)
    )
    base = settings.base_url
    url = base + (sitemap.partition("://")[2].partition("/")[2] if sitemap else settings.sitemap.name)
    at = base_of("--at", options.at) if options.at else base
    if options.at and urlsplit(at).path == "/":
        at = urljoin(at, urlsplit(base).path)
    return Scope(url, base, at), settings


def secret_headers(options: VerifyOptions) -> dict[str, str]:
    """The headers of `--header`, with values from the environment. Raises SitemapperError."""
    headers = {}
    for text in options.header:
        name, _, variable = text.partition("=")
        value = os.environ.get(variable, "")
        if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not re.fullmatch(r"[ -~]+", value):
            help = "write NAME=ENVVAR, where the variable holds the value on one line"
            raise SitemapperError(f"--header: {name}: there is no such name or variable", help)
        headers[name] = value
    return headers


def changed_urls(options: VerifyOptions, settings: Settings) -> ChangeList | None:
    """The rows of `--changes`; None without it."""
    from ..commands.submit import parse_changes
    from ..model import NO_BASELINE

    if not options.changes:
        return None
    rows = (row for row in input_lines(options.changes) if not row.startswith(NO_BASELINE))
    return list(dict.fromkeys(parse_changes(rows, settings.base_url)))


def _overrides(site: str | None, options: SiteOptions | SubmitOptions) -> dict[str, object]:
    """The flags in the shape of the configuration file."""
    tables: dict[str, dict[str, object]] = {"": {} if site is None else {"site": site}}
    for name, flag in flags_of(type(options)).items():
        value = getattr(options, name)
        if flag.key and value is not None and value != ():
            table, _, key = flag.key.rpartition(".")
            tables.setdefault(table, {})[key] = value
    if isinstance(options, SiteOptions):
        for signal in options.no_respect:
            _check_signal(signal)
            tables.setdefault("respect", {})[signal] = False
        if options.no_lastmod:
            tables[""]["lastmod"] = ()
    return tables.pop("") | tables


def _check_signal(signal: str) -> None:
    if signal not in get_args(Signal):
        from ..config.messages import bad_signal

        raise SitemapperError(f"--no-respect: {bad_signal(signal)}")


def input_lines(name: str) -> list[str]:
    """The lines of a file that a flag names, - for stdin."""
    if name == STDOUT:
        return list(sys.stdin)
    with open(name, encoding="utf-8", errors="replace") as file:
        return list(file)


def check_target(flag: str, target: str) -> None:
    """Raises SitemapperError if no file can be written there."""
    if not os.path.isdir(os.path.dirname(os.path.abspath(target))):
        raise SitemapperError(f"{flag}: {target}: no such folder", "name a file that can be written")
    if os.path.isdir(target):
        raise SitemapperError(f"{flag}: {target}: is a folder", "name a file")


@contextmanager
def output_list(flag: str, target: str | None) -> Iterator[IO[str] | None]:
    """The list that a flag writes; a regular file is written by the run itself, the others are here."""
    if not target:
        yield None
        return
    check_target(flag, target)
    with tempfile.SpooledTemporaryFile(1 << 20, "w+", encoding="utf-8") as rows:
        try:
            yield rows
        except GuardError:  # its help names this list
            _print_rows(rows, target)
            raise
        _print_rows(rows, target)


def _print_rows(rows: IO[str], target: str) -> None:
    rows.seek(0)
    if target == STDOUT:
        shutil.copyfileobj(rows, sys.stdout)
    elif is_stream(target):
        with open(target, "w", encoding="utf-8") as file:
            shutil.copyfileobj(rows, file)


def is_stream(target: str) -> bool:
    """Whether what a flag names is stdout, a device or a pipe, and no regular file."""
    return target == STDOUT or (os.path.exists(target) and not os.path.isfile(target))
