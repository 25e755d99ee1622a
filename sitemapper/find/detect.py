"""Detects the project of a site, from the working directory and the site's folder upwards.

Project files are read as text and never executed. Ambiguous values are not guessed.
"""

import os
from collections.abc import Iterator, Sequence
from glob import glob
from posixpath import normpath

from ..fs import ancestors, relative
from ..hosts.find import published_by
from ..model import Detected, Origin
from ..read.walk import INDEX
from ..syntax.settings_files import lines_of
from ..syntax.urls import is_page_name
from .first_look import FirstLook
from .generators import UNKNOWN
from .owner import (
    describe_writer,
    find_project_in_own_site,
    find_project_of_given_site,
    find_project_of_site,
)
from .project import Project, make_project, read_site
from .project_files import (
    PACKAGES,
    ProjectFiles,
    describe_unreadable,
    has_front_matter,
    has_index_page,
    is_below,
    is_template,
    projects_in,
    select_site_projects,
)

NAME_IT = "name the folder of the built site"
# The folders of a monorepo with a project each.
_FOLDERS_OF_PACKAGES = ("packages", "apps", "sites", "websites", "docs")
_MOST_PACKAGES = 100  # of each that are searched
# The keys that list the packages of a monorepo: docs.npmjs.com (workspaces), classic.yarnpkg.com
# (nohoist), pnpm.io/pnpm-workspace_yaml.
_WORKSPACES = {
    PACKAGES: ("workspaces[]", "workspaces.packages[]"),
    "pnpm-workspace.yaml": ("packages[]",),
}
_MOST_PATTERNS = 20
_MOST_STARS = 2  # parts of a pattern with a star: each lists all folders on a level
_HIDDEN = {".", "_"}  # first letters
_MOST_UNBUILT = 3  # that an error names
_EXAMPLES = {
    "example", "examples", "fixture", "fixtures", "__fixtures__", "test", "tests", "__tests__",
    "e2e", "demo", "demos", "playground", "playgrounds", "template", "templates", "starters",
}  # fmt: skip
BUILD_IT = "build the site first, then name its folder"


def detect(first_look: FirstLook, site: str | None) -> Project:
    """The project of a site, or without a site that of the working directory."""
    if site is None:
        return _detect_in_working_directory(first_look.cwd, first_look)
    return find_project_of_given_site(
        os.path.normpath(os.path.join(first_look.cwd, site)), first_look
    )


def detect_nearby(first_look: FirstLook) -> Project:
    """The project of the working directory, or of the only folder nearby with an index page."""
    project = _detect_in_working_directory(first_look.cwd, first_look)
    if project.site or project.generator.name:
        return project
    sites = _find_sites_nearby(first_look.cwd)
    return find_project_of_given_site(sites[0], first_look) if len(sites) == 1 else project


# --- the project of a folder


def _detect_in_working_directory(cwd: str, first_look: FirstLook) -> Project:
    """The project of the working directory."""
    here = projects_in(cwd, first_look)
    strong = select_site_projects(here, cwd)
    if any(project.folder == cwd for project in strong):
        found = _detect_built_site(cwd, here, first_look) or find_project_in_own_site(
            cwd, first_look
        )
        return (
            found
            or _detect_only_built_package(strong, first_look)
            or _make_not_built_error(strong, first_look)
        )
    if has_index_page(cwd) and not has_front_matter(cwd, first_look):
        return _detect_around_index_page(here, first_look)
    return _detect_upwards(here, first_look)


def _detect_around_index_page(here: list[ProjectFiles], first_look: FirstLook) -> Project:
    """The project of a folder with an index page, which is a site, or part of one above.

    `here` are the projects in the folder. Those below it may be part of the site.
    """
    own = [project for project in here if project.folder == first_look.cwd]
    found = _detect_built_site(first_look.cwd, own, first_look)
    if found:
        return found
    for folder in ancestors(first_look.cwd)[1:]:
        found = _detect_built_site(folder, projects_in(folder, first_look), first_look)
        if found and found.site and is_below(first_look.cwd, found.site):
            return found
    return find_project_of_site(first_look.cwd, first_look)


def _detect_upwards(here: list[ProjectFiles], first_look: FirstLook) -> Project:
    """The project of the nearest folder upwards that has a built site.

    `here` are the projects in the working directory.
    """
    unbuilt: list[ProjectFiles] = []
    for folder in ancestors(first_look.cwd):
        projects = here if folder == first_look.cwd else projects_in(folder, first_look)
        found = _detect_built_site(folder, projects, first_look)
        if found:
            return found
        unbuilt = unbuilt or select_site_projects(projects, folder)
    found = _detect_only_output(
        select_site_projects(here, first_look.cwd), first_look.cwd, first_look
    )
    if found:
        return found
    if unbuilt:
        return _make_not_built_error(unbuilt, first_look)
    return _detect_in_packages(first_look) or _make_no_site_error(first_look)


