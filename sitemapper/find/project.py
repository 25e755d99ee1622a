"""The project of a site: its generator, its folders, and the settings that its files give."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..model import Detected, Origin, SourceRoute
from ..read.walk import INDEX
from ..site import GeneratedSitemap
from ..syntax.gitignore import BUILT_IN
from ..syntax.settings_files import is_script, lines_of
from .first_look import FirstLook
from .generator import Generator, OwnSitemap
from .generators import ALL, UNKNOWN
from .plugins import Record, uses_plugin
from .project_files import PACKAGES, ProjectFiles

# Compiled when they are used.
_TAG = rb"(?i)<meta\s[^<>]*>"
_CONTENT = rb"""(?ix)
    content=
    (?: "([^"]*)"    # content="Hugo 0.140"
      | '([^']*)'    # content='Hugo 0.140'
      | ([^\s>]*)    # content=Hugo
    )
"""
# The start of a comment: in YAML, TOML, Python or Ruby, and in a script.
_COMMENT_STARTS = ("#", "//", "/*", "*")
_STRING = r"""(["'`])((?:(?!\1).)+)\1"""  # `"Bob's"` is one string
_DOCUTILS = {"Jupyter Book", "Sphinx"}  # both are recognised by the tag of Docutils


class Project(NamedTuple):
    """The project of the site, which is detected once for a run.

    - `folder` is that of the project, and `file` the name of the file that shows the generator
    - `signs` are what shows the generator: `hugo.toml`, `its mark in index.html`
    - `site` is the built folder, and `output_folders` are those that it may be written to
    - `settings` are the values that the project gives, each with its origin
    - `files` are its files, None for a project without files; `reason` says why these give no base
      URL, if that is known before they are asked for one; `is_ambiguous` says that two projects may
      have written the site
    - `no_base_url` says why no place gives a base URL, and `base_url_help` what to do
    - `mistake` is the problem and the advice if there is no site
    - `note` is the message if a plugin left no record
    - `source_folders` are the generator's folders of sources; `source_routes` those with the paths
      of their pages
    - `sitemap` is the one that each build of the project writes
    - `record` is what a plugin recorded of its build, None for a project whose files are read
    """

    generator: Generator = Generator("")
    folder: str = ""
    file: str = ""
    signs: tuple[str, ...] = ()
    site: str | None = None
    settings: tuple[Detected, ...] = ()
    files: ProjectFiles | None = None
    reason: str = ""
    is_ambiguous: bool = False
    no_base_url: str = ""
    base_url_help: str = ""
    mistake: tuple[str, str] = ("", "")
    note: str = ""
    source_folders: tuple[str, ...] = ()
    output_folders: tuple[str, ...] = ()
    source_routes: tuple[SourceRoute, ...] = ()
    sitemap: GeneratedSitemap = GeneratedSitemap()
    record: Record | None = None


class BuiltSite(NamedTuple):
    """A folder that may be a built site, and its home page.

    `marking_generators` are those whose mark is on the page or beside it.
    """

    folder: str
    page: bytes
    marking_generators: list[Generator]


def read_site(folder: str, first_look: FirstLook) -> BuiltSite:
    """Reads the home page of a folder, and finds the generators that left their mark on the site.

    `<meta name="generator" content="Hugo 0.140">` is the mark of Hugo.
    """
    page = first_look.home(folder).data
    tags = _generator_tags(page)
    marking = []
    for generator in ALL:
        if any(map(generator.matches_tag, tags)) or _has_trace(generator, folder, page):
            marking.append(generator)
    return BuiltSite(folder=folder, page=page, marking_generators=marking)


def _generator_tags(page: bytes) -> list[str]:
    """Lists the contents of generator tags: `<meta name="generator" content="Hugo">` → `["Hugo"]`.

    A page may have several, such as one of a theme.
    """
    contents = []
    for tag in re.findall(_TAG, page):
        match = re.search(_CONTENT, tag) if b"generator" in tag.lower() else None
        if match:
            content = match[1] or match[2] or match[3] or b""
            contents.append(content.decode("utf-8", "replace"))
    return contents


def _has_trace(generator: Generator, site: str, page: bytes) -> bool:
    """Whether a generator left its own file in the site, or its own text on the home page.

    `.buildinfo` is the file of Sphinx, and `MkDocs version : ` the text of MkDocs.
    """
    if generator.left and os.path.isfile(os.path.join(site, generator.left)):
        return True
    return bool(generator.trace) and generator.trace in page


def make_project(
    owner: ProjectFiles, site: str, first_look: FirstLook, *, is_marked: bool = False
) -> Project:
    """Makes the project of a site from its files: its settings, its sources and its own sitemap.

    `owner` are the files of the project that has written the site, or will write it. With
    `is_marked`, the generator's mark is on the site, and the project names it as a sign.
    """
    generator = owner.generator
    # 1. The note about a plugin.
    note = ""
    if uses_plugin(owner, first_look):
        # With a current record, this function is not called.
        note = (
            f"{owner.label} uses the plugin, which has left no current record of a build: run "
            f"{generator.run} for its settings and for what made each page"
        )
    # 2. The settings that the project gives.
    settings = [Detected("site", site, Origin(owner.label)), *_find_clean_style(owner)]
    settings += _list_ignored(generator)
    # A project of Docusaurus with old versions has this file (docusaurus.io/docs/versioning). The
    # banner of a version is no content, since it changes with each release.
    places = (os.path.join(folder, "versions.json") for folder in (owner.folder, site))
    is_versioned = any(map(os.path.isfile, places))
    if is_versioned and generator.drop:
        origin = Origin(f"{BUILT_IN} for {generator.name}")
        settings.append(Detected("ledger.drop", list(generator.drop), origin))
    # 3. The folders of its sources.
    source_folders: list[str] = []
    routes: list[SourceRoute] = []
    # The pages of old versions come from other folders, which only `routes` finds.
    if not is_versioned:
        names = [*generator.content, *owner.content_in_settings()]
        source_folders = [os.path.normpath(os.path.join(owner.folder, name)) for name in names]
        for folder, pages in generator.source_routes:
            routes.append(SourceRoute(os.path.join(owner.folder, folder), pages))
    if generator.routes:
        routes = generator.routes(owner.folder, owner.settings)
    return Project(
        generator=generator,
        folder=owner.folder,
        file=owner.file,
        signs=(owner.label, f"its mark in {INDEX}") if is_marked else (owner.label,),
        site=site,
        settings=tuple(settings),
        files=owner,
        reason=note,  # a missing base URL may be in the record that the plugin has not left
        note=note,
        source_folders=tuple(source_folders),
        output_folders=() if generator.is_general_tool else tuple(owner.outputs),
        source_routes=tuple(routes),
        sitemap=find_own_sitemap(owner, site, first_look),
    )


def _find_clean_style(owner: ProjectFiles) -> Iterator[Detected]:
    """Yields the setting `url_style = "clean"` if the project shows `b.html` at `b`.

    Some generators always do, others with a setting, as VitePress with `cleanUrls: true`. Nothing
    is yielded for other projects.
    """
    clean = owner.generator.clean
    if clean is None:
        return
    if not clean.key:  # the generator always does
        yield Detected("url_style", "clean", Origin(owner.label))
        return
    for setting in owner.find_values([clean.key]):
        if re.fullmatch(clean.values, setting.found.text):
            yield Detected("url_style", "clean", setting.origin)
            return


def _list_ignored(generator: Generator) -> Iterator[Detected]:
    """Yields the setting `ignore` with the files that are no pages: `print.html` of mdBook.

    Nothing is yielded for a generator that writes no such files.
    """
    if generator.ignore:
        origin = Origin(f"{BUILT_IN} for {generator.name}")
        yield Detected("ignore", list(generator.ignore), origin)


def make_project_without_files(site: BuiltSite, first_look: FirstLook) -> Project:
    """Makes the project of a site whose project files are not there or not needed.

    Only the mark of one generator can show it. Then its ignore patterns count, such as `print.html`
    for mdBook. Sphinx and Jupyter Book have the same tag, because both use Docutils, which is also
    used alone:

    | the marks | generator |
    |---|---|
    | the tag of Docutils | unknown |
    | the same, and a file or a script of Sphinx | Sphinx |
    """
    marking = site.marking_generators
    if {generator.name for generator in marking} == _DOCUTILS:
        # Of the two, only Sphinx leaves a file in the site.
        sphinx = next(generator for generator in marking if generator.left)
        marking = [sphinx] if _has_trace(sphinx, site.folder, site.page) else []
    is_marked = len(marking) == 1
    generator = marking[0] if is_marked else UNKNOWN
    return Project(
        generator=generator,
        folder=first_look.cwd,
        signs=(f"its mark in {INDEX}",) if is_marked else (),
        site=site.folder,
        settings=tuple(_list_ignored(generator)),
        sitemap=GeneratedSitemap(turn_off=generator.turn_off_sitemap),
    )


# --- the sitemap that the generator writes


def find_own_sitemap(project: ProjectFiles, site: str, first_look: FirstLook) -> GeneratedSitemap:
    """Finds the sitemap that the generator writes into its output at each build.

    A build of sitemapper replaces such a sitemap by itself, and others only with `--replace`.

    | the generator's `sitemap.xml` | result |
    |---|---|
    | is not in the output, or a setting turns it off | no `names` |
    | is written by the generator itself, as by Hugo | `names` |
    | is written by a plugin in the settings, such as `@astrojs/sitemap` | `names` |
    | may be made by a template, such as `sitemap.njk` of Eleventy | `names` and `templates` |
    | would need a plugin that the settings do not have | no `names` |

    A sitemap with `templates` is only the generator's if git tracks one of these, which the
    publishing finds out later.
    """
    own_sitemap = project.generator.sitemap
    without_names = GeneratedSitemap(turn_off=project.generator.turn_off_sitemap)
    folders = [site, *project.outputs]
    files = (os.path.join(folder, name) for folder in folders for name in own_sitemap.names)
    # Few sites have such a file, and the settings are only read for those.
    if not any(map(os.path.lexists, files)) or _is_off(own_sitemap, project):
        return without_names
    needs_no_plugin = not own_sitemap.plugins
    if needs_no_plugin or _uses_sitemap_plugin(own_sitemap, project, first_look):
        return without_names._replace(names=own_sitemap.names)
    if own_sitemap.templates:
        return without_names._replace(names=own_sitemap.names, templates=own_sitemap.templates)
    return without_names


def _is_off(own_sitemap: OwnSitemap, project: ProjectFiles) -> bool:
    """Whether a setting turns the generator's sitemap off, or gives it another name.

    | generator | its sitemap is off |
    |---|---|
    | VitePress | without `sitemap.hostname` |
    | Hugo | with `sitemap.filename = "a.xml"`, since this file is not in the way of ours |
    | Hugo | with `disableKinds = ["sitemap"]` |
    | Zola | with `generate_sitemap = false` |
    """
    if own_sitemap.on and next(project.find_values([own_sitemap.on]), None) is None:
        return True
    filename = project.first_text([own_sitemap.filename]) if own_sitemap.filename else ""
    if filename and filename != own_sitemap.names[0]:
        return True
    for key, value in own_sitemap.off:
        # The items of a list are the lines of one text.
        items = project.first_text([f"{key}[]"]).split("\n")
        if value in items or project.first_text([key]) == value:
            return True
    return False


def _uses_sitemap_plugin(
    own_sitemap: OwnSitemap, project: ProjectFiles, first_look: FirstLook
) -> bool:
    """Whether the settings of a project name a plugin that writes a sitemap.

    Each file of settings is read in turn. Lines of comments do not count.

    | file of settings     | the name of the plugin must be                                  |
    |----------------------|-----------------------------------------------------------------|
    | YAML, TOML, a list   | anywhere in a line: `- jekyll-sitemap`                          |
    | a script             | a key of `plugins`: `plugins: { sitemap: {} }`                  |
    | a script             | the end of a string: `import sitemap from "@astrojs/sitemap"`   |
    """
    names = list(project.generator.settings)
    if own_sitemap.is_automatic:  # it is active as soon as it is installed
        names += [PACKAGES, "Gemfile"]
    plugins = own_sitemap.plugins
    keys = tuple(f"plugins.{plugin}" for plugin in plugins)
    # A string names the plugin `sitemap` if it is `sitemap` itself, or ends with `/sitemap` or
    # `-sitemap`: `@astrojs/sitemap`, `gatsby-plugin-sitemap`. The slash that is put before a string
    # below lets the first case end with `/sitemap`, too.
    endings = tuple(f"{before}{plugin}" for plugin in plugins for before in "/-")
    for name in names:
        if "*" in name:  # a pattern such as `*.lektorproject` is no file with plugins
            continue
        text = first_look.text(project.folder, name, project.top)
        lines = [line for line in lines_of(text) if not line.lstrip().startswith(_COMMENT_STARTS)]
        if not is_script(name):
            is_in_line = any(plugin in line for line in lines for plugin in plugins)
            if is_in_line:
                return True
            continue
        is_key = any(key.startswith(keys) for key in project.settings.get(name, ()))
        strings = [match[2] for line in lines for match in re.finditer(_STRING, line)]
        is_in_string = any(f"/{string}".endswith(endings) for string in strings)
        if is_key or is_in_string:
            return True
    return False
