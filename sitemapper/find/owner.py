"""The project that wrote a site: the nearest one whose output it is, or whose mark it has."""

import os
import re
from collections.abc import Iterator, Sequence

from ..fs import ancestors, files_below, relative
from ..model import Detected, Origin
from ..read.built_sitemap import names_file
from ..read.walk import INDEX, describe_no_html
from ..syntax.urls import is_page_name
from .base_url_files import list_places_in_files
from .first_look import FirstLook
from .generator import Generator
from .project import BuiltSite, Project, make_project, make_project_without_files, read_site
from .project_files import (
    PACKAGES,
    ProjectFiles,
    describe_unreadable,
    is_below,
    is_template,
    projects_in,
    select_site_projects,
)

# Compiled when they are used.
_WHOLE_PAGE = rb"(?i)<html|<!doctype"
_HREF = rb"""(?i)\bhref=["']?([^"'\s<>#?]+)"""


def find_project_of_site(folder: str, first_look: FirstLook) -> Project:
    """Finds the project that wrote a built site, with its settings: `hugo.toml` for `public`.

    If no project wrote it, the result has only the site's folder, and the generator that the home
    page shows, as by its generator tag.
    """
    site = read_site(folder, first_look)
    writer = _find_writer(site, first_look)
    if writer:
        return writer
    project = _make_project_by_pages(site, first_look)
    if folder == first_look.cwd:
        return project
    # Messages say why a folder was chosen as the site, if it is not that in which the user works.
    # Without a project, it was chosen because it is the only one nearby with an index page.
    chosen_site = Detected("site", folder, Origin(f"the only folder with an {INDEX}"))
    return project._replace(settings=(chosen_site, *project.settings))


def find_project_of_given_site(folder: str, first_look: FirstLook) -> Project:
    """Finds the project of a folder that a user gives as the site, as in `sitemapper build public`.

    | the folder | result |
    |---|---|
    | 1. `public`, which Hugo has written | the project of Hugo, with its settings |
    | 2. `content` of Hugo, or the folder of hugo.toml | an error that names the right folder |
    | 3. `www`, to which the output of Hugo was probably moved | the project of Hugo |
    | 4. any other | only the generator that its home page shows, as by a generator tag |

    The error is the `mistake` of the result: the problem and the advice.
    """
    site = read_site(folder, first_look)
    # 1. The project that has written the folder.
    writer = _find_writer(site, first_look)
    if writer:
        return writer
    # 2. The error.
    project = _make_project_by_pages(site, first_look)
    nearest = _find_nearest_project(site, first_look)
    mistake = _find_mistake(site, nearest, first_look)
    if mistake:
        return project._replace(mistake=mistake)
    # 3. The moved output of the nearest project.
    if nearest and _may_be_moved_output(folder, nearest, first_look):
        return make_project(nearest, folder, first_look)
    # 4. The pages. If no base URL is found, its error says why the settings of the nearest project
    # do not count: `Hugo (hugo.toml) writes public`.
    if nearest and nearest.site and not project.no_setting_reason:
        return project._replace(no_setting_reason=describe_writer(nearest, first_look.cwd))
    return project


def _find_nearest_project(site: BuiltSite, first_look: FirstLook) -> ProjectFiles | None:
    """Finds the project in the nearest folder around a site that has one: `/a` for `/a/www`.

    None if no folder has a project, or if the nearest one has several. None, too, if the home page
    shows its generator.
    """
    # The home page has the tag `<meta name="generator" content="Hugo">`. The caller has searched
    # for a project of Hugo, and found none. So the nearest project is not that of the site.
    if site.marking_generators:
        return None
    for folder in _folders_above(site.folder, first_look):
        projects = select_site_projects(projects_in(folder, first_look, site.folder), folder)
        if projects:
            return projects[0] if len(projects) == 1 else None
    return None


