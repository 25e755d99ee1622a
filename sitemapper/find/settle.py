"""Decides what holds for a run: one function a value, with its reasons beside each other.

A value comes from a flag, the environment, the file, the project, the host, or a default. The
layers of `settings.py` hold these in order, so most values stand in Settings. What is left are
the values that need more than one of them.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..config.layers import COMMAND_LINE, ENVIRONMENT
from ..config.load import sort_problems
from ..config.messages import APPENDED_LISTS, Problem, locate_problem
from ..config.settings import Settings
from ..errors import ConfigError, with_help
from ..fs import ancestors, relative
from ..messages import Kind, Message
from ..model import Detected, Origin
from ..site import GeneratedSitemap, Origins, Output, Run, Site
from .first_look import FirstLook
from .key_conflicts import KEYS, find_conflict
from .project import Project
from .settings import FoundSettings, is_missing_or_ours, last_layer_with

_EXTENSIONS = ("hreflang", "images")  # XML namespaces besides the protocol's, by their keys


class Setup(NamedTuple):
    """What `build`, `check` and `explain` start from.

    `settings` are what a person wrote, and `origins` the files and lines of their lists. `site` and
    `run` have the values that hold. `project` is the project of the site, whose files `first_look`
    has read. `warnings` are about the settings.
    """

    settings: Settings
    origins: Origins
    site: Site
    run: Run
    project: Project
    first_look: FirstLook
    warnings: tuple[Message, ...] = ()


def settle(found: FoundSettings) -> Setup:
    """Decides which values hold for the site and for the run, from all layers of settings.

    Raises ConfigError with all problems of the layers, so that a user can mend them at once.
    """
    # 1. All problems first, so that one error has them all.
    problems = list(found.problems)
    epoch = _settle_epoch(found.call.env, problems)
    settings, base_url = _settle_keys(found, problems)
    problems += found.ignore_problems
    if problems:
        raise ConfigError(tuple(problems))
    # 2. The configuration files that were read, and a warning about one that was not.
    files_read = found.ignore_files
    warnings: tuple[Message, ...] = ()
    if found.file:
        if found.file.unread:  # a pyproject.toml beside sitemapper.toml
            warnings = (Message(Kind.TWO_FILES, (f"{found.file.unread} is not read",)),)
        config_file = os.path.join(found.call.cwd, found.file.label)
        files_read = {config_file: found.file.read, **files_read}
    return Setup(
        settings=settings,
        origins=_settle_origins(found, settings),
        site=_settle_site(found, settings, base_url),
        run=Run(
            cwd=found.call.cwd,
            proxies=_settle_proxies(found.call.env),
            epoch=epoch,
            builder=found.builder.name if found.builder else "",
            read_from=tuple(files_read.items()),
        ),
        project=found.project,
        first_look=found.first_look,
        warnings=warnings,
    )


def _settle_keys(found: FoundSettings, problems: Sequence[str]) -> tuple[Settings, str]:
    """Checks the settings of all layers together, and returns them with the base URL.

    Raises ConfigError with the `problems` so far and those of keys: faulty values and a missing
    base URL, or else two keys that cannot hold together.
    """
    settings, faults = found.loaded
    key_problems = list(faults.problems)
    if _lacks_base_url(found) and not faults.explain_missing("base_url"):
        key_problems.insert(0, _describe_missing_base_url(found))
    if settings is None or settings.base_url is None or key_problems:
        raise ConfigError((*problems, *sort_problems(key_problems)))
    may_conflict = not settings.model_fields_set.isdisjoint(KEYS)
    conflict = find_conflict(settings, settings.base_url) if may_conflict else None
    if conflict:
        message = with_help(conflict.what, conflict.help)
        problem = locate_problem(conflict.key, message, found.layers)
        raise ConfigError((*problems, problem.text))
    return settings, settings.base_url


def _lacks_base_url(found: FoundSettings) -> bool:
    """Whether no layer sets the base URL, so that the run stops with an error about it."""
    settings = found.loaded.settings
    if settings:
        return settings.base_url is None
    # The settings are faulty and have no values, but the layers still show which keys are set.
    return last_layer_with("base_url", found.layers) is None


def _describe_missing_base_url(found: FoundSettings) -> Problem:
    """Makes the error for a missing base URL: where it was searched for, and how to set it.

    `no base URL: hugo.toml does not set baseURL`, and `pass --base-url https://example.com/, or set
    base_url in sitemapper.toml`.
    """
    problem = "no base URL: the address of the site is not known"
    reason = found.project.no_base_url
    if reason:
        problem = f"no base URL: {reason}"
    command_line = [layer for layer in found.layers if layer.label == COMMAND_LINE]
    has_flag = all("base_url" in layer.flags for layer in command_line)
    if found.project.base_url_help and has_flag:
        return Problem(0, with_help(problem, found.project.base_url_help))
    # `verify` takes the URL of the sitemap in place of --base-url.
    remedy = "pass --base-url https://example.com/" if has_flag else "name the URL of the sitemap"
    help = f"{remedy}, or set base_url in sitemapper.toml"
    site = found.project.site
    if site and not found.project.sitemap and not is_missing_or_ours(site, found.layers):
        # The next run, with a base URL, would stop because of this sitemap.
        help += "; a build also needs --replace, because another tool wrote a sitemap there"
    return Problem(0, with_help(problem, help))


def _settle_site(found: FoundSettings, settings: Settings, base_url: str) -> Site:
    """Makes the settled site from the settings of all layers and from its project."""
    date_sources = _settle_date_sources(found, settings)
    ledger = os.path.join(found.folder, settings.ledger.path)
    generator = found.project.generator
    return Site(
        root=settings.site,
        base_url=base_url,
        output=Output(
            folder=settings.output or settings.site,
            base_url=base_url,
            name=settings.sitemap.name,
            options=settings.sitemap,
            sections=tuple(section.name for section in settings.sitemaps),
            extensions=frozenset(name for name in _EXTENSIONS if getattr(settings, name)),
            key=settings.submit.key,
            key_location=settings.submit.key_location,
            writes_robots=settings.robots.write,
        ),
        label=_settle_label(found),
        project=found.folder,
        include=settings.include,
        ignore=found.ignore,
        date_sources=date_sources,
        is_auto_dated=settings.lastmod == ("auto",),
        wants_no_dates=_wants_no_dates(found, settings),
        ledger=ledger if "ledger" in date_sources else None,
        has_live_ledger=settings.ledger.live,
        generator="" if generator.is_general_tool else generator.name,
        source_folders=found.project.source_folders,
        output_folders=found.project.output_folders,
        source_routes=found.project.source_routes,
        source_files=found.project.record.source_files if found.project.record else None,
        found=tuple(_list_found(found)),
        generated=_settle_generated(found.project),
        plugin=generator.plugin,
    )


def _settle_generated(project: Project) -> GeneratedSitemap:
    """Finds the sitemap that the generator itself writes at each build, and how to turn it off.

    Its `names` are empty if no build writes it. Of a general tool such as Vite, `turn_off` stays
    the default, since a plugin may write it.
    """
    generator = project.generator
    sitemap = GeneratedSitemap()
    if generator.name and not generator.is_general_tool:
        sitemap = sitemap._replace(turn_off=generator.own_sitemap)
    if project.sitemap:
        names = project.sitemap.names
        sitemap = sitemap._replace(names=names, templates=project.sitemap.templates)
    return sitemap


def _settle_label(found: FoundSettings) -> str:
    """Makes the start of messages about the site's folder: `sitemapper.toml:2: site: `.

    "" if neither the file nor the environment sets it.
    """
    layer = last_layer_with("site", found.layers)
    if layer and (layer.lines or layer.label == ENVIRONMENT):
        return f"{layer.describe_place('site')}: "
    return ""


def _settle_date_sources(found: FoundSettings, settings: Settings) -> tuple[str, ...]:
    """Decides which sources of dates are used, in order: those in the settings, if not `auto`.

    | with `auto`, the folder | sources |
    |---|---|
    | is in no repository, and has no ledger | `mtime` |
    | is in a repository | `published`, `front_matter`, `git`, `mtime` |
    | has a sitemapper.ledger, or a person sets `[ledger]` | `ledger`, and then the same |
    """
    if settings.lastmod != ("auto",):
        return settings.lastmod
    sources = []
    # A person who sets any key of the ledger wants it. Only layers of a project have origins.
    layers_of_person = [layer for layer in found.layers if not layer.origins]
    sets_ledger = any(layer.values.get("ledger") for layer in layers_of_person)
    if sets_ledger or os.path.isfile(os.path.join(found.folder, settings.ledger.path)):
        sources.append("ledger")
    folders = (*ancestors(found.folder), *ancestors(settings.site))
    is_in_git = any(os.path.exists(os.path.join(folder, ".git")) for folder in folders)
    if is_in_git:
        sources += ["published", "front_matter", "git"]
    return (*sources, "mtime")


def _wants_no_dates(found: FoundSettings, settings: Settings) -> bool:
    """Whether a person wants a sitemap without dates, so that lost dates do not stop the build.

    | `lastmod = []` is set | wanted |
    |---|---|
    | in the configuration file or by the project | yes |
    | by a flag or in the environment | no: it may be a mistake |
    | nowhere | no |
    """
    layer = last_layer_with("lastmod", found.layers)
    if settings.lastmod or layer is None:
        return False
    return layer.label not in (COMMAND_LINE, ENVIRONMENT)


def _list_found(found: FoundSettings) -> Iterator[Detected]:
    """Yields the settings that were found in the project and that hold, each with its origin.

    A `base_url` from mkdocs.yml does not hold if the command line sets another one. Lists such as
    `ignore` (APPENDED_LISTS) always hold, since each layer adds to them.
    """
    for layer in found.layers:
        for key, origin in layer.origins.items():
            is_overridden = last_layer_with(key, found.layers) is not layer
            if is_overridden and key not in APPENDED_LISTS:
                continue
            value: Any = layer.values
            for name in key.split("."):  # the key of a table has dots: `table.key`
                value = value[name]
            if key == "site":
                value = relative(value, found.call.cwd)
            yield Detected(key, value, origin)


def _settle_origins(found: FoundSettings, settings: Settings) -> Origins:
    """Finds the file and line of each rule, section, extra URL, and entry of `drop` and `gone`.

    `explain` and messages name them, such as `sitemapper.toml:12: drafts/`.
    """
    rules = [", ".join(rule.match) for rule in settings.rules]
    sections = [", ".join(section.match) for section in settings.sitemaps]
    return Origins(
        rules=_origins_of("rules", rules, found),
        sections=_origins_of("sitemaps", sections, found),
        drop=_origins_of("ledger.drop", settings.ledger.drop, found),
        urls=_origins_of("urls", [""] * len(settings.urls), found),
        gone=_origins_of("check.gone", settings.check.gone, found),
    )


def _origins_of(key: str, texts: Sequence[str], found: FoundSettings) -> tuple[Origin, ...]:
    """Finds the file, the line and the text of each entry of a list or an array of tables.

    `ledger.drop` is a list: its second entry `.ad` gives `sitemapper.toml:7: .ad`. `rules` is an
    array of tables: its second entry gives the line of the second `[[rules]]`. An entry that is in
    no file has no line.
    """
    layer = last_layer_with(key, found.layers)
    if not layer or not layer.lines:
        label = layer.label if layer and layer.origins else "settings"
        return tuple(Origin(label, None, text) for text in texts)
    is_list = "." in key  # the arrays of tables are all at the top: `rules`, `sitemaps`, `urls`
    origins = []
    for index, text in enumerate(texts):
        # TOML reports no line of an entry, so the entries of a list are found by their texts.
        line = layer.line_of(f"{key}[{index}]", text if is_list else "")
        origins.append(Origin(layer.label, line, text))
    return tuple(origins)


def _settle_epoch(env: Mapping[str, str], problems: list[str]) -> int | None:
    """Reads the seconds in SOURCE_DATE_EPOCH (reproducible-builds.org), None if it is not set.

    Adds to `problems` if its value is no number of at most 12 digits.
    """
    text = env.get("SOURCE_DATE_EPOCH", "")
    if not re.fullmatch(r"\d{0,12}", text):
        problem = f"environment: SOURCE_DATE_EPOCH: {text!r} is not a whole number"
        problems.append(with_help(problem, "set it to seconds since 1970, or unset it"))
        return None
    return int(text) if text else None


def _settle_proxies(env: Mapping[str, str]) -> dict[str, str]:
    """Reads the proxies in the environment: `HTTPS_PROXY=http://p:80` → `{"https": "http://p:80"}`.

    If `https_proxy` is set, too, it takes precedence, as in curl.
    """
    # Capitals sort first, so the later lower-case name replaces them in the dictionary.
    names = sorted(name for name in env if name.lower().endswith("_proxy"))
    return {name.lower().removesuffix("_proxy"): env[name] for name in names}
