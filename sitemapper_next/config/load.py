"""Reads what a person wrote in files, variables and flags. A later layer wins, key by key."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple, get_origin

from pydantic import ValidationError

from ..errors import SitemapperError
from ..files import ancestors, read_regular, shown_path
from ..messages import Message
from ..model import Line, Origin
from .faults import list_faults, nearest
from .lines import find_lines, line_of
from .model import Settings, keys

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
_VARIABLES = {
    key: _PREFIX + flag.strip("-").upper().replace("-", "_") for key, flag in FLAGS.items()
}
_VARIABLES["submit.key"] = "SITEMAPPER_SUBMIT_KEY"
_CONFIG = "SITEMAPPER_CONFIG"  # a file, or lines of TOML
_BOOLEANS = dict.fromkeys(("true", "yes", "on", "1"), True)
_BOOLEANS |= dict.fromkeys(("false", "no", "off", "0"), False)
_FOLDERS_BELOW = ("docs", "website")  # in which many generators have their settings
_PATHS = ("site", "output", "ledger.path", "previous")
_ADDED = ("ignore", "include")  # to which each layer adds; other lists are replaced
_WINDOWS_PATH = r"write Windows paths in single quotes: 'C:\site'"
_UNCLOSED = "close the text on its line"
# The beginnings of tomllib's messages, and what to do.
_HINTS = {
    "Unescaped": _WINDOWS_PATH,
    "Invalid hex": _WINDOWS_PATH,
    "Unterminated": _UNCLOSED,
    "Illegal character '\\n'": _UNCLOSED,
    "Cannot overwrite": "the file sets this key twice; remove one of the lines",
    "Expected '='": 'write each setting as key = "value"',
}
_BARE_TEXT = r"\s*(?P<key>[\w.-]+) *= *(?P<text>[A-Za-z][^\s\"'#]*)"  # `site = public`


class Config(NamedTuple):
    """What a person wrote. Paths are absolute, where `previous` may also be a word or a URL."""

    settings: Settings
    file: str | None  # the configuration file that was read, absolute
    # Where keys, and the entries of their lists, were written: `sitemap.gzip`, `rules[1]`.
    origins: Mapping[str, Origin]
    ignore: tuple[Line, ...]  # added up over the layers in order
    include: tuple[Line, ...]
    messages: tuple[Message, ...] = ()

    def origin(self, key: str) -> Origin | None:
        """Where a key was written, None if nobody wrote it."""
        return self.origins.get(key)


class _Layer(NamedTuple):
    """Values of one source by their dotted keys. Their relative paths begin at `folder`."""

    values: Mapping[str, Any]
    folder: str
    source: str = ""  # such as sitemapper.toml
    lines: Mapping[str, int] | None = None  # of the keys in a file
    names: Mapping[str, str] = MappingProxyType({})  # of flags or variables, by key
    file: str | None = None

    def origin(self, key: str) -> Origin:
        """Where a key stands: `sitemapper.toml:3`, `--ignore`, or `options: base_url`."""
        name = self.names.get(key.partition("[")[0])
        if name:
            return Origin(name)
        if self.lines is None:
            return Origin(self.source, None, key)
        return Origin(self.source, line_of(self.lines, key))


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
    files: list[str] = []
    layers: list[_Layer] = []
    messages: list[Message] = []
    faults: list[str] = []

    shared = environment.get(_CONFIG, "")
    files = [text for text in config if not _is_toml(text, cwd)]
    if len(files) > 1:
        raise SitemapperError(f"--config names {len(files)} files", "keep one of them")
    if shared and not files and not _is_toml(shared, cwd):
        files = [shared]
    if not files:
        layers += _find_file(cwd, messages)
    elif files[0] != os.devnull:  # by which people say that they want no file
        layers += _read_file(os.path.join(cwd, files[0]), cwd, is_named=True)

    if _is_toml(shared, cwd):
        layers.append(_read_text(shared, _CONFIG, cwd))
    layers.append(_Layer(_read_variables(environment, faults), cwd, names=_VARIABLES))
    layers.append(_Layer(_with_dotted_keys(values or {}), cwd, name))
    for text in config:
        if _is_toml(text, cwd):
            layers.append(_read_text(text, "--config", cwd))
    layers.append(_layer_of_flags(flags, cwd))
    return _merge(layers, cwd, faults, messages)


def _is_toml(text: str, cwd: str) -> bool:
    """Whether a value of --config is `KEY = VALUE`. The name of a file may contain `=`, too."""
    return "=" in text and not os.path.isfile(os.path.join(cwd, text))


def _merge(
    layers: Sequence[_Layer], cwd: str, faults: list[str], messages: Sequence[Message]
) -> Config:
    """Merges the layers, and checks the result."""
    merged: dict[str, Any] = {}
    setters: dict[str, _Layer] = {}
    added: dict[str, list[tuple[Any, _Layer, str]]] = {key: [] for key in _ADDED}
    for layer in layers:
        for key, value in layer.values.items():
            setters[key] = layer
            merged[key] = value
            if key in _PATHS:
                merged[key] = _absolute(value, layer.folder)
            if key in _ADDED:
                for index, item in enumerate(_as_list(value)):
                    added[key].append((item, layer, f"{key}[{index}]"))
                merged[key] = [item for item, _, _ in added[key]]
    # Whoever passes --ledger wants its dates, even if `lastmod` in the file has no `ledger`.
    if setters.get("ledger.path") is layers[-1]:
        merged["lastmod"] = _with_ledger(merged.get("lastmod", "auto"))
    folder = next((os.path.dirname(layer.file) for layer in layers if layer.file), cwd)
    merged.setdefault("ledger.path", os.path.join(folder, "sitemapper.ledger"))

    # `sitemap.gzip` → {"sitemap": {"gzip": …}}
    tables: dict[str, Any] = {}
    for key, value in merged.items():
        table, _, inner = key.partition(".")
        if not inner:
            tables[table] = value
        elif isinstance(tables.setdefault(table, {}), dict):  # not so for `sitemap = 3`
            tables[table][inner] = value
    try:
        settings = Settings.model_validate(tables)
    except ValidationError as error:
        located: list[tuple[int, int, str]] = []
        for place, text in list_faults(error):
            key = _written(place)
            layer = setters.get(".".join(map(str, place[:2]))) or setters[str(place[0])]
            if place[0] in added and isinstance(place[-1], int):
                _, layer, key = added[str(place[0])][place[-1]]
            origin = layer.origin(key)
            where = str(origin)
            if origin.line is not None:
                where += ": " + re.sub(r"\[\d+\]$", "", key)
            located.append((layers.index(layer), origin.line or 0, f"{where}: {text}"))
        faults += [text for _, _, text in sorted(located)]
    if faults:
        raise SitemapperError("\n".join(faults))

    origins: dict[str, Origin] = {}
    for key, layer in setters.items():
        origins[key] = layer.origin(key)
        for index in range(len(_as_list(layer.values[key]))):
            entry = f"{key}[{index}]"
            origins[entry] = layer.origin(entry)
    lines: dict[str, tuple[Line, ...]] = {}
    for key, items in added.items():
        lines[key] = tuple(
            Line(text, layer.origin(entry)._replace(text=text)) for text, layer, entry in items
        )
    return Config(
        settings=settings,
        file=next((layer.file for layer in layers if layer.file), None),
        origins=origins,
        messages=tuple(messages),
        **lines,
    )


def _written(place: Sequence[int | str]) -> str:
    """The place of a value as a key: `("rules", 0, "match")` → `rules[0].match`."""
    key = ""
    for step in place:
        key += f"[{step}]" if isinstance(step, int) else f".{step}"
    return key.removeprefix(".")


def _as_list(value: Any) -> Sequence[Any]:
    """One value stands for a list of it."""
    return value if isinstance(value, list | tuple) else [value]


def _absolute(path: Any, folder: str) -> Any:
    """A path below `folder`, made absolute. Words of `previous` and URLs stay."""
    if not isinstance(path, str) or path in ("", "output", "live", "none") or "://" in path:
        return path
    return os.path.normpath(os.path.join(folder, path))


def _with_ledger(sources: Any) -> Any:
    """Adds `ledger` to the sources, before `mtime`: every file has one, so none after it counts."""
    names = list(_as_list(sources))
    if not names or "auto" in names or "ledger" in names:
        return sources
    position = names.index("mtime") if "mtime" in names else len(names)
    return [*names[:position], "ledger", *names[position:]]


# --- Layers


def _layer_of_flags(flags: Mapping[str, object], cwd: str) -> _Layer:
    values = {key: value for key, value in flags.items() if value is not None}
    names = dict(FLAGS)
    if values.get("robots.write") is False:
        names["robots.write"] = "--no-robots"
    if not values.get("lastmod", True):
        names["lastmod"] = "--no-lastmod"
    return _Layer(values, cwd, names=names)


def _read_variables(environment: Mapping[str, str], faults: list[str]) -> dict[str, Any]:
    """The values of variables by key; lists have blanks between. Adds unknown ones to `faults`.

    A text that is no such value, such as `maybe` for a boolean, stays, and the models report it.
    """
    keys_by_variable = {variable: key for key, variable in _VARIABLES.items()}
    values: dict[str, Any] = {}
    for variable, text in sorted(environment.items()):
        if not variable.startswith(_PREFIX) or variable == _CONFIG or not text:
            continue
        if variable not in keys_by_variable:
            faults.append(f"{variable}: unknown variable; {_advise(variable)}")
            continue
        key = keys_by_variable[variable]
        kind = keys()[key].annotation
        values[key] = text
        if kind is bool:
            values[key] = _BOOLEANS.get(text.lower(), text)
        elif kind is float:
            with suppress(ValueError):
                values[key] = float(text)
        elif get_origin(kind) is tuple:
            values[key] = text.split()
    return values


def _advise(variable: str) -> str:
    """What to write for a variable that sets no key: only keys with a flag have one."""
    for key in keys():
        if variable == _PREFIX + key.upper().replace(".", "_"):
            instead = _VARIABLES.get(key, f"{_CONFIG}='{key} = …'")
            return f"write {instead}"
    hint = nearest(variable, list(_VARIABLES.values()))
    return f"did you mean {hint}?" if hint else "unset it"


def _find_file(cwd: str, messages: list[Message]) -> list[_Layer]:
    """The configuration file of the working directory, of a folder above it, or of one below."""
    for folder in ancestors(cwd):
        found = _read_folder(folder, cwd, messages)
        if found:
            return found
    below = [_read_folder(os.path.join(cwd, name), cwd, messages) for name in _FOLDERS_BELOW]
    found = [layer for layers in below for layer in layers]
    return found if len(found) == 1 else []  # two websites: the user says which


def _read_folder(folder: str, cwd: str, messages: list[Message]) -> list[_Layer]:
    found = _read_file(os.path.join(folder, "sitemapper.toml"), cwd)
    project = _read_file(os.path.join(folder, "pyproject.toml"), cwd)
    if found and project:
        text = f"{project[0].source} is not read, because sitemapper.toml stands beside it"
        messages.append(Message("warning", "two-files", text, "move all settings to one of them"))
    return found or project


def _read_file(path: str, cwd: str, *, is_named: bool = False) -> list[_Layer]:
    """The layer of a file, none for a file that is not there or has no [tool.sitemapper].

    A file that is named must be there. Raises SitemapperError for one that cannot be read.
    """
    label = shown_path(path, cwd)
    try:
        data = read_regular(path)
        text = (data or b"").decode("utf-8-sig")
    except OSError as error:
        what = f"{label}: cannot be read: {error.strerror}"
        raise SitemapperError(what, "check the path and its permissions") from None
    except UnicodeDecodeError as error:
        what = f"{label}: is not UTF-8 (byte {error.start})"
        raise SitemapperError(what, "save the file as UTF-8") from None
    if data is None and is_named:
        raise SitemapperError(f"{label}: does not exist", "check the path after --config")
    if data is None:
        return []
    folder = os.path.dirname(path)
    if os.path.basename(path) != "pyproject.toml":
        return [_read_text(text, label, folder)._replace(file=path)]
    tool = _parse(text, label).get("tool")
    table = tool.get("sitemapper") if isinstance(tool, dict) else None
    if table is None and is_named:
        raise SitemapperError(f"{label}: has no [tool.sitemapper] table", "add the table")
    if table is None:
        return []
    if not isinstance(table, dict):
        raise SitemapperError(
            f"{label}: tool.sitemapper: must be a table", "write [tool.sitemapper]"
        )
    lines = find_lines(text, "tool.sitemapper.")
    return [_Layer(_with_dotted_keys(table), folder, label, lines, file=path)]


def _read_text(text: str, source: str, folder: str) -> _Layer:
    return _Layer(_with_dotted_keys(_parse(text, source)), folder, source, find_lines(text))


def _parse(text: str, source: str) -> dict[str, Any]:
    """Parses TOML. Raises SitemapperError with the line, and with what to do."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SitemapperError(f"{source}: is nested too deep") from None
    except ValueError as error:
        message = str(error)
    lines = text.rstrip("\n").split("\n")
    what = message.partition(" (at ")[0]
    found = re.search(r"at line (\d+)", message)
    number = int(found[1]) if found else len(lines)
    help = ""
    for beginning, hint in _HINTS.items():
        if what.startswith(beginning):
            help = hint
    bare = re.match(_BARE_TEXT, lines[number - 1])
    if what == "Invalid value" and bare:
        help = f'put the text in quotes: {bare["key"]} = "{bare["text"]}"'
    raise SitemapperError(f"{source}:{number}: is not valid TOML: {what}", help)


def _with_dotted_keys(table: Mapping[Any, Any]) -> dict[str, Any]:
    """`{"sitemap": {"gzip": "also"}}` → `{"sitemap.gzip": "also"}`."""
    tables = {key.partition(".")[0] for key in keys() if "." in key}
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name in tables and isinstance(value, dict):
            for key, inner in value.items():
                values[f"{name}.{key}"] = inner
        else:
            values[str(name)] = value
    return values
