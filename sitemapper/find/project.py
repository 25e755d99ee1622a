"""The project of a site: its generator, its folders, and the settings that its files give."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..model import Detected, Origin, SourceRoute
from ..read.walk import INDEX
from ..syntax.gitignore import BUILT_IN
from ..syntax.settings_files import is_script, lines_of
from .addresses import Address, Place, read_address
from .first_look import FirstLook
from .generator import Generator, OwnSitemap
from .generators import ALL, UNKNOWN
from .plugins import uses_plugin
from .project_files import PACKAGES, ProjectFiles

# Compiled when they are used.
_TAG = rb"(?i)<meta\s[^<>]*>"
_CONTENT = rb"""(?i)content=(?:"([^"]*)"|'([^']*)'|([^\s>]*))"""
_COMMENT_START = "#"  # of a line in YAML, TOML, Python or Ruby
_DOCUTILS = {"Jupyter Book", "Sphinx"}  # both are recognised by the tag of Docutils


class Project(NamedTuple):
    """The project that was detected, once for a run.

    `signs` shows the generator, `site` is the built folder, and `settings` are the values that
    the project gives, each with its origin. `address` is what its files say of the base URL,
    `no_base_url` why no place names one, and `base_url_help` what to do at one of the places.
    `mistake` is the reason for a missing site and what to do, `note` the message if a plugin left
    no record. `source_folders` are the generator's folders of sources, and `output_folders` those
    that it may write the site to. `sitemap` is what each build of the project writes by its
    settings, None for none. If it has `templates`, git must track one.
    `source_routes` are the folders of sources whose pages' paths are known. Without
    `source_folders`, their pages have no others.
    """

    generator: Generator = Generator("")
    folder: str = ""
    file: str = ""
    signs: tuple[str, ...] = ()
    site: str | None = None
    settings: tuple[Detected, ...] = ()
    address: Address = Address()
    no_base_url: str = ""
    base_url_help: str = ""
    mistake: tuple[str, str] = ("", "")
    note: str = ""
    source_folders: tuple[str, ...] = ()
    output_folders: tuple[str, ...] = ()
    source_routes: tuple[SourceRoute, ...] = ()
    sitemap: OwnSitemap | None = None

    def with_reason(self, reason: str) -> "Project":
        """The project, with the reason why no setting gives the base URL."""
        setting = Place("setting", reason=reason)
        return self._replace(address=self.address._replace(setting=setting))


class BuiltSite(NamedTuple):
    """A folder that may be a built site, its home page, and the generators whose mark it has."""

    folder: str
    page: bytes
    marking_generators: list[Generator]


def read_site(folder: str, first_look: FirstLook) -> BuiltSite:
    """The home page of a site, and whose marks are on it or beside it."""
    page = first_look.home(folder).data
    matches_tag = _generator_tags(page)
    marking_generators = []
    for generator in ALL:
        if any(map(generator.matches_tag, matches_tag)) or _has_trace(generator, folder, page):
            marking_generators.append(generator)
    return BuiltSite(folder, page, marking_generators)


def _generator_tags(page: bytes) -> list[str]:
    """The contents of `<meta name="generator">` in a page."""
    contents = []
    for tag in re.findall(_TAG, page):
        match = re.search(_CONTENT, tag) if b"generator" in tag.lower() else None
        if match:
            content = match[1] or match[2] or match[3] or b""
            contents.append(content.decode("utf-8", "replace"))
    return contents


def _has_trace(generator: Generator, site: str, page: bytes) -> bool:
    """Whether a generator left its file in a site or its trace on the home page."""
    if generator.left and os.path.isfile(os.path.join(site, generator.left)):
        return True
    return bool(generator.trace) and generator.trace in page


def make_project(
    owner: ProjectFiles, site: str, first_look: FirstLook, *, is_marked: bool = False
) -> Project:
    """The detected project of a generator that has written, or will write, a site.

    With `is_marked`, the generator's mark is on the site.
    """
    generator = owner.generator
    address = read_address(owner, site)
    note = ""
    if uses_plugin(generator, owner.folder, owner.settings, first_look):
        # The record of a plugin that has run would have been found.
        note = (
            f"{owner.label} uses the plugin, which has left no current record of a build: run "
            f"{generator.run} for its settings and for what made each page"
        )
    if note and not address.setting.base_url:
        address = address._replace(setting=Place("setting", reason=note))
    is_versioned = _has_versions(owner.folder) or _has_versions(site)
    found = [Detected("site", site, Origin(owner.label)), *_find_clean_style(owner)]
    found += _list_generator_settings(generator, is_versioned=is_versioned)
    folders: list[str] = []
    if not is_versioned:  # old versions come from other files
        names = [*generator.content, *owner.content_in_settings()]
        folders = [os.path.normpath(os.path.join(owner.folder, name)) for name in names]
    routes: list[SourceRoute] = []
    if generator.routes:
        routes = generator.routes(owner.folder, owner.settings)
    return Project(
        generator=generator,
        folder=owner.folder,
        file=owner.file,
        signs=(owner.label, f"its mark in {INDEX}") if is_marked else (owner.label,),
        site=site,
        settings=tuple(setting for setting in found if setting.value),
        address=address,
        note=note,
        source_folders=tuple(folders),
        output_folders=() if generator.is_general_tool else tuple(owner.outputs),
        source_routes=tuple(routes),
        sitemap=find_own_sitemap(owner, site, first_look),
    )


