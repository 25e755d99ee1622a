"""Which folder is the site."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from ..config.load import Config
from ..files import contents, files_below, folders_above, is_inside, shown_path
from ..hosts import published_folders
from ..messages import SitemapperError, joined
from ..model import Origin, Project, Stated
from ..syntax.urls import PAGE_ENDINGS
from .project import folders_below, projects_in
from .table import USUAL_OUTPUTS

_HEAD = 20_000  # bytes in which a page shows that it is a source
_FROM_SOURCES = re.compile(rb"""<script[^<>]*\ssrc=["']?/?(?:\./)?src/""")
_NAME_IT = "pass the folder of the built site, as in: sitemapper build public"


def find_folder(config: Config, cwd: str) -> tuple[str, Origin, Project | None]:
    """Finds the folder of the site, what names it, and the generator's project that wrote it.

    The setting `site` names it, or else it is looked for in `cwd`. Raises SitemapperError if there
    is no site, if two folders fit, or if the folder that the setting names is not a site.
    """
    if config.settings.site is not None:
        folder = os.path.realpath(config.settings.site)
        _check(folder, config, cwd)
        return folder, config.origins["site"], _project_of(folder, cwd)

    # The likely folders come in groups, and the first group with a built site decides.
    projects = list(projects_in(cwd))
    sites: dict[str, Origin] = {}  # by their folders, without links: two may lead to one site
    for candidates in _likely_sites(projects, cwd):
        for candidate in candidates:
            if is_built(candidate.value):
                sites[os.path.realpath(candidate.value)] = candidate.origin
        if sites:
            break
    if not sites:
        raise _no_site(projects, cwd)
    if len(sites) > 1:
        labels = sorted(f"{shown_path(site, cwd)} ({sites[site].source})" for site in sites)
        raise SitemapperError(f"several sites were found: {joined(labels, 'and')}", _NAME_IT)
    [(folder, origin)] = sites.items()
    return folder, origin, _project_of(folder, cwd)


def _likely_sites(projects: Sequence[Project], cwd: str) -> Iterator[list[Stated]]:
    """Yields lists of folders that may be the site, the most likely first.

    The first list with a built site counts, and later folders are not searched then. `projects` are
    the generators' projects in `cwd`.
    """
    yield published_folders(cwd)  # by the file of a host, such as vercel.json
    yield _outputs_of(projects, cwd)
    yield [Stated(cwd, Origin("index.html"))]
    for folders in folders_below(cwd):
        yield _outputs_of(projects_in(*folders), cwd)
    if not projects:  # a project says itself where it writes, and a `public` beside it is no site
        yield [Stated(os.path.join(cwd, name), Origin("index.html")) for name in USUAL_OUTPUTS]


def is_built(folder: str) -> bool:
    """Whether a folder has an `index.html` that is a built page, and no source of a generator.

    A source begins with front matter (`---`), has marks of a template in its head (`{{`), or loads
    a script from `src/`, as that of Vite does.
    """
    start = contents(folder, "index.html")[:_HEAD]
    if not start or start.startswith(b"---") or _FROM_SOURCES.search(start):
        return False
    head = start.partition(b"<body")[0]
    return not any(mark in head for mark in (b"{{", b"{%", b"%PUBLIC_URL%"))


def _outputs_of(projects: Iterable[Project], cwd: str) -> list[Stated]:
    """Lists the first output folder of each project that has a built site.

    An output outside of the repository does not count, nor, without a repository, one outside of
    `cwd`.
    """
    built: list[Stated] = []
    for project in projects:
        top = os.path.realpath(folders_above(project.folder, cwd)[-1])
        for output in project.outputs:
            if is_built(output) and is_inside(os.path.realpath(output), top):
                built.append(Stated(output, Origin(project.file, None, project.name)))
                break
    return built


def _project_of(site: str, cwd: str) -> Project | None:
    """The generator's project that wrote a site, None if there is none.

    For the site `/tea/public`, it is the project in `/tea` whose output is `public`: an output must
    be the site, or have it inside. If no project has such an output, it is the nearest one in a
    folder above the site that has no built output. Its site was probably built to another folder.
    """
    # The second choice, which is returned only if no project has the site in its output.
    without_output: Project | None = None
    for folder in folders_above(site, cwd):
        project_folders = [folder]
        if folder != site:
            # The project may also stand beside the site: `website` for the site in `build`.
            for level in folders_below(folder):
                project_folders += [below for below in level if not is_inside(below, site)]

        for project in projects_in(*project_folders):
            # Resolve symbolic links, because the path of the site has none either.
            outputs = [os.path.realpath(output) for output in project.outputs]
            if any(is_inside(site, output) for output in outputs):
                return project

            # A second choice must stand above the site, not beside it, and the nearest one counts.
            if without_output or project.folder != folder:
                continue
            if not any(is_built(output) for output in outputs):
                without_output = project
    return without_output


def _check(folder: str, config: Config, cwd: str) -> None:
    """Raises SitemapperError if the folder that a person named cannot be a site.

    It does not exist, has the sources of a generator, or has no HTML pages.
    """
    label = shown_path(folder, cwd)
    origin = config.origins["site"]
    if origin.line:  # it is named in a file, and the person needs to know in which line
        label = f"{origin}: site: {label}"
    if not os.path.isdir(folder):
        text = f"{label}: there is no such folder"
        raise SitemapperError(text, "build the site first, or correct the path")

    # A folder with a built index page is a site, whatever the projects around it say.
    folders_with_project = () if is_built(folder) else folders_above(folder, cwd)
    for project in projects_in(*folders_with_project):
        is_source = folder in (project.folder, *project.sources)
        if is_source and folder not in project.outputs:
            output = shown_path(project.outputs[0], cwd)
            raise SitemapperError(
                f"{label}: has the sources of {project.name} ({project.file}), not its pages",
                f"build the site with {project.name}, and pass {output}",
            )

    # What `include` and `[[urls]]` list may be no HTML pages.
    may_be_empty = config.include or config.settings.urls
    paths = files_below(folder)
    if not may_be_empty and not any(path.lower().endswith(PAGE_ENDINGS) for path in paths):
        raise SitemapperError(f"{label}: has no HTML pages", _NAME_IT)


def _no_site(projects: Sequence[Project], cwd: str) -> SitemapperError:
    """Makes the error for a working directory in which no built site was found.

    If it has a generator's project, the error says where this generator would write the site.
    """
    problem = "there is no index.html here, nor in dist, build, public and the like"
    help = _NAME_IT
    if projects:
        name = projects[0].name
        output = shown_path(projects[0].outputs[0], cwd)
        problem = f"{name} ({projects[0].file}) writes {output}, which has no index.html"
        help = f"build the site with {name} first, or pass its folder"
    return SitemapperError(f"no built site was found: {problem}", help)
