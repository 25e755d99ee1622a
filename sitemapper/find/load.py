"""The entry to this room: from the values of a call to the settings that hold for a site and a run.

The order of the search matters. The file may set the site, the site leads to its project, and the
folder of the project may contain another file.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..config.layers import (
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
    - `site_option` is the option by which the command takes the site, such as `--site FOLDER`, for
      the advice of this error; "" for commands that take it as an argument
    - `takes_nearby` takes the only folder nearby with an index page if there is no project
    - `reads_own_sitemap` takes the base URL from the sitemap of an earlier build if no other place
      gives one
    - `has_base_url_flag` says that the command has `--base-url`, as all but `verify`
    """

    site_argument: str | None = None
    cache: str | None = None
    needs_site: bool = True
    site_option: str = ""
    takes_nearby: bool = False
    reads_own_sitemap: bool = False
    has_base_url_flag: bool = True


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

    Settings come in layers, the weakest first. A later layer overrides an earlier one, except that
    the lists `ignore` and `include` of all layers add up:

    | layer | its settings |
    |---|---|
    | defaults | `defaults`, which replace our own |
    | project | with `search`, those of the project: `baseURL` in hugo.toml → `base_url` |
    | file | `config`, or else the nearest sitemapper.toml from `cwd` or the project upwards |
    | environment | variables in `env`, such as SITEMAPPER_BASE_URL |
    | call | `values`, such as `{"base_url": "https://a.example/"}` |

    Messages about `values` begin with `label`, or with the flag of the key in `flags`. Without
    `config` and `cwd`, no file is read.

    Raises ConfigError with all faults, or SiteError if there is no site.
    """
    env = env or {}
    may_read_file = cwd is not None or config is not None
    cwd = os.path.abspath(cwd or os.curdir)
    problems: list[str] = []
    # 1. What a person has written.
    layers_of_person = [
        make_layer(read_environment(env, problems), ENVIRONMENT, cwd),
        make_layer(values or {}, label, cwd, flags=flags or {}),
    ]
    file = file_layer(config, cwd) if may_read_file else None
    if file:
        layers_of_person.insert(0, file)
    # 2. The project of the site. If there is no file from `cwd` upwards, there may be one from the
    # folder of the project upwards.
    first_look = FirstLook(file.base if file else cwd)
    project = Project(folder=cwd)
    if search:
        project = _find_project(search, layers_of_person, first_look)
        if not file and config is None:
            file = file_layer(None, cwd, start=project.folder)
            if file:
                layers_of_person.insert(0, file)
    # 3. All layers, their settings and their ignore patterns.
    folder = file.base if file else project.folder
    layers = [
        make_layer(defaults or {}, BUILT_IN, cwd),
        _make_project_layer(project),
        *layers_of_person,
    ]
    loaded = read_settings(layers, cwd)
    ignore = read_patterns(loaded.settings, layers, cwd, folder)
    # 4. The base URL, unless a layer above the defaults sets it. It may be in the canonicals of the
    # first pages, and which pages these are depends on the ignore patterns.
    if last_layer_with("base_url", layers[1:]) is None:
        include = loaded.settings.include if loaded.settings else ()
        pages = sample_pages(project.site or "", ignore.lines, include, first_look)
        project = _add_base_url(project, search or ProjectSearch(), env, first_look, pages)
        layers[1] = _make_project_layer(project)  # now with the base URL
        loaded = read_settings(layers, cwd)
    # 5. All problems at once, so that a user can mend them together.
    epoch = read_epoch(env, problems)
    problems += _list_problems_of_keys(loaded, layers, project, search)
    problems += ignore.problems
    settings = loaded.settings
    if settings is None or problems:
        raise ConfigError("\n".join(problems))
    # 6. The files that were read, and a warning if a second one in the same folder was not.
    files_read = dict(ignore.files)
    warnings: list[Message] = []
    if file:
        files_read[os.path.join(cwd, file.label)] = file.read
        if file.unread:  # a pyproject.toml beside sitemapper.toml
            warnings.append(Message(Kind.TWO_FILES, (f"{file.unread} is not read",)))
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


# --- the project


def _find_project(search: ProjectSearch, layers: Sequence[Layer], first_look: FirstLook) -> Project:
    """Finds the project of the site that a person has set, or else that of the working directory.

    The project is taken from the first of these that applies:

    1. the pages of the site, if a person has written all settings that a project could give
    2. the record of a build that our plugin, such as the one for MkDocs, has left in the cache
    3. the files of the project, such as `hugo.toml`

    `layers` are the settings that a person has written. Raises SiteError if the site is needed but
    not built, or ConfigError for faulty keys, which may be the reason.
    """
    site = _find_site_of_person(layers)
    if site and "\0" in site:  # no folder has such a name. `read_settings` reports it as a fault
        return Project(folder=first_look.cwd)
    # 1. The pages. A site on the command line may be the wrong folder, such as `content`. Only the
    # project's files show this.
    is_on_command_line = search.site_argument is not None
    if site and not is_on_command_line and _needs_no_project_files(site, layers):
        return make_project_without_files(read_site(site, first_look), first_look)
    # 2. The record of our plugin.
    record = find_record(search.cache, first_look.cwd, site) if search.cache else None
    if record:
        return Project(folder=record.layer.base, record=record)
    # 3. The project's files.
    project = detect(first_look, site, takes_nearby=search.takes_nearby)
    site_error = _find_site_error(project, site, search)
    if site_error is None:
        return project
    # A misspelt key such as `sitte` may be why there is no site, so it is reported instead.
    problems = read_settings(layers, first_look.cwd).problems
    if problems:
        raise ConfigError("\n".join(problems))
    raise site_error


def _find_site_of_person(layers: Sequence[Layer]) -> str | None:
    """Finds the folder of the site that a person has set, None if none is set.

    A faulty value such as `site = 3` counts as none. The caller reports it later, with all faults.
    """
    site = _value_of("site", layers)
    return site if isinstance(site, str) else None


def _value_of(key: str, layers: Sequence[Layer], default: str | None = None) -> Any:
    """Gives the value of a key in the layer that decides, or the default if no layer sets it."""
    layer = last_layer_with(key, layers)
    return layer.values[key] if layer else default


def _needs_no_project_files(site: str, layers: Sequence[Layer]) -> bool:
    """Whether the project's files need not be read, since a person has written what they could say.

    All of these must hold:

    - `site`, `base_url`, `host`, `url_style` and `lastmod` are set
    - `host` and `url_style` are not `auto`
    - `lastmod` has only sources such as `mtime`, but not `git`, which needs to know from which
      source files of the project each page is built
    - no other tool has written a file at the place of our sitemap. For such a file, only the
      project shows whether its build writes it each time, so that ours may replace it
    """
    if any(last_layer_with(key, layers) is None for key in _DETECTED):
        return False
    if "auto" in (_value_of("host", layers), _value_of("url_style", layers)):
        return False
    sources = _value_of("lastmod", layers)
    # Sources that are no tuple are a fault, which is reported later.
    if not isinstance(sources, tuple) or not _SOURCES_OF_FILES.isdisjoint(sources):
        return False
    return not _has_foreign_sitemap(site, layers)


def _has_foreign_sitemap(site: str, layers: Sequence[Layer]) -> bool:
    """Whether another tool wrote the `sitemap.xml` at the place where we would write ours.

    By default, this place is the folder of the site. `layers` may set another folder or name.
    """
    output = str(_value_of("output", layers, default=site))
    name = str(_value_of("sitemap.name", layers, default="sitemap.xml"))
    start = start_of(output, os.path.join(output, name))  # empty if there is no such file
    return start != b"" and MARK not in start  # each of our sitemaps begins with the mark


def _find_site_error(project: Project, site: str | None, search: ProjectSearch) -> SiteError | None:
    """Returns the error for a site that is not built, or for a folder that is no site.

    None if nothing is wrong, or if the site may be built later. `site` is the folder that a person
    has set, on the command line or in the configuration. It is None if nobody has set it.
    """
    problem, advice = project.mistake  # both "" if nothing is wrong
    if not problem or not search.needs_site:
        return None
    is_only_in_configuration = site is not None and search.site_argument is None
    if is_only_in_configuration:  # it may name a folder that a later build makes
        return None
    return SiteError(problem, _add_usage(advice, site, search.site_option))


def _add_usage(advice: str, site: str | None, site_option: str) -> str:
    """Adds to the advice for a user how to name the folder of the site on the command line.

    - `name the folder of the built site (--site FOLDER)`, for a command with such a `site_option`
    - `build the site first, then name its folder: sitemapper build FOLDER`, for other commands

    A user who has set the `site` needs no option. The `site` is None if nobody has set it.
    """
    if site is None and site_option:
        return f"{advice} ({site_option})"
    if advice == BUILD_IT:
        return f"{advice}: sitemapper build FOLDER"
    return advice


def _add_base_url(
    project: Project,
    search: ProjectSearch,
    env: Mapping[str, str],
    first_look: FirstLook,
    pages: Iterable[PageStart],
) -> Project:
    """Adds the base URL that was found to a project's settings, or the reason why none was found.

    `baseURL` in hugo.toml → the project with the setting `base_url`, and its file and line.
    `pages` are the first pages of the site, which may have canonicals.

    Raises SiteError if no base URL is found and the folder on the command line has no pages.
    """
    project = with_base_url(
        project, env, first_look, pages, reads_own_sitemap=search.reads_own_sitemap
    )
    # A user who names a folder without pages has named the wrong one. The error for a missing base
    # URL, which follows otherwise, would not say so.
    is_site_on_command_line = search.site_argument is not None
    if is_site_on_command_line and project.no_base_url and project.site:
        if not contains_pages(project.site):
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


def _list_problems_of_keys(
    loaded: Loaded, layers: Sequence[Layer], project: Project, search: ProjectSearch | None
) -> list[str]:
    """Lists what is wrong with the keys of all layers, as messages with the place of the key.

    - each faulty value: `sitemapper.toml:7: strict: must be true or false, not 'maybe'`
    - a missing base URL, unless a fault such as the key `base_ulr` already explains it
    - two keys that cannot hold together, such as `[[sitemaps]]` with the names `blog` and
      `blog-2`. These are only searched for if there is no other problem
    """
    settings = loaded.settings
    problems = list(loaded.problems)
    # Faulty settings have no values, but the layers still show which keys are set.
    base_url = settings.base_url if settings else last_layer_with("base_url", layers)
    if not base_url and not loaded.explain_missing("base_url"):
        problems.insert(0, _describe_missing_base_url(layers, project, search))
    if problems or settings is None:
        return problems
    conflict = find_conflict(settings, settings.base_url or "")
    if conflict:
        message = with_help(conflict.what, conflict.help)
        problems.append(locate_problem(conflict.key, message, layers).text)
    return problems


def _describe_missing_base_url(
    layers: Sequence[Layer], project: Project, search: ProjectSearch | None
) -> str:
    """Makes the error for a missing base URL: the problem, and what a user can do.

    `no base URL: hugo.toml does not set baseURL; no CNAME, … or sitemap names one`, and `pass
    --base-url https://example.com/, or set base_url in sitemapper.toml`.

    `search` is None for a call that does not search for the project of the site.
    """
    reason = "the address of the site is not known"
    if search and project.no_base_url:  # which places of the project were searched
        reason = project.no_base_url
    problem = f"no base URL: {reason}"
    has_flag = search is None or search.has_base_url_flag
    if has_flag and project.base_url_help:
        # What to correct in the project: `set url in _config.yml:2, and build the site again`.
        return with_help(problem, project.base_url_help)
    # `verify` has no --base-url, but takes the URL of a sitemap.
    remedy = "pass --base-url https://example.com/" if has_flag else "name the URL of the sitemap"
    help = f"{remedy}, or set base_url in sitemapper.toml"
    if _needs_replace(project, layers):  # otherwise, this would be the user's next error
        help += "; a build also needs --replace, because another tool wrote a sitemap there"
    return with_help(problem, help)


def _needs_replace(project: Project, layers: Sequence[Layer]) -> bool:
    """Whether a build stops at the sitemap of another tool, unless a user passes `--replace`.

    It replaces the sitemap of the project's own generator without this flag.
    """
    if not project.site or project.sitemap.names:
        return False
    return _has_foreign_sitemap(project.site, layers)
