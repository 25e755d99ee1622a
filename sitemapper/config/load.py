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
    """Merges the file, the environment, `values`, lines of TOML, and flags, in this order.

    `config` are the values of --config. Each, and before them SITEMAPPER_CONFIG, is lines of TOML
    or a file, of which the last counts. `values` is a table, whose source messages call `name`.
    Flags that are None are not set. Raises SitemapperError with all faults, one a line:
    `sitemapper.toml:3: sitemap.gzp: unknown key; did you mean sitemap.gzip?`
    """
    cwd = os.path.abspath(cwd)
    path = ""
    of_lines: list[_Layer] = []
    for number, text in enumerate([environment.get(_CONFIG, ""), *config]):
        source = "--config" if number else _CONFIG
        if "=" in text:
            of_lines.append(_read_text(text, source, cwd))
        elif text:
            path = text
    file = _read_first_file(path, cwd)
    variables = _read_variables(environment, cwd)
    table = _Layer(_with_dotted_keys(values or {}), {"": Origin(name)}, cwd)
    set_flags = {key: value for key, value in flags.items() if value is not None}
    origins = {key: Origin(FLAGS[key]) for key in set_flags}
    return _merge([file, variables, table, *of_lines, _Layer(set_flags, origins, cwd)])


def _merge(layers: Sequence[_Layer]) -> Config:
    """Merges the layers, and checks the result. Raises SitemapperError with all faults."""
    merged: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for layer in layers:
        origins = {**layer.origins, **origins}  # also those of keys in entries: `rules[0].match`
        for key, value in layer.values.items():
            items = value if isinstance(value, list | tuple) else [value]
            before = merged.get(key, []) if key in _ADDED else []
            merged[key] = [*before, *items] if key in _ADDED else value
            is_text = isinstance(value, str) and value and "://" not in value
            if key in _PATHS and is_text and value not in _PATHS[key]:
                merged[key] = os.path.normpath(os.path.join(layer.folder, value))
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


def _lines(key: str, texts: Sequence[str], origins: Mapping[str, Origin]) -> tuple[Line, ...]:
    """The entries of a list, each with the place where it was written."""
    lines: list[Line] = []
    for index, text in enumerate(texts):
        origin = origins[f"{key}[{index}]"]
        lines.append(Line(text, origin._replace(text=text)))
    return tuple(lines)


def _with_dotted_keys(tables: Mapping[str, Any]) -> dict[str, Any]:
    """`{"sitemap": {"gzip": "also"}}` → `{"sitemap.gzip": "also"}`."""
    values: dict[str, Any] = {}
    for name, value in tables.items():
        if not isinstance(value, dict):
            values[name] = value
            continue
        for key, inner in value.items():
            values[f"{name}.{key}"] = inner
    return values


def _in_tables(values: Mapping[str, Any]) -> dict[str, Any]:
    """`{"sitemap.gzip": "also"}` → `{"sitemap": {"gzip": "also"}}`."""
    tables: dict[str, Any] = {}
    for key, value in values.items():
        name, _, inner = key.partition(".")
        if not inner:
            tables[name] = value
        elif isinstance(tables.setdefault(name, {}), dict):
            tables[name][inner] = value
    return tables


# --- Layers


def _read_first_file(named: str, cwd: str) -> _Layer:
    """Reads the file that is named, or the nearest one that is there.

    That is the first in the working directory and above, then in `docs` and `website`. A
    sitemapper.toml counts before the pyproject.toml beside it.
    """
    if named == os.devnull:  # by which people say that they want no file
        return _Layer({}, {}, cwd)
    if named:
        layer = _read_file(os.path.join(cwd, named), cwd)
        if layer is None:
            what = f"{named}: does not exist, or has no table [tool.sitemapper]"
            raise SitemapperError(what, "check the path after --config")
        return layer
    for folder in (*ancestors(cwd), *(os.path.join(cwd, name) for name in _FOLDERS_BELOW)):
        for name in ("sitemapper.toml", "pyproject.toml"):
            layer = _read_file(os.path.join(folder, name), cwd)
            if layer:
                return layer
    return _Layer({}, {}, cwd)


def _read_file(path: str, cwd: str) -> _Layer | None:
    """Reads a file; None if it is not there, or is a pyproject.toml without [tool.sitemapper].

    Raises SitemapperError for a file that cannot be read.
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
    """Reads TOML, of which only the table `above` counts. Raises SitemapperError for other text."""
    try:
        table: Any = tomllib.loads(text)
    except ValueError as error:
        raise SitemapperError(f"{source}: is not valid TOML: {error}", _TOML_HELP) from None
    if above:
        table = value_at(table, above)
    values = _with_dotted_keys(table) if isinstance(table, dict) else {}
    return _Layer(values, find_lines(text, source, above), folder)


def _read_variables(environment: Mapping[str, str], cwd: str) -> _Layer:
    """Reads the variables of keys, in which lists have blanks between.

    Raises SitemapperError for one that is not known.
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
