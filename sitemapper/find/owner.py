"""The project of a site: which generator wrote the site, and the settings that its files give."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..fs import ancestors, files_below, relative
from ..model import Detected, Origin, SourceRoute
from ..read.lookalikes import describe_no_html
from ..syntax.gitignore import BUILT_IN
from ..syntax.urls import is_page_name
from .addresses import Address, Place
from .built_sitemap import names_file
from .candidate import (
    INDEX,
    ProjectCandidate,
    candidates_in,
    describe_damage,
    is_below,
    is_template,
)
from .generator import Generator, Project
from .generators import ALL, UNKNOWN
from .heads import home_page
from .plugins import uses_plugin
from .search import PACKAGES

_TAG = re.compile(rb"<meta\s[^<>]*>", re.IGNORECASE)
# Compiled when it is used.
_CONTENT = rb"""(?i)content=(?:"([^"]*)"|'([^']*)'|([^\s>]*))"""
_WHOLE_PAGE = rb"(?i)<html|<!doctype"  # compiled when it is used
_DOCUTILS = {"Jupyter Book", "Sphinx"}  # both are recognised by the tag of Docutils


class BuiltSite(NamedTuple):
    """A folder that may be a built site, its home page, and the generators whose mark it has."""

    folder: str
    page: bytes
    signed: list[Generator]


def read_site(folder: str) -> BuiltSite:
    """The home page of a site, and whose marks are on it or beside it."""
    page = home_page(folder).data
    signs = _generator_tags(page)
    signed = []
    for generator in ALL:
        if any(map(generator.signs, signs)) or _has_trace(generator, folder, page):
            signed.append(generator)
    return BuiltSite(folder, page, signed)


def _generator_tags(page: bytes) -> list[str]:
    """The contents of `<meta name="generator">` in a page."""
    contents = []
    for tag in _TAG.findall(page):
        if b"generator" not in tag.lower():
            continue
        match = re.search(_CONTENT, tag)
        if match:
            content = match[1] or match[2] or match[3] or b""
            contents.append(content.decode("utf-8", "replace"))
    return contents


def _has_trace(generator: Generator, site: str, page: bytes) -> bool:
    """Whether a generator left its file in a site or its trace on the home page."""
    if generator.left and os.path.isfile(os.path.join(site, generator.left)):
        return True
    return bool(generator.trace) and generator.trace in page


def of_site(folder: str, cwd: str) -> Project:
    """The project of a site that was found, with its settings."""
    site = read_site(folder)
    project = _of_owner(site, cwd) or _of_writer_in_place(site, cwd)
    if project:
        return project
    if folder == cwd:
        return _of_nobody(site, cwd)
    place = Detected("site", folder, Origin(f"the only folder with an {INDEX}"))
    return _of_nobody(site, cwd, place)


def of_named_site(folder: str, cwd: str) -> Project:
    """The project of a site that the user named, or why the folder is not a site.

    It is the one that writes the site. If none is known to, it may be the nearest project, unless
    that one has a site of its own.
    """
    site = read_site(folder)
    project_that_writes = _of_owner(site, cwd) or _of_writer_in_place(site, cwd)
    if project_that_writes:
        return project_that_writes
    alone = _of_nobody(site, cwd)
    nearest = None if site.signed else _nearest_project(folder, cwd)
    mistake = _find_mistake(site, nearest, cwd)
    if mistake:
        return alone._replace(mistake=mistake)
    if nearest is None:
        return alone
    if nearest.site:
        return _with_reason(alone, alone.address.setting.reason or written_by(nearest, cwd))
    # A project that is not built yet here may write its output anywhere.
    is_beside = nearest.folder in (cwd, os.path.dirname(folder))
    if is_beside or nearest.is_source(cwd):
        return project_of(nearest, folder, cwd)
    return alone


def written_by(candidate: ProjectCandidate, cwd: str) -> str:
    """Which generator writes which site."""
    site = relative(candidate.site or candidate.outputs[0], cwd)
    return f"{candidate.generator.name} ({candidate.label(cwd)}) writes {site}"


def strong_in(candidates: list[ProjectCandidate], folder: str) -> list[ProjectCandidate]:
    """The projects of generators that only write sites: those in a folder, else those below it."""
    strong = [candidate for candidate in candidates if not candidate.generator.is_weak]
    own = [candidate for candidate in strong if candidate.folder == folder]
    return own or strong


# --- who wrote a site


def _of_owner(site: BuiltSite, cwd: str) -> Project | None:
    """The nearest project that writes a site; without a base URL if two may have written it."""
    for folder in _folders_above(site.folder, cwd):
        owners = _owners_in(folder, site, cwd)
        if len(owners) == 1:
            owner = owners[0]
            return project_of(owner, site.folder, cwd, is_marked=owner.generator in site.signed)
        if owners:
            names = " and ".join(f"{owner.label(cwd)} ({owner.generator.name})" for owner in owners)
            reason = f"both {names} may have written this site"
            return Project(
                generator=UNKNOWN,
                folder=cwd,
                site=site.folder,
                settings=(Detected("site", site.folder, Origin(names)),),
                address=Address(setting=Place("setting", reason=reason), path=None),
            )
    return None


