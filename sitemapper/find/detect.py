"""Detects the project of a site, from the working directory and the site's folder upwards.

Project files are read as text and never executed. Ambiguous values are not guessed.
"""

import os
from collections.abc import Iterator, Sequence
from glob import glob

from ..fs import ancestors, relative
from ..hosts.find import published_by
from ..model import Detected, Origin
from ..syntax.urls import is_page_name
from .candidate import (
    INDEX,
    ProjectCandidate,
    candidates_in,
    describe_damage,
    has_front_matter,
    holds_index,
    is_below,
    is_template,
)
from .generator import Project
from .generators import UNKNOWN
from .owner import (
    of_named_site,
    of_site,
    of_site_in_place,
    project_of,
    read_site,
    strong_in,
    written_by,
)
from .search import PACKAGES, list_workspaces

NAME_IT = "name the folder of the built site"
# The folders of a monorepo with a project each.
_WORKSPACES = ("packages", "apps", "sites", "websites", "docs")
_MOST_PACKAGES = 100  # of each that are searched
_HIDDEN = {".", "_"}  # first letters
_MOST_UNBUILT = 3  # that an error names
_EXAMPLES = {
    "example", "examples", "fixture", "fixtures", "__fixtures__", "test", "tests", "__tests__",
    "e2e", "demo", "demos", "playground", "playgrounds", "template", "templates", "starters",
}  # fmt: skip
NAMED_BY = ": sitemapper build FOLDER"
_BUILD_IT = f"build the site first, then name its folder{NAMED_BY}"


def detect(cwd: str, site: str | None) -> Project:
    """The project of a site, or without a site the project of a folder."""
    cwd = os.path.abspath(cwd)
    if site is None:
        return _of_folder(cwd)
    return of_named_site(os.path.normpath(os.path.join(cwd, site)), cwd)


# --- the project of a folder


def _of_folder(cwd: str) -> Project:
    """The project of the working directory."""
    here = candidates_in(cwd)
    strong = strong_in(here, cwd)
    if any(candidate.folder == cwd for candidate in strong):
        project = _built_in(cwd, here, cwd) or of_site_in_place(cwd, cwd)
        return project or _of_only_package(strong, cwd) or _not_built(strong, cwd)
    if holds_index(cwd) and not has_front_matter(cwd):
        return _of_likely_site(here, cwd)
    return _of_nearest(here, cwd)


def _of_likely_site(here: list[ProjectCandidate], cwd: str) -> Project:
    """The project of a folder with an index page, which is a site, or part of one above.

    `here` are the projects in the folder. Those below it may be part of the site.
    """
    own = [candidate for candidate in here if candidate.folder == cwd]
    project = _built_in(cwd, own, cwd)
    if project:
        return project
    for folder in ancestors(cwd)[1:]:
        project = _built_in(folder, candidates_in(folder), cwd)
        if project and project.site and is_below(cwd, project.site):
            return project
    return of_site(cwd, cwd)


def _of_nearest(here: list[ProjectCandidate], cwd: str) -> Project:
    """The project of the nearest folder upwards that has a built site.

    `here` are the projects in the working directory.
    """
    unbuilt: list[ProjectCandidate] = []
    for folder in ancestors(cwd):
        candidates = here if folder == cwd else candidates_in(folder)
        project = _built_in(folder, candidates, cwd)
        if project:
            return project
        unbuilt = unbuilt or strong_in(candidates, folder)
    project = _of_only_output(strong_in(here, cwd), cwd, cwd)
    if project:
        return project
    if unbuilt:
        return _not_built(unbuilt, cwd)
    return _of_workspace(cwd) or _no_site(cwd)


