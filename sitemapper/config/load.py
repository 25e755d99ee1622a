"""Reads what a person wrote in files, variables and flags. A later layer wins, key by key."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..files import ancestors, read_regular, shown_path
from ..messages import SitemapperError
from ..model import Line, Origin
from ..syntax.tables import value_at
from .faults import describe_faults, find_lines, locate
from .model import Settings

# The flags that set keys. Each has a variable of its name, such as SITEMAPPER_BASE_URL.
FLAGS = {
    "site": "SITE",
    "base_url": "--base-url",
    "output": "--output",
    "ignore": "--ignore",
    "include": "--include",
    "url_style": "--url-style",
    "lastmod": "--lastmod",
    "ledger.path": "--ledger",
    "sitemap.gzip": "--gzip",
    "robots.write": "--robots",
    "previous": "--previous",
    "max_drop": "--max-drop",
    "strict": "--strict",
    "submit.key": "--key",
}
_PREFIX = "SITEMAPPER_"
_VARIABLES = {flag.strip("-").upper().replace("-", "_"): key for key, flag in FLAGS.items()}
_VARIABLES["SUBMIT_KEY"] = _VARIABLES.pop("KEY")
_CONFIG = "SITEMAPPER_CONFIG"  # a file, or lines of TOML
_FOLDERS_BELOW = ("docs", "website")  # in which many generators have their settings
# Keys whose values are paths, but for some words.
_PATHS = {"site": (), "output": (), "ledger.path": (), "previous": ("output", "live", "none")}
_ADDED = ("ignore", "include")  # lists that add up over the layers
_LISTS = (*_ADDED, "lastmod")  # keys with a variable, which has blanks between
_TOML_HELP = r"""put texts in quotes: site = "public"; Windows paths in single ones: 'C:\site'"""


class Config(NamedTuple):
    """What a person wrote. Paths are absolute, where `previous` may also be a word or a URL."""

    settings: Settings
    file: str | None  # the configuration file that was read, absolute
    # Where keys, and the entries of their lists, were written: `sitemap.gzip`, `rules[1]`.
    origins: Mapping[str, Origin]
    ignore: tuple[Line, ...]  # added up over the layers in order
    include: tuple[Line, ...]

    def origin(self, key: str) -> Origin | None:
        """Where a key was written, None if nobody wrote it."""
        return self.origins.get(key)


class _Layer(NamedTuple):
    """The values of one source by dotted keys. Its relative paths begin at `folder`."""

    values: Mapping[str, Any]
    origins: Mapping[str, Origin]  # of keys and entries; "" stands for all others
    folder: str
    file: str | None = None


def load(
    flags: Mapping[str, object],
    cwd: str,
    environment: Mapping[str, str],
    config: Sequence[str] = (),
    values: Mapping[str, object] | None = None,
    name: str = "options",
) -> Config:
    """Reads all that a person wrote, and merges it. A later source wins, key by key.

    - the configuration file: the last file that --config or SITEMAPPER_CONFIG names, or else the
      nearest one
    - variables of the environment, such as SITEMAPPER_BASE_URL
    - `values`, a table of keys from a caller, whose source messages call `name`
    - lines of TOML in SITEMAPPER_CONFIG and --config, whose values are `config`
    - `flags` by the keys that they set, such as `base_url`; one that is None is not set

    Raises SitemapperError with all faults, one a line:
    `sitemapper.toml:3: sitemap.gzp: unknown key; did you mean sitemap.gzip?`
    """
    cwd = os.path.abspath(cwd)
    path = ""
    layers_of_lines: list[_Layer] = []
    for number, text in enumerate([environment.get(_CONFIG, ""), *config]):
        source = "--config" if number else _CONFIG
        if "=" in text:  # `KEY = VALUE`, and not a path
            layers_of_lines.append(_read_text(text, source, cwd))
        elif text:
            path = text

    file = _read_first_file(path, cwd)
    variables = _read_variables(environment, cwd)
    table = _Layer(_with_dotted_keys(values or {}), {"": Origin(name)}, cwd)

    set_flags = {key: value for key, value in flags.items() if value is not None}
    origins = {key: Origin(FLAGS[key]) for key in set_flags}
    of_flags = _Layer(set_flags, origins, cwd)
    return _merge([file, variables, table, *layers_of_lines, of_flags])


def _merge(layers: Sequence[_Layer]) -> Config:
    """Merges the layers, of which the file is the first and the flags are the last one.

    Then checks the result. Raises SitemapperError with all faults.
    """
    merged: dict[str, Any] = {}  # by dotted keys
    origins: dict[str, Origin] = {}
    for layer in layers:
        origins = {**layer.origins, **origins}  # also those of keys in entries: `rules[0].match`
        for key, value in layer.values.items():
            # A later value replaces an earlier one, but patterns of files are added to them.
            items = value if isinstance(value, list | tuple) else [value]
            before = merged.get(key, []) if key in _ADDED else []
            merged[key] = [*before, *items] if key in _ADDED else _with_path(key, value, layer)
            origins[key] = locate(key, layer.origins)
            for index in range(len(items)):
                entry = f"{key}[{len(before) + index}]"
                origins[entry] = locate(f"{key}[{index}]", layer.origins)
    merged.setdefault("ledger.path", os.path.join(layers[0].folder, "sitemapper.ledger"))
    try:
        settings = Settings.model_validate(_in_tables(merged))
    except ValidationError as error:
        raise SitemapperError("\n".join(describe_faults(error, origins))) from None

    # Whoever passes --ledger wants its dates, even if `lastmod` in the file has no `ledger`.
    sources = settings.lastmod
    if "ledger.path" in layers[-1].values and sources not in ((), ("auto",)):
        with_ledger = tuple(dict.fromkeys(("ledger", *sources)))
        settings = settings.model_copy(update={"lastmod": with_ledger})
    return Config(
        settings,
        file=layers[0].file,
        origins=origins,
        ignore=_lines("ignore", settings.ignore, origins),
        include=_lines("include", settings.include, origins),
    )


def _with_path(key: str, value: Any, layer: _Layer) -> Any:
    """The value of a key. A relative path becomes absolute, below the folder of its layer."""
    if key not in _PATHS or not isinstance(value, str):
        return value
    is_word = value in ("", *_PATHS[key])  # such as `live` for `previous`
    if is_word or "://" in value:
        return value
    return os.path.normpath(os.path.join(layer.folder, value))


def _lines(key: str, texts: Sequence[str], origins: Mapping[str, Origin]) -> tuple[Line, ...]:
    """The patterns in the list of a key, `ignore` or `include`, each with its origin.

    The origin has the pattern as its text, so that it reads `sitemapper.toml:12: drafts/`.
    """
    lines: list[Line] = []
    for index, text in enumerate(texts):
        origin = origins[f"{key}[{index}]"]
        lines.append(Line(text, origin._replace(text=text)))
    return tuple(lines)


def _with_dotted_keys(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Flattens tables, so that layers can be merged key by key.

    `{"sitemap": {"gzip": "also"}}` → `{"sitemap.gzip": "also"}`.
    """
    values: dict[str, Any] = {}
    for name, value in tables.items():
        if not isinstance(value, dict):
            values[name] = value
            continue
        for key, inner in value.items():
            values[f"{name}.{key}"] = inner
    return values


