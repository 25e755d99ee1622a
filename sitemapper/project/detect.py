"""Detects the project of a site, from the working directory and the site's folder upwards.

Project files are read as text and never executed. Ambiguous values are not guessed.
"""

import os
import re
from collections.abc import Sequence
from glob import glob
from urllib.parse import quote

from ..fs import ancestors, relative
from ..hosts.find import published_by
from ..model import Detected, Origin
from ..syntax.gitignore import BUILT_IN
from ..syntax.urls import is_page_name
from .candidate import INDEX, Candidate, candidates_in, holds_index, is_below, is_template, of_cname
from .generator import Generator, Project
from .generators import ALL, UNKNOWN
from .plugins import uses_plugin
from .witnesses import find_base, home_page

NAME_IT = "name the folder of the built site"
NAMED_BY = ": sitemapper build FOLDER"
_BUILD_IT = f"build the site first, then name its folder{NAMED_BY}"
_TAG = re.compile(rb"<meta\s[^<>]*>", re.IGNORECASE)
_CONTENT = re.compile(rb"""content=(?:"([^"]*)"|'([^']*)'|([^\s>]*))""", re.IGNORECASE)
_DOCUTILS = {"Jupyter Book", "Sphinx"}  # both are recognised by the tag of Docutils


def with_canonical_base(project: Project) -> Project:
    """The project, with the base URL of the site's canonicals if nothing else gives one."""
    has_base = any(key == "base_url" for key, _, _ in project.settings)
    base = find_base(project.site) if project.site and not has_base else None
    return project._replace(settings=(*project.settings, *([base] if base else [])))


def detect(cwd: str, site: str | None) -> Project:
    """The project of a site, or without a site the project of a folder."""
    cwd = os.path.abspath(cwd)
    if site is not None:
        return _of_site(os.path.normpath(os.path.join(cwd, site)), cwd)
    here = candidates_in(cwd)
    strong = _strong(here, cwd)
    is_project, has_index = any(candidate.folder == cwd for candidate in strong), holds_index(cwd)
    unbuilt: list[Candidate] = []
    for folder in ancestors(cwd):
        candidates = candidates_in(folder) if folder != cwd else here
        is_part = folder == cwd and has_index and not is_project
        own = [c for c in candidates if c.folder == cwd] if is_part else candidates
        above = _strong(own, folder)
        project = _of_host(folder, cwd) or _of_built(own, cwd)
        project = project or (_of_lone(above, folder, cwd) if above else None)
        # A folder with a page further down is a site, unless it is part of the site above.
        if project and (
            folder == cwd or not has_index or is_below(cwd, project.site or os.devnull)
        ):
            return project
        if is_project:
            return _not_built(strong, cwd)
        unbuilt = unbuilt or above
    if has_index:
        return _of_site(cwd, cwd, is_named=False)
    return _of_lone(strong, cwd, cwd) or (_not_built(unbuilt, cwd) if unbuilt else _no_site(cwd))


def _strong(candidates: list[Candidate], folder: str) -> list[Candidate]:
    """The projects of generators that only write sites: those in a folder, else those below it."""
    strong = [c for c in candidates if not c.generator.is_weak]
    return [c for c in strong if c.folder == folder] or strong


def _of_lone(candidates: list[Candidate], folder: str, cwd: str) -> Project | None:
    """The project of the only output in a folder, or the only one with a generator's mark."""
    generators = {candidate.generator for candidate in candidates}
    sites = [] if any(map(is_page_name, os.listdir(folder))) else sites_below(folder)
    if generators:
        sites = [
            site for site in sites if generators.intersection(_signed(site, home_page(site)[1]))
        ]
    return _of_site(sites[0], cwd, is_named=False) if len(sites) == 1 else None


def _no_site(cwd: str) -> Project:
    """The error for a folder that contains no site."""
    near, outputs = _near(cwd), ", ".join(UNKNOWN.output)
    wanted = " and ".join(
        f"{relative(hosting.folders[0], cwd)}, which {relative(file, cwd)} names"
        for folder in ancestors(cwd)
        for _, file, hosting in published_by(folder)
        if hosting.folders
    )
    where = f"in {wanted}" if wanted else "here" if near else f"here, nor in {outputs}"
    problem = f"no built site was found: there is no {INDEX} {where}{f'; {near}' if near else ''}"
    return Project(mistake=(problem, NAME_IT if near else _BUILD_IT))


def _near(cwd: str) -> str:
    here = [cwd] if holds_index(cwd) else []
    sites = [relative(path, cwd) for path in here + sites_near(cwd) if not is_template(path)]
    return f"the site may be {' or '.join(sites)}" if sites else ""


def sites_near(folder: str) -> list[str]:
    """The folders with an index page nearby:

    those named like an output, else one or two levels down.
    """
    if sites := sites_below(folder):
        return sites
    for pattern in ("*/index.html", "*/*/index.html"):
        if found := [name for name in glob(pattern, root_dir=folder) if "node_modules" not in name]:
            return sorted(os.path.dirname(os.path.join(folder, name)) for name in found)
    return []


