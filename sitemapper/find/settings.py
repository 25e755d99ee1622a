"""Finds the settings of a run: the configuration file, the site, and the site's project.

The order matters. The file may set the site, the site leads to its project, and the folder of the
project may contain another file. `settle.py` then decides what holds.
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..config.layers import ENVIRONMENT, Layer, file_layer
from ..config.load import Loaded, prepare_layer, read_environment, read_settings, sort_problems
from ..config.messages import layers_with
from ..errors import ConfigError, SiteError
from ..fs import relative
from ..hosts.choose import of_builder
from ..hosts.provider import Provider
from ..model import Origin
from ..read.sitemap import MARK
from ..read.walk import describe_no_html
from ..syntax.gitignore import BUILT_IN, Line
from .base_url import with_base_url
from .detect import BUILD_IT, NAME_IT, detect, detect_nearby
from .first_look import FirstLook, sample_pages, start_of
from .ignores import list_patterns
from .owner import contains_pages
from .plugins import find_record
from .project import Project, make_project_without_files, read_site


class Call(NamedTuple):
    """The settings and the environment of one call of the command line or the API.

    - `values` are what the call sets, in the shape of the file: `{"sitemap": {"name": "a.xml"}}`
    - `label` is what messages call them, such as `settings`
    - `flags` are the flags of the command line that set them: `base_url` by `--base-url`
    - `defaults` have the same shape, and replace our own defaults
    - `env` is the environment, and `cwd` the working directory
    - `config` is the path of the configuration file. If it is None, the file is searched for from
      `cwd` upwards
    - `searches_file` is false if no configuration file may be read
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
    """How to search for the project of a site.

    - `site_argument` is the site on the command line, None for none
    - `cache` is the folder with the records of plugins, None for none
    - `needs_site` makes a project that is not built yet an error
    - `site_option` is appended to the advice of this error, for commands that take the site by an
      option: ` (--site FOLDER)`
    - `takes_nearby` takes the only folder nearby with an index page if there is no project
    - `reads_own_sitemap` takes the base URL from the sitemap of an earlier build if no other place
      gives one
    """

    site_argument: str | None = None
    cache: str | None = None
    needs_site: bool = True
    site_option: str = ""
    takes_nearby: bool = False
    reads_own_sitemap: bool = False


class FoundSettings(NamedTuple):
    """The settings of a call with all their layers, and the project of the site.

    - `layers` are the sources of values, the lowest first, and `loaded` the values of all of them
    - `file` is the layer of the configuration file, None if there is no file
    - `folder` is the folder of this file, or else that of the project
    - `builder` is the host that runs this build, None on a person's machine
    - `problems` are faults in the environment
    - `ignore` are the ignore patterns of all layers, and `ignore_problems` their faults
    - `ignore_files` are the bytes of the .sitemapignore files, by path
    """

    call: Call
    loaded: Loaded
    layers: list[Layer]
    file: Layer | None
    folder: str
    project: Project
    builder: Provider | None
    problems: list[str]
    ignore: tuple[Line, ...]
    ignore_problems: list[str]
    ignore_files: dict[str, bytes]
    first_look: FirstLook


# Settings that need no detection where a person has written them.
_DETECTED = ("site", "base_url", "host", "url_style", "lastmod")
# The sources of dates that need to know which files a page is built from.
_SOURCES_OF_FILES = {"auto", "published", "front_matter", "git"}


