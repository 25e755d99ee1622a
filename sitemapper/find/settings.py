"""Finds what a run starts from: the file, the site, the project, perhaps another file.

The order matters. The file may name the site, the site leads to its project, and the folder of the
project may contain the file. `settle.py` then decides what holds.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..config.layers import ENVIRONMENT, Layer, file_layer
from ..config.load import Loaded, read_environment, read_settings, ready, sort_problems
from ..config.messages import layers_with
from ..errors import ConfigError, SiteError
from ..fs import relative
from ..hosts.choose import of_builder
from ..hosts.provider import Provider
from ..model import Origin, SourceFiles
from ..read.lookalikes import describe_no_html
from ..read.sitemap import MARK
from ..syntax.gitignore import BUILT_IN, Line
from .base_url import with_base_url
from .detect import BUILD_IT, NAME_IT, detect, detect_nearby
from .first_look import FirstLook, sample_pages, start_of
from .ignores import list_patterns
from .owner import contains_pages
from .plugins import find_record, find_record_in_repository
from .project import Project, make_project_without_files, read_site


class Call(NamedTuple):
    """What one call gives.

    `values` have the shape of the file, `label` names them in messages, and `flags` are those of
    the command line, by key. `defaults` override ours. `config` names the file. Without it, the
    file is searched for from `cwd` upwards if `searches_file`.
    """

    values: Mapping[str, Any]
    label: str
    defaults: Mapping[str, Any]
    config: str | None
    env: Mapping[str, str]
    cwd: str
    searches_file: bool
    flags: Mapping[str, str]


class ProjectSearch(NamedTuple):
    """How to look for the project of a site.

    `named` is the site of the command line, and `cache` the folder with records of plugins, None
    for none. With `needs_site`, a project that is not built yet is an error. `way` says how the
    command names a site, if not by its argument. With `takes_nearby`, the only folder nearby with
    an index page is the site where there is no project.
    """

    named: str | None = None
    cache: str | None = None
    needs_site: bool = True
    way: str = ""
    takes_nearby: bool = False


class FoundSettings(NamedTuple):
    """What was found: the settings with all layers, and the project of the site.

    `layers` are the sources of values, the lowest first. `file` is the configuration file, and
    `folder` its folder or that of the project. `ignore` are the patterns of all layers, and `read`
    the bytes of the files that have some, by path. `problems` are those of the environment, and
    `ignore_problems` those of patterns.
    """

    call: Call
    loaded: Loaded
    layers: list[Layer]
    file: Layer | None
    folder: str
    project: Project
    source_files: SourceFiles | None
    builder: Provider | None
    problems: list[str]
    ignore: tuple[Line, ...]
    ignore_problems: list[str]
    read: dict[str, bytes]
    first_look: FirstLook


class _ProjectLayer(NamedTuple):
    """The values of a project, where it was found, and the sources that a plugin recorded.

    If it `may_have_base_url`, the places that name one are still to be asked.
    """

    layer: Layer
    project: Project
    source_files: SourceFiles | None = None
    may_have_base_url: bool = False


# Settings that need no detection where a person has written them.
_DETECTED = ("site", "base_url", "host", "url_style", "lastmod")
# The sources of dates that need to know which files a page is built from.
_SOURCES_OF_FILES = {"auto", "published", "front_matter", "git"}


def find_settings(call: Call, search: ProjectSearch | None) -> FoundSettings:
    """Finds the settings and the project. Raises ConfigError, or SiteError for sound settings.

    Without `search`, no project is searched for, and only the builder that runs may name a base
    URL.
    """
    problems: list[str] = []
    environment = read_environment(call.env, problems)
    above = [
        ready(Layer(environment, ENVIRONMENT, call.cwd)),
        ready(Layer(dict(call.values), call.label, call.cwd, flags=call.flags)),
    ]
    file = _find_config_file(call)
    first_look = FirstLook(file.base if file else call.cwd)
    alone = Project(folder=call.cwd)
    found = _ProjectLayer(_make_project_layer(alone), alone, may_have_base_url=True)
    if search:
        try:
            found = _find_project(search, file, above, first_look)
        except SiteError:
            _require_valid_keys(file, above, call.cwd)  # a key with a typo may be the reason
            raise
        if file is None and call.config is None:
            file = _find_config_file_of_project(call.cwd, found.layer.base)
    folder = file.base if file else found.layer.base
    defaults = ready(Layer(dict(call.defaults), BUILT_IN, call.cwd))
    of_person = [file, *above] if file else above
    layers = [defaults, _with_relative_sources(found.layer, folder), *of_person]
    loaded = read_settings(layers, call.cwd)
    ignore_problems: list[str] = []
    read: dict[str, bytes] = {}
    ignore: tuple[Line, ...] = ()
    if loaded.settings:
        patterns = list_patterns(loaded.settings, layers, call.cwd, folder, ignore_problems, read)
        ignore = tuple(patterns)
    project = found.project
    if found.may_have_base_url and last_layer_with("base_url", of_person) is None:
        include = loaded.settings.include if loaded.settings else ()
        valid = () if ignore_problems else ignore
        sample = sample_pages(project.site or "", valid, include, first_look)
        project = with_base_url(project, call.env, first_look, sample)
        if search:
            _require_pages(project, search)
        layers[1] = _with_relative_sources(ready(_make_project_layer(project)), folder)
        loaded = read_settings(layers, call.cwd)
    return FoundSettings(
        call=call,
        loaded=loaded,
        layers=layers,
        file=file,
        folder=folder,
        project=project if search else Project(),
        source_files=found.source_files,
        builder=of_builder(call.env),
        problems=problems,
        ignore=ignore,
        ignore_problems=ignore_problems,
        read=read,
        first_look=first_look,
    )


def _require_valid_keys(file: Layer | None, above: Sequence[Layer], cwd: str) -> None:
    """Raises ConfigError for faults in the file or above it. No key is required."""
    layers = [file, *above] if file else list(above)
    problems = read_settings(layers, cwd).faults.problems
    if problems:
        raise ConfigError(sort_problems(problems))


def _find_config_file(call: Call) -> Layer | None:
    """The configuration file that a call names, or else the nearest one upwards."""
    if not call.searches_file:
        return None
    file = file_layer(call.config, call.cwd)
    return ready(file) if file else None


def _find_project(
    search: ProjectSearch, file: Layer | None, above: Sequence[Layer], first_look: FirstLook
) -> _ProjectLayer:
    """The project of the site that the file and the layers above it name, or else of a folder.

    The record of a plugin in the cache says more than the project's files. Raises SiteError for a
    site that is a project, or is not built yet where one is needed.
    """
    layers = [file, *above] if file else list(above)
    named = last_layer_with("site", layers)
    site = named.values["site"] if named else None
    if not isinstance(site, str):
        site = None
    elif "\0" in site:  # no folder has such a name; the models report it
        return _ProjectLayer(Layer({}, BUILT_IN, first_look.cwd), Project())
    # A folder on the command line may be the wrong one, which only its project shows.
    if site and search.named is None and _is_all_written(site, layers):
        project = make_project_without_files(read_site(site, first_look), first_look)
        return _ProjectLayer(ready(_make_project_layer(project)), project)
    record = find_record(search.cache, first_look, site)
    if record:
        return _ProjectLayer(ready(record.layer), Project(), record.source_files)
    project = (
        detect_nearby(first_look) if search.takes_nearby and not site else detect(first_look, site)
    )
    if site or not project.site:
        record = find_record_in_repository(search.cache, first_look.cwd, site)
        if record:
            return _ProjectLayer(ready(record.layer), Project(), record.source_files)
    _require_site(project, site, search)
    if not search.cache:
        project = project._replace(note="")
    return _ProjectLayer(ready(_make_project_layer(project)), project, may_have_base_url=True)


def _is_all_written(site: str, layers: list[Layer]) -> bool:
    """Whether a person has written all that the project's files could tell, so that none is opened.

    Where the dates come from source files, the generator's settings tell where these are. Where
    another tool's sitemap is in our way, they tell whether each build writes it again.
    """
    written = {key: last_layer_with(key, layers) for key in _DETECTED}
    for key, layer in written.items():
        is_asked_for = key in ("host", "url_style") and layer and layer.values[key] == "auto"
        if layer is None or is_asked_for:
            return False
    sources = written["lastmod"].values["lastmod"] if written["lastmod"] else ()
    if not isinstance(sources, tuple) or not _SOURCES_OF_FILES.isdisjoint(sources):
        return False
    of_output = last_layer_with("output", layers)
    output = str(of_output.values["output"]) if of_output else site
    of_name = last_layer_with("sitemap.name", layers)
    name = str(of_name.values["sitemap"]["name"]) if of_name else "sitemap.xml"
    sitemap = os.path.join(output, name)
    if "\0" in sitemap:  # no file has such a name; the models report it
        return False
    start = start_of(output, sitemap)
    return not start or MARK in start


def _require_site(project: Project, site: str | None, search: ProjectSearch) -> None:
    """Raises SiteError if a site is needed and none was found, or the user named another folder.

    What a file names may be built later, so that only a site of the command line is an error.
    """
    problem, advice = project.mistake
    if not problem or not search.needs_site:
        return
    if site is None and search.way:
        advice += search.way
    elif advice == BUILD_IT:
        advice += ": sitemapper build FOLDER"
    if site is None or search.named is not None:
        raise SiteError(problem, advice)


def _require_pages(project: Project, search: ProjectSearch) -> None:
    """Raises SiteError for a folder without pages, where a missing base URL would be misleading."""
    has_base_url = any(setting.key == "base_url" for setting in project.settings)
    if search.named is None or has_base_url or not project.site or contains_pages(project.site):
        return
    raise SiteError(f"{project.site}: {describe_no_html(project.site)}", NAME_IT)


def _make_project_layer(project: Project) -> Layer:
    """The values of a project as a layer."""
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for key, value, origin in project.settings:
        table, _, name = key.rpartition(".")
        if table:
            values[table] = {name: value}
        else:
            values[name] = value
        origins[key] = origin
    label = f"{BUILT_IN} for {project.generator.name}"
    return Layer(values, label, project.folder, origins=origins)


def _find_config_file_of_project(cwd: str, folder: str) -> Layer | None:
    """The configuration file in the folder of the project, or above it."""
    file = file_layer(None, cwd, folder)
    if file is None:
        return None
    return ready(file)


def _with_relative_sources(layer: Layer, folder: str) -> Layer:
    """The project's layer with its templates of sources relative to the folder of the file."""
    place = relative(layer.base, folder).replace(os.sep, "/")
    git = layer.values.get("git")
    if place == "." or not git:
        return layer
    maps = []
    for table in git["map"]:
        sources = tuple(f"{place}/{source}" for source in table["source"])
        maps.append({**table, "source": sources})
    return layer._replace(values=layer.values | {"git": {"map": tuple(maps)}})


def last_layer_with(key: str, layers: list[Layer]) -> Layer | None:
    """The highest layer that sets a key such as `ledger.drop`, None if none does."""
    setting = layers_with(key, layers)
    if not setting:
        return None
    return setting[-1]
