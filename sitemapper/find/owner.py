"""Who wrote a site: the nearest project whose output it is, or whose generator's mark it has."""

import os
import re
from collections.abc import Iterator

from ..fs import ancestors, files_below, relative
from ..model import Detected, Origin
from ..read.lookalikes import describe_no_html
from ..read.walk import INDEX
from ..syntax.urls import is_page_name
from .addresses import Address, Place
from .built_sitemap import names_file
from .first_look import FirstLook
from .generators import UNKNOWN
from .project import BuiltSite, Project, project_of, project_of_nobody, read_site
from .project_files import (
    PACKAGES,
    ProjectFiles,
    describe_damage,
    is_below,
    is_template,
    projects_in,
    strong_in,
)

# Compiled when they are used.
_WHOLE_PAGE = rb"(?i)<html|<!doctype"
_HREF = rb"""(?i)\bhref=["']?([^"'\s<>#?]+)"""


def of_site(folder: str, look: FirstLook) -> Project:
    """The project of a site that was found, with its settings."""
    site = read_site(folder, look)
    project = _of_owner(site, look) or _of_writer_in_place(site, look)
    if project:
        return project
    alone = _of_nobody(site, look)
    if folder == look.cwd:
        return alone
    place = Detected("site", folder, Origin(f"the only folder with an {INDEX}"))
    return alone._replace(settings=(place, *alone.settings))


def of_named_site(folder: str, look: FirstLook) -> Project:
    """The project of a site that the user named, or why the folder is not a site.

    It is the one that writes the site. If none is known to, it may be the nearest project, unless
    that one has a site of its own.
    """
    site = read_site(folder, look)
    project_that_writes = _of_owner(site, look) or _of_writer_in_place(site, look)
    if project_that_writes:
        return project_that_writes
    alone = _of_nobody(site, look)
    nearest = None
    if not site.signed:
        around = (strong_in(projects_in(f, look, folder), f) for f in _folders_above(folder, look))
        projects = next(filter(None, around), [])
        nearest = projects[0] if len(projects) == 1 else None
    mistake = _find_mistake(site, nearest, look)
    if mistake:
        return alone._replace(mistake=mistake)
    if nearest is None:
        return alone
    if nearest.site:
        return alone.with_reason(alone.address.setting.reason or written_by(nearest, look.cwd))
    # A project that is not built yet here may write its output anywhere.
    is_beside = nearest.folder in (look.cwd, os.path.dirname(folder))
    if is_beside or _is_source(look.cwd, nearest, look):
        return project_of(nearest, folder, look)
    return alone


def of_site_in_place(folder: str, look: FirstLook) -> Project | None:
    """The project of a folder whose home page shows that it is the built site, else None.

    The page has the generator's mark, or names other pages of the folder below the base URL of the
    settings, as no file of a theme does.
    """
    site = read_site(folder, look)
    project = _of_writer_in_place(site, look)
    if project is None or project.generator in site.signed:
        return project
    setting = project.address.setting.base_url
    base = str(setting.value) if setting else ""
    links = {url.decode("utf-8", "replace") for url in re.findall(_HREF, site.page)}
    links.discard(base)
    names_itself = base and any(names_file(url, base, folder) for url in links)
    return project if names_itself else None


def written_by(project: ProjectFiles, cwd: str) -> str:
    """Which generator writes which site."""
    site = relative(project.site or project.outputs[0], cwd)
    return f"{project.generator.name} ({project.label}) writes {site}"


# --- who wrote a site


def _of_owner(site: BuiltSite, look: FirstLook) -> Project | None:
    """The nearest project that writes a site; without a base URL if two may have written it."""
    for folder in _folders_above(site.folder, look):
        owners = _owners_in(folder, site, look)
        if len(owners) == 1:
            owner = owners[0]
            is_marked = owner.generator in site.signed
            return project_of(owner, site.folder, look, is_marked=is_marked)
        if owners:
            names = " and ".join(f"{owner.label} ({owner.generator.name})" for owner in owners)
            reason = f"both {names} may have written this site"
            return Project(
                generator=UNKNOWN,
                folder=look.cwd,
                site=site.folder,
                settings=(Detected("site", site.folder, Origin(names)),),
                address=Address(setting=Place("setting", reason=reason), path=None),
            )
    return None


def _folders_above(site: str, look: FirstLook) -> Iterator[str]:
    """The folders above a site, nearest first, then those from the working directory up."""
    parent = os.path.dirname(site)
    yield from dict.fromkeys((parent, *ancestors(parent), *ancestors(look.cwd)))