def _detect_in_packages(first_look: FirstLook) -> Project | None:
    """The project of the only built site in the packages of a monorepo, or why there is none.

    None if no package is a project of a generator that only writes sites.
    """
    root = first_look.cwd
    own: list[ProjectFiles] = []
    for folder in _list_packages(first_look):
        projects = select_site_projects(projects_in(folder, first_look), folder)
        own += [project for project in projects if not _holds_examples(project.folder, root)]
    built: dict[str, ProjectFiles] = {}
    for project in own:
        if project.site:
            built.setdefault(project.site, project)
    if len(built) == 1:
        return find_project_of_site(next(iter(built)), first_look)
    if built:
        return _make_several_sites_error(
            [describe_writer(project, root) for project in built.values()]
        )
    is_plain = 0 < len(own) <= _MOST_UNBUILT
    return _make_not_built_error(own, first_look) if is_plain else None


def _detect_only_built_package(strong: list[ProjectFiles], first_look: FirstLook) -> Project | None:
    """The built site of a monorepo whose root only has a generator among its dependencies.

    Tools that all packages share are installed there.
    """
    if any(project.file != PACKAGES for project in strong):
        return None
    found = _detect_in_packages(first_look)
    return found if found and found.site else None


def _list_packages(first_look: FirstLook) -> Iterator[str]:
    """The first folders of a monorepo's packages. Hidden ones are left out."""
    root = first_look.cwd
    patterns = [f"{name}/*" for name in _FOLDERS_OF_PACKAGES]
    patterns += _list_workspaces(first_look)
    seen: set[str] = set()
    for pattern in patterns:
        packages = sorted(glob(pattern, root_dir=root))
        visible = [name for name in packages if _HIDDEN.isdisjoint(_first_letters_of_parts(name))]
        for name in visible[:_MOST_PACKAGES]:
            folder = os.path.join(root, name)
            is_package = os.path.isdir(folder) and "node_modules" not in name.split(os.sep)
            if is_package and folder not in seen and is_below(folder, root):
                seen.add(folder)
                yield folder


def _list_workspaces(first_look: FirstLook) -> list[str]:
    """The patterns that name the packages of a monorepo. `**` counts as one level."""
    patterns: list[str] = []
    for name, keys in _WORKSPACES.items():
        settings = first_look.settings(first_look.cwd, name)
        for key in keys:
            if key in settings:
                patterns += lines_of(settings[key].text)
    plain = [normpath(pattern.strip("/").replace("**", "*")) for pattern in patterns]
    return list(filter(_is_cheap_pattern, plain))[:_MOST_PATTERNS]


def _is_cheap_pattern(pattern: str) -> bool:
    """Whether a pattern is of folders below, and few have to be listed for it."""
    parts = pattern.split("/")
    stars = [part for part in parts if "*" in part]
    is_outside = ".." in parts or pattern.startswith("!") or "\0" in pattern
    return pattern != "." and not is_outside and len(stars) <= _MOST_STARS


def _first_letters_of_parts(path: str) -> set[str]:
    return {part[:1] for part in path.split(os.sep)}


def _holds_examples(folder: str, root: str) -> bool:
    """Whether a folder below a root is among its examples, tests or templates."""
    return not _EXAMPLES.isdisjoint(relative(folder, root).lower().split(os.sep))


def _detect_built_site(
    folder: str, projects: list[ProjectFiles], first_look: FirstLook
) -> Project | None:
    """The project of a folder with a built site: what its host publishes, else what was written."""
    found = _detect_published_site(folder, first_look) or _detect_nearest_output(
        projects, first_look
    )
    if found:
        return found
    strong = select_site_projects(projects, folder)
    return _detect_only_output(strong, folder, first_look) if strong else None


def _detect_published_site(folder: str, first_look: FirstLook) -> Project | None:
    """The project whose built site is published by the hosts' files in a folder."""
    origins: dict[str, Origin] = {}
    top = ancestors(folder)[-1]
    for _, file, hosting in published_by(folder):
        for place in hosting.folders:
            if has_index_page(place) and is_below(place, top):
                origins[place] = Origin(relative(file, first_look.cwd), None, hosting.key)
                break
    if not origins:
        return None
    if len(origins) > 1:
        publishers = []
        for site, origin in origins.items():
            publishers.append(f"{origin} publishes {relative(site, first_look.cwd)}")
        return _make_several_sites_error(publishers)
    [(site, origin)] = origins.items()
    project = find_project_of_site(site, first_look)
    others = [setting for setting in project.settings if setting.key != "site"]
    return project._replace(settings=(Detected("site", site, origin), *others))


def _detect_nearest_output(projects: list[ProjectFiles], first_look: FirstLook) -> Project | None:
    """The project of the nearest generator whose output exists, if there is one."""
    built = [project for project in projects if project.site]
    if not built:
        return None
    depth = min(project.folder.count(os.sep) for project in built)
    nearest = [project for project in built if project.folder.count(os.sep) == depth]
    sites = {project.site for project in nearest if project.site}
    if len(sites) > 1:
        return _make_several_sites_error(
            [describe_writer(project, first_look.cwd) for project in nearest]
        )
    return find_project_of_site(sites.pop(), first_look)


