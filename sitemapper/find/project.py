"""The project of a site: its generator, its folders, and the settings that its files give."""

import os
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..model import Detected, Origin
from ..read.walk import INDEX
from ..site import GeneratedSitemap
from ..syntax.gitignore import BUILT_IN
from ..syntax.settings_files import is_script, lines_of
from .first_look import FirstLook
from .generator import Generator, SitemapFeature
from .generators import ALL, UNKNOWN
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
    - `files` are its files, None for a project without files; `is_ambiguous` says that two projects
      may have written the site
    - `no_setting_reason` says why no settings give the base URL of a site whose project was not
      found: `Hugo (hugo.toml) writes public`, and not this site; "" if it is not known
    - `no_base_url` says why no place gives a base URL, and `base_url_help` what to do
    - `mistake` is the problem and the advice for the error that there is no site, None if there is
      one
    - `source_folders` are the generator's folders of sources
    - `sitemap` is the one that each build of the project writes
    """

    generator: Generator = Generator("")
    folder: str = ""
    file: str = ""
    signs: tuple[str, ...] = ()
    site: str | None = None
    settings: tuple[Detected, ...] = ()
    files: ProjectFiles | None = None
    no_setting_reason: str = ""
    is_ambiguous: bool = False
    no_base_url: str = ""
    base_url_help: str = ""
    mistake: tuple[str, str] | None = None
    source_folders: tuple[str, ...] = ()
    output_folders: tuple[str, ...] = ()
    sitemap: GeneratedSitemap = GeneratedSitemap()


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
    """Makes the project of a site from its files, such as `hugo.toml` for the site `public`.

    The result has the settings that these files give, the folders of sources such as `content`, and
    the sitemap that the generator writes. The caller uses them as defaults of the run.

    `owner` has these files. `is_marked` says that the home page shows the same generator, as by a
    generator tag.
    """
    generator = owner.generator
    is_versioned = _has_old_versions(owner, site)
    return Project(
        generator=generator,
        folder=owner.folder,
        file=owner.file,
        signs=(owner.label, f"its mark in {INDEX}") if is_marked else (owner.label,),
        site=site,
        settings=tuple(_list_settings(owner, site, is_versioned=is_versioned)),
        files=owner,
        source_folders=() if is_versioned else tuple(_list_source_folders(owner)),
        output_folders=() if generator.is_general_tool else tuple(owner.outputs),
        sitemap=_find_generated_sitemap(owner, site, first_look),
    )


def _has_old_versions(owner: ProjectFiles, site: str) -> bool:
    """Whether a project has old versions of its documentation, which versions.json lists.

    Docusaurus writes this file (docusaurus.io/docs/versioning).
    """
    files = [os.path.join(folder, "versions.json") for folder in (owner.folder, site)]
    return any(map(os.path.isfile, files))


def _list_settings(owner: ProjectFiles, site: str, *, is_versioned: bool) -> Iterator[Detected]:
    """Yields the settings that the files of a project give: `site = "public"` and others.

    `owner` has these files. `is_versioned` says that the site has old versions of a documentation.
    """
    generator = owner.generator
    yield Detected("site", site, Origin(owner.label))
    yield from _find_clean_style(owner)
    yield from _list_ignored(generator)
    # Pages of old versions have elements that are no content, such as a banner with the name of the
    # newest version. It changes with each release, but the pages do not.
    if is_versioned and generator.drop:
        origin = Origin(f"{BUILT_IN} for {generator.name}")
        yield Detected("ledger.drop", list(generator.drop), origin)


def _list_source_folders(owner: ProjectFiles) -> Iterator[str]:
    """Yields the folders of a project's sources: `content` of Hugo, and those in its settings."""
    for name in (*owner.generator.content, *owner.content_in_settings()):
        yield os.path.normpath(os.path.join(owner.folder, name))


