"""The project that wrote a site: the nearest one whose output it is, or whose mark it has."""

import os
import re
from collections.abc import Iterator

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
    | `public`, which Hugo has written | the project of Hugo, with its settings |
    | `content` of Hugo, or the folder of hugo.toml | an error that names the right folder |
    | `www`, to which the output of Hugo was probably moved | the project of Hugo |
    | any other | only the generator that its home page shows, as by a generator tag |

    The error is the `mistake` of the result: the problem and the advice.
    """
    site = read_site(folder, first_look)
    writer = _find_writer(site, first_look)
    if writer:
        return writer
    without_files = _make_project_by_pages(site, first_look)
    # The project around the folder. But a home page with a generator's mark was made by another
    # project, since the one around it would have been found as its writer.
    nearest = None if site.marking_generators else _find_nearest_project(folder, first_look)
    mistake = _find_mistake(site, nearest, first_look)
    if mistake:
        return without_files._replace(mistake=mistake)
    if nearest is None:
        return without_files
    if nearest.site is None:  # its output is not in the usual place
        is_moved = _may_be_moved_output(folder, nearest, first_look)
        return make_project(nearest, folder, first_look) if is_moved else without_files
    # The project has an output, `public`, so its settings are not for this folder. If no base URL
    # is found, the error says so: `Hugo (hugo.toml) writes public`.
    reason = without_files.no_setting_reason or describe_writer(nearest, first_look.cwd)
    return without_files._replace(no_setting_reason=reason)


def _may_be_moved_output(folder: str, project: ProjectFiles, first_look: FirstLook) -> bool:
    """Whether a folder is probably the output of a project, moved from its usual place.

    The caller has found no output in the usual place. One of these must hold:

    - the folder is right below that of the project, as `/a/www` for `/a/hugo.toml`
    - the user works in the folder of the project, or in one with its sources
    """
    cwd = first_look.cwd
    is_in_project = os.path.dirname(folder) == project.folder
    return is_in_project or cwd == project.folder or _is_source(cwd, project, first_look)


def _find_nearest_project(folder: str, first_look: FirstLook) -> ProjectFiles | None:
    """Finds the project in the nearest folder around a site that has one: `/a` for `/a/public`.

    None if this folder has several projects, or if no folder has one.
    """
    for folder_around in _folders_above(folder, first_look):
        nearby = projects_in(folder_around, first_look, folder)
        projects = select_site_projects(nearby, folder_around)
        if projects:
            return projects[0] if len(projects) == 1 else None
    return None


def find_project_in_own_site(folder: str, first_look: FirstLook) -> Project | None:
    """Finds the project that has built its site into its own folder, as `pelican -o .` does.

    None if there is no such project. Its home page may also be a source, or a file of a theme. One
    of these shows that a generator has built it:

    - It has the mark of the generator: `<meta name="generator" content="Pelican">`.
    - It links to another page of the folder by a full URL, which only a generator writes. With the
      base URL `https://a.example/` in the settings and the file doc/index.html, this is a link to
      `https://a.example/doc/`.
    """
    site = read_site(folder, first_look)
    project = _find_writer_in_place(site, first_look)
    if project is None:
        return None
    # 1. The mark.
    if project.generator in site.marking_generators:
        return project
    # 2. A link. The settings of the generator are the first place that is listed.
    settings = next(list_places_in_files(project, first_look.cwd))
    if settings.base_url is None:
        return None
    base_url = str(settings.base_url.value)
    for link in re.findall(_HREF, site.page):
        url = link.decode("utf-8", "replace")
        is_home_page = url == base_url  # to which a theme may link
        if not is_home_page and names_file(url, base_url, folder):
            return project
    return None


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
    | two in one folder: `hugo.toml` and `book.toml` | a project without files: `is_ambiguous` |
    | none in any folder | the project in the site's own folder, as after `pelican -o .` |
    """
    for folder in _folders_above(site.folder, first_look):
        owners = _list_possible_writers(folder, site, first_look)
        if len(owners) == 1:
            # The home page may have a mark of the generator, such as its generator tag.
            is_marked = owners[0].generator in site.marking_generators
            return make_project(owners[0], site.folder, first_look, is_marked=is_marked)
        if owners:
            names = " and ".join(f"{owner.label} ({owner.generator.name})" for owner in owners)
            project = make_project_without_files(site, first_look)
            # Messages say which files made this folder the site.
            found_site = Detected("site", site.folder, Origin(names))
            return project._replace(
                settings=(found_site, *project.settings),
                no_setting_reason=f"both {names} may have written this site",
                is_ambiguous=True,
            )
    return _find_writer_in_place(site, first_look)


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
    """Finds the generator that has written a site by the files of a project, None if none may have.

    For the project of MkDocs with a `mkdocs.yml`, in or below `folder`:

    | the mark on the home page | the site is in the output | the site is elsewhere in `folder` |
    |---|---|---|
    | of MkDocs | MkDocs | MkDocs |
    | of Zensical, which reads a `mkdocs.yml`, too | Zensical | None |
    | of Hugo | None | None |
    | none | MkDocs | None |
    """
    marking = site.marking_generators
    is_output = project.part_of_output(site.folder) is not None
    if project.generator in marking:
        is_in_folder = is_output or is_below(site.folder, folder)
        return project.generator if is_in_folder else None
    if not is_output:
        return None
    if not marking:
        return project.generator
    # Other generators have left a mark. One of them is the writer if it reads the project's file,
    # as Zensical reads `mkdocs.yml`.
    return next((other for other in marking if project.file in other.settings), None)


