"""Detects the project of a site, from the working directory and the site's folder upwards.

Project files are read as text and never executed. Ambiguous values are not guessed.
"""

import os
from collections.abc import Iterator, Sequence
from glob import glob

from ..fs import ancestors, relative
from ..hosts.find import published_by
from ..model import Detected, Origin
from ..read.walk import INDEX
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
    list_names,
    projects_in,
    select_site_projects,
)

NAME_IT = "name the folder of the built site"
# The folders of a monorepo with a project each.
_FOLDERS_OF_PACKAGES = ("packages", "apps", "sites", "websites", "docs")
_MOST_PACKAGES = 100  # that are searched in each, so that detection is quick
_MOST_UNBUILT = 3  # projects in an error; more are rarely all of sites
# Parts of paths. Projects in such folders have sites of their own, which nobody publishes.
_EXAMPLES = {
    "example", "examples", "fixture", "fixtures", "__fixtures__", "test", "tests", "__tests__",
    "e2e", "demo", "demos", "playground", "playgrounds", "template", "templates", "starters",
}  # fmt: skip
BUILD_IT = "build the site first, then name its folder"


def detect(first_look: FirstLook, site: str | None) -> Project:
    """The project that wrote the folder `site`; without it, that of the working directory.

    If no site is built, its `mistake` is the error, with what to do.
    """
    if site is None:
        return _detect_from_cwd(first_look)
    folder = os.path.normpath(os.path.join(first_look.cwd, site))
    return find_project_of_given_site(folder, first_look)


def detect_nearby(first_look: FirstLook) -> Project:
    """The project of the working directory, or of the only folder nearby with an index page.

    Such a folder counts only where there is no project, as in a repository of plain HTML.
    """
    project = _detect_from_cwd(first_look)
    if project.site or project.generator.name:
        return project
    sites = _find_sites_nearby(first_look.cwd)
    return find_project_of_given_site(sites[0], first_look) if len(sites) == 1 else project


# --- the project of a folder


def _detect_from_cwd(first_look: FirstLook) -> Project:
    """The project of the working directory, which may be a project, a built site, or neither.

    A folder with mkdocs.yml is a project. Without such a file, one with index.html is a site. From
    any other, the search goes on in the folders above.
    """
    cwd = first_look.cwd
    projects = projects_in(cwd, first_look)
    of_sites = select_site_projects(projects, cwd)
    is_project = any(project.folder == cwd for project in of_sites)
    if is_project:
        return (
            _detect_built_site(cwd, projects, first_look)
            or find_project_in_own_site(cwd, first_look)
            or _detect_only_built_package(of_sites, first_look)
            or _make_not_built_error(of_sites, first_look)
        )
    if has_index_page(cwd) and not has_front_matter(cwd, first_look):
        return _detect_around_index_page(projects, first_look)
    return _detect_upwards(projects, first_look)


def _detect_around_index_page(projects: list[ProjectFiles], first_look: FirstLook) -> Project:
    """The project of a working directory that has an index page, as a built site has.

    It may contain a site itself, or be a part of the site of a project above, as `public/blog/` is.
    Otherwise, it is the site. `projects` are those in the folder and below it.
    """
    cwd = first_look.cwd
    # Those below may be copied into the site.
    projects_here = [project for project in projects if project.folder == cwd]
    detected = _detect_built_site(cwd, projects_here, first_look)
    if detected:
        return detected
    for folder in ancestors(cwd)[1:]:
        detected = _detect_built_site(folder, projects_in(folder, first_look), first_look)
        if detected and detected.site and is_below(cwd, detected.site):
            return detected
    return find_project_of_site(cwd, first_look)