def _detect_only_output(
    projects: list[ProjectFiles], folder: str, first_look: FirstLook
) -> Project | None:
    """The project of the only output in a folder, or the only one with a generator's mark."""
    holds_pages = any(map(is_page_name, os.listdir(folder)))
    if holds_pages and not has_front_matter(folder, first_look):
        return None
    sites = _list_output_folders_with_index(folder)
    if projects:
        generators = {project.generator for project in projects}
        sites = [
            site
            for site in sites
            if not generators.isdisjoint(read_site(site, first_look).marking_generators)
        ]
    return find_project_of_site(sites[0], first_look) if len(sites) == 1 else None


def _list_output_folders_with_index(folder: str) -> list[str]:
    """The folders that may hold a built site and have an index page."""
    top = ancestors(folder)[-1]
    places = [os.path.join(folder, name) for name in UNKNOWN.output]
    return [place for place in places if has_index_page(place) and is_below(place, top)]


# --- a folder without a site


def _make_several_sites_error(writers: Sequence[str]) -> Project:
    """The error for a folder with several sites of equal rank."""
    return Project(mistake=(f"found several sites: {' and '.join(writers)}", NAME_IT))


def _make_not_built_error(unbuilt: list[ProjectFiles], first_look: FirstLook) -> Project:
    """The error for the nearest projects, if none of them has a site in its repository."""
    first = unbuilt[0]
    for project in unbuilt:
        output = project.outputs[0]
        if not is_below(output, project.top):
            what = f"{first.label} ({first.generator.name}) writes to {output}"
            advice = "if that is the site, name it: sitemapper build FOLDER"
            return Project(mistake=(f"{what}, which is outside {first.top}", advice))
    sites = []
    for project in unbuilt:
        writer = f"{project.generator.name} ({project.label})"
        sites.append(f"{relative(project.outputs[0], first_look.cwd)}, which {writer} writes")
    problem = f"no built site was found: there is no {INDEX} in {' and '.join(sites)}"
    advice = f"run {first.generator.run} first, or {NAME_IT}"
    setting = next(first.find(first.generator.folder), None)
    if setting and not setting.found.text:
        problem = f"{problem}; {first.unreadable_file or setting.not_literal_reason}"
        advice = f"run {first.generator.run} first, and set site in sitemapper.toml"
    near = _describe_sites_nearby(first_look)
    if near:
        advice += f"; {near}"
    found = make_project(first, first.outputs[0], first_look)
    return found._replace(signs=(), site=None, mistake=(problem, advice))


def _make_no_site_error(first_look: FirstLook) -> Project:
    """The error for a folder that contains no site."""
    near = _describe_sites_nearby(first_look)
    published = _describe_published_folders(first_look.cwd)
    if published:
        where = f"in {' and '.join(published)}"
    elif near:
        where = "here"
    else:
        where = f"here, nor in {', '.join(UNKNOWN.output)}"
    problem = f"no built site was found: there is no {INDEX} {where}"
    unreadable_file = describe_unreadable(first_look.settings(first_look.cwd, PACKAGES))
    if unreadable_file:
        problem = f"{problem}; {unreadable_file}"
    if near:
        return Project(mistake=(f"{problem}; {near}", NAME_IT))
    return Project(mistake=(problem, BUILD_IT))


def _describe_published_folders(cwd: str) -> list[str]:
    """The folders that hosts' files name, with these files."""
    found = []
    for folder in ancestors(cwd):
        for _, file, hosting in published_by(folder):
            if hosting.folders:
                site = relative(hosting.folders[0], cwd)
                found.append(f"{site}, which {relative(file, cwd)} names")
    return found


def _describe_sites_nearby(first_look: FirstLook) -> str:
    """Which folders nearby may be the site, "" if there is none."""
    places = _find_sites_nearby(first_look.cwd)
    if has_index_page(first_look.cwd):
        places = [first_look.cwd, *places]
    sites = [
        relative(place, first_look.cwd) for place in places if not is_template(place, first_look)
    ]
    return f"the site may be {' or '.join(sites)}" if sites else ""


def _find_sites_nearby(folder: str) -> list[str]:
    """The folders with an index page nearby.

    Those named like an output, else one or two levels down.
    """
    sites = _list_output_folders_with_index(folder)
    if sites:
        return sites
    for pattern in ("*/index.html", "*/*/index.html"):
        pages = [name for name in glob(pattern, root_dir=folder) if "node_modules" not in name]
        places = sorted(os.path.dirname(os.path.join(folder, page)) for page in pages)
        places = [place for place in places if not _holds_examples(place, folder)]
        if places:
            return places
    return []