def _owners_in(folder: str, site: BuiltSite, look: FirstLook) -> list[ProjectFiles]:
    """The projects in a folder that may have written a site, if possible those with their mark."""
    found: list[ProjectFiles] = []
    for project in projects_in(folder, look, site.folder):
        owner = _owner(project, site, folder)
        if owner:
            found.append(owner)
    beside = [owner for owner in found if owner.folder == found[0].folder]
    marked = [owner for owner in beside if owner.generator in site.signed]
    return marked or beside


def _owner(project: ProjectFiles, site: BuiltSite, above: str) -> ProjectFiles | None:
    """The project if it has written the site, None if not.

    With its generator's mark on the site, it is enough that the site is below the folder `above`.
    Otherwise the site must be in the project's output. If that has another generator's mark, the
    project becomes that generator's, if both share the file of settings.
    """
    is_output = project.part_of_output(site.folder) is not None
    if project.generator in site.signed:
        return project if is_output or is_below(site.folder, above) else None
    if not is_output:
        return None
    if not site.signed:
        return project
    for generator in site.signed:
        if project.file in generator.settings:
            return project._replace(generator=generator)
    return None


def _of_writer_in_place(site: BuiltSite, look: FirstLook) -> Project | None:
    """The project whose folder is the site, as `pelican -o .` writes it, None if there is none.

    Where the sources of a generator may stand in its project's own folder, a page there may be one
    of them. So the page then needs the generator's mark, or the settings must name the folder.
    """
    own = _projects_at(site.folder, look)
    if len(own) != 1 or not _may_be_site(own[0], site, look):
        return None
    writer = own[0]
    is_marked = writer.generator in site.signed
    has_sources_apart = "." not in writer.generator.content
    if is_marked or has_sources_apart or writer.site == site.folder:
        return project_of(writer, site.folder, look, is_marked=is_marked)
    return None


def _of_nobody(site: BuiltSite, look: FirstLook) -> Project:
    """What is certain without a known project, and what is wrong with package.json.

    That file may name the generator and the home page.
    """
    damage = describe_damage(look.settings(look.cwd, PACKAGES))
    return project_of_nobody(site, look).with_reason(damage)


# --- a folder that is not a site


def _find_mistake(
    site: BuiltSite, nearest: ProjectFiles | None, look: FirstLook
) -> tuple[str, str] | None:
    """Why a named folder is not a site, and what to do. None if it may be one."""
    own = _projects_at(site.folder, look)
    if own and not _may_be_site(own[0], site, look):
        return _not_the_site(site.folder, "is the project", own[0], look.cwd)
    if nearest is None or not _is_source(site.folder, nearest, look):
        return None
    what = "is a part of the project"
    if not holds_html(site.folder):
        what = f"{describe_no_html(site.folder)}; it {what}"
    return _not_the_site(site.folder, what, nearest, look.cwd)


def _projects_at(folder: str, look: FirstLook) -> list[ProjectFiles]:
    """The projects of generators that only write sites, in this very folder."""
    strong = [one for one in projects_in(folder, look) if not one.generator.is_weak]
    return [project for project in strong if project.folder == folder]


def _may_be_site(project: ProjectFiles, site: BuiltSite, look: FirstLook) -> bool:
    """Whether the folder of a project may be its site, too.

    Its home page is a whole page, and no template of one, and the project has no other site.
    """
    if project.site not in (None, site.folder):
        return False
    return re.search(_WHOLE_PAGE, site.page) is not None and not is_template(site.folder, look)


def _is_source(folder: str, project: ProjectFiles, look: FirstLook) -> bool:
    """Whether a folder is part of a project's sources, or contains templates of it."""
    if project.is_source(folder):
        return True
    return is_below(folder, project.folder) and is_template(folder, look)


def _not_the_site(folder: str, what: str, project: ProjectFiles, cwd: str) -> tuple[str, str]:
    """The problem with a folder of a project, and which folder to name instead."""
    name = project.generator.name
    output = relative(project.site or project.outputs[0], cwd)
    advice = f"name the folder that {name} writes: {output}"
    if not project.site:
        advice = f"run {project.generator.run}, then {advice}"
    label = relative(folder, cwd)
    return f"{label}: {what} of {name} ({project.file}), not the built site", advice


def holds_html(folder: str) -> bool:
    """Whether a folder or one below it has a page."""
    return any(is_page_name(os.path.basename(path)) for path in files_below(folder))
