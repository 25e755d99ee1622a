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
_LIMIT = 1 << 16  # bytes of it
_PLUGIN = "plugin-content-docs"
_CURRENT = "current"
_OPTIONS = (
    "path", "routeBasePath", "lastVersion", "includeCurrentVersion", "disableVersioning",
    "onlyIncludeVersions",
)  # fmt: skip


def find_source_routes(folder: str, settings: SettingsFiles) -> list[SourceRoute]:
    """The folders of sources of a project, each with the path of its pages.

    `docs` is built to `docs/next/`, `versioned_docs/version-1.0` to `docs/1.0/`. The list is
    empty if code computes a part of the settings.
    """
    version_names = _read_versions(folder)
    for found_by_key in settings.values():
        prefix = _find_option_prefix(found_by_key)
        options = _read_options(found_by_key, prefix, version_names) if prefix else None
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


def _find_option_prefix(found_by_key: Mapping[str, Found]) -> str:
    """The part before each key of the main documentation's options, "" if it is not clear.

    | docusaurus.config.js | prefix |
    |---|---|
    | `presets: [["classic", {docs: {path: …}}]]` | `presets[][].docs` |
    | no preset, and one `plugin-content-docs` | `plugins[][]` |
    | neither of them | `presets[][].docs` |
    | several plugins without such a preset, or one with an `id` | "" |
    """
    presets = found_by_key.get("presets[]")
    docs = found_by_key.get("presets[][].docs")
    # The key `presets` without brackets is no literal list, but code: `presets: load()`.
    if "presets" in found_by_key or (presets and presets.value is NOT_LITERAL):
        return ""
    is_turned_off = docs is not None and docs.value == "false"
    if presets and not is_turned_off:
        return "presets[][].docs"
    plugins = found_by_key.get("plugins[]")
    if "plugins" in found_by_key or (plugins and plugins.value is NOT_LITERAL):
        return ""
    plugin_count = plugins.text.count(_PLUGIN) if plugins else 0
    if not presets and not plugin_count:
        return "presets[][].docs"
    is_only_plugin = plugin_count == 1 and "plugins[][].id" not in found_by_key
    return "plugins[][]" if is_only_plugin else ""


def _read_options(
    found_by_key: Mapping[str, Found], prefix: str, version_names: Sequence[str]
) -> dict[str, str] | None:
    """The options of a documentation that are set, by key: `path`, `versions.1.0.path`.

    None if code computes one of them, so that no path of a page can be read.
    """
    options: dict[str, str] = {}
    keys = [*_OPTIONS, "onlyIncludeVersions[]"]
    keys += [f"versions.{name}.path" for name in [_CURRENT, *version_names]]
    for key in keys:
        option = find_setting(found_by_key, f"{prefix}.{key}")
        if option is None:
            continue
        if option.value is NOT_LITERAL:
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
    versions = _list_built_versions(version_names, options)
    old_versions = [name for name in versions if name != _CURRENT]
    last_version = options.get("lastVersion", "")
    if not last_version:
        last_version = old_versions[0] if old_versions else _CURRENT
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
            plugin_folder = os.path.join(folder, "i18n", locale, f"docusaurus-{_PLUGIN}")
            translated = os.path.join(plugin_folder, folder_of_translations)
            # The pages in the default language have no language in their path.
            locale_in_path = "" if locale == default_locale else locale
            routes.append(SourceRoute(translated, _join(locale_in_path, pages)))
    return routes


def _list_built_versions(version_names: Sequence[str], options: Mapping[str, str]) -> list[str]:
    """The versions of which Docusaurus builds pages, `current` first.

    Options leave some out: `onlyIncludeVersions: ["2.0"]`, `includeCurrentVersion: false`, or
    `disableVersioning: true` for all but `current`.
    """
    versions = [name for name in version_names if name != _CURRENT]
    if options.get("includeCurrentVersion") != "false":
        versions.insert(0, _CURRENT)
    only = options.get("onlyIncludeVersions[]", "").split()
    if options.get("disableVersioning") == "true":
        only = [_CURRENT]
    return [name for name in versions if not only or name in only]


def _list_locales(folder: str) -> list[str]:
    """The languages of the translations in the folder `i18n`, such as `fr`."""
    try:
        return sorted(os.listdir(os.path.join(folder, "i18n")))
    except OSError:
        return []


def _join(*parts: str) -> str:
    """The parts as one path without empty ones and outer slashes: "" and `/docs/` → `docs`."""
    return "/".join(part.strip("/") for part in parts if part.strip("/"))