def _folders_above(site: str, cwd: str) -> Iterator[str]:
    """The folders above a site, nearest first, then those from the working directory up."""
    parent = os.path.dirname(site)
    yield from dict.fromkeys((parent, *ancestors(parent), *ancestors(cwd)))


def _owners_in(folder: str, site: BuiltSite, cwd: str) -> list[ProjectCandidate]:
    """The projects in a folder that may have written a site, if possible those with their mark."""
    found: list[ProjectCandidate] = []
    for candidate in candidates_in(folder, site.folder, cwd):
        owner = _owner(candidate, site, folder)
        if owner:
            found.append(owner)
    beside = [owner for owner in found if owner.folder == found[0].folder]
    marked = [owner for owner in beside if owner.generator in site.signed]
    return marked or beside


def _owner(candidate: ProjectCandidate, site: BuiltSite, above: str) -> ProjectCandidate | None:
    """The candidate if it has written the site, None if not.

    With its generator's mark on the site, it is enough that the site is below the folder `above`.
    Otherwise the site must be in the candidate's output. If that has another generator's mark, the
    candidate becomes that generator's, if both share the file of settings.
    """
    is_output = candidate.part_of_output(site.folder) is not None
    marked_by = site.signed
    if candidate.generator in marked_by:
        if is_output or is_below(site.folder, above):
            return candidate
        return None
    if not is_output:
        return None
    if not marked_by:
        return candidate
    for generator in marked_by:
        if candidate.file in generator.settings:
            return candidate._replace(generator=generator)
    return None


def _of_writer_in_place(site: BuiltSite, cwd: str) -> Project | None:
    """The project whose folder is the site, as `pelican -o .` writes it, None if there is none.

    Where the sources of a generator may stand in its project's own folder, a page there may be one
    of them. So the page then needs the generator's mark, or the settings must name the folder.
    """
    own = _projects_at(site.folder)
    if len(own) != 1 or _has_another_site(own[0], site) or not _is_built(site):
        return None
    [writer] = own
    is_marked = writer.generator in site.signed
    has_sources_apart = "." not in writer.generator.content
    if is_marked or has_sources_apart or writer.site == site.folder:
        return project_of(writer, site.folder, cwd, is_marked=is_marked)
    return None


def of_site_in_place(folder: str, cwd: str) -> Project | None:
    """The project of a folder whose home page shows that it is the built site, else None.

    The page has the generator's mark, or names other pages of the folder below the base URL of the
    settings, as no file of a theme does.
    """
    site = read_site(folder)
    project = _of_writer_in_place(site, cwd)
    if project is None:
        return None
    is_marked = project.generator in site.signed
    return project if is_marked or _names_itself(site, project) else None


def _names_itself(site: BuiltSite, project: Project) -> bool:
    """Whether the home page links to another page of its folder by the base URL of the settings."""
    setting = project.address.setting.base_url
    if setting is None:
        return False
    base = str(setting.value)
    urls = re.findall(rb"""(?i)\bhref=["']?([^"'\s<>#?]+)""", site.page)
    links = {url.decode("utf-8", "replace") for url in urls}
    return any(url != base and names_file(url, base, site.folder) for url in links)


def _nearest_project(site: str, cwd: str) -> ProjectCandidate | None:
    """The only project in the nearest folder with any, None if there are several."""
    for folder in _folders_above(site, cwd):
        strong = strong_in(candidates_in(folder, site, cwd), folder)
        if strong:
            return strong[0] if len(strong) == 1 else None
    return None


# --- a folder that is not a site


def _find_mistake(
    site: BuiltSite, nearest: ProjectCandidate | None, cwd: str
) -> tuple[str, str] | None:
    """Why a named folder is not a site, and what to do. None if it may be one."""
    own = _project_in(site)
    if own:
        return _not_the_site(site.folder, "is the project", own, cwd)
    if nearest is None or not nearest.is_source(site.folder):
        return None
    what = "is a part of the project"
    if not holds_html(site.folder):
        what = f"{describe_no_html(site.folder)}; it {what}"
    return _not_the_site(site.folder, what, nearest, cwd)


def _project_in(site: BuiltSite) -> ProjectCandidate | None:
    """The project whose folder was named instead of its site.

    None if the folder is a site. That may contain files of a project.
    """
    own = _projects_at(site.folder)
    if not own:
        return None
    if _is_built(site) and not _has_another_site(own[0], site):
        return None
    return own[0]


def _projects_at(folder: str) -> list[ProjectCandidate]:
    """The projects of generators that only write sites, in this very folder."""
    strong = [candidate for candidate in candidates_in(folder) if not candidate.generator.is_weak]
    return [candidate for candidate in strong if candidate.folder == folder]