def _detect_upwards(projects_in_cwd: list[ProjectFiles], first_look: FirstLook) -> Project:
    """The project of the nearest folder, from the working directory up, with a built site.

    Without one, it is that of a monorepo below, or an error that names the projects to build.
    """
    cwd = first_look.cwd
    unbuilt: list[ProjectFiles] = []
    for folder in ancestors(cwd):
        projects = projects_in_cwd if folder == cwd else projects_in(folder, first_look)
        detected = _detect_built_site(folder, projects, first_look)
        if detected:
            return detected
        unbuilt = unbuilt or select_site_projects(projects, folder)
    # Without a project, a folder such as `dist` is a site only if it is in the working directory.
    detected = _detect_only_output(select_site_projects(projects_in_cwd, cwd), cwd, first_look)
    if detected:
        return detected
    if unbuilt:
        return _make_not_built_error(unbuilt, first_look)
    return _detect_in_packages(first_look) or _make_no_site_error(first_look)


def _detect_in_packages(first_look: FirstLook) -> Project | None:
    """The project of the only built site in the packages of a monorepo.

    If several packages have a site, or a few projects are not built, the result is an error that
    lists them. None if there are no projects, or many that are not built.
    """
    root = first_look.cwd
    projects: list[ProjectFiles] = []
    for folder in _list_packages(root):
        for project in select_site_projects(projects_in(folder, first_look), folder):
            if not _is_in_examples(project.folder, root):
                projects.append(project)
    project_by_site: dict[str, ProjectFiles] = {}
    for project in projects:
        if project.site:
            project_by_site.setdefault(project.site, project)
    if len(project_by_site) == 1:
        return find_project_of_site(next(iter(project_by_site)), first_look)
    if project_by_site:
        writers = [describe_writer(project, root) for project in project_by_site.values()]
        return _make_several_sites_error(writers)
    has_few = 0 < len(projects) <= _MOST_UNBUILT  # a long list would not help to find the site
    return _make_not_built_error(projects, first_look) if has_few else None


def _detect_only_built_package(
    projects: list[ProjectFiles], first_look: FirstLook
) -> Project | None:
    """The project of the only built site in a monorepo, if a package.json shows all `projects`.

    Tools that all packages share are installed at the root: a dependency on Astro there does not
    mean that the root is a site of Astro. None if the root has settings, or no site was built.
    """
    if any(project.file != PACKAGES for project in projects):
        return None
    detected = _detect_in_packages(first_look)
    return detected if detected and detected.site else None


def _list_packages(root: str) -> Iterator[str]:
    """The folders of a monorepo's packages: `packages/*`, `apps/*` and the like.

    Hidden folders, `node_modules` and links out of the repository are left out.
    """
    for parent in _FOLDERS_OF_PACKAGES:
        names = sorted(list_names(os.path.join(root, parent)))
        visible = [name for name in names if not name.startswith((".", "_", "node_modules"))]
        for name in visible[:_MOST_PACKAGES]:
            folder = os.path.join(root, parent, name)
            if os.path.isdir(folder) and is_below(folder, root):
                yield folder


def _is_in_examples(folder: str, root: str) -> bool:
    """Whether a folder below `root` is among examples, tests or templates: `examples/blog`."""
    return not _EXAMPLES.isdisjoint(relative(folder, root).lower().split(os.sep))


def _detect_built_site(
    folder: str, projects: list[ProjectFiles], first_look: FirstLook
) -> Project | None:
    """The project of the built site of a folder, None if no site is built.

    The site is the folder that the host publishes, else the output of one of the `projects`, else
    the only usual folder of an output, such as `dist`.
    """
    detected = _detect_published_site(folder, first_look)
    detected = detected or _detect_nearest_output(projects, first_look)
    if detected:
        return detected
    of_sites = select_site_projects(projects, folder)
    return _detect_only_output(of_sites, folder, first_look) if of_sites else None