def find_settings(call: Call, search: ProjectSearch | None) -> FoundSettings:
    """Finds the settings of a call in all layers, and the project of its site.

    The layers, from the lowest: `defaults`, the project, the configuration file, the environment,
    the values of the call. Without `search`, no project is searched for, and only the builder that
    runs may give a base URL. Raises SiteError if there is no site, or ConfigError for a fault that
    explains this.
    """
    # 1. The layers of a person, which may set the site.
    problems: list[str] = []
    environment = read_environment(call.env, problems)
    layers_above = [
        prepare_layer(Layer(environment, ENVIRONMENT, call.cwd)),
        prepare_layer(Layer(dict(call.values), call.label, call.cwd, flags=call.flags)),
    ]
    file = _find_config_file(call.config, call.cwd) if call.searches_file else None
    layers_of_person = [file, *layers_above] if file else layers_above
    # 2. The project of the site. Its folder may contain the configuration file.
    first_look = FirstLook(file.base if file else call.cwd)
    project = Project(folder=call.cwd)
    if search:
        try:
            project = _find_project(search, layers_of_person, first_look)
        except SiteError:
            _require_valid_keys(layers_of_person, call.cwd)  # `sitte` may be the reason
            raise
        if file is None and call.config is None:
            file = _find_config_file(None, call.cwd, start=project.folder)
            layers_of_person = [file, *layers_above] if file else layers_above
    # 3. The settings of all layers, and their ignore patterns.
    folder = file.base if file else project.folder
    defaults = prepare_layer(Layer(dict(call.defaults), BUILT_IN, call.cwd))
    layers = [defaults, _make_project_layer(project, folder), *layers_of_person]
    loaded = read_settings(layers, call.cwd)
    ignore_problems: list[str] = []
    ignore_files: dict[str, bytes] = {}
    ignore: tuple[Line, ...] = ()
    if loaded.settings:
        patterns = list_patterns(
            loaded.settings, layers, call.cwd, folder, ignore_problems, ignore_files
        )
        ignore = tuple(patterns)
    # 4. The base URL, if no layer has one: in the first pages, which the patterns select.
    if last_layer_with("base_url", layers[1:]) is None:
        include = loaded.settings.include if loaded.settings else ()
        valid_patterns = () if ignore_problems else ignore
        pages = sample_pages(project.site or "", valid_patterns, include, first_look)
        reads_own_sitemap = search is not None and search.reads_own_sitemap
        project = with_base_url(
            project, call.env, first_look, pages, reads_own_sitemap=reads_own_sitemap
        )
        if search:
            _require_pages(project, search)
        layers = [defaults, _make_project_layer(project, folder), *layers_of_person]
        loaded = read_settings(layers, call.cwd)
    return FoundSettings(
        call=call,
        loaded=loaded,
        layers=layers,
        file=file,
        folder=folder,
        project=project if search else Project(),
        builder=of_builder(call.env),
        problems=problems,
        ignore=ignore,
        ignore_problems=ignore_problems,
        ignore_files=ignore_files,
        first_look=first_look,
    )


def _require_valid_keys(layers: list[Layer], cwd: str) -> None:
    """Raises ConfigError for faulty keys or values in the layers, such as the key `sitte`.

    A missing base URL is no fault here: it may still be found in the project.
    """
    problems = read_settings(layers, cwd).faults.problems
    if problems:
        raise ConfigError(sort_problems(problems))


def _find_config_file(config: str | None, cwd: str, start: str = "") -> Layer | None:
    """Reads the configuration file: `config`, or else the nearest one from a folder upwards.

    The search begins in `start`, or in `cwd` if this is "". None if there is no file.
    """
    file = file_layer(config, cwd, start)
    return prepare_layer(file) if file else None


def _find_project(search: ProjectSearch, layers: list[Layer], first_look: FirstLook) -> Project:
    """Finds the project of the site that the layers set, or else that of the working directory.

    The first of these that there is:

    1. a project without files, if a person has written all that project files could give
    2. the record of a build that a plugin left in the cache, since the generator itself wrote it
    3. the project whose files are found

    Raises SiteError if the site is the folder of a project, or if it is needed but not built.
    """
    # The site that a person has set, None for none.
    layer_with_site = last_layer_with("site", layers)
    site = layer_with_site.values["site"] if layer_with_site else None
    if not isinstance(site, str):
        site = None
    elif "\0" in site:  # no folder has such a name; the models report it
        return Project(folder=first_look.cwd)
    # A folder on the command line may be the wrong one, which only its project shows.
    if site and search.site_argument is None and _is_all_written(site, layers):
        return make_project_without_files(read_site(site, first_look), first_look)
    # What a plugin recorded.
    record = find_record(search.cache, first_look.cwd, site)
    if record:
        return Project(folder=record.layer.base, record=record)
    # The project by its files.
    if search.takes_nearby and not site:
        project = detect_nearby(first_look)
    else:
        project = detect(first_look, site)
    _require_site(project, site, search)
    if not search.cache:
        project = project._replace(note="")  # it asks for a record, which could not be kept
    return project