def _of_host(folder: str, cwd: str) -> Project | None:
    """The project whose built site is published by the hosts' files in a folder."""
    found: dict[str, Origin] = {}
    for _, file, hosting in published_by(folder):
        top = ancestors(folder)[-1]
        built = (place for place in hosting.folders if holds_index(place) and is_below(place, top))
        if site := next(built, None):
            found[site] = Origin(relative(file, cwd), None, hosting.key)
    if len(found) > 1:
        sites = " and ".join(
            f"{origin} publishes {relative(site, cwd)}" for site, origin in found.items()
        )
        return Project(mistake=(f"found several sites: {sites}", NAME_IT))
    if not found:
        return None
    [(site, origin)] = found.items()
    project = _of_site(site, cwd, is_named=False)
    others = (setting for setting in project.settings if setting.key != "site")
    return project._replace(settings=(Detected("site", site, origin), *others))


def sites_below(folder: str) -> list[str]:
    """The folders that may hold a built site and have an index page."""
    places = (os.path.join(folder, name) for name in UNKNOWN.output)
    return [
        place for place in places if holds_index(place) and is_below(place, ancestors(folder)[-1])
    ]


def _of_built(candidates: list[Candidate], cwd: str) -> Project | None:
    """The project of the nearest generator whose output exists, if there is one."""
    built = [(c, site) for c in candidates if (site := c.site)]
    depth = min((c.folder.count(os.sep) for c, _ in built), default=0)
    nearest = [(c, site) for c, site in built if c.folder.count(os.sep) == depth]
    if len({site for _, site in nearest}) > 1:
        writers = (
            f"{c.generator.name} ({c.label(cwd)}) writes {relative(site, cwd)}"
            for c, site in nearest
        )
        return Project(mistake=(f"found several sites: {' and '.join(writers)}", NAME_IT))
    return _of_site(nearest[0][1], cwd, is_named=False) if nearest else None


def _not_built(own: list[Candidate], cwd: str) -> Project:
    """The error for the nearest projects, which are not built."""
    outside = [c.outputs[0] for c in own if not is_below(c.outputs[0], c.top)]
    if outside:
        what = f"{own[0].label(cwd)} ({own[0].generator.name}) writes to {outside[0]}"
        advice = "if that is the site, name it: sitemapper build FOLDER"
        return Project(mistake=(f"{what}, which is outside {own[0].top}", advice))
    sites = (
        f"{relative(c.outputs[0], cwd)}, which {c.generator.name} ({c.label(cwd)}) writes"
        for c in own
    )
    problem = f"no built site was found: there is no {INDEX} in {' and '.join(sites)}"
    near = _near(cwd)
    advice = f"run {own[0].generator.run} first, or {NAME_IT}{f'; {near}' if near else ''}"
    project = _project(own[0], own[0].outputs[0], cwd)
    return project._replace(evidence=(), site=None, mistake=(problem, advice))


def _of_site(site: str, cwd: str, *, is_named: bool = True) -> Project:
    """The nearest project that writes this site, with its settings."""
    page = home_page(site)[1]
    signed = _signed(site, page)
    above = [os.path.dirname(site), *ancestors(os.path.dirname(site)), *ancestors(cwd)]
    for folder in dict.fromkeys(above):
        candidates = candidates_in(folder, site)
        found = [owner for c in candidates if (owner := _owner(c, site, signed, folder))]
        beside = [owner for owner in found if owner.folder == found[0].folder]
        owners = [owner for owner in beside if owner.generator in signed] or beside
        if len(owners) == 1:
            return _project(owners[0], site, cwd, signed)
        if owners:
            names = " and ".join(f"{owner.label(cwd)} ({owner.generator.name})" for owner in owners)
            settings = (Detected("site", site, Origin(names)),)
            reason = f"both {names} may have written this site"
            return Project(UNKNOWN, cwd, "", (), site, settings, reason)
    project = _of_nobody(site, page, signed, cwd, is_named=is_named)
    if not is_named:
        return project
    projects = (_strong(candidates_in(folder, site), folder) for folder in dict.fromkeys(above))
    several = [] if signed else next(filter(None, projects), [])
    nearest = several[0] if len(several) == 1 else None
    if (mistake := _mistake(site, page, nearest, cwd))[0]:
        return project._replace(mistake=mistake)
    if nearest and nearest.site:
        writer = (
            f"{nearest.generator.name} ({nearest.label(cwd)}) writes {relative(nearest.site, cwd)}"
        )
        return project._replace(no_base_url=project.no_base_url or writer)
    if nearest and (nearest.folder in (cwd, os.path.dirname(site)) or nearest.is_source(cwd)):
        return _project(nearest, site, cwd)  # its output may be anywhere
    return project