def _may_be_moved_output(folder: str, project: ProjectFiles, first_look: FirstLook) -> bool:
    """Whether a folder is probably the output of a project, moved from its usual place.

    The usual place, such as `public`, must have no output. One of these must hold as well:

    - the folder is right below that of the project, as `/a/www` for `/a/hugo.toml`
    - the user works in the folder of the project, or in one with its sources
    """
    if project.site:  # the output in the usual place
        return False
    cwd = first_look.cwd
    is_in_project = os.path.dirname(folder) == project.folder
    return is_in_project or cwd == project.folder or _is_source(cwd, project, first_look)


def find_project_in_own_site(folder: str, first_look: FirstLook) -> Project | None:
    """Finds the project that has built its site into its own folder, as `pelican -o .` does.

    None if there is no such project. Nobody has named the folder as the site, so its home page may
    also be a source, or a file of a theme. One of these must show that a generator has built it:

    - It has the mark of the generator: `<meta name="generator" content="Pelican">`.
    - It links to another page of the folder by a full URL, which only a generator writes. With the
      base URL `https://a.example/` in the settings and the file doc/index.html, this is a link to
      `https://a.example/doc/`.
    """
    site = read_site(folder, first_look)
    project = _find_writer_in_place(site, first_look)
    if project is None:
        return None
    is_marked = project.generator in site.marking_generators
    return project if is_marked or _links_by_base_url(site, project, first_look) else None


def _links_by_base_url(site: BuiltSite, project: Project, first_look: FirstLook) -> bool:
    """Whether the home page links to another page of the site by a full URL.

    The URL begins with the base URL in the settings of the project.
    """
    # The first place is the settings. The others, such as CNAME, are not those of the generator.
    place_of_settings = next(list_places_in_files(project, first_look.cwd))
    if place_of_settings.base_url is None:
        return False
    base_url = str(place_of_settings.base_url.value)
    for link in re.findall(_HREF, site.page):
        url = link.decode("utf-8", "replace")
        is_home_page = url == base_url  # to which a theme may link
        if not is_home_page and names_file(url, base_url, site.folder):
            return True
    return False


def describe_writer(project: ProjectFiles, cwd: str) -> str:
    """Says which generator writes which folder: `Hugo (hugo.toml) writes public`."""
    site = relative(project.site or project.outputs[0], cwd)
    return f"{project.generator.name} ({project.label}) writes {site}"


# --- the project that wrote a site


def _find_writer(site: BuiltSite, first_look: FirstLook) -> Project | None:
    """Finds the project that has written a site, None if there is none.

    The folders around the site are searched, the nearest first. The search ends at the first folder
    with a project that may have written the site:

    | projects that may have written the site | result |
    |---|---|
    | one: `hugo.toml` beside `public` | this project |
    | two in one folder: `hugo.toml` and `book.toml` | a project without settings of either |
    | none in any folder | the project in the site's own folder, as after `pelican -o .` |
    """
    for folder in _folders_above(site.folder, first_look):
        writers = _list_possible_writers(folder, site, first_look)
        if len(writers) == 1:
            return _make_writer(writers[0], site, first_look)
        if writers:
            return _make_ambiguous_project(writers, site, first_look)
    return _find_writer_in_place(site, first_look)


def _make_writer(files: ProjectFiles, site: BuiltSite, first_look: FirstLook) -> Project:
    """Makes the project that has written a site from its files, such as `hugo.toml`."""
    # The home page may have a mark of the generator, such as its generator tag.
    is_marked = files.generator in site.marking_generators
    return make_project(files, site.folder, first_look, is_marked=is_marked)


def _make_ambiguous_project(
    writers: Sequence[ProjectFiles], site: BuiltSite, first_look: FirstLook
) -> Project:
    """Makes the project of a site that several projects may have written.

    It has no settings of theirs, only the generator that the home page shows. Messages say which
    files made the folder the site, and why no settings give a base URL: `both hugo.toml (Hugo) and
    book.toml (mdBook) may have written this site`.
    """
    names = " and ".join(f"{writer.label} ({writer.generator.name})" for writer in writers)
    project = make_project_without_files(site, first_look)
    found_site = Detected("site", site.folder, Origin(names))
    return project._replace(
        settings=(found_site, *project.settings),
        no_setting_reason=f"both {names} may have written this site",
        is_ambiguous=True,
    )


