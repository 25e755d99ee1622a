"""Which folder of sources makes which pages of a versioned documentation of Docusaurus.

Source: getVersionPathPart, getLastVersionName and readVersionNames in src/versions of
docusaurus-plugin-content-docs (facebook/docusaurus). The current files are a version, too. The last
version has no name in its path. Without a setting, that is the newest of versions.json.
"""

import json
import os
from collections.abc import Mapping, Sequence

from ..fs import start_inside
from ..model import NOT_LITERAL, Found, SourceRoute
from ..syntax.settings_files import look_up
from .generator import SettingsFiles

_FILE = "versions.json"
_LIMIT = 1 << 16  # bytes of it
_PLUGIN = "plugin-content-docs"
_CURRENT = "current"
_OPTIONS = (
    "path", "routeBasePath", "lastVersion", "includeCurrentVersion", "disableVersioning",
    "onlyIncludeVersions",
)  # fmt: skip


def source_routes(folder: str, settings: SettingsFiles) -> list[SourceRoute]:
    """The folders of sources of a project with their pages' paths, none if not all is literal."""
    names = _read_versions(folder)
    for found in settings.values():
        start = _start_of_options(found)
        options = _read_options(found, start, names) if start else None
        if options is not None:
            locale = found.get("i18n.defaultLocale")
            return _list_routes(folder, names, options, locale.text if locale else "")
    return []


def _read_versions(folder: str) -> list[str]:
    """The names in versions.json, the newest first."""
    try:
        data = start_inside(folder, os.path.join(folder, _FILE), _LIMIT)
        names = json.loads(data or b"")
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(names, list):
        return []
    return [name for name in names if isinstance(name, str) and _is_of_folder(name)]


def _is_of_folder(name: str) -> bool:
    """Whether a version's name can be that of a folder, as Docusaurus wants it."""
    has_slash = "/" in name or "\\" in name
    return bool(name) and name.isprintable() and not has_slash


def _start_of_options(found: Mapping[str, Found]) -> str:
    """How the keys of the main documentation's options begin, "" if that is not clear."""
    presets = found.get("presets[]")
    docs = found.get("presets[][].docs")
    # A key without brackets has no list that can be read: `presets: load()`.
    if "presets" in found or (presets and presets.value is NOT_LITERAL):
        return ""
    is_off = docs is not None and docs.value == "false"
    if presets and not is_off:
        return "presets[][].docs"
    plugins = found.get("plugins[]")
    if "plugins" in found or (plugins and plugins.value is NOT_LITERAL):
        return ""
    documentations = plugins.text.count(_PLUGIN) if plugins else 0
    if not presets and not documentations:
        return "presets[][].docs"
    is_only = documentations == 1 and "plugins[][].id" not in found
    return "plugins[][]" if is_only else ""


def _read_options(
    found: Mapping[str, Found], start: str, names: Sequence[str]
) -> dict[str, str] | None:
    """The options of a documentation that are set, None if one is not literal."""
    options: dict[str, str] = {}
    keys = [*_OPTIONS, "onlyIncludeVersions[]"]
    keys += [f"versions.{name}.path" for name in [_CURRENT, *names]]
    for key in keys:
        option = look_up(found, f"{start}.{key}")
        if option is None:
            continue
        if option.value is NOT_LITERAL:
            return None
        options[key] = option.text
    return options


def _list_routes(
    folder: str, names: Sequence[str], options: Mapping[str, str], default_locale: str
) -> list[SourceRoute]:
    """The folders of all versions and of their translations."""
    versions = _versions_built(names, options)
    old = [name for name in versions if name != _CURRENT]
    last = options.get("lastVersion", "")
    if not last:
        last = old[0] if old else _CURRENT
    locales = _locales(folder)
    routes: list[SourceRoute] = []
    for name in versions:
        if name == _CURRENT:
            own, part, default = options.get("path", "docs"), _CURRENT, "next"
        else:
            own, part, default = f"versioned_docs/version-{name}", f"version-{name}", name
        if name == last:
            default = ""
        base = options.get("routeBasePath", "docs")
        pages = _join(base, options.get(f"versions.{name}.path", default))
        routes.append(SourceRoute(os.path.normpath(os.path.join(folder, own)), pages))
        for locale in locales:
            translated = os.path.join(folder, "i18n", locale, f"docusaurus-{_PLUGIN}", part)
            in_locale = "" if locale == default_locale else locale
            routes.append(SourceRoute(translated, _join(in_locale, pages)))
    return routes


def _versions_built(names: Sequence[str], options: Mapping[str, str]) -> list[str]:
    """The versions of which there are pages, the current one first."""
    versions = [name for name in names if name != _CURRENT]
    if options.get("includeCurrentVersion") != "false":
        versions.insert(0, _CURRENT)
    only = options.get("onlyIncludeVersions[]", "").split()
    if options.get("disableVersioning") == "true":
        only = [_CURRENT]
    return [name for name in versions if not only or name in only]


def _locales(folder: str) -> list[str]:
    """The languages for which there are translations."""
    try:
        return sorted(os.listdir(os.path.join(folder, "i18n")))
    except OSError:
        return []


def _join(*parts: str) -> str:
    """A path from its parts without slashes at its ends."""
    return "/".join(part.strip("/") for part in parts if part.strip("/"))
