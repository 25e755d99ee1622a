"""The sources of settings: TOML files, with the lines of their keys, and values of other origins."""

import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import ConfigError, with_help
from ..fs import ancestors, regular, relative
from ..model import Origin
from ..syntax.project_files import read_toml

NAMES = ("sitemapper.toml", "pyproject.toml")
ENV_PREFIX = "SITEMAPPER_"
ENV_CACHE = f"{ENV_PREFIX}CACHE"  # the folder of the cache, which is not a setting
ENVIRONMENT, COMMAND_LINE = "environment", "command line"
# Python's messages about mistakes in strings, and what to do.
_PATH, _UNCLOSED = (
    r"write Windows paths in single quotes: 'C:\site'",
    "close the string on its line",
)
_TOML_HINTS = (
    *((start, _PATH) for start in ("Unescaped", "Invalid hex", "Escaped character")),
    *((start, _UNCLOSED) for start in ("Unterminated", "Illegal character '\\n'", 'Expected "\'"')),
)
# The lines of keys, tables and strings of a TOML file. tomllib does not report them.
_Lines = tuple[Mapping[str, int], Mapping[str, list[int]]]


class Layer(NamedTuple):
    """One source of settings. Relative paths start at `base`. Only a file has lines.

    `prefix` is the table of the file with the settings, and `read` the bytes of the file. `flags`
    are those of the command line, by key. `origins` are the origins of keys that a project's files
    set. `built_in` are the built-in patterns of `ignore`.
    """

    values: dict[str, Any]
    label: str
    base: str
    lines: _Lines | None = None
    prefix: str = ""
    read: bytes = b""
    flags: Mapping[str, str] = MappingProxyType({})
    origins: Mapping[str, Origin] = MappingProxyType({})
    built_in: tuple[str, ...] = ()

    def place(self, key: str, item: str = "") -> str:
        """Where the user set a key, or one string of its list, and its name as written there."""
        name = re.sub(r"\[\d+\]", "", key)
        if name in self.flags:
            return self.flags[name]
        if self.label == ENVIRONMENT:
            return f"{self.label}: {ENV_PREFIX}{name.upper().replace('.', '_')}: {key}"
        where = f"{self.label}:{self.line(key, item)}" if self.lines else self.label
        return f"{self.origins.get(key, where)}: {key}"

    def line(self, key: str, item: str = "") -> int:
        """The line of a key or of an item in its list, or else of the nearest table above."""
        if self.lines is None:
            return 1
        full, (keys, strings) = self.prefix + key, self.lines
        while full and full not in keys and f"{full}[0]" not in keys:
            full = re.sub(r"(\[\d+\]|(^|\.)[^.\[]*|.)$", "", full)
        first = keys.get(full) or keys.get(f"{full}[0]", 1)
        rows = (strings.get(item) or strings.get(item.replace("\\", "\\\\"), [])) if item else []
        return next((row for row in rows if row >= first), first)


def _lines(text: str) -> _Lines:
    keys: dict[str, int] = {}
    strings: dict[str, list[int]] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, row in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)\s*([\w.\"'-]+)\s*\]", row)
        key = re.match(r"\s*([\w.\"'-]+)\s*=", row)
        if header:
            table = re.sub(r"[\"']", "", header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}[{counts[table]}]"
            keys.setdefault(table.partition(".")[0], number)
            keys.setdefault(table, number)
        elif key:
            name = re.sub(r"[\"']", "", key[1])
            keys.setdefault(f"{table}.{name}" if table else name, number)
        for basic, literal in re.findall(r"\"((?:[^\"\\]|\\.)*+)(?:\"|\\?$)|'([^']*)'", row):
            strings.setdefault(basic or literal, []).append(number)
    return keys, strings


def file_layer(config: str | None, cwd: str, start: str = "") -> Layer | None:
    """The configuration file: `config`, or else the nearest one upwards. Raises ConfigError."""
    if config is not None:
        path = os.path.join(cwd, config)
        if not os.path.exists(path):
            raise ConfigError(
                (with_help(f"{config}: does not exist", "check the path after --config"),)
            )
        return None if path == os.devnull else _read_toml(path, config, required=True)
    paths = (os.path.join(folder, name) for folder in ancestors(start or cwd) for name in NAMES)
    layers = (_read_toml(p, relative(p, cwd), required=False) for p in paths if os.path.isfile(p))
    return next(filter(None, layers), None)


def _read_toml(path: str, label: str, *, required: bool) -> Layer | None:
    text = ""
    try:
        read = regular(path) or b""
        text = read.decode("utf-8-sig")
        values = read_toml(text)
    except OSError as error:
        problem = f"{label}: cannot be read: {error.strerror}", "check the path and its permissions"
    except UnicodeDecodeError as error:
        problem = f"{label}: is not UTF-8 (byte {error.start})", "save the file as UTF-8"
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        place = line[1] if line else len(text.splitlines())
        what = str(error).partition(" (at ")[0]
        hint = next((hint for start, hint in _TOML_HINTS if what.startswith(start)), "")
        wrong = text.splitlines()[int(place) - 1] if what == "Invalid value" else ""
        if bare := re.match(r"\s*([\w-]+) *= *([A-Za-z][^\s\"'#]*)", wrong):
            hint = f'put the text in quotes: {bare[1]} = "{bare[2]}"'
        problem = f"{label}:{place}: is not valid TOML: {what}", hint
    else:
        layer = Layer(
            values, label, os.path.dirname(os.path.abspath(path)), _lines(text), read=read
        )
        if os.path.basename(path) != "pyproject.toml":
            return layer
        tool = values.get("tool", {})
        section = tool.get("sitemapper") if isinstance(tool, dict) else None
        if isinstance(section, dict):
            return layer._replace(values=section, prefix="tool.sitemapper.")
        if section is None and not required:
            return None
        problem = f"{label}: tool.sitemapper: must be a table", "write [tool.sitemapper]"
        if section is None:
            problem = f"{label}: has no [tool.sitemapper] table", "add the table"
    raise ConfigError((with_help(*problem),))