def _is_built(site: BuiltSite) -> bool:
    """Whether the home page is a whole page, and no template of one."""
    return re.search(_WHOLE_PAGE, site.page) is not None and not is_template(site.folder)


def _has_another_site(candidate: ProjectCandidate, site: BuiltSite) -> bool:
    """Whether a project has written a site elsewhere."""
    return candidate.site not in (None, site.folder)


def _not_the_site(folder: str, what: str, project: ProjectCandidate, cwd: str) -> tuple[str, str]:
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


# --- what is known of a site


def project_of(owner: ProjectCandidate, site: str, cwd: str, *, is_marked: bool = False) -> Project:
    """The detected project of a generator that has written, or will write, a site.

    With `is_marked`, the generator's mark is on the site.
    """
    generator = owner.generator
    label = owner.label(cwd)
    address = owner.address(site, cwd)
    note = _missing_record(owner, label)
    if note and not address.setting.base_url:
        address = address._replace(setting=Place("setting", reason=note))
    is_versioned = _has_versions(owner.folder) or _has_versions(site)
    found = [Detected("site", site, Origin(label)), owner.style(cwd)]
    found += _built_in_settings(generator, is_versioned=is_versioned)
    folders: list[str] = []
    routes: list[SourceRoute] = []
    if generator.routes:
        routes = generator.routes(owner.folder, owner.entries)
    if not is_versioned:  # old versions come from other files
        folders = _content_folders(owner)
    return Project(
        generator=generator,
        folder=owner.folder,
        file=owner.file,
        evidence=(label, f"its mark in {INDEX}") if is_marked else (label,),
        site=site,
        settings=tuple(setting for setting in found if setting and setting.value),
        address=address,
        note=note,
        source_folders=tuple(folders),
        output_folders=() if generator.is_weak else tuple(owner.outputs),
        source_routes=tuple(routes),
        sitemap=owner.sitemap,
    )


def _content_folders(owner: ProjectCandidate) -> list[str]:
    """The folders in which the generator expects sources."""
    names = owner.generator.content
    return [os.path.normpath(os.path.join(owner.folder, name)) for name in names]


def _missing_record(owner: ProjectCandidate, label: str) -> str:
    """What to do if our plugin is in use, "" if it is not. Its record would have been found."""
    if not uses_plugin(owner.generator, owner.folder, owner.entries):
        return ""
    what = f"{label} uses the plugin, which has left no current record of a build"
    return f"{what}: run {owner.generator.run} for its settings and for what made each page"


def _has_versions(folder: str) -> bool:
    """Whether a project or a site of Docusaurus has several versions of its documentation.

    Source: docusaurus.io/docs/versioning.
    """
    return os.path.isfile(os.path.join(folder, "versions.json"))


def _built_in_settings(generator: Generator, *, is_versioned: bool) -> Iterator[Detected]:
    """The settings that hold for all projects of a generator. Their values may be empty."""
    origin = Origin(f"{BUILT_IN} for {generator.name}")
    maps = () if is_versioned else generator.maps
    tables = [{"page": page, "source": list(sources)} for page, sources in maps]
    yield Detected("ignore", list(generator.ignore), origin)
    yield Detected("git.map", tables, origin)
    if is_versioned:
        yield Detected("ledger.drop", list(generator.drop), origin)


def _of_nobody(site: BuiltSite, cwd: str, place: Detected | None = None) -> Project:
    """The certain facts about a site without a known project. `place` is where it was found."""
    marked = _marked_by(site)
    generator = marked or UNKNOWN
    ignore = None
    if generator.ignore:
        origin = Origin(f"{BUILT_IN} for {generator.name}")
        ignore = Detected("ignore", list(generator.ignore), origin)
    project = Project(
        generator=generator,
        folder=cwd,
        evidence=(f"its mark in {INDEX}",) if marked else (),
        site=site.folder,
        settings=tuple(setting for setting in (place, ignore) if setting),
    )
    # It may name the generator and the home page.
    return _with_reason(project, describe_damage(cwd, PACKAGES, cwd))


def _with_reason(project: Project, reason: str) -> Project:
    """The project, with the reason why no setting gives the base URL."""
    setting = Place("setting", reason=reason)
    return project._replace(address=project.address._replace(setting=setting))


def _marked_by(site: BuiltSite) -> Generator | None:
    """The only generator whose mark is on a site, None if there is none or several."""
    signed = site.signed
    if {generator.name for generator in signed} == _DOCUTILS:
        # Docutils is also used alone. Only a script or a file of Sphinx proves that Sphinx wrote
        # the site.
        by_sphinx = [generator for generator in signed if generator.left]
        signed = [g for g in by_sphinx if _has_trace(g, site.folder, site.page)]
    return signed[0] if len(signed) == 1 else None
