"""The entry to this room: from the values of a call to the settings that hold for a site and a run.

The order of the search matters. The file may set the site, the site leads to its project, and the
folder of the project may contain another file.
"""

import os
from collections.abc import Mapping, Sequence
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
from ..read.walk import check_root, describe_no_html
from ..site import Origins, Run, Site
from ..syntax.gitignore import BUILT_IN
from .base_url import with_base_url
from .detect import BUILD_IT, NAME_IT, detect
from .first_look import FirstLook, sample_pages, start_of
from .ignores import list_ignore_files, read_patterns
from .owner import contains_pages
from .project import Project, make_project_without_files, read_site
from .settle import (
    describe_place_of_site,
    find_conflict,
    read_epoch,
    settle_origins,
    settle_run,
    settle_site,
)


class ProjectSearch(NamedTuple):
    """How to search for the project of a site.

    - `site_option` is the option by which the command takes the site, such as `--site FOLDER`, for
      the error that no site is found; "" for commands that take it as an argument
    - `takes_nearby` takes the only folder nearby with an index page if there is no project
    - `reads_own_sitemap` takes the base URL from the sitemap of an earlier build if no other place
      gives one
    - `is_for_verify` says that the command is `verify`, which reads the published site. So the
      folder of the site need not be built, and there is no flag `--base-url`
    """

    site_option: str = ""
    takes_nearby: bool = False
    reads_own_sitemap: bool = False
    is_for_verify: bool = False


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