def _folders_above(site: str, first_look: FirstLook) -> Iterator[str]:
    """Yields the folders above a site, nearest first, then those from the working directory up."""
    parent = os.path.dirname(site)
    yield from dict.fromkeys((parent, *ancestors(parent), *ancestors(first_look.cwd)))


def _list_possible_writers(
    folder: str, site: BuiltSite, first_look: FirstLook
) -> list[ProjectFiles]:
    """Lists the projects that may have written a site: those in `folder` or below it, as in docs/.

    If several projects may have written it, only the likeliest are listed. A project in `folder` is
    likelier than a project below it. In the same folder, the generator that the home page shows is
    the likeliest, as by its generator tag:

    | projects whose output has the site | result |
    |---|---|
    | Hugo in `folder`, and MkDocs in docs/ | Hugo |
    | Hugo and MkDocs in `folder`, and the home page shows Hugo | Hugo |
    | Hugo and MkDocs in `folder`, and the home page shows none | both |
    """
    writers: list[ProjectFiles] = []
    for project in projects_in(folder, first_look, site.folder):
        generator = _find_writing_generator(project, site, folder)
        if generator:
            writers.append(project._replace(generator=generator))
    # `projects_in` lists the projects in `folder` before those below it, so the first project is in
    # the highest folder. Without writers, the list below is empty, and `writers[0]` is not read.
    highest = [writer for writer in writers if writer.folder == writers[0].folder]
    marked = [writer for writer in highest if writer.generator in site.marking_generators]
    return marked or highest


def _find_writing_generator(
    project: ProjectFiles, site: BuiltSite, folder: str
) -> Generator | None:
    """Finds with which generator a project has written a site, None if it has not written it.

    `project` is in `folder` or below it. For a project of MkDocs, with the file `mkdocs.yml`:

    | the mark on the home page | the site is in the output | the site is elsewhere in `folder` |
    |---|---|---|
    | of MkDocs | MkDocs | MkDocs |
    | of Zensical, which reads a `mkdocs.yml`, too | Zensical | None |
    | of Hugo | None | None |
    | none | MkDocs | None |
    """
    marking = site.marking_generators
    is_output = project.part_of_output(site.folder) is not None
    # 1. The project's own generator, MkDocs.
    is_marked = project.generator in marking
    if is_marked and (is_output or is_below(site.folder, folder)):
        return project.generator
    if not is_output:
        return None
    if not marking:
        return project.generator
    # 2. A generator that has left its mark and reads the project's file: Zensical.
    return next((other for other in marking if project.file in other.settings), None)


def _find_writer_in_place(site: BuiltSite, first_look: FirstLook) -> Project | None:
    """Finds the only project in the folder of a site, if it has written the site there.

    `pelican -o .` does so. But an `index.html` beside `_config.yml` may also be a source of Jekyll.
    So it must be a whole page, and one of these must hold:

    - it has the mark of the project's generator
    - the generator keeps its sources in folders of their own, as Pelican in `content`
    - the settings name the folder as the output
    """
    projects = _list_site_projects_at(site.folder, first_look)
    if len(projects) != 1 or not _may_be_site(projects[0], site, first_look):
        return None
    project = projects[0]
    is_marked = project.generator in site.marking_generators
    has_sources_apart = "." not in project.generator.content  # "." is the project's own folder
    is_output_in_settings = project.site == site.folder
    if is_marked or has_sources_apart or is_output_in_settings:
        return _make_writer(project, site, first_look)
    return None


def _make_project_by_pages(site: BuiltSite, first_look: FirstLook) -> Project:
    """Makes the project of a site from its home page, if no project nearby has written the site.

    It has only the generator: `<meta name="generator" content="Hugo">` → Hugo.
    """
    project = make_project_without_files(site, first_look)
    # Many projects are found by their package.json. If it cannot be read, the error for a missing
    # base URL says so.
    packages = first_look.settings(first_look.cwd, PACKAGES)
    return project._replace(no_setting_reason=describe_unreadable(packages))