def _in_tables(values: Mapping[str, Any]) -> dict[str, Any]:
    """Undoes `_with_dotted_keys`, because pydantic checks tables.

    `{"sitemap.gzip": "also"}` → `{"sitemap": {"gzip": "also"}}`.
    """
    tables: dict[str, Any] = {}
    for key, value in values.items():
        name, _, inner = key.partition(".")
        if not inner:
            tables[name] = value
        elif isinstance(tables.setdefault(name, {}), dict):  # not `sitemap = 1`, which is a fault
            tables[name][inner] = value
    return tables


# --- Layers


def _read_first_file(path: str, cwd: str) -> _Layer:
    """Reads the configuration file at a path, or the nearest one if the path is "".

    The nearest one is in the working directory or above it, or else in `docs` or `website`. A
    sitemapper.toml counts before the pyproject.toml beside it. The layer is empty without a file.
    """
    if path == os.devnull:  # by which people say that they want no file
        return _Layer({}, {}, cwd)
    if path:
        layer = _read_file(os.path.join(cwd, path), cwd)
        if layer is None:
            what = f"{path}: does not exist, or has no table [tool.sitemapper]"
            raise SitemapperError(what, "check the path after --config")
        return layer

    folders_below = [os.path.join(cwd, name) for name in _FOLDERS_BELOW]
    for folder in (*ancestors(cwd), *folders_below):
        for name in ("sitemapper.toml", "pyproject.toml"):
            layer = _read_file(os.path.join(folder, name), cwd)
            if layer:
                return layer
    return _Layer({}, {}, cwd)


def _read_file(path: str, cwd: str) -> _Layer | None:
    """Reads a configuration file; None if it does not exist or has nothing for us.

       A pyproject.toml has only what is in its table [tool.sitemapper].
    Raises SitemapperError for a file
       that cannot be read.
    """
    label = shown_path(path, cwd)
    above = "tool.sitemapper" if os.path.basename(path) == "pyproject.toml" else ""
    try:
        data = read_regular(path)
        if data is None:
            return None
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise SitemapperError(f"{label}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SitemapperError(f"{label}: is not UTF-8", "save the file as UTF-8") from None

    layer = _read_text(text, label, os.path.dirname(path), above)
    if above and not layer.values:
        return None
    return layer._replace(file=path)


def _read_text(text: str, source: str, folder: str, above: str = "") -> _Layer:
    """Reads lines of TOML, which messages call `source`, into a layer.

    Only the table `above` counts, such as `tool.sitemapper`; "" stands for the whole text. Relative
    paths begin at `folder`. Raises SitemapperError if the text is no TOML.
    """
    try:
        table: Any = tomllib.loads(text)
    except ValueError as error:
        raise SitemapperError(f"{source}: is not valid TOML: {error}", _TOML_HELP) from None
    if above:
        table = value_at(table, above)
    values = _with_dotted_keys(table) if isinstance(table, dict) else {}
    return _Layer(values, find_lines(text, source, above), folder)


def _read_variables(environment: Mapping[str, str], cwd: str) -> _Layer:
    """Reads variables such as SITEMAPPER_BASE_URL, each of which sets a key.

    A list has blanks between its entries. An empty variable sets nothing. Raises SitemapperError
    for an unknown variable with this prefix, because it is mostly misspelled.
    """
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for variable, text in sorted(environment.items()):
        if not variable.startswith(_PREFIX) or variable == _CONFIG or not text:
            continue
        key = _VARIABLES.get(variable.removeprefix(_PREFIX))
        if key is None:
            known = ", ".join(_VARIABLES)
            help = f"write {_CONFIG}='KEY = VALUE', or {_PREFIX} with one of {known}"
            raise SitemapperError(f"{variable}: unknown variable", help)
        values[key] = text.split() if key in _LISTS else text
        origins[key] = Origin(variable)
    return _Layer(values, origins, cwd)
