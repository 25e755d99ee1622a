"""What a command line asks for: settings, lists, the cache."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, get_args

from ..config.choices import Signal
from ..config.layers import COMMAND_LINE, ENV_CACHE, ENV_PREFIX
from ..config.load import Detect, load
from ..config.messages import sentence
from ..config.settings import Settings
from ..errors import GuardError, SitemapperError
from ..fs import relative
from ..project.canonical_base import find_preview
from ..project.detect import layer_below
from ..site.walk import check_root, folder, is_candidate
from ..summary import NO_BASELINE
from ..syntax import hosts
from .options import STDOUT, RunOptions, SiteOptions
from .parameters import flag_name, flag_names, flags_of
from .signals import end_in_order
from .streams import tell


def run_settings(
    site: str | None, options: RunOptions, *, printed: Sequence[str] = (), replaces: bool = False
) -> Settings:
    """The settings of a build or check, with those that only flags have.

    `printed` are the flags that write to stdout, besides those that both commands have.
    """
    lists = [f"--{name} -" for name in ("excluded", "changes") if getattr(options, name) == STDOUT]
    formats = [f"--format {options.format}"] if options.format not in ("text", "github") else []
    if len(printed := [*lists, *formats, *printed]) > 1:
        problem = f"{' and '.join(printed)} would both write to stdout"
        raise SitemapperError(problem, "name a file for one of them")
    run = {
        "allow_empty": options.allow_empty,
        "replace": replaces,
        "jobs": options.jobs or 0,
        "scheduler": _scheduler(options),
    }
    settings = load_settings(site, options, options.config).model_copy(update=run)
    _check_targets(options, settings)
    return settings


def _check_targets(options: RunOptions, settings: Settings) -> None:
    """Raises SitemapperError if a flag names a file that has another use."""
    names = [name for name in ("excluded", "changes", "report") if getattr(options, name, None)]
    if not names:
        return
    output, site = settings.output_dir, folder(settings.site, settings.ignore_lines, settings.include)
    uses = {os.path.join(output, settings.sitemap.name): "the sitemap"}
    uses |= {os.path.join(output, "robots.txt"): "robots.txt", settings.ledger_file or output: "the ledger"}
    uses |= dict.fromkeys((path for path, _ in settings.read_from), "part of the configuration")
    taken = {os.path.realpath(path): use for path, use in uses.items()}
    for name in names:
        target, flag = getattr(options, name), flag_name(name)
        if is_stream(target):
            continue
        path = os.path.realpath(target)
        page = relative(path, os.path.realpath(settings.site)).replace(os.sep, "/")
        if path not in taken and name != "report" and is_candidate(site, page) and not _is_list(path):
            taken[path] = "a page of the site"
        if path in taken:
            raise SitemapperError(f"{flag}: {target} is {taken[path]}", "name another file")
        taken[path] = f"the file of {flag}"


def _is_list(path: str) -> bool:
    """Whether a file is missing or has rows, as `--excluded` and `--changes` write them."""
    if not os.path.isfile(path):
        return True
    with open(path, "rb") as file:
        row = file.readline(4096)
    return not row or b"\t" in row or row.startswith(NO_BASELINE.encode())


def _scheduler(options: RunOptions) -> str | None:
    """The address of the cluster's scheduler, if there is to be one."""
    address = options.scheduler
    if address and not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", address):
        problem = f"--scheduler: must be scheme, host and port, not {address}"
        raise SitemapperError(problem, "for example tcp://10.0.0.1:8786")
    return address


def cache_folder(options: object = None) -> str | None:
    """The folder of the cache; None for a run without one."""
    named = None
    if isinstance(options, RunOptions):
        if options.no_cache:
            return None
        named = options.cache
    if named := named or os.environ.get(ENV_CACHE):
        return named
    # Imported here: it reads what few runs need.
    from platformdirs import user_cache_dir

    try:
        return user_cache_dir("sitemapper", appauthor=False)
    except RuntimeError:  # a user without a home
        return None


def check_named(site: str | None) -> None:
    """Raises SiteError, before anything else is looked at, if a folder that is named is none."""
    if site is not None:
        check_root(os.path.abspath(site), "")


def load_settings(site: str | None, options: object, config: str | None, *, way: str = "") -> Settings:
    """The settings of the configuration, the environment and the flags; `way` says how to name the site.

    Raises ConfigError.
    """
    check_named(site)
    if isinstance(options, SiteOptions) and options.output == STDOUT:
        raise SitemapperError("--output -: only build prints the sitemap", "name a folder")
    detect = layer_below(site, cache_folder(options), way=way)
    settings = load_layers(_overrides(site, options), options, detect, config=config)
    end_in_order()
    no_live = isinstance(options, SiteOptions) and options.no_live
    return settings.model_copy(update={"no_live": no_live})


def preview(site: str | None, options: SiteOptions) -> str:
    """The host of the preview that the pages name in their canonicals, on a builder that builds one.

    "" for none, and where a flag or the environment gives the base URL.
    """
    own = hosts.preview_hosts(os.environ)
    if own is None or options.base_url or os.environ.get(f"{ENV_PREFIX}BASE_URL"):
        return ""
    check_named(site)
    settings = load(
        _overrides(site, options),
        defaults={"base_url": "https://preview.invalid/"},
        config=options.config,
        env=os.environ,
        cwd=os.getcwd(),
        detect=layer_below(site, cache_folder(options)),
    )
    return find_preview(settings.site, own)


def load_layers(
    values: Mapping[str, object], options: object, detect: Detect | None, *, config: str | None = None
) -> Settings:
    """The settings above what a plugin or the project has; prints a note where the plugin left nothing."""
    settings = load(
        values,
        label=COMMAND_LINE,
        flags=flag_names(type(options)),
        config=config,
        env=os.environ,
        cwd=os.getcwd(),
        detect=detect,
    )
    note = settings.detected_project.note
    if note and not getattr(options, "quiet", False):
        tell("note", [note], getattr(options, "color", "auto"))
    return settings


def _overrides(site: str | None, options: object) -> dict[str, object]:
    """The flags in the shape of the configuration file."""
    tables: dict[str, dict[str, object]] = {"": {} if site is None else {"site": site}}
    for name, flag in flags_of(type(options)).items():
        value = getattr(options, name)
        if flag.key and value is not None and value != ():
            table, _, key = flag.key.rpartition(".")
            tables.setdefault(table, {})[key] = value
    if isinstance(options, SiteOptions):
        for signal in options.no_respect:
            if signal not in get_args(Signal):
                fault = {"type": "literal_error", "msg": f"{get_args(Signal)}", "input": signal}
                raise SitemapperError(f"--no-respect: {sentence(fault)}")
            tables.setdefault("respect", {})[signal] = False
        if options.no_lastmod:
            tables[""]["lastmod"] = ()
    return tables.pop("") | tables


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


def print_sitemap(blocks: Iterable[bytes]) -> None:
    """Prints a sitemap. Raises SitemapperError where stdout does not take it."""
    try:
        for block in blocks:
            sys.stdout.write(block.decode("ascii"))
        sys.stdout.flush()
    except OSError as error:
        raise SitemapperError(f"--output -: stdout: {error.strerror}, so nothing else was written") from None
