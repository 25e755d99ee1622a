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
    """The settings, None if they are faulty, and the faults."""

    settings: Settings | None
    faults: Faults


def read_settings(layers: Sequence[Layer], site: str) -> Loaded:
    """The settings of all layers, the lowest first. `site` is the folder if no layer sets one."""
    try:
        settings = Settings.model_validate(_merge_layers(layers, site))
    except ValidationError as error:
        return Loaded(None, messages.find_faults(error, layers))
    return Loaded(settings, Faults([], {}))


def load_tables(cwd: str, *names: str) -> Settings:
    """Some tables of the configuration file. No other key is checked. Raises ConfigError."""
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
    """The texts of problems by line, those of one line in their order."""
    ordered = sorted(problems, key=lambda problem: problem.line)
    return tuple(problem.text for problem in ordered)


def ready(layer: Layer) -> Layer:
    """The layer with tuples for lists and single texts, and with absolute paths.

    Raises ConfigError.
    """
    try:
        values: dict[str, Any] = with_tuples(layer.values)
    except RecursionError:
        problem = f"{layer.label}: is nested too deep"
        help = "no key needs more than three levels"
        raise ConfigError((with_help(problem, help),)) from None
    values = _with_lists(values, Settings)
    _make_absolute(values, "site", layer.base)
    _make_absolute(values, "output", layer.base)
    previous = values.get("previous")
    if previous not in PREVIOUS and "://" not in str(previous):
        _make_absolute(values, "previous", layer.base)
    ledger = values.get("ledger")
    if isinstance(ledger, dict):
        _make_absolute(ledger, "path", layer.base)
    if isinstance(values.get("extra"), tuple):
        values["extra"] = tuple(_absolute(path, layer.base) for path in values["extra"])
    return layer._replace(values=values)


def _with_lists(table: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """A table with lists for texts that stand alone: `match = "blog/"` is `match = ["blog/"]`.

    `model` has the keys of the table. Wrong values stay for the models to report.
    """
    lists = dict(table)
    for key, field in model.model_fields.items():
        name = field.alias or key
        value = table.get(name)
        inner = messages.table_of(field.annotation)
        if isinstance(value, str) and get_origin(field.annotation) is tuple and inner is None:
            lists[name] = (value,)
        elif isinstance(value, dict) and inner is not None:
            lists[name] = _with_lists(value, inner)
        elif isinstance(value, tuple) and inner is not None:
            entries = (_with_lists(e, inner) if isinstance(e, dict) else e for e in value)
            lists[name] = tuple(entries)
    return lists


def _make_absolute(table: dict[str, Any], key: str, base: str) -> None:
    """Changes the path of a key to an absolute one, with slashes if it was written as on Windows.

    Wrong values stay for the models to report.
    """
    path = table.get(key)
    if isinstance(path, str) and path and "\0" not in path:
        table[key] = os.path.normpath(os.path.join(base, with_slashes(path, base)))


def _absolute(path: object, base: str) -> object:
    """A path that starts at a folder. Wrong values are kept for the models to report."""
    if isinstance(path, str) and path:
        return os.path.join(base, path)
    return path


def with_tuples(value: Any) -> Any:
    """A value with tuples for lists, as the frozen models need them."""
    if isinstance(value, Mapping):
        return {key: with_tuples(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(map(with_tuples, value))
    return value


def _merge_layers(layers: Sequence[Layer], site: str) -> dict[str, Any]:
    """The merged values of all layers."""
    merged: dict[str, Any] = {"site": site}
    for layer in layers:
        merged = _merge(merged, layer.values)
        if layer.label == COMMAND_LINE and "path" in layer.values.get("ledger", {}):
            merged = _with_ledger_as_source(merged)
    return merged


def _with_ledger_as_source(values: dict[str, Any]) -> dict[str, Any]:
    """The values with the ledger of a flag among the sources of dates, before `mtime`."""
    sources = values.get("lastmod", ("auto",))
    if not isinstance(sources, tuple) or sources in ((), ("auto",)) or "ledger" in sources:
        return values
    others = tuple(source for source in sources if source != "mtime")
    last = ("mtime",) if "mtime" in sources else ()
    return values | {"lastmod": (*others, "ledger", *last)}


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of two layers as one. Where both have a key, the value above counts.

    Tables are merged, and `ignore` and `include` add up. A value of the wrong type, in either
    layer, stays for the models to report.
    """
    merged = dict(below)
    for key, value in above.items():
        value_below = below.get(key)
        if key not in below:
            merged[key] = value
        elif isinstance(value, dict) and isinstance(value_below, dict):
            merged[key] = _merge(value_below, value)
        elif key in APPENDED_LISTS:
            merged[key] = _appended(value_below, value)
        elif not isinstance(value, dict):
            merged[key] = value
    return merged


def _appended(below: Any, above: Any) -> Any:
    """The list `below` followed by the list `above`. What is no list stays, the one below first."""
    if not isinstance(below, tuple):
        return below
    if not isinstance(above, tuple):
        return above
    return below + above


class Variable(NamedTuple):
    """The key that an environment variable sets: its table, "" for none, its name and its type."""

    table: str
    key: str
    kind: Any


def read_environment(env: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """The values of SITEMAPPER_BASE_URL and the like, for all keys but arrays of tables.

    Adds unknown names to `problems`.
    """
    variables = _list_variables()
    values: dict[str, Any] = {}
    for name in sorted(env):
        if not name.startswith(ENV_PREFIX) or name == ENV_CACHE:
            continue
        variable = variables.get(name)
        if variable is None:
            problems.append(_unknown_variable(name, list(variables)))
        elif env[name] or get_origin(variable.kind) is tuple:
            table = values.setdefault(variable.table, {}) if variable.table else values
            table[variable.key] = _read_value(env[name], variable.kind)
    return values


def _list_variables() -> dict[str, Variable]:
    """The variables of the environment by name."""
    models: dict[str, Any] = {"": Settings}
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, BaseModel):
            models[name] = type(field.default)
    variables = {}
    for table, model in models.items():
        for key, field in model.model_fields.items():
            kind = field.annotation
            if get_origin(kind) is dict or messages.table_of(kind) is not None:
                continue
            name = f"{table}_{key}" if table else key
            variables[ENV_PREFIX + name.upper()] = Variable(table, key, kind)
    return variables


def _unknown_variable(name: str, variables: list[str]) -> str:
    bare = name.removeprefix(ENV_PREFIX)
    in_tables = [variable for variable in variables if variable.endswith(f"_{bare}")]
    hint = messages.did_you_mean(name, in_tables or variables)
    return with_help(f"{ENVIRONMENT}: {name}: unknown setting", hint or "unset it")


def _read_value(text: str, kind: Any) -> Any:
    """The value of a variable. Commas separate the items of a list; booleans may be yes, no, on,
    off …

    `8` and `0.5` are numbers as in TOML if the key is no string. Anything else is a string.
    """
    if get_origin(kind) is tuple:
        return [item.strip() for item in text.split(",") if item.strip()]
    if kind is bool:
        return _BOOLEANS.get(text.lower(), text)
    if _takes_text(kind) or not re.fullmatch(_NUMBER, text):
        return text
    return json.loads(text)


def _takes_text(kind: Any) -> bool:
    """Whether a key may have a text: `str`, or a union or an annotated type with it."""
    for member in (kind, *get_args(kind)):
        # The first argument of an annotated type is the type itself.
        if member is str or str in get_args(member)[:1]:
            return True
    return False