# The values of `lastmod` that date a page by the source files from which it is built.
_DATES_OF_SOURCE_FILES = ("auto", "published", "front_matter", "git")


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

    The same key may be set in several places. The last of these that sets it decides. Only the
    lists `ignore` and `include` of all places add up:

    1. `defaults`, which replace our own
    2. the project of the site, with `search`: `baseURL` in hugo.toml → `base_url`
    3. the file `config`, or else the nearest sitemapper.toml from `cwd` or the project upwards
    4. the environment `env`, with variables such as SITEMAPPER_BASE_URL
    5. the call, with `values` such as `{"base_url": "https://a.example/"}`

    Messages about `values` begin with `label`, or with the flag of the key in `flags`. Without
    `config` and `cwd`, no file is read.

    Raises ConfigError with all faults, or SiteError if there is no site.
    """
    env = env or {}
    may_read_file = cwd is not None or config is not None
    cwd = os.path.abspath(cwd or os.curdir)
    problems: list[str] = []
    # 1. What a person has written: in the configuration file, the environment and the call.
    environment = make_layer(read_environment(env, problems), ENVIRONMENT, cwd)
    call = make_layer(values or {}, label, cwd, flags=flags or {})
    file = file_layer(config, cwd) if may_read_file else None
    of_person = [file, environment, call] if file else [environment, call]
    # 2. The project of the site, which a person may have named.
    first_look = FirstLook(file.base if file else cwd)
    project = Project(folder=cwd)
    if search:
        project = _find_project(search, of_person, first_look)
        # No file from `cwd` upwards was found. There may be one from the project's folder upwards.
        if file is None and config is None:
            file = file_layer(None, cwd, start=project.folder)
            of_person = [file, *of_person] if file else of_person
    # 3. The settings and ignore patterns of all layers.
    our_defaults = make_layer(defaults or {}, BUILT_IN, cwd)
    layers = [our_defaults, _make_project_layer(project), *of_person]
    loaded = read_settings(layers, cwd)
    folder = file.base if file else project.folder
    ignore = read_patterns(loaded.settings, layers, folder)
    # 4. The base URL, if neither the project nor a person sets it. The canonicals of the first
    # pages may show it. The ignore patterns say which files are pages.
    layers_after_defaults = layers[1:]
    if last_layer_with("base_url", layers_after_defaults) is None:
        include = loaded.settings.include if loaded.settings else ()
        pages = sample_pages(project.site or "", ignore, include, first_look)
        reads_own_sitemap = search is not None and search.reads_own_sitemap
        project = with_base_url(
            project, env, first_look, pages, reads_own_sitemap=reads_own_sitemap
        )
        if project.no_base_url:
            _check_site(project, layers, search)
        # All settings again, now with the base URL of the project.
        layers = [our_defaults, _make_project_layer(project), *of_person]
        loaded = read_settings(layers, cwd)
    # 5. All problems at once, so that a user can mend them together.
    epoch = read_epoch(env, problems)
    problems += _list_problems_of_keys(loaded, layers, project, search)
    problems += list_ignore_files(loaded.settings, layers, cwd)
    settings = loaded.settings
    if settings is None or problems:
        raise ConfigError("\n".join(problems))
    # 6. The files that were read, and a warning if a second one in the same folder was not.
    files_read: dict[str, bytes] = {}
    warnings: list[Message] = []
    if file:
        files_read[os.path.join(cwd, file.label)] = file.read
        if file.unread:  # a pyproject.toml beside sitemapper.toml
            warnings.append(Message(Kind.TWO_FILES, (f"{file.unread} is not read",)))
    # 7. What holds for the site and the run.
    return Setup(
        settings=settings,
        origins=settle_origins(settings, layers),
        site=settle_site(settings, layers, project, ignore, folder, cwd),
        run=settle_run(env, cwd, epoch, files_read),
        project=project,
        first_look=first_look,
        warnings=tuple(warnings),
    )


# --- the project


def _find_project(search: ProjectSearch, layers: Sequence[Layer], first_look: FirstLook) -> Project:
    """Finds the project that made the site: for the site `public`, that of `hugo.toml` beside it.

    If no site is set, it is found, too. `layers` are the settings that a person has written, those
    of the call last. Raises SiteError if there is no built site, or ConfigError for faulty keys.
    """
    value = _value_of("site", layers)
    site = value if isinstance(value, str) else None  # `load` reports a value such as 3 later
    if site and "\0" in site:  # no folder has such a name, which `load` reports later, too
        return Project(folder=first_look.cwd)
    # 1. The configuration has all settings that a project could give, so its files are not read.
    # They are read for `sitemapper build content`, where the user may have named the wrong folder.
    is_in_call = "site" in layers[-1].values
    is_in_configuration = site is not None and not is_in_call
    if site and is_in_configuration and _needs_no_project_files(site, layers):
        return make_project_without_files(read_site(site, first_look), first_look)
    # 2. The files of the project show it.
    project = detect(first_look, site, takes_nearby=search.takes_nearby)
    if project.mistake is None:
        return project
    # 3. There is no built site. `verify` needs none, because it reads the published site. And a
    # folder in the configuration may be made by a later build.
    if search.is_for_verify or is_in_configuration:
        return project
    # A misspelt key such as `sitte` may be why there is no site, so it is reported instead.
    problems = read_settings(layers, first_look.cwd).problems
    if problems:
        raise ConfigError("\n".join(problems))
    problem, advice = project.mistake
    if site is None:  # for a site on the command line, the user knows how to name it
        advice = _with_usage(advice, search.site_option)
    raise SiteError(problem, advice)


def _value_of(key: str, layers: Sequence[Layer], default: str | None = None) -> Any:
    """Gives the value of a key in the layer that decides, or the default if no layer sets it."""
    layer = last_layer_with(key, layers)
    return layer.values[key] if layer else default


def _needs_no_project_files(site: str, layers: Sequence[Layer]) -> bool:
    """Whether a person has written all settings of a site that the project's files could give.

    All of these must hold:

    - `base_url` is set
    - `host` and `url_style` are set, and not to `auto`
    - `lastmod` is set, and no value in it dates a page by its source files, as `git` does. Which
      files these are, only the project's files show
    - no other tool has written a sitemap at the place of ours. If one has, the project's files show
      whether its generator is this tool: then our sitemap may replace that one
    """
    has_base_url = last_layer_with("base_url", layers) is not None
    host = _value_of("host", layers, default="auto")
    style = _value_of("url_style", layers, default="auto")
    # None if it is not set. A wrong value, such as 3 or [{}], is reported later.
    dates = _value_of("lastmod", layers)
    needs_no_sources = isinstance(dates, tuple) and not any(
        name in dates for name in _DATES_OF_SOURCE_FILES
    )
    has_all_settings = has_base_url and "auto" not in (host, style) and needs_no_sources
    return has_all_settings and not _has_foreign_sitemap(site, layers)


def _has_foreign_sitemap(site: str, layers: Sequence[Layer]) -> bool:
    """Whether another tool wrote the `sitemap.xml` at the place where we would write ours.

    By default, this place is the folder of the site. `layers` may set another folder or name.
    """
    output = str(_value_of("output", layers, default=site))
    name = str(_value_of("sitemap.name", layers, default="sitemap.xml"))
    start = start_of(output, os.path.join(output, name))  # empty if there is no such file
    return start != b"" and MARK not in start  # each of our sitemaps begins with the mark


def _with_usage(advice: str, site_option: str) -> str:
    """Adds to the advice of an error how the command takes the folder of the site.

    | advice | `site_option` | result |
    |---|---|---|
    | `pass the folder of …` | `--site FOLDER` | `pass the folder of … (--site FOLDER)` |
    | `build the site first, …` | "" | `build the site first, …: sitemapper build FOLDER` |
    | any other | "" | the same |
    """
    if site_option:
        return f"{advice} ({site_option})"
    return f"{advice}: sitemapper build FOLDER" if advice == BUILD_IT else advice


def _check_site(project: Project, layers: Sequence[Layer], search: ProjectSearch | None) -> None:
    """Raises SiteError if a user has named a folder as the site that is missing, or has no pages.

    It is the wrong folder, or it is not built. That may be why no base URL was found.
    """
    layer = last_layer_with("site", layers[2:])  # not that of the project
    if not project.site or layer is None or (search and search.is_for_verify):
        return
    check_root(project.site, describe_place_of_site(layers))
    is_in_call = layer is layers[-1]
    if is_in_call and not contains_pages(project.site):
        raise SiteError(f"{project.site}: {describe_no_html(project.site)}", NAME_IT)


def _make_project_layer(project: Project) -> Layer:
    """Makes a layer of the settings that were found in a project, with their origins."""
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
    has_flag = search is None or not search.is_for_verify
    if has_flag and project.base_url_help:
        # What to correct in the project: `set url in _config.yml:2, and build the site again`.
        return with_help(problem, project.base_url_help)
    # `verify` has no --base-url, but takes the URL of a sitemap.
    remedy = "pass --base-url https://example.com/" if has_flag else "pass the sitemap's URL"
    help = f"{remedy}, or set base_url in sitemapper.toml"
    if _needs_replace(project, layers):  # without this, it would be the user's next error
        help += "; a build also needs --replace, because another tool wrote a sitemap there"
    return with_help(problem, help)


def _needs_replace(project: Project, layers: Sequence[Layer]) -> bool:
    """Whether a build needs the flag `--replace`, because another tool wrote a sitemap.

    No flag is needed for the sitemap of the project's own generator, which writes it again at each
    build.
    """
    is_of_own_generator = bool(project.sitemap.names)
    if not project.site or is_of_own_generator:
        return False
    return _has_foreign_sitemap(project.site, layers)