def _detect_published_site(folder: str, first_look: FirstLook) -> Project | None:
    """The project of the site that a host's file in a folder publishes, as netlify.toml does.

    If the files of two hosts publish different folders, the result is an error that lists both.
    None if no such folder has an index page.
    """
    origin_by_site: dict[str, Origin] = {}
    top = ancestors(folder)[-1]
    for host_file in published_by(folder):
        for site in host_file.hosting.folders:
            if has_index_page(site) and is_below(site, top):
                file = relative(host_file.file, first_look.cwd)
                origin_by_site[site] = Origin(file, None, host_file.hosting.key)
                break  # the host publishes the first of the folders that exists
    if not origin_by_site:
        return None
    if len(origin_by_site) > 1:
        publishers = []
        for site, origin in origin_by_site.items():
            publishers.append(f"{origin} publishes {relative(site, first_look.cwd)}")
        return _make_several_sites_error(publishers)
    [(site, origin)] = origin_by_site.items()
    project = find_project_of_site(site, first_look)
    others = [setting for setting in project.settings if setting.key != "site"]
    return project._replace(settings=(Detected("site", site, origin), *others))


def _detect_nearest_output(projects: list[ProjectFiles], first_look: FirstLook) -> Project | None:
    """The project of the built site of the projects in the highest folder.

    With mkdocs.yml at the root and another in docs/, the site of the one at the root counts. Two
    sites of projects in one folder are an error. None if no project has a built site.
    """
    built = [project for project in projects if project.site]
    if not built:
        return None
    # Fewer slashes in its path: the folder is higher.
    depth = min(project.folder.count(os.sep) for project in built)
    nearest = [project for project in built if project.folder.count(os.sep) == depth]
    sites = {project.site for project in nearest if project.site}
    if len(sites) > 1:
        writers = [describe_writer(project, first_look.cwd) for project in nearest]
        return _make_several_sites_error(writers)
    return find_project_of_site(sites.pop(), first_look)


def _detect_only_output(
    projects: list[ProjectFiles], folder: str, first_look: FirstLook
) -> Project | None:
    """The project of the only folder such as `dist` or `public` in `folder` with an index page.

    If the folder has projects, the mark of their generators must be on the index page. None if no
    folder remains, or several do, or if `folder` has pages itself and so may be the site.
    """
    # Pages with front matter are sources of Jekyll, others are those of a site.
    has_pages = any(map(is_page_name, os.listdir(folder)))
    if has_pages and not has_front_matter(folder, first_look):
        return None
    sites = _list_output_folders_with_index(folder)
    if projects:
        generators = {project.generator for project in projects}
        sites = [
            site
            for site in sites
            if generators.intersection(read_site(site, first_look).marking_generators)
        ]
    return find_project_of_site(sites[0], first_look) if len(sites) == 1 else None


def _list_output_folders_with_index(folder: str) -> list[str]:
    """The usual folders of an output in `folder`, such as `dist`, that have an index page."""
    top = ancestors(folder)[-1]
    outputs = [os.path.join(folder, name) for name in UNKNOWN.output]
    return [output for output in outputs if has_index_page(output) and is_below(output, top)]


# --- a folder without a site


def _make_several_sites_error(writers: Sequence[str]) -> Project:
    """A project without a site, with the error that several sites were found.

    `writers` are clauses: `Hugo (hugo.toml) writes public`, `vercel.json: … publishes out`.
    """
    return Project(mistake=(f"found several sites: {' and '.join(writers)}", NAME_IT))