def _is_all_written(site: str, layers: list[Layer]) -> bool:
    """Whether a person has written all settings that are otherwise found in the project's files.

    Three things still need the project's files:
    - `auto` as the host or the URL style
    - dates from source files, whose folders are in the generator's settings
    - another tool's sitemap in place of ours, which each build may write again
    """
    layer_by_key = {key: last_layer_with(key, layers) for key in _DETECTED}
    for key, layer in layer_by_key.items():
        is_auto = key in ("host", "url_style") and layer and layer.values[key] == "auto"
        if layer is None or is_auto:
            return False
    of_lastmod = layer_by_key["lastmod"]
    sources = of_lastmod.values["lastmod"] if of_lastmod else ()
    if not isinstance(sources, tuple) or not _SOURCES_OF_FILES.isdisjoint(sources):
        return False
    return is_missing_or_ours(site, layers)


def is_missing_or_ours(site: str, layers: list[Layer]) -> bool:
    """Whether the place of our sitemap is free: no file is there, or one that we wrote.

    False if another tool wrote `sitemap.xml` in the output, which a build does not overwrite by
    itself. By default, the output is the folder of the site.
    """
    of_output = last_layer_with("output", layers)
    output = str(of_output.values["output"]) if of_output else site
    of_name = last_layer_with("sitemap.name", layers)
    name = str(of_name.values["sitemap"]["name"]) if of_name else "sitemap.xml"
    sitemap = os.path.join(output, name)
    if "\0" in sitemap:  # no file has such a name; the models report it
        return False
    start = start_of(output, sitemap)
    return not start or MARK in start  # each of our sitemaps begins with the mark


def _require_site(project: Project, site: str | None, search: ProjectSearch) -> None:
    """Raises SiteError with the project's `mistake`: no site is built, or the folder is no site.

    It is not raised if the command needs no site, or if the configuration file gives the site: it
    may be built later.
    """
    problem, advice = project.mistake
    if not problem or not search.needs_site:
        return
    if site is None and search.site_option:
        advice += search.site_option
    elif advice == BUILD_IT:
        advice += ": sitemapper build FOLDER"
    if site is None or search.site_argument is not None:
        raise SiteError(problem, advice)


def _require_pages(project: Project, search: ProjectSearch) -> None:
    """Raises SiteError if the site on the command line has no pages and no base URL was found.

    Otherwise, the error would be about the base URL, although the folder is the wrong one.
    """
    has_base_url = any(setting.key == "base_url" for setting in project.settings)
    if search.site_argument is None or has_base_url or not project.site:
        return
    if not contains_pages(project.site):
        raise SiteError(f"{project.site}: {describe_no_html(project.site)}", NAME_IT)


def _make_project_layer(project: Project, folder: str) -> Layer:
    """Makes a layer of the settings of a project: `git.map` → `{"git": {"map": …}}`.

    A plugin's record is a layer already. Source templates are as seen from `folder`.
    """
    if project.record:
        return _with_sources_from(folder, prepare_layer(project.record.layer))
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
    layer = Layer(values, label, project.folder, origins=origins)
    return _with_sources_from(folder, prepare_layer(layer))


def _with_sources_from(folder: str, layer: Layer) -> Layer:
    """Changes the paths of source templates in the project's layer to those seen from `folder`.

    `[[git.map]]` has them relative to the configuration file. If this is in a/ and the project is
    in a/docs/, `man/{name}.Rd` becomes `docs/man/{name}.Rd`.
    """
    path_of_project = relative(layer.base, folder).replace(os.sep, "/")
    git = layer.values.get("git")
    if path_of_project == "." or not git:
        return layer
    maps = []
    for table in git["map"]:
        sources = tuple(f"{path_of_project}/{source}" for source in table["source"])
        maps.append({**table, "source": sources})
    return layer._replace(values=layer.values | {"git": {"map": tuple(maps)}})


def last_layer_with(key: str, layers: list[Layer]) -> Layer | None:
    """Finds the highest layer that sets a key such as `ledger.drop`, None if none does.

    Its value is the one that holds.
    """
    setting = layers_with(key, layers)
    if not setting:
        return None
    return setting[-1]
