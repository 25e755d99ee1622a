"""The entry to this room: from the values of a call to the settings that hold for a site and a run.

The order of the search matters. The file may set the site, the site leads to its project, and the
folder of the project may contain another file.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..config.layers import (
    COMMAND_LINE,
    ENVIRONMENT,
    Layer,
    file_layer,
    last_layer_with,
    make_layer,
)
from ..config.load import read_environment, read_settings
from ..config.messages import Loaded, locate_problem
from ..config.settings import Settings
from ..errors import ConfigError, SiteError, with_help
from ..messages import Kind, Message
from ..read.sitemap import MARK
from ..read.walk import describe_no_html
from ..site import Origins, Run, Site
from ..syntax.gitignore import BUILT_IN
from .base_url import with_base_url
from .detect import BUILD_IT, NAME_IT, detect
from .first_look import FirstLook, PageStart, sample_pages, start_of
from .ignores import read_patterns
from .owner import contains_pages
from .plugins import find_record
from .project import Project, make_project_without_files, read_site
from .settle import find_conflict, read_epoch, settle_origins, settle_run, settle_site


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


# Settings that need no detection where a person has written them.
_DETECTED = ("site", "base_url", "host", "url_style", "lastmod")
# The sources of dates that need to know which files a page is built from.
_SOURCES_OF_FILES = {"auto", "published", "front_matter", "git"}


def load(
    values: Mapping[str, Any] | None = None,
    *,
    label: str = "settings",
    defaults: Mapping[str, Any] | None = None,
    config: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    flags: Mapping[str, str] | None = None,
    search: ProjectSearch | None = None,
) -> Setup:
    """Reads all settings of a call, and decides which values hold for the site and the run.

    Settings come in layers, one from each source, and a later one overrides an earlier one:
    `defaults`, the project, the configuration file, the environment, `values`. The lists `ignore`
    and `include` of all layers add up.

    - `values` have the shape of the file, such as `{"base_url": "https://a.example/"}`; messages
      about them begin with `label`
    - `flags` are the flags of the command line, by key
    - `defaults` have the same shape, and replace our own
    - `config` is the path of the file; otherwise the file is the nearest one from `cwd` upwards, or
      in the folder of the project; without `config` and `cwd`, no file is read
    - with `search`, the project of the site is searched for, and its settings are a layer; without
      it, that layer has only the base URL of a builder that runs, such as Netlify

    Raises ConfigError with all faults, or SiteError if there is no site.
    """
    env = env or {}
    may_read_file = cwd is not None or config is not None
    cwd = os.path.abspath(cwd or os.curdir)
    # 1. The layers that a person has written, each of which may set the site.
    problems: list[str] = []
    layers_above_file = [
        make_layer(read_environment(env, problems), ENVIRONMENT, cwd),
        make_layer(values or {}, label, cwd, flags=flags or {}),
    ]
    file_layers = _read_config_file(config, cwd, cwd) if may_read_file else []  # one or none
    # 2. The project of the site. If no file was found yet, its folder may contain one.
    first_look = FirstLook(file_layers[0].base if file_layers else cwd)
    project = Project(folder=cwd)
    if search:
        project = _find_project(search, [*file_layers, *layers_above_file], first_look)
        if not file_layers and config is None:
            file_layers = _read_config_file(None, cwd, project.folder)
    # 3. The settings of all layers, and their ignore patterns.
    folder = file_layers[0].base if file_layers else project.folder
    layer_of_defaults = make_layer(defaults or {}, BUILT_IN, cwd)
    layers_of_person = [*file_layers, *layers_above_file]
    layers = [layer_of_defaults, _make_project_layer(project), *layers_of_person]
    loaded = read_settings(layers, cwd)
    ignore = read_patterns(loaded.settings, layers, cwd, folder)
    # 4. The base URL, if no layer has one. It may be in the first pages, for which the patterns had
    # to be read. Then the project has one setting more, and the layers are read again.
    if last_layer_with("base_url", layers[1:]) is None:
        include = loaded.settings.include if loaded.settings else ()
        pages = sample_pages(project.site or "", ignore.lines, include, first_look)
        project = _find_base_url(project, search, env, first_look, pages)
        layers = [layer_of_defaults, _make_project_layer(project), *layers_of_person]
        loaded = read_settings(layers, cwd)
    if search is None:
        # The caller wanted no search, so the error for a missing base URL may not tell of one.
        project = Project()
    # 5. All problems at once, so that a user can mend them together.
    epoch = read_epoch(env, problems)
    problems += _list_problems_of_keys(loaded, layers, project)
    problems += ignore.problems
    settings = loaded.settings
    if settings is None or problems:
        raise ConfigError("\n".join(problems))
    # 6. The files that were read, and a warning about one that does not count.
    files_read = dict(ignore.files)
    warnings: list[Message] = []
    for layer in file_layers:
        files_read[os.path.join(cwd, layer.label)] = layer.read
        if layer.unread:  # a pyproject.toml beside sitemapper.toml
            warnings.append(Message(Kind.TWO_FILES, (f"{layer.unread} is not read",)))
    # 7. What holds for the site and the run.
    return Setup(
        settings=settings,
        origins=settle_origins(settings, layers),
        site=settle_site(settings, layers, project, ignore.lines, folder, cwd),
        run=settle_run(env, cwd, epoch, files_read),
        project=project,
        first_look=first_look,
        warnings=tuple(warnings),
    )


def _read_config_file(config: str | None, cwd: str, start: str) -> list[Layer]:
    """Reads the configuration file: `config`, or else the nearest one from a folder upwards.

    The search begins in the folder `start`. Returns a list with the layer of the file, empty if
    there is no file.
    """
    layer = file_layer(config, cwd, start)
    return [layer] if layer else []


# --- the project


def _find_project(search: ProjectSearch, layers: Sequence[Layer], first_look: FirstLook) -> Project:
    """Finds the project of the site that the layers set, or else that of the working directory.

    | the project comes from | if |
    |---|---|
    | the site alone, with no project file | a person has written all that these files could give |
    | the record of a build in the cache | our plugin has left one: the generator itself wrote it |
    | the project's files, such as `hugo.toml` | none of the above |

    A site on the command line may be the wrong folder, such as `content`, which only the project's
    files show. So they are read for it, even if a person has written all settings.

    Raises SiteError if the site is the folder of a project, or if it is needed but not built.
    Raises ConfigError if a faulty key may be the reason.
    """
    # The site that a person has set, None for none.
    layer_with_site = last_layer_with("site", layers)
    site = layer_with_site.values["site"] if layer_with_site else None
    if not isinstance(site, str):  # the models report it, as they do for `site = 3`
        site = None
    elif "\0" in site:  # no folder has such a name; the models report it
        return Project(folder=first_look.cwd)
    # 1. The site alone.
    is_on_command_line = search.site_argument is not None
    if site and not is_on_command_line and _is_all_written(site, layers):
        return make_project_without_files(read_site(site, first_look), first_look)
    # 2. What our plugin recorded.
    record = find_record(search.cache, first_look.cwd, site) if search.cache else None
    if record:
        return Project(folder=record.layer.base, record=record)
    # 3. The project by its files.
    project = detect(first_look, site, takes_nearby=search.takes_nearby)
    error = _find_site_error(project, site, search)
    if error:
        problems = read_settings(layers, first_look.cwd).problems
        if problems:  # such as the key `sitte`, which may be why there is no site
            raise ConfigError("\n".join(problems))
        raise error
    if not search.cache:
        project = project._replace(note="")  # it asks for a record, which could not be kept
    return project


def _is_all_written(site: str, layers: Sequence[Layer]) -> bool:
    """Whether a person has written all settings that are otherwise found in the project's files.

    Three things still need the project's files:
    - `auto` as the host or the URL style
    - dates from source files, whose folders are in the generator's settings
    - a sitemap of another tool at the place of ours: only the project shows whether its own build
      writes it each time, so that ours may replace it
    """
    written: dict[str, Any] = {}
    for key in _DETECTED:
        layer = last_layer_with(key, layers)
        if layer is None:
            return False
        written[key] = layer.values[key]
    sources = written["lastmod"]
    if "auto" in (written["host"], written["url_style"]) or not isinstance(sources, tuple):
        return False
    return _SOURCES_OF_FILES.isdisjoint(sources) and _is_sitemap_missing_or_ours(site, layers)


def _is_sitemap_missing_or_ours(site: str, layers: Sequence[Layer]) -> bool:
    """Whether the place of our sitemap is free: no file is there, or one that we wrote.

    False if another tool wrote `sitemap.xml` in the output, which a build does not overwrite by
    itself. By default, the output is the folder of the site.
    """
    of_output = last_layer_with("output", layers)
    output = str(of_output.values["output"]) if of_output else site
    of_name = last_layer_with("sitemap.name", layers)
    name = str(of_name.values["sitemap.name"]) if of_name else "sitemap.xml"
    start = start_of(output, os.path.join(output, name))
    return not start or MARK in start  # each of our sitemaps begins with the mark


def _find_site_error(project: Project, site: str | None, search: ProjectSearch) -> SiteError | None:
    """Makes the error for the project's `mistake`: no site is built, or the folder is no site.

    Its advice says how the command takes a site: `build the site first, then name its folder:
    sitemapper build FOLDER`. None if the project has a site, if the command needs none, or if the
    configuration file gives the site, because it may be built later.
    """
    problem, advice = project.mistake
    is_from_file = site is not None and search.site_argument is None
    if not problem or not search.needs_site or is_from_file:
        return None
    if site is None and search.site_option:
        advice += search.site_option
    elif advice == BUILD_IT:
        advice += ": sitemapper build FOLDER"
    return SiteError(problem, advice)


def _find_base_url(
    project: Project,
    search: ProjectSearch | None,
    env: Mapping[str, str],
    first_look: FirstLook,
    pages: Iterable[PageStart],
) -> Project:
    """Adds the base URL to a project's settings, or the reason why no place has one.

    Raises SiteError if there is none, and the site on the command line has no pages. Otherwise, the
    error would be about the base URL, although the folder is the wrong one.
    """
    if search is None:  # then only the builder that runs may give one
        return with_base_url(project, env, first_look, pages)
    project = with_base_url(
        project, env, first_look, pages, reads_own_sitemap=search.reads_own_sitemap
    )
    may_be_wrong_folder = search.site_argument is not None and project.no_base_url
    if may_be_wrong_folder and project.site and not contains_pages(project.site):
        raise SiteError(f"{project.site}: {describe_no_html(project.site)}", NAME_IT)
    return project


def _make_project_layer(project: Project) -> Layer:
    """Makes a layer of the settings that were found in a project, with their origins.

    A plugin's record is a layer already.
    """
    if project.record:
        return project.record.layer
    return make_layer(
        {setting.key: setting.value for setting in project.settings},
        label=f"{BUILT_IN} for {project.generator.name}",
        base=project.folder,
        origins={setting.key: setting.origin for setting in project.settings},
    )


# --- problems


def _list_problems_of_keys(loaded: Loaded, layers: Sequence[Layer], project: Project) -> list[str]:
    """Lists what is wrong with the keys of all layers, as messages with the place of the key.

    - each faulty value: `sitemapper.toml:7: strict: must be true or false, not 'maybe'`
    - a missing base URL, unless a fault such as the key `base_ulr` already explains it
    - if there are no others, two keys that cannot hold together, such as `[[sitemaps]]` with the
      names `blog` and `blog-2`
    """
    settings = loaded.settings
    problems = list(loaded.problems)
    # Faulty settings have no values, but the layers still show which keys are set.
    base_url = settings.base_url if settings else last_layer_with("base_url", layers)
    if not base_url and not loaded.explain_missing("base_url"):
        problems.insert(0, _describe_missing_base_url(layers, project))
    if problems or settings is None:
        return problems
    conflict = find_conflict(settings, settings.base_url or "")
    if conflict:
        message = with_help(conflict.what, conflict.help)
        problems.append(locate_problem(conflict.key, message, layers).text)
    return problems


def _describe_missing_base_url(layers: Sequence[Layer], project: Project) -> str:
    """Makes the error for a missing base URL: where it was searched for, and how to set it.

    `no base URL: hugo.toml does not set baseURL`, and `pass --base-url https://example.com/, or set
    base_url in sitemapper.toml`.
    """
    reason = project.no_base_url or "the address of the site is not known"
    problem = f"no base URL: {reason}"
    # Only `verify` has no flag for it, and takes the URL of the sitemap.
    command_line = [layer for layer in layers if layer.label == COMMAND_LINE]
    has_flag = all("base_url" in layer.flags for layer in command_line)
    if has_flag and project.base_url_help:
        return with_help(problem, project.base_url_help)
    remedy = "name the URL of the sitemap"
    if has_flag:
        remedy = "pass --base-url https://example.com/"
    help = f"{remedy}, or set base_url in sitemapper.toml"
    site = project.site
    if site and not project.sitemap.names and not _is_sitemap_missing_or_ours(site, layers):
        # The next run, with a base URL, would stop because of this sitemap.
        help += "; a build also needs --replace, because another tool wrote a sitemap there"
    return with_help(problem, help)