def _find_clean_style(owner: ProjectFiles) -> Iterator[Detected]:
    """The URL style `clean`, if the generator or its settings use it."""
    clean = owner.generator.clean
    if clean is None:
        return
    if not clean.key:
        yield Detected("url_style", "clean", Origin(owner.label))
        return
    for setting in owner.find([clean.key]):
        if re.fullmatch(clean.values, setting.found.text):
            yield Detected("url_style", "clean", setting.origin)
            return


def _has_versions(folder: str) -> bool:
    """Whether a project or a site of Docusaurus has several versions of its documentation.

    Source: docusaurus.io/docs/versioning.
    """
    return os.path.isfile(os.path.join(folder, "versions.json"))


def _list_generator_settings(generator: Generator, *, is_versioned: bool) -> Iterator[Detected]:
    """The settings that hold for all projects of a generator. Their values may be empty."""
    origin = Origin(f"{BUILT_IN} for {generator.name}")
    maps = () if is_versioned else generator.maps
    tables = [{"page": page, "source": list(sources)} for page, sources in maps]
    yield Detected("ignore", list(generator.ignore), origin)
    yield Detected("git.map", tables, origin)
    if is_versioned:
        yield Detected("ledger.drop", list(generator.drop), origin)


def make_project_without_files(site: BuiltSite, first_look: FirstLook) -> Project:
    """The certain facts about a site without a known project. Its mark may name the generator."""
    marked = _marked_by(site)
    generator = marked or UNKNOWN
    settings = []
    if generator.ignore:
        origin = Origin(f"{BUILT_IN} for {generator.name}")
        settings.append(Detected("ignore", list(generator.ignore), origin))
    return Project(
        generator=generator,
        folder=first_look.cwd,
        signs=(f"its mark in {INDEX}",) if marked else (),
        site=site.folder,
        settings=tuple(settings),
    )


def _marked_by(site: BuiltSite) -> Generator | None:
    """The only generator whose mark is on a site, None if there is none or several."""
    marking_generators = site.marking_generators
    if {generator.name for generator in marking_generators} == _DOCUTILS:
        # Docutils is also used alone. Only a script or a file of Sphinx proves that Sphinx wrote
        # the site.
        by_sphinx = [generator for generator in marking_generators if generator.left]
        marking_generators = [g for g in by_sphinx if _has_trace(g, site.folder, site.page)]
    return marking_generators[0] if len(marking_generators) == 1 else None


# --- the sitemap that the generator writes


def find_own_sitemap(project: ProjectFiles, site: str, first_look: FirstLook) -> OwnSitemap | None:
    """The sitemap that each build of a project writes, if it is there; None for none.

    It keeps its `templates` where only one of them would write it.
    """
    own = project.generator.sitemap
    if own is None or not _has_sitemap_file(own, [site, *project.outputs]) or _is_off(own, project):
        return None
    if not own.plugins or _uses_plugin(own, project, first_look):
        return own._replace(templates=())
    return own if own.templates else None


def _has_sitemap_file(own: OwnSitemap, folders: Iterable[str]) -> bool:
    """Whether a folder has one of its files. Otherwise no settings need to be read for it."""
    paths = (os.path.join(folder, name) for folder in folders for name in own.names)
    return any(map(os.path.lexists, paths))


def _is_off(own: OwnSitemap, project: ProjectFiles) -> bool:
    """Whether a setting says that no sitemap is written, or one with another name."""
    if own.on and next(project.find([own.on]), None) is None:
        return True
    filename = project.first_text([own.filename]) if own.filename else ""
    if filename and filename != own.names[0]:
        return True
    for key, value in own.off:
        items = project.first_text([f"{key}[]"]).split("\n")
        if value in items or project.first_text([key]) == value:
            return True
    return False


def _uses_plugin(own: OwnSitemap, project: ProjectFiles, first_look: FirstLook) -> bool:
    """Whether the settings name one of the plugins outside of a comment.

    An automatic one may also stand among the dependencies.
    """
    names = list(project.generator.settings)
    if own.is_automatic:
        names += [PACKAGES, "Gemfile"]
    for name in names:
        if "*" in name:
            continue
        text = first_look.text(project.folder, name, project.top)
        if not is_script(name):
            if _has_line_with(text, own.plugins):
                return True
            continue
        # Imported here: most projects have no settings in a script.
        from ..syntax.js_tree import mentions

        keys = tuple(f"plugins.{plugin}" for plugin in own.plugins)
        has_key = any(key.startswith(keys) for key in project.settings.get(name, ()))
        if has_key or (text and _contains_plugin(mentions(text, name), own.plugins)):
            return True
    return False


def _has_line_with(text: str, plugins: Sequence[str]) -> bool:
    """Whether a line outside of a comment contains the name of a plugin."""
    rows = (row for row in lines_of(text) if not row.lstrip().startswith(_COMMENT_START))
    return any(plugin in row for row in rows for plugin in plugins)


def _contains_plugin(names: Iterable[str], plugins: Sequence[str]) -> bool:
    """Whether one of the names is that of a plugin, perhaps with a scope and a prefix.

    `@docusaurus/preset-classic` and `gatsby-plugin-sitemap` are named by their ends.
    """
    for name in names:
        for plugin in plugins:
            if name == plugin or name.endswith((f"/{plugin}", f"-{plugin}")):
                return True
    return False
