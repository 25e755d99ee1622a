"""The sitemap that a generator writes at each build, by the settings of its project."""

import os
from collections.abc import Iterable, Sequence

from ..syntax.settings_files import is_script
from .first_look import FirstLook
from .generator import OwnSitemap
from .project_files import PACKAGES, ProjectFiles

_COMMENT_START = "#"  # of a line in YAML, TOML, Python or Ruby


def find_own_sitemap(project: ProjectFiles, site: str, look: FirstLook) -> OwnSitemap | None:
    """The sitemap that each build of a project writes, if it is there; None for none.

    It keeps its `templates` where only one of them would write it.
    """
    own = project.generator.sitemap
    if own is None or not _is_there(own, [site, *project.outputs]) or _is_off(own, project):
        return None
    if not own.plugins or _uses_plugin(own, project, look):
        return own._replace(templates=())
    return own if own.templates else None


def _is_there(own: OwnSitemap, folders: Iterable[str]) -> bool:
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


def _uses_plugin(own: OwnSitemap, project: ProjectFiles, look: FirstLook) -> bool:
    """Whether the settings name one of the plugins outside of a comment.

    An automatic one may also stand among the dependencies.
    """
    names = list(project.generator.settings)
    if own.is_automatic:
        names += [PACKAGES, "Gemfile"]
    for name in names:
        if "*" in name:
            continue
        text = look.text(project.folder, name, project.top)
        if not is_script(name):
            if _has_row_with(text, own.plugins):
                return True
            continue
        # Imported here: most projects have no settings in a script.
        from ..syntax.js_tree import mentions

        keys = tuple(f"plugins.{plugin}" for plugin in own.plugins)
        has_key = any(key.startswith(keys) for key in project.settings.get(name, ()))
        if has_key or (text and _names_plugin(mentions(text, name), own.plugins)):
            return True
    return False


def _has_row_with(text: str, plugins: Sequence[str]) -> bool:
    """Whether a line outside of a comment contains the name of a plugin."""
    rows = (row for row in text.splitlines() if not row.lstrip().startswith(_COMMENT_START))
    return any(plugin in row for row in rows for plugin in plugins)


def _names_plugin(names: Iterable[str], plugins: Sequence[str]) -> bool:
    """Whether one of the names is that of a plugin, perhaps with a scope and a prefix.

    `@docusaurus/preset-classic` and `gatsby-plugin-sitemap` are named by their ends.
    """
    for name in names:
        for plugin in plugins:
            if name == plugin or name.endswith((f"/{plugin}", f"-{plugin}")):
                return True
    return False