# --- a folder that is not a site


def _find_mistake(
    site: BuiltSite, nearest: ProjectFiles | None, first_look: FirstLook
) -> tuple[str, str] | None:
    """Explains why a folder is not a built site, and what to do. None if it may be one.

    The result is a problem such as `content: is a part of the project of Hugo (hugo.toml), not the
    built site`, and the advice to name the output. The middle of the problem depends on the folder:

    | folder | middle |
    |---|---|
    | `blog`, which has hugo.toml and no built page | `is the project` |
    | `layouts`, with templates of the `nearest` project | `is a part of the project` |
    | `content`, the same without HTML | `there is no HTML here; it is a part of the project` |

    `nearest` is the project in a folder around the site, None if there is none.
    """
    folder = site.folder
    # 1. The folder of a project.
    projects = _list_site_projects_at(folder, first_look)
    if projects and not _may_be_site(projects[0], site, first_look):
        return _explain_not_site(folder, "is the project", projects[0], first_look.cwd)
    # 2. A folder with sources of the project around it.
    if nearest is None or not _is_source(folder, nearest, first_look):
        return None
    what_it_is = "is a part of the project"
    if not contains_pages(folder):
        what_it_is = f"{describe_no_html(folder)}; it {what_it_is}"
    return _explain_not_site(folder, what_it_is, nearest, first_look.cwd)


def _list_site_projects_at(folder: str, first_look: FirstLook) -> list[ProjectFiles]:
    """Lists the projects of sites whose file, such as `hugo.toml`, is in this very folder.

    Projects in folders below it, such as docs/, are left out. So are those of general tools such as
    Vite, which makes apps of all kinds.
    """
    # `projects_in` also lists the projects in docs/. `select_site_projects` leaves out the tools.
    projects = select_site_projects(projects_in(folder, first_look), folder)
    return [project for project in projects if project.folder == folder]


def _may_be_site(project: ProjectFiles, site: BuiltSite, first_look: FirstLook) -> bool:
    """Whether the folder of a project may also be its built site, as after `pelican -o .`.

    | the folder | may be the site |
    |---|---|
    | the project has built another one, such as `output` | no |
    | `index.html` has no `<html>`, or is a template | no |
    | `index.html` is a whole page | yes |
    """
    if project.site not in (None, site.folder):
        return False
    is_whole_page = re.search(_WHOLE_PAGE, site.page) is not None
    return is_whole_page and not is_template(site.folder, first_look)


def _is_source(folder: str, project: ProjectFiles, first_look: FirstLook) -> bool:
    """Whether a folder contains sources or templates of a project, such as `content` of Hugo."""
    for name in project.generator.content:
        # "." is the project's own folder, in which the site may be, too.
        if name != "." and is_below(folder, os.path.join(project.folder, name)):
            return True
    return is_below(folder, project.folder) and is_template(folder, first_look)


def _explain_not_site(folder: str, what: str, project: ProjectFiles, cwd: str) -> tuple[str, str]:
    """Says what is wrong with a folder of a project, and which folder to give instead.

    `what` is the middle of the sentence, such as `is a part of the project`. The result is
    `content: is a part of the project of Hugo (hugo.toml), not the built site`, and `name the
    folder that Hugo writes: public`.
    """
    name = project.generator.name
    output = relative(project.site or project.outputs[0], cwd)
    advice = f"pass the folder that {name} writes: {output}"
    if not project.site:
        advice = f"run {project.generator.run}, then {advice}"
    label = relative(folder, cwd)
    return f"{label}: {what} of {name} ({project.file}), not the built site", advice


def contains_pages(folder: str) -> bool:
    """Whether a folder or one below it has a page, such as `a/b.html`."""
    return any(is_page_name(os.path.basename(path)) for path in files_below(folder))
