"""The folders of sources of a versioned documentation of Docusaurus, with the paths of their pages.

With 2.0 and 1.0 in versions.json:

    versioned_docs/version-2.0   docs/        the last version has no name in its path
    versioned_docs/version-1.0   docs/1.0/
    docs                         docs/next/   the current files are a version, too

Source: getVersionPathPart, getLastVersionName and readVersionNames in src/versions of
docusaurus-plugin-content-docs (facebook/docusaurus).
"""

import json
import os
from collections.abc import Mapping, Sequence

from ..fs import start_inside
from ..model import NOT_LITERAL, Found, SourceRoute
from ..syntax.settings_files import find_setting
from .generator import SettingsFiles

_FILE = "versions.json"
_LIMIT = 1 << 16  # bytes of it, which is a list of some names
_CURRENT = "current"
_TRANSLATIONS = "docusaurus-plugin-content-docs"  # their folder, below that of the language
_PLUGINS = {"plugins", "plugins[]"}
_PREFIX = "presets[][].docs"
_OPTIONS = ("path", "routeBasePath", "lastVersion")
# They leave versions out, so that another one may be the last. Few projects set them.
_UNREAD_OPTIONS = ("disableVersioning", "onlyIncludeVersions", "onlyIncludeVersions[]")


def find_source_routes(folder: str, settings: SettingsFiles) -> list[SourceRoute]:
    """The folders of sources of a project, each with the path of its pages.

    `docs` is built to `docs/next/`, `versioned_docs/version-1.0` to `docs/1.0/`. The list is
    empty if code computes a part of the settings.
    """
    version_names = _read_versions(folder)
    for found_by_key in settings.values():
        options = _read_options(found_by_key, version_names)
        if options is not None:
            locale = found_by_key.get("i18n.defaultLocale")
            return _list_routes(folder, version_names, options, locale.text if locale else "")
    return []


def _read_versions(folder: str) -> list[str]:
    """The names of the versions in versions.json, the newest first: `2.0`, `1.0`.

    Empty if the file is missing or broken: Docusaurus then builds no old version.
    """
    try:
        data = start_inside(folder, os.path.join(folder, _FILE), _LIMIT)
        names = json.loads(data or b"")
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(names, list):
        return []
    return [name for name in names if isinstance(name, str) and _is_version_name(name)]


def _is_version_name(name: str) -> bool:
    """Whether Docusaurus allows a name for a version: it must be that of a folder."""
    has_slash = "/" in name or "\\" in name
    return bool(name) and name.isprintable() and not has_slash


def _read_options(
    found_by_key: Mapping[str, Found], version_names: Sequence[str]
) -> dict[str, str] | None:
    """The options of the documentation that are set, by key: `path`, `versions.1.0.path`.

    They are in `presets: [["classic", {docs: {path: …}}]]`. None if no path of a page can be read:
    if code computes the presets or an option, if the documentation has a plugin of its own in place
    of a preset, or if some versions are not built.
    """
    presets = found_by_key.get("presets[]")
    docs = found_by_key.get(_PREFIX)
    # The key `presets` without brackets is no literal list, but code: `presets: load()`.
    is_computed = "presets" in found_by_key or (presets and presets.value is NOT_LITERAL)
    has_only_plugins = not presets and not _PLUGINS.isdisjoint(found_by_key)
    is_turned_off = docs is not None and docs.value == "false"
    if is_computed or has_only_plugins or is_turned_off:
        return None
    options: dict[str, str] = {}
    keys = [*_OPTIONS, *_UNREAD_OPTIONS]
    keys += [f"versions.{name}.path" for name in [_CURRENT, *version_names]]
    for key in keys:
        option = find_setting(found_by_key, f"{_PREFIX}.{key}")
        if option is None:
            continue
        if option.value is NOT_LITERAL or key in _UNREAD_OPTIONS:
            return None
        options[key] = option.text
    return options


def _list_routes(
    folder: str, version_names: Sequence[str], options: Mapping[str, str], default_locale: str
) -> list[SourceRoute]:
    """The folders of sources of all versions and translations, with the paths of their pages.

    With the version 1.0 and the language fr: `docs` → `docs/next`,
    `i18n/fr/docusaurus-plugin-content-docs/current` → `fr/docs/next`,
    `versioned_docs/version-1.0` → `docs`, and so on.
    """
    versions = [_CURRENT, *version_names]
    last_version = options.get("lastVersion", version_names[0] if version_names else _CURRENT)
    locales = _list_locales(folder)
    routes: list[SourceRoute] = []
    for name in versions:
        if name == _CURRENT:
            sources = options.get("path", "docs")
            folder_of_translations = _CURRENT
            default_path = "next"
        else:
            sources = f"versioned_docs/version-{name}"
            folder_of_translations = f"version-{name}"
            default_path = name
        if name == last_version:
            default_path = ""
        base = options.get("routeBasePath", "docs")
        pages = _join(base, options.get(f"versions.{name}.path", default_path))
        routes.append(SourceRoute(os.path.normpath(os.path.join(folder, sources)), pages))
        for locale in locales:
            plugin_folder = os.path.join(folder, "i18n", locale, _TRANSLATIONS)
            translated = os.path.join(plugin_folder, folder_of_translations)
            # The pages in the default language have no language in their path.
            locale_in_path = "" if locale == default_locale else locale
            routes.append(SourceRoute(translated, _join(locale_in_path, pages)))
    return routes


def _list_locales(folder: str) -> list[str]:
    """The languages of the translations in the folder `i18n`, such as `fr`."""
    try:
        return sorted(os.listdir(os.path.join(folder, "i18n")))
    except OSError:
        return []


def _join(*parts: str) -> str:
    """The parts as one path without empty ones and outer slashes: "" and `/docs/` → `docs`."""
    return "/".join(part.strip("/") for part in parts if part.strip("/"))
