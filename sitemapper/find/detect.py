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
from .generator import Generator
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

NAME_IT = "pass the folder of the built site"
# The folders of a monorepo with a project each.
_FOLDERS_OF_PACKAGES = ("packages", "apps", "sites", "websites", "docs")
_MOST_PACKAGES = 100  # that are searched in each, so that detection is quick
_MOST_UNBUILT = 3  # projects in an error; more are rarely all of sites
# Parts of paths. Projects in such folders have sites of their own, which nobody publishes.
_EXAMPLES = {
    "example", "examples", "fixture", "fixtures", "__fixtures__", "test", "tests", "__tests__",
    "e2e", "demo", "demos", "playground", "playgrounds", "template", "templates", "starters",
}  # fmt: skip
BUILD_IT = "build the site first, then pass its folder"


def detect(first_look: FirstLook, site: str | None, *, takes_nearby: bool = False) -> Project:
    """Finds the project of a site: the generator with its settings, and the folder of the site.

    | `site` | result |
    |---|---|
    | `public`, as in `sitemapper build public` | the project that wrote this folder |
    | None | the project of the working directory, and the site that it has built |
    | None, and no project or site is there, with `takes_nearby` | the only site nearby |

    A site nearby is `web` in a repository of plain HTML that has `web/index.html`. If no site is
    built, the result has an error in its `mistake`: the problem, and what to do.
    """
    cwd = first_look.cwd
    if site is not None:
        return find_project_of_given_site(os.path.normpath(os.path.join(cwd, site)), first_look)
    project = _detect_from_cwd(first_look)
    # A generator without a site has not been run yet. The user should run it first, so no other
    # folder is taken in place of its output.
    unbuilt_generator = project.generator.name
    if takes_nearby and not project.site and not unbuilt_generator:
        sites = _find_sites_nearby(cwd)
        if len(sites) == 1:
            return find_project_of_given_site(sites[0], first_look)
    return project


# --- the project of a folder


def _detect_from_cwd(first_look: FirstLook) -> Project:
    """Finds the project of the working directory, and the site that it has built.

    | the working directory has | project |
    |---|---|
    | a project file, such as `mkdocs.yml` | that project, or an error if its site is not built |
    | no project file, but a built `index.html` | the project that wrote the site with this page |
    | neither, as `docs/images` has | that of the nearest folder above with a built site |

    For an error, the result is a project with its problem and advice as `mistake`.
    """
    cwd = first_look.cwd
    projects = projects_in(cwd, first_look)  # also those in folders such as docs/
    site_projects = select_site_projects(projects, cwd)
    has_project_file = any(project.folder == cwd for project in site_projects)
    if has_project_file:
        return (
            # The usual case: the site is in a folder of its own, such as `public`.
            _detect_built_site(cwd, projects, first_look)
            # The site is beside its sources, as after `pelican -o .`.
            or find_project_in_own_site(cwd, first_look)
            # The file is the package.json of a monorepo, and the site is in `packages/docs`.
            or _detect_only_built_package(site_projects, first_look)
            # The error.
            or _make_unbuilt_project(site_projects, first_look)
        )
    # Front matter shows that `index.html` is a source, as of Jekyll, and not a built page.
    if has_index_page(cwd) and not has_front_matter(cwd, first_look):
        return _detect_site_of_index_page(projects, first_look)
    return _detect_upwards(projects, first_look)


def _detect_site_of_index_page(projects: list[ProjectFiles], first_look: FirstLook) -> Project:
    """Finds the project of the site to which the `index.html` in the working directory belongs.

    | the working directory | site |
    |---|---|
    | has a project with a built output, as of Vite | this output, such as `dist` |
    | is `public/blog`, and the project in a folder above wrote `public` | `public` |
    | is any other | the working directory itself |

    In the first case, the `index.html` is a source: Vite builds `dist/index.html` from it.
    `projects` are those in the working directory and below it.
    """
    cwd = first_look.cwd
    # 1. The output of a project in the working directory. A project below it, as in `docs/`, may
    # only be a copy that the build put into the site.
    projects_here = [project for project in projects if project.folder == cwd]
    built_here = _detect_built_site(cwd, projects_here, first_look)
    if built_here:
        return built_here
    # 2. The output of a project above, if it contains the working directory.
    for folder in ancestors(cwd)[1:]:
        above = _detect_built_site(folder, projects_in(folder, first_look), first_look)
        if above and above.site and is_below(cwd, above.site):
            return above
    # 3. The working directory.
    return find_project_of_site(cwd, first_look)