def _of_workspace(root: str) -> Project | None:
    """The project of the only built site in the packages of a monorepo, or why there is none.

    None if no package is a project of a generator that only writes sites.
    """
    candidates: list[ProjectCandidate] = []
    for folder in _list_packages(root):
        candidates += strong_in(candidates_in(folder), folder)
    own = [candidate for candidate in candidates if not _holds_examples(candidate.folder, root)]
    built: dict[str, ProjectCandidate] = {}
    for candidate in own:
        if candidate.site:
            built.setdefault(candidate.site, candidate)
    if len(built) == 1:
        return of_site(next(iter(built)), root)
    if built:
        return _several_sites([written_by(candidate, root) for candidate in built.values()])
    is_plain = 0 < len(own) <= _MOST_UNBUILT
    return _not_built(own, root) if is_plain else None


def _of_only_package(strong: list[ProjectCandidate], root: str) -> Project | None:
    """The built site of a monorepo whose root only has a generator among its dependencies.

    Tools that all packages share are installed there.
    """
    if any(candidate.file != PACKAGES for candidate in strong):
        return None
    project = _of_workspace(root)
    return project if project and project.site else None


def _list_packages(root: str) -> Iterator[str]:
    """The first folders of a monorepo's packages. Hidden ones are left out."""
    patterns = [f"{name}/*" for name in _WORKSPACES]
    patterns += list_workspaces(root)
    seen: set[str] = set()
    for pattern in patterns:
        packages = sorted(glob(pattern, root_dir=root))
        visible = [name for name in packages if _HIDDEN.isdisjoint(_first_letters(name))]
        for name in visible[:_MOST_PACKAGES]:
            folder = os.path.join(root, name)
            is_package = os.path.isdir(folder) and "node_modules" not in name.split(os.sep)
            if is_package and folder not in seen and is_below(folder, root):
                seen.add(folder)
                yield folder


def _first_letters(path: str) -> set[str]:
    return {part[:1] for part in path.split(os.sep)}


def _holds_examples(folder: str, root: str) -> bool:
    """Whether a folder below a root is among its examples, tests or templates."""
    return not _EXAMPLES.isdisjoint(relative(folder, root).lower().split(os.sep))


def _built_in(folder: str, candidates: list[ProjectCandidate], cwd: str) -> Project | None:
    """The project of a folder with a built site: what its host publishes, else what was written."""
    project = _of_host(folder, cwd) or _of_built(candidates, cwd)
    if project:
        return project
    strong = strong_in(candidates, folder)
    if not strong:
        return None
    return _of_only_output(strong, folder, cwd)


def _of_host(folder: str, cwd: str) -> Project | None:
    """The project whose built site is published by the hosts' files in a folder."""
    origins: dict[str, Origin] = {}
    top = ancestors(folder)[-1]
    for _, file, hosting in published_by(folder):
        for place in hosting.folders:
            if holds_index(place) and is_below(place, top):
                origins[place] = Origin(relative(file, cwd), None, hosting.key)
                break
    if not origins:
        return None
    if len(origins) > 1:
        publishers = []
        for site, origin in origins.items():
            publishers.append(f"{origin} publishes {relative(site, cwd)}")
        return _several_sites(publishers)
    [(site, origin)] = origins.items()
    project = of_site(site, cwd)
    others = [setting for setting in project.settings if setting.key != "site"]
    return project._replace(settings=(Detected("site", site, origin), *others))


def _of_built(candidates: list[ProjectCandidate], cwd: str) -> Project | None:
    """The project of the nearest generator whose output exists, if there is one."""
    built = [candidate for candidate in candidates if candidate.site]
    if not built:
        return None
    depth = min(candidate.folder.count(os.sep) for candidate in built)
    nearest = [candidate for candidate in built if candidate.folder.count(os.sep) == depth]
    sites = {candidate.site for candidate in nearest if candidate.site}
    if len(sites) > 1:
        return _several_sites([written_by(candidate, cwd) for candidate in nearest])
    return of_site(sites.pop(), cwd)


def _of_only_output(candidates: list[ProjectCandidate], folder: str, cwd: str) -> Project | None:
    """The project of the only output in a folder, or the only one with a generator's mark."""
    holds_pages = any(map(is_page_name, os.listdir(folder)))
    if holds_pages and not has_front_matter(folder):
        return None
    sites = sites_below(folder)
    if candidates:
        generators = {candidate.generator for candidate in candidates}
        sites = [site for site in sites if not generators.isdisjoint(read_site(site).signed)]
    if len(sites) != 1:
        return None
    return of_site(sites[0], cwd)


