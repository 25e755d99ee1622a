"""What a command line asks for: settings, lists, the cache, where results go."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import IO, TYPE_CHECKING, Any

from ..errors import SitemapperError
from .flags import CONFIGURED, ENGINE, REPORT, SUBMITTING
from .signals import end_in_order

if TYPE_CHECKING:
    from ..config.settings import Settings

STDOUT = "-"


def run_settings(site: str | None, given: dict[str, Any], *, json: bool, to_stdout: bool = False) -> Settings:
    """The settings of a build or check, with what only flags say."""
    printed = [f"--{name} -" for name in ("excluded", "changes") if given[name] == STDOUT]
    printed += [f"--format {given['format'].value}"] if json else []
    if to_stdout:
        printed += ["--output -", *(["--format github"] if given["format"] == REPORT("github") else [])]
        odd = [
            flag for flag in ("--dry-run", "--exit-code", "--tracked") if given[flag[2:].replace("-", "_")]
        ]
        if odd:
            raise SitemapperError(f"--output - and {odd[0]} exclude each other", f"leave out {odd[0]}")
        given = given | {"output": None}
    if len(printed) > 1:
        raise SitemapperError(
            f"{' and '.join(printed)} would both write to stdout", "name a file for one of them"
        )
    settings = settings_of(site, given)
    if given["jobs"] is not None and given["jobs"] < 1:
        raise SitemapperError(f"--jobs: must be 1 or more, not {given['jobs']}")
    own = {"allow_empty": bool(given["allow_empty"]), "replace": bool(given.get("replace"))}
    return settings.model_copy(update=own | {"jobs": given["jobs"] or 0, "scheduler": _scheduler(given)})


@contextmanager
def printing(settings: Settings) -> Iterator[Settings]:
    """The settings of a build whose only sitemap goes to stdout at the end. robots.txt stays as it is."""
    from ..output.shards import layout

    if len(layout((), settings)) > 1 or settings.sitemaps or settings.sitemap.others or settings.ledger.live:
        help = "name a folder, or do without text, gzip, index, recent, others, [[sitemaps]] and live"
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


def _scheduler(given: dict[str, Any]) -> str | None:
    """The address of the cluster's scheduler, if there is to be one."""
    if given["engine"] == ENGINE("dask"):
        if not given["scheduler"]:
            raise SitemapperError(
                "--engine dask needs --scheduler", "for example --scheduler tcp://10.0.0.1:8786"
            )
        if not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", given["scheduler"]):
            raise SitemapperError(
                f"--scheduler: must be scheme, host and port, not {given['scheduler']}",
                "for example tcp://10.0.0.1:8786",
            )
        return str(given["scheduler"])
    if given["scheduler"]:
        raise SitemapperError("--scheduler needs --engine dask")
    return None


def cache_folder(given: dict[str, Any]) -> str | None:
    """The folder of the cache; None for a run without one."""
    from platformdirs import user_cache_dir

    from ..config.layers import ENV_CACHE

    if given["no_cache"]:
        return None
    try:
        named = given["cache"] or os.environ.get(ENV_CACHE)
        return named or user_cache_dir("sitemapper", appauthor=False)
    except RuntimeError:  # a user without a home
        return None


def settings_of(site: str | None, given: dict[str, Any]) -> Settings:
    """The settings of the configuration, the environment and the flags. Raises ConfigError."""
    from ..config.layers import COMMAND_LINE
    from ..config.load import load

    if given.get("output") == STDOUT:
        raise SitemapperError("--output -: only build prints the sitemap", "name a folder")
    values = _overrides(site, given)
    settings = load(values, label=COMMAND_LINE, config=given["config"], env=os.environ, cwd=os.getcwd())
    end_in_order()
    return settings.model_copy(update={"no_live": bool(given.get("no_live"))})


def _overrides(site: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """The flags in the shape of the configuration file."""
    values: dict[str, Any] = {} if site is None else {"site": site}
    for flag in (*CONFIGURED, *SUBMITTING):
        value = given.get(flag.parameter)
        if flag.key and value is not None and value != []:
            *tables, key = flag.key
            table = values
            for name in tables:
                table = table.setdefault(name, {})
            table[key] = value.value if isinstance(value, Enum) else value
    for flag_name, heeded in (("respect", True), ("no_respect", False)):
        for signal in given.get(flag_name) or ():
            values.setdefault("respect", {})[signal.value] = heeded
    if given.get("no_lastmod"):
        values["lastmod"] = []
    return values


def lines_of(name: str) -> list[str]:
    """The lines of a file that a flag names, - for stdin."""
    if name == STDOUT:
        return list(sys.stdin)
    with open(name, encoding="utf-8", errors="replace") as file:
        return list(file)


def check_target(name: str, target: str) -> None:
    """Raises SitemapperError if no file can be written there."""
    if not os.path.isdir(os.path.dirname(os.path.abspath(target))):
        raise SitemapperError(f"--{name}: {target}: no such folder", "name a file that can be written")
    if os.path.isdir(target):
        raise SitemapperError(f"--{name}: {target}: is a folder", "name a file")


@contextmanager
def list_for(given: dict[str, Any], name: str) -> Iterator[IO[str] | None]:
    """The list that a flag asks for, kept aside until the end, so that it is no page of its own run."""
    target = given[name]
    if not target:
        yield None
        return
    check_target(name, target)
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