def _find_writer_in_place(site: BuiltSite, first_look: FirstLook) -> Project | None:
    """Finds the project that wrote its site into its own folder, as `pelican -o .` does.

    An `index.html` beside `_config.yml` may also be a source of Jekyll. It counts as a built page
    in each of these cases:

    - it has the generator's mark
    - the generator keeps its sources in folders of their own, as Pelican in `content`
    - the settings name the folder as the output

    None for other pages, and if the folder has no project or several.
    """
    projects = _list_site_projects_at(site.folder, first_look)
    if len(projects) != 1 or not _may_be_site(projects[0], site, first_look):
        return None
    writer = projects[0]
    is_marked = writer.generator in site.marking_generators
    has_sources_apart = "." not in writer.generator.content  # "." is the project's own folder
    is_output_in_settings = writer.site == site.folder
    if is_marked or has_sources_apart or is_output_in_settings:
        return make_project(writer, site.folder, first_look, is_marked=is_marked)
    return None


def _make_project_by_pages(site: BuiltSite, first_look: FirstLook) -> Project:
    """Makes the project of a site that no project nearby has written.

    It has only the generator of the home page: `<meta name="generator" content="Hugo">` → Hugo.
    """
    project = make_project_without_files(site, first_look)
    # Many generators are recognised by the package.json of their project. If that cannot be read,
    # it may be why no project was found. The error for a missing base URL then says so.
    packages = first_look.settings(first_look.cwd, PACKAGES)
    return project._replace(no_setting_reason=describe_unreadable(packages))


# --- a folder that is not a site


def _find_mistake(
    site: BuiltSite, nearest: ProjectFiles | None, first_look: FirstLook
) -> tuple[str, str] | None:
    """Explains why a folder is not a built site, and what to do. None if it may be one.

    The problem is one of these, and the advice is to name the output, such as `public`:

    | folder | problem |
    |---|---|
    | `blog`, which has hugo.toml and no built page | `blog: is the project of Hugo …` |
    | `layouts`, a part of the `nearest` project | `layouts: is a part of the project of Hugo …` |
    | `content`, a part without HTML | `content: there is no HTML here; it is a part of …` |
    """
    folder = site.folder
    # 1. The folder of a project.
    projects = _list_site_projects_at(folder, first_look)
    if projects and not _may_be_site(projects[0], site, first_look):
        return _explain_not_site(folder, "is the project", projects[0], first_look.cwd)
    # 2. Its sources.
    if nearest is None or not _is_source(folder, nearest, first_look):
        return None
    what = "is a part of the project"
    if not contains_pages(folder):
        what = f"{describe_no_html(folder)}; it {what}"
    return _explain_not_site(folder, what, nearest, first_look.cwd)


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
    advice = f"name the folder that {name} writes: {output}"
    if not project.site:
        advice = f"run {project.generator.run}, then {advice}"
    label = relative(folder, cwd)
    return f"{label}: {what} of {name} ({project.file}), not the built site", advice


def contains_pages(folder: str) -> bool:
    """Whether a folder or one below it has a page, such as `a/b.html`."""
    return any(is_page_name(os.path.basename(path)) for path in files_below(folder))
