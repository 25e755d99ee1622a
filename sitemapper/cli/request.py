"""Settings, lists and the cache, as the command line gives them."""

import os
import sys
from collections.abc import Mapping
from typing import get_args

from ..config.choices import Signal
from ..config.layers import COMMAND_LINE, ENV_CACHE, ENV_PREFIX
from ..config.messages import sentence
from ..errors import SitemapperError
from ..hosts.choose import preview_hosts
from ..project.witnesses import find_preview
from ..setup.find import ProjectSearch
from ..setup.load import load
from ..setup.settle import Setup
from ..site.walk import check_root
from .options import STDOUT, SiteOptions
from .parameters import flags_of
from .termination import end_in_order
from .words import tell

_ONLY_FLAGS = ("allow_empty", "jobs", "no_live", "replace", "scheduler")  # set these


def cache_folder(options: object = None) -> str | None:
    """The folder of the cache, None for a run without a cache."""
    if getattr(options, "no_cache", False):
        return None
    if named := getattr(options, "cache", None) or os.environ.get(ENV_CACHE):
        return str(named)
    # Imported here: it reads what few runs need.
    from platformdirs import user_cache_dir

    try:
        return user_cache_dir("sitemapper", appauthor=False)
    except RuntimeError:  # a user without a home
        return None


def load_setup(site: str | None, options: object, *, way: str = "") -> Setup:
    """What a run starts from: file, environment and flags. `way` is the advice on how to name the site.

    Raises SiteError, ConfigError.
    """
    if site is not None:
        check_root(os.path.abspath(site), "")
    if isinstance(options, SiteOptions) and options.output == STDOUT:
        raise SitemapperError("--output -: only build prints the sitemap", "name a folder")
    search = ProjectSearch(site, cache_folder(options), way=way)
    setup = load_layers(_overrides(site, options), options, search)
    end_in_order()
    own = {}
    for name in _ONLY_FLAGS:
        if value := getattr(options, name, None):
            own[name] = value
    return setup._replace(run=setup.run._replace(**own))


def preview(site: str | None, options: SiteOptions) -> str:
    """The host of a preview, if a builder builds one and the pages' canonicals name it.

    "" if there is none, or if a flag or the environment sets the base URL.
    """
    own = preview_hosts(os.environ)
    if own is None or options.base_url or os.environ.get(f"{ENV_PREFIX}BASE_URL"):
        return ""
    if site is not None:
        check_root(os.path.abspath(site), "")
    setup = load(
        _overrides(site, options),
        defaults={"base_url": "https://preview.invalid/"},
        config=options.config,
        env=os.environ,
        cwd=os.getcwd(),
        search=ProjectSearch(site, cache_folder(options)),
    )
    return find_preview(setup.site.root, own)


def load_layers(
    values: Mapping[str, object], options: object, search: ProjectSearch | None
) -> Setup:
    """The settings above those of a plugin or the project.

    Prints a note if the plugin left no record.
    """
    setup = load(
        values,
        label=COMMAND_LINE,
        flags={f.key: f.name.partition("/")[0] for f in flags_of(type(options)).values() if f.key},
        config=getattr(options, "config", None),
        env=os.environ,
        cwd=os.getcwd(),
        search=search,
    )
    note = setup.project.note
    if note and not getattr(options, "quiet", False):
        tell("note", [note], getattr(options, "color", "auto"))
    return setup


def _overrides(site: str | None, options: object) -> dict[str, object]:
    """The flags, in the shape of the configuration file."""
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