def _detect_upwards(projects_in_cwd: list[ProjectFiles], first_look: FirstLook) -> Project:
    """Finds the nearest folder with a built site, from the working directory up, and its project.

    `public` in the folder above → the project of `public`. If no folder has a built site of a
    project, the result is another site, or an error.
    """
    cwd = first_look.cwd
    # 1. The built site of a project.
    unbuilt: list[ProjectFiles] = []  # the projects of the nearest folder that has some
    for folder in ancestors(cwd):
        projects = projects_in_cwd if folder == cwd else projects_in(folder, first_look)
        detected = _detect_built_site(folder, projects, first_look)
        if detected:
            return detected
        if not unbuilt:
            unbuilt = select_site_projects(projects, folder)
    # 2. A site in a folder such as `dist`. If there is a project, step 1 has searched it already.
    if not select_site_projects(projects_in_cwd, cwd):
        detected = _detect_only_output(cwd, None, first_look)
        if detected:
            return detected
    # 3. An error that says how to build the site.
    if unbuilt:
        return _make_unbuilt_project(unbuilt, first_look)
    # 4. The site of a monorepo, such as `packages/docs`, or an error that lists what was searched.
    return _detect_in_packages(first_look) or _make_error_of_no_site(first_look)


def _detect_in_packages(first_look: FirstLook) -> Project | None:
    """Finds the project of the only built site in a monorepo's packages, such as `packages/docs`.

    | built sites in the packages | result |
    |---|---|
    | one | the project of this site |
    | several | an error that lists them |
    | none, and one to three projects | an error that says which command builds them |
    | none, and no project or more than three | None: the caller searches elsewhere |
    """
    root = first_look.cwd
    projects: list[ProjectFiles] = []
    for folder in _list_packages(root):
        for project in select_site_projects(projects_in(folder, first_look), folder):
            if not _is_in_examples(project.folder, root):
                projects.append(project)
    detected = _choose_site(projects, first_look)
    has_few = 0 < len(projects) <= _MOST_UNBUILT  # a long list would not help to find the site
    if detected is None and has_few:
        return _make_unbuilt_project(projects, first_look)
    return detected


def _detect_only_built_package(
    projects: list[ProjectFiles], first_look: FirstLook
) -> Project | None:
    """Finds the project of the only built site in a monorepo, such as `packages/docs`.

    `projects` are those at the root of the monorepo.

    | the root has | result |
    |---|---|
    | a settings file of a generator, such as astro.config.mjs | None: the root itself is a site |
    | only package.json, and one package has a built site | the project of this site |
    | only package.json, and no package or several have one | None |

    A package.json at the root does not make the root a site: it may depend on Eleventy as a tool
    that all packages share.
    """
    if any(project.file != PACKAGES for project in projects):
        return None
    detected = _detect_in_packages(first_look)
    return detected if detected and detected.site else None


