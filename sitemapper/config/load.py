"""Reads what a person wrote in files, variables and flags. A later layer wins, key by key."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..errors import SitemapperError
from ..files import ancestors, read_regular, shown_path
from ..model import Line, Origin
from ..syntax.tables import value_at
from .faults import describe_faults
from .lines import find_lines, locate
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
_VARIABLES["SUBMIT_KEY"] = "submit.key"
_CONFIG = "SITEMAPPER_CONFIG"  # a file, or lines of TOML
_FOLDERS_BELOW = ("docs", "website")  # in which many generators have their settings
_PATHS = ("site", "output", "ledger.path", "previous")
_NO_PATHS = ("output", "live", "none")  # words of `previous`
_LISTS = ("ignore", "include", "lastmod")  # keys with a variable, which has blanks between
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
    """The values of one source, as in TOML, whose relative paths begin at `folder`."""

    values: Mapping[str, Any]
    origins: Mapping[str, Origin]  # by dotted keys; "" stands for all others
    folder: str
    file: str | None = None
    strict: bool | None = None  # False for variables, whose values are texts


def load(
    flags: Mapping[str, object],
    cwd: str,
    environment: Mapping[str, str],
    config: Sequence[str] = (),
    values: Mapping[str, object] | None = None,
    name: str = "options",
) -> Config:
    """Merges the file, the environment, `values`, the lines of --config, and flags, in this order.

    `config` are the values of --config: a file, and lines of TOML. `values` is a table, whose
    source messages call `name`. Flags that are None are not set. Raises SitemapperError with all
    faults, one a line: `sitemapper.toml:3: sitemap.gzp: unknown key; did you mean 'gzip'?`
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
    file = _read_named_file(path, cwd) if path else _find_file(cwd)
    faults: list[str] = []
    variables = _read_variables(environment, cwd, faults)
    table = _Layer(values or {}, {"": Origin(name)}, cwd)
    set_flags = {key: value for key, value in flags.items() if value is not None}
    origins = {key: Origin(FLAGS[key]) for key in set_flags}
    layers = [file, variables, table, *of_lines, _Layer(_in_tables(set_flags), origins, cwd)]
    return _merge(layers, faults)


def _merge(layers: Sequence[_Layer], faults: list[str]) -> Config:
    """Checks each layer, and merges them. Raises SitemapperError with all faults."""
    merged: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    added: dict[str, list[Line]] = {"ignore": [], "include": []}
    for layer in layers:
        try:
            written = Settings.model_validate(layer.values, strict=layer.strict)
        except ValidationError as error:
            faults += describe_faults(error, layer.origins)
            continue
        for key, value in _with_dotted_keys(written).items():
            merged[key] = value
            origins[key] = locate(key, layer.origins)
            is_word = key == "previous" and (value in _NO_PATHS or "://" in value)
            if key in _PATHS and not is_word:
                merged[key] = os.path.normpath(os.path.join(layer.folder, value))
            if not isinstance(value, tuple):
                continue
            for index, item in enumerate(value):
                entry = f"{key}[{index}]"
                origin = locate(entry, layer.origins)
                origins[entry] = origin
                if key in added:
                    line = Line(item, origin._replace(text=item))
                    added[key].append(line)
    if faults:
        raise SitemapperError("\n".join(faults))

    for key, lines in added.items():
        merged[key] = [line.text for line in lines]
    # Whoever passes --ledger wants its dates, even if `lastmod` in the file has no `ledger`.
    if "ledger.path" in layers[-1].origins:
        merged["lastmod"] = _with_ledger(merged.get("lastmod", ("auto",)))
    merged.setdefault("ledger.path", os.path.join(layers[0].folder, "sitemapper.ledger"))
    settings = Settings.model_validate(_in_tables(merged))
    return Config(
        settings,
        file=layers[0].file,
        origins=origins,
        ignore=tuple(added["ignore"]),
        include=tuple(added["include"]),
    )


