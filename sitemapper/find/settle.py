"""Decides what holds for a site and a run: a function a value, with its reasons beside each other.

A value comes from a flag, the environment, the file, the project, the host, or a default. The
layers hold these in order, so most values stand in Settings. What is left are the values that need
more than one of them.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote

from ..config.filenames import is_own_name
from ..config.layers import COMMAND_LINE, ENVIRONMENT, Layer, last_layer_with
from ..config.messages import APPENDED_LISTS
from ..config.settings import Settings
from ..errors import with_help
from ..fs import ancestors, relative
from ..hosts.choose import of_builder
from ..model import Detected, Origin
from ..site import Origins, Output, Run, Site
from ..syntax.gitignore import Line
from ..syntax.urls import resolve
from .project import Project

_EXTENSIONS = ("hreflang", "images")  # XML namespaces besides the protocol's, by their keys
_KEYS_WITH_CONFLICTS = {"sitemap", "sitemaps", "ledger"}
_RENAME = "choose another name"


def settle_site(
    settings: Settings,
    layers: Sequence[Layer],
    project: Project,
    ignore: tuple[Line, ...],
    folder: str,
    cwd: str,
) -> Site:
    """Puts together what holds for the site: its folder, URL, output, patterns, sources of dates.

    Most values are those of the `settings`. The rest are from the `project` of the generator, such
    as `content` of Hugo as a folder of sources. The run reads all of them from the result, and no
    settings or project files any more.

    `folder` is that of the configuration file, or else that of the project. `cwd` is the working
    directory.
    """
    date_sources = _settle_date_sources(settings, layers, folder)
    ledger = os.path.join(folder, settings.ledger.path) if "ledger" in date_sources else None
    generator = project.generator
    return Site(
        # The folder and the URLs.
        root=settings.site,
        base_url=settings.base_url or "",  # `load` has raised an error if there is none
        output=_settle_output(settings),
        label=describe_place_of_site(layers),  # which begins messages about the folder
        project=folder,
        # The pages and their dates.
        include=settings.include,
        ignore=ignore,
        date_sources=date_sources,
        is_auto_dated=settings.lastmod == ("auto",),
        wants_no_dates=_wants_no_dates(settings, layers),
        ledger=ledger,
        live_ledger=_find_live_ledger(settings, ledger) if ledger else "",
        # The generator and its project.
        generator="" if generator.is_general_tool else generator.name,
        source_folders=project.source_folders,
        output_folders=project.output_folders,
        found=tuple(_list_found(layers, cwd)),  # the settings that the project gives
        generated=project.sitemap,  # which the generator itself writes
        plugin=generator.plugin,  # the line in its settings that activates our plugin
    )


def _find_live_ledger(settings: Settings, ledger: str) -> str:
    """Returns the URL at which the ledger is published, "" if the live one is not to be read.

    The ledger `public/a.ledger` is published with the output folder `public`, at
    `https://a.example/a.ledger`. It is read from there with `previous = "live"`.
    """
    path = relative(ledger, settings.output or settings.site).replace(os.sep, "/")
    if settings.previous != "live" or path.startswith("..") or os.path.isabs(path):
        return ""
    return (settings.base_url or "") + quote(os.fsencode(path))


def _settle_output(settings: Settings) -> Output:
    """Puts together where the sitemaps are written, what is in them, and the names of their files.

    By default, they are written into the folder of the site.
    """
    return Output(
        folder=settings.output or settings.site,
        base_url=settings.base_url or "",
        name=settings.sitemap.name,
        options=settings.sitemap,
        sections=tuple(section.name for section in settings.sitemaps),
        extensions=frozenset(name for name in _EXTENSIONS if getattr(settings, name)),
        key=settings.submit.key,
        writes_robots=settings.robots.write,
    )


def describe_place_of_site(layers: Sequence[Layer]) -> str:
    """Says where the site's folder is set, as the start of messages: `sitemapper.toml:2: site: `.

    | the folder is set | result |
    |---|---|
    | in a file | `sitemapper.toml:2: site: ` |
    | in the environment | `environment: SITEMAPPER_SITE: site: ` |
    | on the command line, or by the project | "": the user has just typed it, or did not write it |
    """
    layer = last_layer_with("site", layers)
    if layer and (layer.lines or layer.label == ENVIRONMENT):
        return f"{layer.describe_place('site')}: "
    return ""


def settle_run(
    env: Mapping[str, str], cwd: str, epoch: int | None, files_read: Mapping[str, bytes]
) -> Run:
    """Reads what a run needs from its environment: the proxies, and the builder such as Netlify.

    The result also keeps the working directory `cwd`, the time SOURCE_DATE_EPOCH as `epoch`, and
    the bytes of the configuration files, `files_read`, by path. Later steps read these values, and
    not the environment, so nothing changes during the run. The command line adds its own flags.
    """
    builder = of_builder(env)
    # Where both `HTTPS_PROXY` and `https_proxy` are set, the second holds, as in curl. It sorts
    # after the capitals, so it is the last to set the key `https` below.
    variables = sorted(name for name in env if name.lower().endswith("_proxy"))
    return Run(
        cwd=cwd,
        proxies={name.lower().removesuffix("_proxy"): env[name] for name in variables},
        epoch=epoch,
        builder=builder.name if builder else "",
        read_from=tuple(files_read.items()),
    )


def _settle_date_sources(
    settings: Settings, layers: Sequence[Layer], folder: str
) -> tuple[str, ...]:
    """Decides from which sources the dates of pages are taken, the most trusted source first.

    A list in the settings, such as `lastmod = ["git"]`, is used as it is. With `auto`, these are
    the sources, in this order:

    1. `ledger`, if `folder` has a sitemapper.ledger, or a person sets a key of `[ledger]`
    2. `published`, `front_matter` and `git`, if `folder` or the site is in a repository
    3. `mtime`, the time of the file, always
    """
    if settings.lastmod != ("auto",):
        return settings.lastmod
    sources = []
    # A person who sets any key of the ledger wants one. A project sets `ledger.drop` only in case
    # there is one.
    layers_of_person = [layer for layer in layers if not _is_of_project(layer)]
    keys_of_person = [key for layer in layers_of_person for key in layer.values]
    wants_ledger = any(key.startswith("ledger.") for key in keys_of_person)
    if wants_ledger or os.path.isfile(os.path.join(folder, settings.ledger.path)):
        sources.append("ledger")
    # The last folder of `ancestors` is the root of the repository, if there is one.
    tops = [ancestors(folder)[-1], ancestors(settings.site)[-1]]
    if any(os.path.exists(os.path.join(top, ".git")) for top in tops):
        sources += ["published", "front_matter", "git"]
    return (*sources, "mtime")


def _wants_no_dates(settings: Settings, layers: Sequence[Layer]) -> bool:
    """Whether a person wants a sitemap without dates, so that lost dates do not stop the build.

    | `lastmod = []` is set | wanted |
    |---|---|
    | in the configuration file or by the project | yes |
    | by a flag or in the environment | no: it may be a mistake |
    | nowhere | no |
    """
    layer = last_layer_with("lastmod", layers)
    if settings.lastmod or layer is None:
        return False
    return layer.label not in (COMMAND_LINE, ENVIRONMENT)


def _list_found(layers: Sequence[Layer], cwd: str) -> Iterator[Detected]:
    """Yields the settings that were found in the project and that hold, each with its origin.

    A `base_url` from mkdocs.yml does not hold if the command line sets another one. Lists such as
    `ignore` (APPENDED_LISTS) always hold, since each layer adds to them.
    """
    for layer in layers:
        for key, origin in layer.origins.items():
            is_overridden = last_layer_with(key, layers) is not layer
            if is_overridden and key not in APPENDED_LISTS:
                continue
            value = layer.values[key]
            if key == "site":
                value = relative(value, cwd)
            yield Detected(key, value, origin)


def settle_origins(settings: Settings, layers: Sequence[Layer]) -> Origins:
    """Finds the file and line of each rule, section, extra URL, and entry of `drop`.

    `explain` and messages name them, such as `sitemapper.toml:12: drafts/`.
    """
    rules = [", ".join(rule.match) for rule in settings.rules]
    sections = [", ".join(section.match) for section in settings.sitemaps]
    # A message about an extra URL has the URL already, so its origin needs no text.
    urls = [""] * len(settings.urls)
    return Origins(
        rules=_list_origins("rules", rules, layers, are_tables=True),
        sections=_list_origins("sitemaps", sections, layers, are_tables=True),
        drop=_list_origins("ledger.drop", settings.ledger.drop, layers),
        urls=_list_origins("urls", urls, layers, are_tables=True),
    )


def _list_origins(
    key: str, texts: Sequence[str], layers: Sequence[Layer], *, are_tables: bool = False
) -> tuple[Origin, ...]:
    """Lists the origin of each entry of a list, in order: where a person or the project set it.

    The entries are tables such as `[[rules]]`, or texts such as the selectors of `[ledger] drop`.
    `texts` are what messages show of the entries.

    | the entry | origin |
    |---|---|
    | `[[rules]]` in a file, with the text `drafts/` | `sitemapper.toml:9: drafts/` |
    | `.ad` of `drop` in a file | `sitemapper.toml:7: .ad`, the first line with this text |
    | `.ad` of `drop`, set by a project of Docusaurus | `built-in for Docusaurus: .ad` |
    | `.ad` of `drop`, set by a flag, in the environment or by a default | `settings: .ad` |
    """
    layer = last_layer_with(key, layers)
    if layer is None or not (layer.lines or _is_of_project(layer)):
        return tuple(Origin("settings", None, text) for text in texts)
    origins = []
    for index, text in enumerate(texts):
        line = None
        if layer.lines:  # a file
            line = layer.line_of(f"{key}[{index}]") if are_tables else layer.line_of(key, text)
        origins.append(Origin(layer.label, line, text))
    return tuple(origins)


def _is_of_project(layer: Layer) -> bool:
    """Whether a layer has the settings that were found in the project, and not those of a person.

    Only such a layer has origins, the places of its keys in the files of the project.
    """
    return bool(layer.origins)


def read_epoch(env: Mapping[str, str], problems: list[str]) -> int | None:
    """Reads the seconds in SOURCE_DATE_EPOCH (reproducible-builds.org), None if it is not set.

    Adds to `problems` if its value is no number of at most 12 digits.
    """
    text = env.get("SOURCE_DATE_EPOCH", "")
    if not re.fullmatch(r"\d{0,12}", text):
        problem = f"environment: SOURCE_DATE_EPOCH: {text!r} is not a whole number"
        problems.append(with_help(problem, "set it to seconds since 1970, or unset it"))
        return None
    return int(text) if text else None


# --- keys whose values are valid alone, but cannot hold together


class KeyConflict(NamedTuple):
    """A key, why it cannot hold together with another one, and what to do."""

    key: str
    what: str
    help: str


def find_conflict(settings: Settings, base_url: str) -> KeyConflict | None:
    """Finds the first conflict between keys, None if there is none. Only this one is reported.

    `[[sitemaps]]` with the names `blog` and `blog-2` → the key `sitemaps[1].name`, because the
    second file of `blog` would be named the same.
    """
    if settings.model_fields_set.isdisjoint(_KEYS_WITH_CONFLICTS):  # the defaults have no conflict
        return None
    conflicts = chain.from_iterable(check(settings, base_url) for check in _CONFLICTS)
    return next(conflicts, None)


def _check_section_names(settings: Settings, _base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict for each section of `[[sitemaps]]` with the file name of another section.

    | names | why the last name conflicts |
    |---|---|
    | `blog`, `blog` | both write sitemap-blog.xml |
    | `blog`, `blog-2` | the second file of a large `blog` is sitemap-blog-2.xml |
    """
    names = [section.name for section in settings.sitemaps]
    for index, name in enumerate(names):
        numbered = re.fullmatch(r"(.+)-\d+", name)
        is_overflow = numbered is not None and numbered[1] in names
        is_repeated = name in names[:index]
        if is_repeated or is_overflow:
            what = f"another sitemap would also be named {name!r}"
            yield KeyConflict(f"sitemaps[{index}].name", what, _RENAME)