def _make_not_built_error(unbuilt: list[ProjectFiles], first_look: FirstLook) -> Project:
    """A project without a site, with the error that it must be built, and by which command.

    `there is no index.html in public, which Hugo (hugo.toml) writes`; `run hugo first, or …`. If a
    project writes outside of the repository, the error is only about this.
    """
    for project in unbuilt:
        if not is_below(project.outputs[0], project.top):
            return _make_outside_error(project)
    first = unbuilt[0]
    outputs = []
    for project in unbuilt:
        output = relative(project.outputs[0], first_look.cwd)
        outputs.append(f"{output}, which {project.generator.name} ({project.label}) writes")
    problem = f"no built site was found: there is no {INDEX} in {' and '.join(outputs)}"
    advice = f"run {first.generator.run} first, or {NAME_IT}"
    output_setting = next(first.find_values(first.generator.folder), None)
    if output_setting and not output_setting.found.text:
        # The settings name the output in code, so it may be built already, in another folder.
        problem = f"{problem}; {first.unreadable_file or output_setting.not_literal_reason}"
        advice = f"run {first.generator.run} first, and set site in sitemapper.toml"
    nearby = _describe_sites_nearby(first_look)
    if nearby:
        advice += f"; {nearby}"
    # No page shows that the generator is used, so the project has no signs.
    project_to_build = make_project(first, first.outputs[0], first_look)
    return project_to_build._replace(signs=(), site=None, mistake=(problem, advice))


def _make_outside_error(project: ProjectFiles) -> Project:
    """A project without a site, with the error that its output is outside of the repository.

    The settings may be those of others, so a user has to name such a folder.
    """
    writer = f"{project.label} ({project.generator.name})"
    problem = f"{writer} writes to {project.outputs[0]}, which is outside {project.top}"
    return Project(mistake=(problem, "if that is the site, name it: sitemapper build FOLDER"))


def _make_no_site_error(first_look: FirstLook) -> Project:
    """A project without a site, with the error that there is none, and where it was searched for.

    `there is no index.html here, nor in dist, build, …`. If a host's file publishes a folder, or
    folders nearby have an index page, the error lists these.
    """
    nearby = _describe_sites_nearby(first_look)
    published = _describe_published_folders(first_look.cwd)
    if published:
        where = f"in {' and '.join(published)}"
    elif nearby:
        where = "here"
    else:
        where = f"here, nor in {', '.join(UNKNOWN.output)}"
    problem = f"no built site was found: there is no {INDEX} {where}"
    # A package.json that cannot be read may hide the project.
    unreadable = describe_unreadable(first_look.settings(first_look.cwd, PACKAGES))
    if unreadable:
        problem = f"{problem}; {unreadable}"
    if nearby:
        return Project(mistake=(f"{problem}; {nearby}", NAME_IT))
    return Project(mistake=(problem, BUILD_IT))


def _describe_published_folders(cwd: str) -> list[str]:
    """The folders that hosts' files here or above publish: `public, which netlify.toml names`."""
    clauses = []
    for folder in ancestors(cwd):
        for host_file in published_by(folder):
            if host_file.hosting.folders:
                site = relative(host_file.hosting.folders[0], cwd)
                clauses.append(f"{site}, which {relative(host_file.file, cwd)} names")
    return clauses


def _describe_sites_nearby(first_look: FirstLook) -> str:
    """`the site may be dist or web/out`, "" if no folder nearby has the index page of a site.

    An index page with a template's statements, such as `{{ title }}`, does not count.
    """
    cwd = first_look.cwd
    folders = _find_sites_nearby(cwd)
    if has_index_page(cwd):
        folders = [cwd, *folders]
    sites = [relative(folder, cwd) for folder in folders if not is_template(folder, first_look)]
    return f"the site may be {' or '.join(sites)}" if sites else ""


def _find_sites_nearby(folder: str) -> list[str]:
    """The nearest folders below with an index page, without examples and tests.

    Folders with the usual name of an output come first. If there are none, all folders one level
    down count, and if no such folder has an index page, those two levels down.
    """
    outputs = _list_output_folders_with_index(folder)
    if outputs:
        return outputs
    for pattern in ("*/index.html", "*/*/index.html"):
        # Packages of npm contain documentation with index pages of their own.
        pages = [name for name in glob(pattern, root_dir=folder) if "node_modules" not in name]
        sites = sorted(os.path.dirname(os.path.join(folder, page)) for page in pages)
        sites = [site for site in sites if not _is_in_examples(site, folder)]
        if sites:
            return sites
    return []