def _with_dotted_keys(settings: Settings) -> dict[str, Any]:
    """The values that are set: `{"sitemap.gzip": "also"}`."""
    values: dict[str, Any] = {}
    for name, value in settings.model_dump(exclude_unset=True).items():
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
        table, _, inner = key.partition(".")
        if inner:
            tables.setdefault(table, {})[inner] = value
        else:
            tables[key] = value
    return tables


def _with_ledger(sources: tuple[str, ...]) -> tuple[str, ...]:
    """Adds `ledger` to the sources, before `mtime`: every file has one, so none after it counts."""
    if sources in ((), ("auto",)) or "ledger" in sources:
        return sources
    return tuple(sorted((*sources, "ledger"), key=lambda source: source == "mtime"))


# --- Layers


def _find_file(cwd: str) -> _Layer:
    """The nearest file, in the working directory and above, then in `docs` and `website`.

    A sitemapper.toml counts before the pyproject.toml beside it.
    """
    below = [os.path.join(cwd, name) for name in _FOLDERS_BELOW]
    for folder in (*ancestors(cwd), *below):
        for name in ("sitemapper.toml", "pyproject.toml"):
            layer = _read_file(os.path.join(folder, name), cwd)
            if layer:
                return layer
    return _Layer({}, {}, cwd)


def _read_named_file(name: str, cwd: str) -> _Layer:
    if name == os.devnull:  # by which people say that they want no file
        return _Layer({}, {}, cwd)
    layer = _read_file(os.path.join(cwd, name), cwd)
    if layer is None:
        what = f"{name}: does not exist, or has no table [tool.sitemapper]"
        raise SitemapperError(what, "check the path after --config")
    return layer


def _read_file(path: str, cwd: str) -> _Layer | None:
    """Reads a file; None if it is not there, or is a pyproject.toml without [tool.sitemapper].

    Raises SitemapperError for a file that cannot be read.
    """
    label = shown_path(path, cwd)
    try:
        data = read_regular(path)
        if data is None:
            return None
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise SitemapperError(f"{label}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SitemapperError(f"{label}: is not UTF-8", "save the file as UTF-8") from None
    layer = _read_text(text, label, os.path.dirname(path))._replace(file=path)
    if os.path.basename(path) != "pyproject.toml":
        return layer
    table = value_at(layer.values, "tool.sitemapper")
    if not isinstance(table, dict):
        return None
    return layer._replace(values=table, origins=find_lines(text, label, "tool.sitemapper."))


def _read_text(text: str, source: str, folder: str) -> _Layer:
    """Reads TOML. Raises SitemapperError with the place of an error."""
    try:
        values = tomllib.loads(text)
    except ValueError as error:
        place = re.search(r"line (\d+)", str(error))
        line = place[1] if place else text.count("\n") + 1  # "at end of document"
        raise SitemapperError(f"{source}:{line}: is not valid TOML: {error}", _TOML_HELP) from None
    return _Layer(values, find_lines(text, source), folder)


def _read_variables(environment: Mapping[str, str], cwd: str, faults: list[str]) -> _Layer:
    """Reads the variables of keys, in which lists have blanks between. Adds to the faults."""
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for variable, text in sorted(environment.items()):
        if not variable.startswith(_PREFIX) or variable == _CONFIG or not text:
            continue
        name = variable.removeprefix(_PREFIX)
        if name not in _VARIABLES:
            advice = f"write {_CONFIG}='KEY = VALUE'"  # only keys with a flag have a variable
            similar = get_close_matches(name, _VARIABLES, n=1)
            if similar:
                advice = f"did you mean {_PREFIX}{similar[0]}?"
            faults.append(f"{variable}: unknown variable; {advice}")
            continue
        key = _VARIABLES[name]
        values[key] = text.split() if key in _LISTS else text
        origins[key] = Origin(variable)
    return _Layer(_in_tables(values), origins, cwd, strict=False)