def _list_packages(root: str) -> Iterator[str]:
    """Yields the folders of a monorepo's packages: `packages/*`, `apps/*` and the like.

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
    """Finds the built site of a folder and its project, None if no site is built.

    These are tried in order:

    1. the folder that the host publishes: `publish = "public"` in netlify.toml
    2. the output of one of the `projects`: `site` for `mkdocs.yml`
    3. the only folder with a usual name, such as `dist`, whose home page shows the generator of a
       project
    """
    published = _detect_published_site(folder, first_look)
    detected = published or _detect_output_of_highest_project(projects, first_look)
    if detected:
        return detected
    site_projects = select_site_projects(projects, folder)
    if not site_projects:
        return None
    generators = {project.generator for project in site_projects}
    return _detect_only_output(folder, generators, first_look)


def _detect_published_site(folder: str, first_look: FirstLook) -> Project | None:
    """Finds the project of the site that a host's file in `folder` publishes.

    `publish = "public"` in netlify.toml → the project that wrote `public`, with this line as the
    origin of its `site`. If the files of two hosts publish different folders, the result is an
    error that lists both. None if no published folder has an index page.
    """
    # 1. The folders that hosts publish, each with the file and key that says so.
    origin_by_site: dict[str, Origin] = {}
    top = ancestors(folder)[-1]
    for host_file in published_by(folder):
        folders = host_file.hosting.folders
        sites = [site for site in folders if has_index_page(site) and is_below(site, top)]
        if sites:  # of several, a host publishes the first
            file = relative(host_file.file, first_look.cwd)
            origin_by_site[sites[0]] = Origin(file, None, host_file.hosting.key)
    if not origin_by_site:
        return None
    if len(origin_by_site) > 1:
        clauses = []
        for site, origin in origin_by_site.items():
            clauses.append(f"{origin} publishes {relative(site, first_look.cwd)}")
        return _make_error_of_several_sites(clauses)
    # 2. The project of the only one, with the host's file as the origin of the setting `site`.
    [(site, origin)] = origin_by_site.items()
    project = find_project_of_site(site, first_look)
    others = [setting for setting in project.settings if setting.key != "site"]
    return project._replace(settings=(Detected("site", site, origin), *others))


def _detect_output_of_highest_project(
    projects: list[ProjectFiles], first_look: FirstLook
) -> Project | None:
    """Finds the built site of the projects in and below a folder, and its project.

    If several have one, the project in the highest folder counts, since it is the nearest to the
    folder: with mkdocs.yml at the root and another in docs/, the one at the root. Two sites of
    projects at the same height are an error. None if no project has a built site.
    """
    built = [project for project in projects if project.site]
    # The path of a higher folder has fewer slashes.
    fewest = min((project.folder.count(os.sep) for project in built), default=0)
    highest = [project for project in built if project.folder.count(os.sep) == fewest]
    return _choose_site(highest, first_look)


def _choose_site(projects: list[ProjectFiles], first_look: FirstLook) -> Project | None:
    """Finds the only site that some projects have built, and the project of this site.

    | sites of the projects | result |
    |---|---|
    | none | None |
    | several | a project with an error, which lists them so that the user names one |
    | one, such as `public` | the project that wrote it |

    The error is `found several sites: MkDocs (mkdocs.yml) writes site and Hugo (hugo.toml) writes
    public`.
    """
    project_by_site: dict[str, ProjectFiles] = {}  # the first project that writes to the site
    for project in projects:
        if project.site:
            project_by_site.setdefault(project.site, project)
    if not project_by_site:
        return None
    if len(project_by_site) > 1:
        clauses = [describe_writer(project, first_look.cwd) for project in project_by_site.values()]
        return _make_error_of_several_sites(clauses)
    # Two projects may write to `public`. Which of them wrote its pages, only the pages show, by the
    # mark of their generator. So the project is found once more, by the pages.
    [site] = project_by_site
    return find_project_of_site(site, first_look)


def _detect_only_output(
    folder: str, generators: set[Generator] | None, first_look: FirstLook
) -> Project | None:
    """Finds the only folder with a usual name, such as `dist`, that is a built site; its project.

    A site counts if its home page shows one of the `generators`, as by a generator tag. With None
    for `generators`, any site counts.

    | `folder` has | result |
    |---|---|
    | built pages itself, so that it may be the site, and `dist` a part of it | None |
    | no site that counts, or several | None |
    | one, such as `dist` | the project of this site |
    """
    has_pages = any(map(is_page_name, os.listdir(folder)))
    # Front matter shows that the pages are sources, as those of Jekyll, and not built pages.
    has_built_pages = has_pages and not has_front_matter(folder, first_look)
    if has_built_pages:
        return None
    sites = []
    for site in _list_output_folders_with_index(folder):
        generators_of_site = read_site(site, first_look).marking_generators
        if generators is None or not generators.isdisjoint(generators_of_site):
            sites.append(site)
    return find_project_of_site(sites[0], first_look) if len(sites) == 1 else None


def _list_output_folders_with_index(folder: str) -> list[str]:
    """Lists the built sites in a folder by their usual names: `dist` if it has an index.html.

    A symbolic link out of the repository does not count.
    """
    top = ancestors(folder)[-1]  # the root of the repository
    # UNKNOWN stands for generators that are not recognised. It has the usual names.
    outputs = [os.path.join(folder, name) for name in UNKNOWN.output]
    return [output for output in outputs if has_index_page(output) and is_below(output, top)]


# --- a folder without a site


def _make_error_of_several_sites(clauses: Sequence[str]) -> Project:
    """Makes a project that has only an error: several sites were found, so a user must name one.

    `clauses` say who made each of the sites: `Hugo (hugo.toml) writes public`. The caller of
    `detect` raises the error, which is the `mistake` of the project: the problem and the advice.
    """
    return Project(mistake=(f"found several sites: {' and '.join(clauses)}", NAME_IT))


def _make_unbuilt_project(unbuilt: list[ProjectFiles], first_look: FirstLook) -> Project:
    """Makes the project of a site that is not built yet, with an error as its `mistake`.

    The error says with which command to build it: `run hugo first, or pass the folder of …`. The
    rest of the result is the first of the projects `unbuilt`, since its settings count, such as its
    base URL. If one of the projects writes out of the repository, the result has only an error
    which says so.
    """
    for project in unbuilt:
        output = project.outputs[0]  # the folder in the settings, or the first of the usual ones
        if not is_below(output, project.top):
            return _make_error_of_outside_output(project, output)
    first = unbuilt[0]
    project_to_build = make_project(first, first.outputs[0], first_look)
    return project_to_build._replace(
        site=None,  # `outputs[0]` is not there yet
        signs=(),  # `hugo.toml` shows the generator, but before a build that is not certain
        mistake=_explain_unbuilt(unbuilt, first_look),
    )


def _make_error_of_outside_output(project: ProjectFiles, output: str) -> Project:
    """Makes a project that has only an error: its site is written to a folder such as `/srv/www`.

    This folder may be built already. But the settings of a cloned repository were written by
    others, who could choose any folder. So only the user may name one outside of the repository.
    """
    writer = f"{project.label} ({project.generator.name})"
    problem = f"{writer} writes to {output}, which is outside {project.top}"
    advice = "if that is the site, pass its folder"
    return Project(mistake=(problem, advice))


def _explain_unbuilt(unbuilt: list[ProjectFiles], first_look: FirstLook) -> tuple[str, str]:
    """Says which sites are not built yet, and how to build the first one, for an error message.

    Returns the problem and the advice:

    - `no built site was found: there is no index.html in public, which Hugo (hugo.toml) writes`
    - `run hugo first, or pass the folder of the built site`

    If a program computes the output, as in `site_dir: !ENV DIR`, the problem ends with `; site_dir
    is not a literal at mkdocs.yml:3`, and the advice with `and set site in sitemapper.toml`.
    """
    first = unbuilt[0]
    # 1. The problem: the outputs that are missing.
    missing_outputs = []
    for project in unbuilt:
        output = relative(project.outputs[0], first_look.cwd)
        missing_outputs.append(f"{output}, which {project.generator.name} ({project.label}) writes")
    problem = f"no built site was found: there is no {INDEX} in {' and '.join(missing_outputs)}"
    # 2. The advice.
    advice = f"run {first.generator.run} first, or {NAME_IT}"
    output_setting = next(first.find_values(first.generator.folder), None)
    if output_setting and not output_setting.found.text:
        # The setting is there, but a program computes its value. So the site may be built already,
        # in a folder that only the user knows.
        problem = f"{problem}; {first.unreadable_file or output_setting.not_literal_reason}"
        advice = f"run {first.generator.run} first, and set site in sitemapper.toml"
    # 3. Folders nearby that may be the site.
    sites_nearby = _describe_sites_nearby(first_look)
    if sites_nearby:
        advice += f"; {sites_nearby}"
    return problem, advice


def _make_error_of_no_site(first_look: FirstLook) -> Project:
    """Makes a project that has only an error: there is no site, and no project to build.

    | what there is | the error says |
    |---|---|
    | `publish = "public"` in netlify.toml | no index.html in public, which netlify.toml names |
    | a folder nearby that may be the site, `web` | no index.html here; the site may be web |
    | both | no index.html in public, which netlify.toml names; the site may be web |
    | neither | no index.html here, nor in dist, build and the other usual folders |
    """
    published = _describe_published_folders(first_look.cwd)
    nearby = _describe_sites_nearby(first_look)
    if published:
        where = f"in {' and '.join(published)}"
    elif nearby:
        where = "here"
    else:
        where = f"here, nor in {', '.join(UNKNOWN.output)}"
    problem = f"no built site was found: there is no {INDEX} {where}"
    # A package.json that cannot be read may be why no project was found.
    unreadable = describe_unreadable(first_look.settings(first_look.cwd, PACKAGES))
    if unreadable:
        problem = f"{problem}; {unreadable}"
    if nearby:
        return Project(mistake=(f"{problem}; {nearby}", NAME_IT))
    return Project(mistake=(problem, BUILD_IT))


def _describe_published_folders(cwd: str) -> list[str]:
    """Lists the folders that Netlify and other hosts should publish, by their files in the project.

    `publish = "public"` in netlify.toml → `public, which netlify.toml names`. Such files are
    searched for in the working directory and the folders above.
    """
    clauses = []
    for folder in ancestors(cwd):
        for host_file in published_by(folder):
            if host_file.hosting.folders:
                # A host may publish the first of several folders that exists. None of them is a
                # site here, so the error shows only the first.
                site = relative(host_file.hosting.folders[0], cwd)
                clauses.append(f"{site}, which {relative(host_file.file, cwd)} names")
    return clauses


def _describe_sites_nearby(first_look: FirstLook) -> str:
    """Says which folders may be the site: `the site may be dist or web/out`; "" if none may be.

    They are the working directory and folders nearby that have an index page. An index page with a
    template's statements, such as `{{ title }}`, does not count.
    """
    cwd = first_look.cwd
    folders = _find_sites_nearby(cwd)
    if has_index_page(cwd):
        folders = [cwd, *folders]
    sites = [relative(folder, cwd) for folder in folders if not is_template(folder, first_look)]
    return f"the site may be {' or '.join(sites)}" if sites else ""


def _find_sites_nearby(folder: str) -> list[str]:
    """Lists the folders below `folder` that may be the site, since they have an index page.

    These kinds are tried in order. The first kind that has such folders is the result:

    1. a folder with a usual name, such as `dist`
    2. any folder one level down, such as `web`
    3. any folder two levels down, such as `web/pages`

    Examples, tests and packages of npm are left out.
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