def _owner(
    candidate: Candidate, site: str, signed: Sequence[Generator], above: str
) -> Candidate | None:
    """The candidate, if it writes the site, or its generator's mark is on the site and `above`
    contains it.

    If another generator left its mark in the output, the candidate becomes that generator's.
    """
    is_output = candidate.part_of_output(site) is not None
    if candidate.generator in signed:
        return candidate if is_output or is_below(site, above) else None
    others = [generator for generator in signed if candidate.file in generator.settings]
    if is_output and others:
        return candidate._replace(generator=others[0])
    return candidate if is_output and not signed else None


def _project(owner: Candidate, site: str, cwd: str, signed: Sequence[Generator] = ()) -> Project:
    """The detected project for a generator that has written, or will write, a site."""
    generator, built_in = owner.generator, Origin(f"{BUILT_IN} for {owner.generator.name}")
    mark = [f"its mark in {INDEX}"] if generator in signed else []
    url, no_base_url = owner.base_url(site, cwd)
    if url and (part := owner.part_of_output(site)):
        url = url._replace(value=f"{url.value}{quote(part)}/")
    places = (owner.folder, site)
    is_versioned = any(os.path.isfile(os.path.join(folder, "versions.json")) for folder in places)
    maps = generator.versions if is_versioned else generator.maps
    tables = [{"page": page, "source": list(sources)} for page, sources in maps]
    found = [Detected("site", site, Origin(owner.label(cwd))), url, owner.style(cwd)]
    found.append(Detected("ignore", list(generator.ignore), built_in))
    found.append(Detected("git.map", tables, built_in))
    found.append(Detected("ledger.drop", list(generator.drop) if is_versioned else [], built_in))
    evidence, note = (owner.label(cwd), *mark), ""
    if uses_plugin(generator, owner.folder, owner.entries):
        what = f"{owner.label(cwd)} uses the plugin, which has left no current record of a build"
        note = f"{what}: run {generator.run} for its settings and for what made each page"
        no_base_url = note if no_base_url else ""
    settings = tuple(setting for setting in found if setting and setting.value)
    project = Project(*owner[:3], evidence, site, settings, no_base_url, note=note)
    names = () if is_versioned else generator.content  # old versions come from other files
    folders = tuple(os.path.normpath(os.path.join(owner.folder, name)) for name in names)
    return project._replace(source_folders=folders, writes_sitemap=owner.writes_sitemap)


def _of_nobody(
    site: str, page: bytes, signed: Sequence[Generator], cwd: str, *, is_named: bool
) -> Project:
    """The certain facts about a site without a known project."""
    if {generator.name for generator in signed} == _DOCUTILS:
        # Docutils is also used alone. Only a script or a file of Sphinx proves that Sphinx wrote
        # the site.
        signed = [
            generator for generator in signed if generator.left and _left(generator, site, page)
        ]
    generator = signed[0] if len(signed) == 1 else UNKNOWN
    evidence = (f"its mark in {INDEX}",) if len(signed) == 1 else ()
    url, reason = of_cname([site], cwd)
    settings = [url] if url else []
    if not is_named and site != cwd:
        settings.append(Detected("site", site, Origin(f"the only folder with an {INDEX}")))
    if patterns := list(generator.ignore):
        settings.append(Detected("ignore", patterns, Origin(f"{BUILT_IN} for {generator.name}")))
    return Project(generator, cwd, "", evidence, site, tuple(settings), reason)


def _mistake(site: str, page: bytes, nearest: Candidate | None, cwd: str) -> tuple[str, str]:
    """Why a named folder is not a site, and what to do. A site may contain files of a project."""
    own = next(
        (c for c in candidates_in(site) if c.folder == site and not c.generator.is_weak), None
    )
    is_whole = re.search(rb"(?i)<html|<!doctype", page) and not is_template(site)
    if own and (own.site or not is_whole):
        project, what = own, "the project"
    elif nearest and nearest.is_source(site):
        project, what = nearest, "a part of the project"
    else:
        return "", ""
    name, output = project.generator.name, relative(project.site or project.outputs[0], cwd)
    first = "" if project.site else f"run {project.generator.run}, then "
    missing = "" if project is own or holds_html(site) else "there is no HTML here; it "
    return (
        f"{relative(site, cwd)}: {missing}is {what} of {name} ({project.file}), not the built site",
        f"{first}name the folder that {name} writes: {output}",
    )


def _signed(site: str, page: bytes) -> list[Generator]:
    """The generators whose mark is on the home page, or whose files are beside it."""
    tags = (_CONTENT.search(tag) for tag in _TAG.findall(page) if b"generator" in tag.lower())
    signs = [b"".join(filter(None, tag.groups())).decode("utf-8", "replace") for tag in tags if tag]
    return [g for g in ALL if any(map(g.signs, signs)) or _left(g, site, page)]


def _left(generator: Generator, site: str, page: bytes) -> bool:
    has_file = bool(generator.left) and os.path.isfile(os.path.join(site, generator.left))
    return has_file or (bool(generator.trace) and generator.trace in page)


def holds_html(folder: str) -> bool:
    """Whether a folder or one below it has a page."""
    return any(is_page_name(name) for _, _, names in os.walk(folder) for name in names)
