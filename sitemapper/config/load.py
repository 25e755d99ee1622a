"""From layers of values to Settings, with all problems as `file:line: key: message`."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ..errors import ConfigError, with_help
from ..fs import with_slashes
from . import messages
from .choices import PREVIOUS
from .layers import COMMAND_LINE, ENV_CACHE, ENV_PREFIX, ENVIRONMENT, Layer, file_layer
from .messages import APPENDED_LISTS, Faults
from .settings import Settings

_TRUE = dict.fromkeys(("true", "yes", "on", "1"), True)
_FALSE = dict.fromkeys(("false", "no", "off", "0"), False)
_BOOLEANS = _TRUE | _FALSE
_NUMBER = r"(?a)true|false|(0|[1-9]\d{0,17})(\.\d+)?"  # compiled when it is used


class Loaded(NamedTuple):
    """The result of `read_settings`: the settings and no faults, or None and the faults."""

    settings: Settings | None
    faults: Faults


def read_settings(layers: Sequence[Layer], site: str) -> Loaded:
    """Merges the layers of settings, and checks the result.

    Returns the settings, or what is wrong with them, which the caller reports. A later layer
    overrides an earlier one: the command line overrides the file. `site` is the site's folder if no
    layer sets it.
    """
    try:
        settings = Settings.model_validate(_merge_layers(layers, site))
    except ValidationError as error:
        return Loaded(None, messages.find_faults(error, layers))
    return Loaded(settings, Faults([], {}))


def load_tables(cwd: str, *names: str) -> Settings:
    """Reads only some tables of the nearest configuration file, such as `validate`.

    It is for commands that need no site. All other keys have their defaults, and faults in them do
    not matter. Without a file, all keys have their defaults. Raises ConfigError for faults in the
    tables `names`.
    """
    layer = file_layer(None, os.path.abspath(cwd))
    layers = [layer] if layer else []
    tables = {}
    for name in names:
        if layer and name in layer.values:
            tables[name] = layer.values[name]
    try:
        return Settings.model_validate(_with_lists(with_tuples(tables), Settings))
    except ValidationError as error:
        problems = sort_problems(messages.find_faults(error, layers).problems)
        raise ConfigError(problems) from None


def sort_problems(problems: Sequence[messages.Problem]) -> tuple[str, ...]:
    """Returns the texts of problems, sorted by line.

    Those of one line stay in their order. Those without a line come first.
    """
    ordered = sorted(problems, key=lambda problem: problem.line)
    return tuple(problem.text for problem in ordered)


def prepare_layer(layer: Layer) -> Layer:
    """Prepares the values of a layer for the models: with tuples for lists, and absolute paths.

    In the layer of /a/sitemapper.toml, `site = "public"` → `/a/public`, and `ignore = "x/"` →
    `("x/",)`. Raises ConfigError for values that are nested too deep.
    """
    try:
        values: dict[str, Any] = with_tuples(layer.values)
    except RecursionError:
        problem = f"{layer.label}: is nested too deep"
        help = "no key needs more than three levels"
        raise ConfigError((with_help(problem, help),)) from None
    values = _with_lists(values, Settings)
    # These keys are paths. Each layer has its own folder, so they are made absolute before layers
    # are merged.
    _make_absolute(values, "site", layer.base)
    _make_absolute(values, "output", layer.base)
    previous = values.get("previous")
    # `previous` may also be a word, such as `live`, or a URL. These are no paths.
    if previous not in PREVIOUS and "://" not in str(previous):
        _make_absolute(values, "previous", layer.base)
    ledger = values.get("ledger")
    if isinstance(ledger, dict):
        _make_absolute(ledger, "path", layer.base)
    if isinstance(values.get("extra"), tuple):
        values["extra"] = tuple(_absolute(path, layer.base) for path in values["extra"])
    return layer._replace(values=values)


def _with_lists(table: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Returns a table in which each single text that stands for a list is in a list.

    ignore = "a/"                → ignore is ("a/",)
    match = "b/" in a rule       → match of the rule is ("b/",)
    site = "public"              → "public": in the `model`, this key is no list
    ignore = 3                   → 3: the models report values of a wrong type
    """
    values = dict(table)
    for key, field in model.model_fields.items():
        name = field.alias or key
        value = table.get(name)
        is_list = get_origin(field.annotation) is tuple
        inner_model = messages.table_of(field.annotation)
        if inner_model is None:  # a key that is no table, such as `ignore`
            if is_list and isinstance(value, str):
                values[name] = (value,)
        elif isinstance(value, dict):  # a table, such as `[ledger]`
            values[name] = _with_lists(value, inner_model)
        elif isinstance(value, tuple):  # an array of tables, such as `[[rules]]`
            entries = (_with_lists(e, inner_model) if isinstance(e, dict) else e for e in value)
            values[name] = tuple(entries)
    return values