def sites_below(folder: str) -> list[str]:
    """The folders that may hold a built site and have an index page."""
    top = ancestors(folder)[-1]
    places = [os.path.join(folder, name) for name in UNKNOWN.output]
    return [place for place in places if holds_index(place) and is_below(place, top)]


# --- a folder without a site


def _several_sites(writers: Sequence[str]) -> Project:
    """The error for a folder with several sites of equal rank."""
    return Project(mistake=(f"found several sites: {' and '.join(writers)}", NAME_IT))


def _not_built(unbuilt: list[ProjectCandidate], cwd: str) -> Project:
    """The error for the nearest projects, if none of them has a site in its repository."""
    first = unbuilt[0]
    outside = [c.outputs[0] for c in unbuilt if not is_below(c.outputs[0], c.top)]
    if outside:
        return _writes_outside(first, outside[0], cwd)
    sites = []
    for candidate in unbuilt:
        writer = f"{candidate.generator.name} ({candidate.label(cwd)})"
        sites.append(f"{relative(candidate.outputs[0], cwd)}, which {writer} writes")
    problem = f"no built site was found: there is no {INDEX} in {' and '.join(sites)}"
    advice = f"run {first.generator.run} first, or {NAME_IT}"
    unknown = first.unknown_output(cwd)
    if unknown:
        problem = f"{problem}; {unknown}"
        advice = f"run {first.generator.run} first, and set site in sitemapper.toml"
    near = _near(cwd)
    if near:
        advice += f"; {near}"
    project = project_of(first, first.outputs[0], cwd)
    return project._replace(evidence=(), site=None, mistake=(problem, advice))


def _writes_outside(project: ProjectCandidate, output: str, cwd: str) -> Project:
    """The error for a project whose output is outside its repository."""
    what = f"{project.label(cwd)} ({project.generator.name}) writes to {output}"
    advice = "if that is the site, name it: sitemapper build FOLDER"
    return Project(mistake=(f"{what}, which is outside {project.top}", advice))


def _no_site(cwd: str) -> Project:
    """The error for a folder that contains no site."""
    near = _near(cwd)
    published = _published_folders(cwd)
    if published:
        where = f"in {' and '.join(published)}"
    elif near:
        where = "here"
    else:
        where = f"here, nor in {', '.join(UNKNOWN.output)}"
    problem = f"no built site was found: there is no {INDEX} {where}"
    damage = describe_damage(cwd, PACKAGES, cwd)
    if damage:
        problem = f"{problem}; {damage}"
    if near:
        return Project(mistake=(f"{problem}; {near}", NAME_IT))
    return Project(mistake=(problem, _BUILD_IT))


def _published_folders(cwd: str) -> list[str]:
    """The folders that hosts' files name, with these files."""
    found = []
    for folder in ancestors(cwd):
        for _, file, hosting in published_by(folder):
            if hosting.folders:
                site = relative(hosting.folders[0], cwd)
                found.append(f"{site}, which {relative(file, cwd)} names")
    return found


def _near(cwd: str) -> str:
    """Which folders nearby may be the site, "" if there is none."""
    places = sites_near(cwd)
    if holds_index(cwd):
        places = [cwd, *places]
    sites = [relative(place, cwd) for place in places if not is_template(place)]
    if not sites:
        return ""
    return f"the site may be {' or '.join(sites)}"


def sites_near(folder: str) -> list[str]:
    """The folders with an index page nearby.

    Those named like an output, else one or two levels down.
    """
    sites = sites_below(folder)
    if sites:
        return sites
    for pattern in ("*/index.html", "*/*/index.html"):
        pages = [name for name in glob(pattern, root_dir=folder) if "node_modules" not in name]
        places = sorted(os.path.dirname(os.path.join(folder, page)) for page in pages)
        places = [place for place in places if not _holds_examples(place, folder)]
        if places:
            return places
    return []
