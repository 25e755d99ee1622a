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
from contextlib import suppress

from ..fs import start_inside
from ..model import NOT_LITERAL, Found, SourceRoute
from ..syntax.settings_files import find_setting
from .generator import SettingsFiles

_FILE = "versions.json"
_LIMIT = 1 << 16  # bytes of it, which is a list of some names
_CURRENT = "current"
_TRANSLATIONS = "docusaurus-plugin-content-docs"  # their folder, below that of the language
# The keys of settings. `[]` is a step into the items of a list: `plugins` is the key of a list that
# code computes, as `plugins: load()`, and `plugins[]` that of one which can be read.
_PLUGINS = {"plugins", "plugins[]"}
_DOCS = "presets[][].docs"  # presets: [["classic", { docs: { … } }]]
# The options in this table that set folders and URL paths.
_PATH_OPTIONS = ("path", "routeBasePath", "lastVersion")
# These leave versions out. Another version may then be the last, whose pages have no version in
# their path. Few projects set them.
_OPTIONS_THAT_DROP_VERSIONS = ("disableVersioning", "onlyIncludeVersions", "onlyIncludeVersions[]")


def find_source_routes(folder: str, settings: SettingsFiles) -> list[SourceRoute]:
    """Lists the folders of sources of a documentation, each with the folder of its pages.

    `versioned_docs/version-1.0` in the `folder` of the project → the pages in `docs/1.0`.

    `settings` has the values of each settings file, such as docusaurus.config.js. If code computes
    the paths, the list is empty.
    """
    version_names = _read_versions(folder)  # `2.0` and `1.0`
    for found_by_key in settings.values():
        options = _read_options(found_by_key, version_names)  # `{"path": "guides"}`
        if options is None:  # code computes some of them, so the next file is tried
            continue
        locale = found_by_key.get("i18n.defaultLocale")
        default_locale = locale.text if locale else ""  # `en`, whose pages are not below `en/`
        return _list_routes(folder, version_names, options, default_locale)
    return []


def _read_versions(folder: str) -> list[str]:
    """Reads the names of the versions in versions.json, the newest first: `2.0`, `1.0`.

    No names if the file is missing or broken: Docusaurus then builds no old version.
    """
    try:
        data = start_inside(folder, os.path.join(folder, _FILE), _LIMIT)
        names = json.loads(data or b"")
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(names, list):
        return []
    # The sources of a version are in a folder of its name, so Docusaurus allows no `a/b`.
    texts = [name for name in names if isinstance(name, str) and name.isprintable()]
    return [name for name in texts if name and "/" not in name and "\\" not in name]


def _read_options(
    found_by_key: Mapping[str, Found], version_names: Sequence[str]
) -> dict[str, str] | None:
    """Reads the options that set the folders and URL paths of a documentation and its versions.

    `docs: {path: "guides", versions: {"1.0": {path: "old"}}}` → `{"path": "guides",
    "versions.1.0.path": "old"}`. Options that have their defaults are left out.

    None if the settings do not show the paths of the pages, because code computes an option or
    because versions are left out. `version_names` are the versions in versions.json.
    """
    if not _can_read_options(found_by_key):
        return None
    if any(find_setting(found_by_key, f"{_DOCS}.{key}") for key in _OPTIONS_THAT_DROP_VERSIONS):
        return None
    paths_of_versions = [f"versions.{name}.path" for name in [_CURRENT, *version_names]]
    options: dict[str, str] = {}
    for key in [*_PATH_OPTIONS, *paths_of_versions]:
        option = find_setting(found_by_key, f"{_DOCS}.{key}")
        if option is None:  # the default holds
            continue
        if option.value is NOT_LITERAL:  # code computes it, as in `path: folder()`
            return None
        options[key] = option.text
    return options


def _can_read_options(found_by_key: Mapping[str, Found]) -> bool:
    """Whether the settings of a project show all options of its documentation.

    `presets: [["classic", {docs: {path: "guides"}}]]` does. `presets: load()` does not, because
    code computes the options. The options of plugins are not read.
    """
    # `presets: load()`. The presets in a list have the key `presets[]` instead.
    are_all_computed = "presets" in found_by_key
    if are_all_computed:
        return False
    presets = found_by_key.get("presets[]")
    # Without presets, a plugin may build the documentation. Without plugins, all defaults hold.
    if presets is None:
        has_plugins = not _PLUGINS.isdisjoint(found_by_key)
        return not has_plugins
    # `presets: [load()]`
    if presets.value is NOT_LITERAL:
        return False
    # `presets: [["classic", {docs: false}]]`: a plugin may build the documentation instead.
    docs = found_by_key.get(_DOCS)
    is_turned_off = docs is not None and docs.text == "false"
    return not is_turned_off


def _list_routes(
    folder: str, version_names: Sequence[str], options: Mapping[str, str], default_locale: str
) -> list[SourceRoute]:
    """Lists each folder of sources of a project, with the folder of the site for its pages.

    With the versions 2.0 and 1.0, and translations to French:

    | sources | pages |
    |---|---|
    | `docs` | `docs/next` |
    | `versioned_docs/version-2.0`, the newest | `docs` |
    | `versioned_docs/version-1.0` | `docs/1.0` |
    | `i18n/fr/docusaurus-plugin-content-docs/version-1.0` | `fr/docs/1.0` |

    `options` are those of the user, by key. `routeBasePath` replaces `docs`, and
    `versions.1.0.path` replaces `1.0`. `lastVersion` is the version without a name in its path.
    """
    # 1. What is the same for all versions. The newest is the first.
    newest_version = version_names[0] if version_names else _CURRENT
    last_version = options.get("lastVersion", newest_version)
    base = options.get("routeBasePath", "docs")
    # The languages of the translations: `fr` for the folder `i18n/fr`.
    locales = []
    with suppress(OSError):  # there are none
        locales = sorted(os.listdir(os.path.join(folder, "i18n")))
    # 2. A route for each version, and one for each of its translations. A route is a pair of
    # folders: that of the sources, and that of the pages.
    routes: list[SourceRoute] = []
    for name in [_CURRENT, *version_names]:
        if name == _CURRENT:  # the files of the next release
            sources = options.get("path", "docs")
            translations = _CURRENT
            default_path = "next"
        else:
            sources = f"versioned_docs/version-{name}"
            translations = f"version-{name}"
            default_path = name
        if name == last_version:
            default_path = ""
        pages = _join(base, options.get(f"versions.{name}.path", default_path))
        source_folder = os.path.normpath(os.path.join(folder, sources))
        routes.append(SourceRoute(folder=source_folder, pages=pages))
        for locale in locales:
            translated = os.path.join(folder, "i18n", locale, _TRANSLATIONS, translations)
            # The pages in the default language have no language in their path.
            locale_in_path = "" if locale == default_locale else locale
            routes.append(SourceRoute(folder=translated, pages=_join(locale_in_path, pages)))
    return routes


def _join(*parts: str) -> str:
    """Joins the parts that are not empty to a path without outer slashes: "", `/docs/` → `docs`."""
    return "/".join(part.strip("/") for part in parts if part.strip("/"))
