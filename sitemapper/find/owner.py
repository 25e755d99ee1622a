"""Who wrote a site: the nearest project whose output it is, or whose generator's mark it has."""

import os
import re
from collections.abc import Iterator

from ..fs import ancestors, files_below, relative
from ..model import Detected, Origin
from ..read.built_sitemap import names_file
from ..read.lookalikes import describe_no_html
from ..read.walk import INDEX
from ..syntax.urls import is_page_name
from .addresses import Address, Place
from .first_look import FirstLook
from .generators import UNKNOWN
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
    """The project of a site that was found, with its settings."""
    site = read_site(folder, first_look)
    project = _find_owner_project(site, first_look) or _find_writer_in_place(site, first_look)
    if project:
        return project
    alone = _make_project_of_mark(site, first_look)
    if folder == first_look.cwd:
        return alone
    place = Detected("site", folder, Origin(f"the only folder with an {INDEX}"))
    return alone._replace(settings=(place, *alone.settings))


def find_project_of_given_site(folder: str, first_look: FirstLook) -> Project:
    """The project of a site that the user named, or why the folder is not a site.

    It is the one that writes the site. If none is known to, it may be the nearest project, unless
    that one has a site of its own.
    """
    site = read_site(folder, first_look)
    project_that_writes = _find_owner_project(site, first_look) or _find_writer_in_place(
        site, first_look
    )
    if project_that_writes:
        return project_that_writes
    alone = _make_project_of_mark(site, first_look)
    nearest = None
    if not site.marking_generators:
        around = (
            select_site_projects(projects_in(f, first_look, folder), f)
            for f in _folders_above(folder, first_look)
        )
        projects = next(filter(None, around), [])
        nearest = projects[0] if len(projects) == 1 else None
    mistake = _find_mistake(site, nearest, first_look)
    if mistake:
        return alone._replace(mistake=mistake)
    if nearest is None:
        return alone
    if nearest.site:
        return alone.with_reason(
            alone.address.setting.reason or describe_writer(nearest, first_look.cwd)
        )
    # A project that is not built yet here may write its output anywhere.
    is_beside = nearest.folder in (first_look.cwd, os.path.dirname(folder))
    if is_beside or _is_source(first_look.cwd, nearest, first_look):
        return make_project(nearest, folder, first_look)
    return alone


def find_project_in_own_site(folder: str, first_look: FirstLook) -> Project | None:
    """The project of a folder whose home page shows that it is the built site, else None.

    The page has the generator's mark, or names other pages of the folder below the base URL of the
    settings, as no file of a theme does.
    """
    site = read_site(folder, first_look)
    project = _find_writer_in_place(site, first_look)
    if project is None or project.generator in site.marking_generators:
        return project
    setting = project.address.setting.base_url
    base = str(setting.value) if setting else ""
    links = {url.decode("utf-8", "replace") for url in re.findall(_HREF, site.page)}
    links.discard(base)
    names_itself = base and any(names_file(url, base, folder) for url in links)
    return project if names_itself else None


def describe_writer(project: ProjectFiles, cwd: str) -> str:
    """Which generator writes which site."""
    site = relative(project.site or project.outputs[0], cwd)
    return f"{project.generator.name} ({project.label}) writes {site}"


# --- who wrote a site


def _find_owner_project(site: BuiltSite, first_look: FirstLook) -> Project | None:
    """The nearest project that writes a site; without a base URL if two may have written it."""
    for folder in _folders_above(site.folder, first_look):
        owners = _owners_in(folder, site, first_look)
        if len(owners) == 1:
            owner = owners[0]
            is_marked = owner.generator in site.marking_generators
            return make_project(owner, site.folder, first_look, is_marked=is_marked)
        if owners:
            names = " and ".join(f"{owner.label} ({owner.generator.name})" for owner in owners)
            reason = f"both {names} may have written this site"
            return Project(
                generator=UNKNOWN,
                folder=first_look.cwd,
                site=site.folder,
                settings=(Detected("site", site.folder, Origin(names)),),
                address=Address(setting=Place("setting", reason=reason), path=None),
            )
    return None


def _folders_above(site: str, first_look: FirstLook) -> Iterator[str]:
    """The folders above a site, nearest first, then those from the working directory up."""
    parent = os.path.dirname(site)
    yield from dict.fromkeys((parent, *ancestors(parent), *ancestors(first_look.cwd)))


