"""From layers of values to Settings, with all problems as `file:line: key: message`."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, get_origin

from pydantic import ValidationError

from ..errors import ConfigError, with_help
from .layers import (
    COMMAND_LINE,
    ENV_PREFIX,
    ENVIRONMENT,
    Layer,
    file_layer,
    table_of,
)
from .messages import APPENDED_LISTS, KEYS_THAT_LEFT, Loaded, did_you_mean, find_faults
from .settings import Settings, fields_by_key

_TRUE = dict.fromkeys(("true", "yes", "on", "1"), True)
_FALSE = dict.fromkeys(("false", "no", "off", "0"), False)
_BOOLEANS = _TRUE | _FALSE
_NUMBER = r"(?a)(0|[1-9]\d{0,17})(\.\d+)?"  # as in TOML, but not below 0; compiled when used


def read_settings(layers: Sequence[Layer], site: str) -> Loaded:
    """Merges the layers of settings, and checks the result.

    Returns the settings, or what is wrong with them, which the caller reports. The layers come in
    order, and a later one overrides an earlier one: the command line overrides the file. Only the
    lists `ignore` and `include` of all layers add up. `site` is the site's folder if no layer sets
    it.
    """
    # 1. One value for each key, such as `sitemap.gzip`.
    merged: dict[str, Any] = {"site": site}
    for layer in layers:
        for key, value in layer.values.items():
            is_appended = key in APPENDED_LISTS
            merged[key] = _append(merged.get(key, ()), value) if is_appended else value
        # Whoever passes --ledger wants its dates, even if `lastmod` in the file has no `ledger`.
        if layer.label == COMMAND_LINE and "ledger.path" in layer.values:
            merged["lastmod"] = _with_ledger(merged.get("lastmod", ("auto",)))
    # 2. Tables, as the models have them: `sitemap.gzip` → {"sitemap": {"gzip": …}}.
    values: dict[str, Any] = {}
    for key, value in merged.items():
        table, _, name = key.partition(".")
        if not name:
            values[key] = value
            continue
        keys = values.setdefault(table, {})
        if isinstance(keys, dict):  # otherwise, as for `sitemap = 3`, the models report it
            keys[name] = value
    # 3. The check.
    try:
        return Loaded(Settings.model_validate(values))
    except ValidationError as error:
        return find_faults(error, layers)


def _append(earlier: Any, later: Any) -> Any:
    """Joins the lists of two layers: `ignore` in the file, and that on the command line.

    If one of them is no list, such as `ignore = 3`, it is the result, and the models report it.
    """
    for value in (earlier, later):
        if not isinstance(value, tuple):
            return value
    return earlier + later


def load_tables(cwd: str, *names: str) -> Settings:
    """Reads only some tables of the nearest configuration file, such as `respect`.

    It is for commands that need no site. All other keys have their defaults, and faults in them do
    not matter. Without a file, all keys have their defaults. Raises ConfigError for faults in the
    tables `names`.
    """
    file = file_layer(None, os.path.abspath(cwd))
    layers = []
    if file:
        in_tables = {
            key: value for key, value in file.values.items() if key.partition(".")[0] in names
        }
        layers.append(file._replace(values=in_tables))
    loaded = read_settings(layers, ".")
    if loaded.settings is None:
        raise ConfigError("\n".join(loaded.problems))
    return loaded.settings


def _with_ledger(sources: Any) -> Any:
    """Adds `ledger` to the sources of dates in `lastmod`, for a user who passes `--ledger FILE`.

    | `lastmod` | result | because |
    |---|---|---|
    | an empty list | an empty list | the user wants no dates |
    | auto | auto | it uses a ledger by itself |
    | git, ledger | git, ledger | it has the ledger already |
    | git | git, ledger | the user's own sources come first |
    | git, mtime | git, ledger, mtime | every file has an `mtime`, so no later source is used |
    """
    if not isinstance(sources, tuple) or sources in ((), ("auto",)) or "ledger" in sources:
        return sources
    others = tuple(source for source in sources if source != "mtime")
    last = ("mtime",) if "mtime" in sources else ()
    return (*others, "ledger", *last)


def read_environment(env: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """Reads the settings in environment variables, by key.

    SITEMAPPER_SITEMAP_GZIP=also    → {"sitemap.gzip": "also"}
    SITEMAPPER_IGNORE=a/,b/         → {"ignore": ["a/", "b/"]}
    SITEMAPPER_IGNORE=              → {"ignore": []}: empty sets an empty list
    SITEMAPPER_SITE=                → {}: empty sets nothing where the key is no list
    SITEMAPPER_GZP=also             → {}, and a message in `problems`: no key has this name
    """
    names = [name for name in sorted(env) if name.startswith(ENV_PREFIX)]
    if not names:
        return {}
    # 1. The variable of each key. Lists of tables, such as `rules`, have none.
    key_by_variable = {}
    for key, field in fields_by_key().items():
        if table_of(field.annotation) is None:
            key_by_variable[ENV_PREFIX + key.upper().replace(".", "_")] = key
    # 2. The values.
    values: dict[str, Any] = {}
    for name in names:
        if name not in key_by_variable:
            problems.append(_describe_unknown_variable(name, list(key_by_variable)))
            continue
        key = key_by_variable[name]
        kind = fields_by_key()[key].annotation
        if env[name] or get_origin(kind) is tuple:
            values[key] = _read_value(env[name], kind)
    return values


def _describe_unknown_variable(name: str, variables: list[str]) -> str:
    """Says that no key has a variable of this name, and what to do.

    For the variable of a key that left, it is what stands in. Otherwise, one of the `variables` may
    be meant. One with the same key in a table comes first: for SITEMAPPER_GZIP, it is
    SITEMAPPER_SITEMAP_GZIP. Otherwise, it is the most similar one.
    """
    name_without_prefix = name.removeprefix(ENV_PREFIX)  # GZIP
    for key, advice in KEYS_THAT_LEFT.items():
        if key.upper().replace(".", "_") == name_without_prefix:
            return with_help(f"{ENVIRONMENT}: {name}: unknown setting", advice)
    in_tables = [variable for variable in variables if variable.endswith(f"_{name_without_prefix}")]
    hint = did_you_mean(name, in_tables or variables)
    return with_help(f"{ENVIRONMENT}: {name}: unknown setting", hint or "unset it")


def _read_value(text: str, kind: Any) -> Any:
    """Reads the text of a variable as a value of the type of its key.

    | type | text | value |
    |---|---|---|
    | a list | `a/, b/` | `["a/", "b/"]` |
    | a boolean | `yes`, `on`, `1` | `True` |
    | a number | `8`, `0.5` | `8`, `0.5` |
    | any other | `8` | `"8"` |

    A text that is no such value, such as `maybe` for a boolean, stays as it is: the models report
    it.
    """
    if get_origin(kind) is tuple:
        return [item.strip() for item in text.split(",") if item.strip()]
    if kind is bool:
        return _BOOLEANS.get(text.lower(), text)
    if kind in (int, float) and re.fullmatch(_NUMBER, text):
        return json.loads(text)
    return text