def _check_ledger_name(settings: Settings, _base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict if the ledger would be written over another file of ours in the output.

    `[ledger] path = "sitemap-1.xml"` has the name of a sitemap.
    """
    sections = [section.name for section in settings.sitemaps]
    folder, name = os.path.split(settings.ledger.path)
    if folder not in (settings.output, settings.site):
        return
    stem = settings.sitemap.stem
    others = ("robots.txt", f"{settings.submit.key}.txt")
    if name in others or is_own_name(name, stem, sections):
        what = f"{name} is also the name of another file that is written there"
        yield KeyConflict("ledger.path", what, _RENAME)


def _check_other_sitemaps(settings: Settings, base_url: str) -> Iterator[KeyConflict]:
    """Yields a conflict for each sitemap in `[sitemap] others` that our index may not list.

    | in `others` | conflict |
    |---|---|
    | `https://b.example/sitemap.xml` | it is not below the base URL `https://a.example/` |
    | `sitemap-1.xml` | it is the name of a file of ours |

    An index may list only sitemaps of its own site (sitemaps.org, sitemap index files).
    """
    sections = [section.name for section in settings.sitemaps]
    for index, other in enumerate(settings.sitemap.others):
        key = f"sitemap.others[{index}]"
        url = resolve(other, base_url) or ""
        if not url.startswith(base_url):
            help = "an index may only list sitemaps of its own host, at or below its own folder"
            what = f"{other} is not below {base_url}"
            yield KeyConflict(key, what, f"{help}; list others in robots.txt")
        if is_own_name(url.removeprefix(base_url), settings.sitemap.stem, sections):
            what = f"{other} is a name of this sitemap's own files"
            yield KeyConflict(key, what, "change [sitemap] name, or remove it from the list")


_CONFLICTS: tuple[Callable[[Settings, str], Iterator[KeyConflict]], ...] = (
    _check_section_names,
    _check_ledger_name,
    _check_other_sitemaps,
)