def _make_absolute(table: dict[str, Any], key: str, base: str) -> None:
    """Changes the path of a key to an absolute one: `public` → `/a/public` for the base `/a`.

    `.\\public`, as written on Windows, gets slashes. Values that are no path, such as 3, stay as
    they are, because the models report them.
    """
    path = table.get(key)
    if isinstance(path, str) and path and "\0" not in path:
        table[key] = os.path.normpath(os.path.join(base, with_slashes(path, base)))


def _absolute(path: object, base: str) -> object:
    """Joins a path to the folder `base`: `a.txt` → `/b/a.txt`.

    A value that is no path, such as 3, stays as it is, because the models report it.
    """
    if isinstance(path, str) and path:
        return os.path.join(base, path)
    return path


def with_tuples(value: Any) -> Any:
    """Returns a value in which all lists are tuples, as the frozen models need them.

    {"a": ["b", ["c"]]} → {"a": ("b", ("c",))}.
    """
    if isinstance(value, Mapping):
        return {key: with_tuples(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(map(with_tuples, value))
    return value


def _merge_layers(layers: Sequence[Layer], site: str) -> dict[str, Any]:
    """Merges the values of all layers into one table: a later layer overrides an earlier one.

    `site` is the site's folder if no layer sets it.
    """
    merged: dict[str, Any] = {"site": site}
    for layer in layers:
        merged = _merge(merged, layer.values)
        # Whoever passes --ledger wants its dates, even if `lastmod` in the file has no `ledger`.
        if layer.label == COMMAND_LINE and "path" in layer.values.get("ledger", {}):
            merged = _with_ledger_as_source(merged)
    return merged


def _with_ledger_as_source(values: dict[str, Any]) -> dict[str, Any]:
    """Adds `ledger` to the sources of dates in `lastmod`, for a user who passes `--ledger FILE`.

    | `lastmod` | result | because |
    |---|---|---|
    | git | git, ledger | |
    | git, mtime | git, ledger, mtime | every file has an `mtime`, so no later source is used |
    | auto | auto | it uses a ledger by itself |
    | an empty list | an empty list | the user wants no dates |
    """
    sources = values.get("lastmod", ("auto",))
    if not isinstance(sources, tuple) or sources in ((), ("auto",)) or "ledger" in sources:
        return values
    others = tuple(source for source in sources if source != "mtime")
    last = ("mtime",) if "mtime" in sources else ()
    return values | {"lastmod": (*others, "ledger", *last)}


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merges the tables of two layers into a new one. Of a key that both set, `above` counts.

    | below | above | merged |
    |---|---|---|
    | `site = "a"` | `site = "b"` | `site = "b"` |
    | `[dates]` with `date_only` | `[dates]` with `timezone` | `[dates]` with both |
    | `ignore = ["a/"]` | `ignore = ["b/"]` | `ignore = ["a/", "b/"]` |

    A value of a wrong type, such as `dates = 3`, stays in either layer: the models report it.
    """
    merged = dict(below)
    # A key may be new, a table in both, a list to which each layer adds, or any other.
    for key, value in above.items():
        value_below = below.get(key)
        if key not in below:
            merged[key] = value
        elif isinstance(value, dict) and isinstance(value_below, dict):
            merged[key] = _merge(value_below, value)
        elif key in APPENDED_LISTS:
            merged[key] = _append_list(value_below, value)
        elif not isinstance(value, dict):
            merged[key] = value
    return merged


def _append_list(below: Any, above: Any) -> Any:
    """Appends the list `above` to the list `below`: ("a/",) and ("b/",) → ("a/", "b/").

    If one of them is no list, as in `ignore = 3`, this value is returned alone, and the models then
    report it.
    """
    if not isinstance(below, tuple):
        return below
    if not isinstance(above, tuple):
        return above
    return below + above


class Variable(NamedTuple):
    """The key that an environment variable sets, its table ("" for none), and its type.

    SITEMAPPER_SITEMAP_NAME sets `name` in `sitemap`, a `str`.
    """

    table: str
    key: str
    type: Any


def read_environment(env: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """Reads the settings in environment variables, as tables of the configuration file.

    SITEMAPPER_SITEMAP_GZIP=also    → {"sitemap": {"gzip": "also"}}
    SITEMAPPER_IGNORE=a/,b/         → {"ignore": ["a/", "b/"]}
    SITEMAPPER_IGNORE=              → {"ignore": []}: empty sets an empty list
    SITEMAPPER_SITE=                → {}: empty sets nothing where the key is no list
    SITEMAPPER_GZP=also             → {}, and a message in `problems`: no key has this name
    """
    variables = _list_variables()
    values: dict[str, Any] = {}
    for name in sorted(env):
        if not name.startswith(ENV_PREFIX) or name == ENV_CACHE:
            continue
        variable = variables.get(name)
        if variable is None:
            problems.append(_describe_unknown_variable(name, list(variables)))
        elif env[name] or get_origin(variable.type) is tuple:
            table = values.setdefault(variable.table, {}) if variable.table else values
            table[variable.key] = _read_value(env[name], variable.type)
    return values


def _list_variables() -> dict[str, Variable]:
    """Lists the key of each environment variable: SITEMAPPER_SITEMAP_NAME → `name` of `sitemap`.

    Arrays of tables, such as `[[rules]]`, and `[validate]` have no variable.
    """
    # The models of the top of the file, "", and of each table.
    models: dict[str, Any] = {"": Settings}
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, BaseModel):
            models[name] = type(field.default)
    variables = {}
    for table, model in models.items():
        for key, field in model.model_fields.items():
            field_type = field.annotation
            # Left out: `[validate]`, which is a dict, and tables. The keys of tables such as
            # `[sitemap]` have variables by their own models.
            if get_origin(field_type) is dict or messages.table_of(field_type) is not None:
                continue
            name = f"{table}_{key}" if table else key
            variables[ENV_PREFIX + name.upper()] = Variable(table, key, field_type)
    return variables


def _describe_unknown_variable(name: str, variables: list[str]) -> str:
    """Says that no key has a variable of this name, and which of the `variables` may be meant.

    A variable with the same key in a table comes first: for SITEMAPPER_GZIP, it is
    SITEMAPPER_SITEMAP_GZIP. Otherwise, it is the most similar one.
    """
    name_without_prefix = name.removeprefix(ENV_PREFIX)  # GZIP
    in_tables = [variable for variable in variables if variable.endswith(f"_{name_without_prefix}")]
    hint = messages.did_you_mean(name, in_tables or variables)
    return with_help(f"{ENVIRONMENT}: {name}: unknown setting", hint or "unset it")


def _read_value(text: str, value_type: Any) -> Any:
    """Reads the text of a variable as a value of the type of its key.

    | type | text | value |
    |---|---|---|
    | a list | `a/, b/` | `["a/", "b/"]` |
    | a boolean | `yes`, `on`, `1` | `True` |
    | a text | `8` | `"8"` |
    | any other | `8`, `0.5` | `8`, `0.5` |

    A text that is no such value, such as `maybe` for a boolean, stays as it is: the models report
    it.
    """
    if get_origin(value_type) is tuple:
        return [item.strip() for item in text.split(",") if item.strip()]
    if value_type is bool:
        return _BOOLEANS.get(text.lower(), text)
    if _takes_text(value_type) or not re.fullmatch(_NUMBER, text):
        return text
    return json.loads(text)


def _takes_text(value_type: Any) -> bool:
    """Whether a type allows any text: `str`, `str | None`, or an annotated `str`.

    The caller then takes `8` for a text and not for a number.
    """
    for member in (value_type, *get_args(value_type)):
        # The first argument of an annotated type is the type itself.
        if member is str or str in get_args(member)[:1]:
            return True
    return False