def _owners_in(folder: str, site: BuiltSite, first_look: FirstLook) -> list[ProjectFiles]:
    """The projects in a folder that may have written a site, if possible those with their mark."""
    found: list[ProjectFiles] = []
    for project in projects_in(folder, first_look, site.folder):
        owner = _match_owner(project, site, folder)
        if owner:
            found.append(owner)
    beside = [owner for owner in found if owner.folder == found[0].folder]
    marked = [owner for owner in beside if owner.generator in site.marking_generators]
    return marked or beside


def _match_owner(project: ProjectFiles, site: BuiltSite, above: str) -> ProjectFiles | None:
    """The project if it has written the site, None if not.

    With its generator's mark on the site, it is enough that the site is below the folder `above`.
    Otherwise the site must be in the project's output. If that has another generator's mark, the
    project becomes that generator's, if both share the file of settings.
    """
    is_output = project.part_of_output(site.folder) is not None
    if project.generator in site.marking_generators:
        return project if is_output or is_below(site.folder, above) else None
    if not is_output:
        return None
    if not site.marking_generators:
        return project
    for generator in site.marking_generators:
        if project.file in generator.settings:
            return project._replace(generator=generator)
    return None


def _find_writer_in_place(site: BuiltSite, first_look: FirstLook) -> Project | None:
    """The project whose folder is the site, as `pelican -o .` writes it, None if there is none.

    Where the sources of a generator may stand in its project's own folder, a page there may be one
    of them. So the page then needs the generator's mark, or the settings must name the folder.
    """
    own = _list_site_projects_at(site.folder, first_look)
    if len(own) != 1 or not _may_be_site(own[0], site, first_look):
        return None
    writer = own[0]
    is_marked = writer.generator in site.marking_generators
    has_sources_apart = "." not in writer.generator.content
    if is_marked or has_sources_apart or writer.site == site.folder:
        return make_project(writer, site.folder, first_look, is_marked=is_marked)
    return None


def _make_project_of_mark(site: BuiltSite, first_look: FirstLook) -> Project:
    """What is certain without a known project, and what is wrong with package.json.

    That file may name the generator and the home page.
    """
    unreadable_file = describe_unreadable(first_look.settings(first_look.cwd, PACKAGES))
    return make_project_without_files(site, first_look).with_reason(unreadable_file)


# --- a folder that is not a site


def _find_mistake(
    site: BuiltSite, nearest: ProjectFiles | None, first_look: FirstLook
) -> tuple[str, str] | None:
    """Why a named folder is not a site, and what to do. None if it may be one."""
    own = _list_site_projects_at(site.folder, first_look)
    if own and not _may_be_site(own[0], site, first_look):
        return _explain_not_site(site.folder, "is the project", own[0], first_look.cwd)
    if nearest is None or not _is_source(site.folder, nearest, first_look):
        return None
    what = "is a part of the project"
    if not contains_pages(site.folder):
        what = f"{describe_no_html(site.folder)}; it {what}"
    return _explain_not_site(site.folder, what, nearest, first_look.cwd)


def _list_site_projects_at(folder: str, first_look: FirstLook) -> list[ProjectFiles]:
    """The projects of generators that only write sites, in this very folder."""
    strong = [one for one in projects_in(folder, first_look) if not one.generator.is_general_tool]
    return [project for project in strong if project.folder == folder]


def _may_be_site(project: ProjectFiles, site: BuiltSite, first_look: FirstLook) -> bool:
    """Whether the folder of a project may be its site, too.

    Its home page is a whole page, and no template of one, and the project has no other site.
    """
    if project.site not in (None, site.folder):
        return False
    return re.search(_WHOLE_PAGE, site.page) is not None and not is_template(
        site.folder, first_look
    )


def _is_source(folder: str, project: ProjectFiles, first_look: FirstLook) -> bool:
    """Whether a folder is part of a project's sources, or contains templates of it."""
    if project.is_source(folder):
        return True
    return is_below(folder, project.folder) and is_template(folder, first_look)


def _explain_not_site(folder: str, what: str, project: ProjectFiles, cwd: str) -> tuple[str, str]:
    """The problem with a folder of a project, and which folder to name instead."""
    name = project.generator.name
    output = relative(project.site or project.outputs[0], cwd)
    advice = f"name the folder that {name} writes: {output}"
    if not project.site:
        advice = f"run {project.generator.run}, then {advice}"
    label = relative(folder, cwd)
    return f"{label}: {what} of {name} ({project.file}), not the built site", advice


def contains_pages(folder: str) -> bool:
    """Whether a folder or one below it has a page."""
    return any(is_page_name(os.path.basename(path)) for path in files_below(folder))