def _find_clean_style(owner: ProjectFiles) -> Iterator[Detected]:
    """Yields the setting `url_style = "clean"` if the project shows `b.html` at `b`.

    Some generators always do, others with a setting, as Antora with `html_extension_style: drop`.
    Nothing is yielded for other projects.
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
    """Makes the project of a site whose project files are missing or not needed, by its pages.

    A site with the tag `<meta name="generator" content="mdBook">` gets the generator mdBook, and
    its ignore patterns such as `print.html`. It has no other settings and no folders of sources,
    which only project files give.
    """
    generator = _find_generator_of_pages(site)
    return Project(
        generator=generator,
        folder=first_look.cwd,
        signs=() if generator is UNKNOWN else (f"its mark in {INDEX}",),
        site=site.folder,
        settings=tuple(_list_ignored(generator)),
        sitemap=GeneratedSitemap(turn_off=generator.turn_off_sitemap),
    )


def _find_generator_of_pages(site: BuiltSite) -> Generator:
    """Finds the only generator that the home page of a site shows, UNKNOWN for none or several.

    | the home page | generator |
    |---|---|
    | has the tag of Hugo | Hugo |
    | has the tags of Hugo and Gatsby, or none | UNKNOWN |
    | has the tag of Docutils, and the site a file or a script of Sphinx | Sphinx |
    | has the tag of Docutils alone | UNKNOWN: `rst2html` may have written it |
    """
    marking = site.marking_generators
    # Sphinx and Jupyter Book both use Docutils, so its tag is the mark of both.
    if {generator.name for generator in marking} == _DOCUTILS:
        sphinx = next(generator for generator in marking if generator.name == "Sphinx")
        return sphinx if _has_trace(sphinx, site.folder, site.page) else UNKNOWN
    return marking[0] if len(marking) == 1 else UNKNOWN


# --- the sitemap that the generator writes


def _find_generated_sitemap(
    project: ProjectFiles, site: str, first_look: FirstLook
) -> GeneratedSitemap:
    """Finds the sitemap that the project's generator writes at each build: `sitemap.xml` of Hugo.

    A run of sitemapper may replace the files in `names`, because the next build of the site writes
    them again. Without `names`, none is known.
    """
    feature = project.generator.sitemap
    no_sitemap = GeneratedSitemap(turn_off=project.generator.turn_off_sitemap)
    # Most sites have no `sitemap.xml`. Then the settings are not read.
    folders = [site, *project.outputs]
    files = (os.path.join(folder, name) for folder in folders for name in feature.names)
    if not any(map(os.path.lexists, files)):
        return no_sitemap
    # The settings turn the sitemap off, or give it another name.
    if _is_off_or_renamed(feature, project):
        return no_sitemap
    # Hugo needs no plugin. Eleventy does, and the project uses one.
    needs_no_plugin = not feature.plugins
    if needs_no_plugin or _uses_sitemap_plugin(feature, project, first_look):
        return no_sitemap._replace(names=feature.names)
    # Eleventy without a plugin may use a template, such as `sitemap.njk`. A build then asks git
    # whether the repository has one.
    if feature.templates:
        return no_sitemap._replace(names=feature.names, templates=feature.templates)
    # Jekyll without its plugin writes none.
    return no_sitemap


def _is_off_or_renamed(feature: SitemapFeature, project: ProjectFiles) -> bool:
    """Whether the settings keep the generator from writing `sitemap.xml`, the name of our sitemap.

    | generator | settings with which it does not write `sitemap.xml` |
    |---|---|
    | VitePress | without the key `sitemap.hostname`, which it needs for a sitemap |
    | Hugo | `sitemap.filename = "a.xml"`, which is another name |
    | Hugo | `disableKinds = ["sitemap"]` |
    | Zola | `generate_sitemap = false` |

    If there is a `sitemap.xml` all the same, another tool wrote it.
    """
    # 1. A key without which no sitemap is written.
    if feature.on and next(project.find_values([feature.on]), None) is None:
        return True
    # 2. Another name.
    filename = project.first_text([feature.filename]) if feature.filename else ""
    if filename and filename != feature.names[0]:
        return True
    # 3. A key with the value, or with the item in a list, that turns it off.
    for key, value in feature.off:
        # `disableKinds[]` are the items of the list `disableKinds`, as the lines of one text.
        items = project.first_text([f"{key}[]"]).split("\n")
        if value in items or project.first_text([key]) == value:
            return True
    return False


def _uses_sitemap_plugin(
    feature: SitemapFeature, project: ProjectFiles, first_look: FirstLook
) -> bool:
    """Whether the files of a project name a plugin that writes a sitemap: `jekyll-sitemap`.

    These are the settings files of the generator. If its plugins are active as soon as they are
    installed, package.json and the Gemfile are searched as well.
    """
    # A pattern of names, such as `*.lektorproject`, is for files that name no plugins.
    files = [name for name in project.generator.settings if "*" not in name]
    if feature.is_automatic:
        files += [PACKAGES, "Gemfile"]
    return any(_names_plugin(file, feature.plugins, project, first_look) for file in files)


def _names_plugin(
    file: str, plugins: Collection[str], project: ProjectFiles, first_look: FirstLook
) -> bool:
    """Whether a file of a project names one of the plugins, in a line that is no comment.

    In `_config.yml`, the line `- jekyll-sitemap` does. In a script such as `astro.config.mjs`, only
    strings count, since any word may be the name of a variable.
    """
    text = first_look.text(project.folder, file, project.top)  # "" if there is no such file
    lines = [line for line in lines_of(text) if not line.lstrip().startswith(_COMMENT_STARTS)]
    if is_script(file):
        strings = [string for line in lines for _quote, string in re.findall(_STRING, line)]
        return any(_is_plugin(string, plugins) for string in strings)
    return any(plugin in line for line in lines for plugin in plugins)


def _is_plugin(string: str, plugins: Collection[str]) -> bool:
    """Whether a string of a script is the name of a plugin, or a package name that ends in it.

    For the plugin `sitemap`: `sitemap`, `@astrojs/sitemap` and `gatsby-plugin-sitemap` are, but
    `my_sitemap` is not.
    """
    endings = tuple(f"{before}{plugin}" for plugin in plugins for before in "/-")
    return string in plugins or string.endswith(endings)
