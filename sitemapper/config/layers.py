"""The layers of settings: TOML files, with the lines of their keys, and values of other origins."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import ConfigError, with_help
from ..fs import ancestors, regular, relative
from ..model import Origin
from ..syntax.settings_files import lines_of, read_toml

NAMES = ("sitemapper.toml", "pyproject.toml")
ENV_PREFIX = "SITEMAPPER_"
ENV_CACHE = f"{ENV_PREFIX}CACHE"  # the folder of the cache, which is not a setting
ENVIRONMENT, COMMAND_LINE = "environment", "command line"
_WINDOWS_PATH = r"write Windows paths in single quotes: 'C:\site'"
_UNCLOSED = "close the string on its line"
# The beginnings of tomllib's messages, and what to do.
_TOML_HINTS = {
    "Unescaped": _WINDOWS_PATH,
    "Invalid hex": _WINDOWS_PATH,
    "Escaped character": _WINDOWS_PATH,
    "Unterminated": _UNCLOSED,
    "Illegal character '\\n'": _UNCLOSED,
    'Expected "\'"': _UNCLOSED,
    "Cannot mutate": "write all entries as [[tables]], or all of them in one list",
}
# Patterns are compiled when they are used.
# `[sitemap]`, `[[rules]]`
_HEADER = r"\s*(?P<brackets>\[\[?)\s*(?P<table>[\w.\"'-]+)\s*\]"
_KEY = r"\s*(?P<key>[\w.\"'-]+)\s*="
_ENTRY_OF_TABLES = r"""(?x)
    (?P<table> rules | sitemaps | urls | git\.map )
    \[ (?P<number> \d+ ) \]    # rules[0]
    (?: \. (?P<key> .+ ) )?    # rules[0].match[1]
"""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
# A string of TOML: "a\\b" with backslashes, or 'a\b' as it is.
_STRING = r"\"((?:[^\"\\]|\\.)*+)(?:\"|\\?$)|'([^']*)'"
# `site = public`
_BARE_TEXT = r"\s*(?P<key>[\w-]+) *= *(?P<text>[A-Za-z][^\s\"'#]*)"
_LAST_STEP = r"""(?x)
    (
        \[\d+\]          # the number of an entry
      | (^|\.) [^.\[]*   # a name
      | .
    )$
"""


class Lines(NamedTuple):
    """The lines of keys, tables and strings of a TOML file. tomllib does not report them."""

    keys: Mapping[str, int]
    strings: Mapping[str, list[int]]

    def line_of_key(self, key: str) -> int:
        """The line of a key, or else of the nearest table above, 1 if there is none.

        `rules[1].match[0]` may have no line: those of `rules[1].match`, `rules[1]` and `rules` are
        then tried in order.
        """
        while key and key not in self.keys and f"{key}[0]" not in self.keys:
            key = re.sub(_LAST_STEP, "", key)
        return self.keys.get(key) or self.keys.get(f"{key}[0]", 1)

    def lines_of_string(self, text: str) -> list[int]:
        """The lines of a string, none if the file does not contain it.

        A backslash may be written as two: TOML wants them in double quotes.
        """
        return self.strings.get(text) or self.strings.get(text.replace("\\", "\\\\"), [])


class Layer(NamedTuple):
    """One source of settings, such as sitemapper.toml or the environment. Messages call it `label`.

    - `base` is the folder at which relative paths start
    - a file has `lines`, its bytes `read`, and `prefix`, the table with the settings
      (`tool.sitemapper.`); `unread` is another file with settings beside it, which does not count
    - the command line has `flags`, by key
    - a project has `origins`, the places of keys in its files
    - `built_in` are those patterns of `ignore` that a plugin added
    """

    values: dict[str, Any]
    label: str
    base: str
    lines: Lines | None = None
    prefix: str = ""
    read: bytes = b""
    flags: Mapping[str, str] = MappingProxyType({})
    origins: Mapping[str, Origin] = MappingProxyType({})
    built_in: tuple[str, ...] = ()
    unread: str = ""

    def describe_place(self, key: str, item: str = "") -> str:
        """Where this layer sets a key, with the key's name there, for the start of a message.

        `sitemapper.toml:3: match of the first [[rules]]`, `--base-url`, or
        `environment: SITEMAPPER_SITE: site`. With `item`, it is the line of this string in a list.
        """
        name = re.sub(r"\[\d+\]", "", key)
        if name in self.flags:
            return self.flags[name]
        if self.label == ENVIRONMENT:
            return f"{self.label}: {ENV_PREFIX}{name.upper().replace('.', '_')}: {key}"
        where = f"{self.label}:{self.line_of(key, item)}" if self.lines else self.label
        return f"{self.origins.get(key, where)}: {key_in_words(key)}"

    def line_of(self, key: str, item: str = "") -> int:
        """The line of a key or, with `item`, of this string in its list; 1 without a file."""
        if self.lines is None:
            return 1
        first_line = self.lines.line_of_key(self.prefix + key)
        if item:
            # The same text may stand above the key, in another list.
            for number in self.lines.lines_of_string(item):
                if number >= first_line:
                    return number
        return first_line


def key_in_words(key: str) -> str:
    """A key as messages show it, without the index of an item in its list.

    `rules[0].match[1]` → `match of the first [[rules]]`, `ignore[2]` → `ignore`.
    """
    entry = re.fullmatch(_ENTRY_OF_TABLES, key)
    if entry is None:
        return re.sub(r"\[\d+\]$", "", key)
    number = int(entry["number"])
    ordinal = _ORDINALS[number] if number < len(_ORDINALS) else f"{number + 1}th"
    table = f"the {ordinal} [[{entry['table']}]]"
    inner_key = re.sub(r"\[\d+\]$", "", entry["key"] or "")
    return f"{inner_key} of {table}" if inner_key else table


def _find_lines(text: str) -> Lines:
    """Finds the first line of each key and table of a TOML file, and all lines of each string.

    The second `[[rules]]` is the table `rules[1]`, and its key `match` is `rules[1].match`.
    """
    keys: dict[str, int] = {}
    strings: dict[str, list[int]] = {}
    counts: dict[str, int] = {}  # of the entries of each array of tables
    table = ""
    for number, line in enumerate(lines_of(text), 1):
        header = re.match(_HEADER, line)
        key = re.match(_KEY, line)
        if header:
            table = _without_quotes(header["table"])
            if header["brackets"] == "[[":
                index = counts.get(table, 0)
                counts[table] = index + 1
                table = f"{table}[{index}]"
            # `[git.map]` also begins the table `git`, which may have no header.
            top = table.partition(".")[0]
            keys.setdefault(top, number)
            keys.setdefault(table, number)
        elif key:
            name = _without_quotes(key["key"])
            keys.setdefault(f"{table}.{name}" if table else name, number)
        for double_quoted, single_quoted in re.findall(_STRING, line):
            strings.setdefault(double_quoted or single_quoted, []).append(number)
    return Lines(keys, strings)


def _without_quotes(name: str) -> str:
    return re.sub(r"[\"']", "", name)


def file_layer(config: str | None, cwd: str, start: str = "") -> Layer | None:
    """Reads the configuration file: `config`, or else the nearest one from a folder upwards.

    The search begins in `start`, or in `cwd` if this is "". A pyproject.toml without settings does
    not count. None if there is no file, or for `--config /dev/null`. Raises ConfigError for a
    missing or broken file.
    """
    if config is not None:
        path = os.path.join(cwd, config)
        if not os.path.exists(path):
            raise _error(f"{config}: does not exist", "check the path after --config")
        if path == os.devnull:  # `--config /dev/null` stands for no file
            return None
        return _read_toml(path, config, required=True)
    for folder in ancestors(start or cwd):
        for name in NAMES:
            path = os.path.join(folder, name)
            if not os.path.isfile(path):
                continue
            layer = _read_toml(path, relative(path, cwd), required=False)
            if layer:
                return layer._replace(unread=_find_unread(folder, name, cwd))
    return None


def _find_unread(folder: str, read_name: str, cwd: str) -> str:
    """Finds a pyproject.toml with settings beside the sitemapper.toml that is read instead.

    Returns its path for a warning, "" if there is none. A user who edits this file would wonder why
    nothing changes.
    """
    for name in NAMES[NAMES.index(read_name) + 1 :]:
        path = os.path.join(folder, name)
        label = relative(path, cwd)
        # A fault in a file that does not count is no error.
        with suppress(ConfigError):
            if os.path.isfile(path) and _read_toml(path, label, required=False):
                return label
    return ""


def _read_toml(path: str, label: str, *, required: bool) -> Layer | None:
    """Reads the settings in a TOML file, with the lines of their keys.

    None for a pyproject.toml without settings. If they are `required`, this is an error. Raises
    ConfigError, also for a file that cannot be read or that is no TOML.
    """
    try:
        read = regular(path) or b""
        text = read.decode("utf-8-sig")
    except OSError as error:
        problem = f"{label}: cannot be read: {error.strerror}"
        raise _error(problem, "check the path and its permissions") from None
    except UnicodeDecodeError as error:
        problem = f"{label}: is not UTF-8 (byte {error.start})"
        raise _error(problem, "save the file as UTF-8") from None
    try:
        values = read_toml(text)
    except (ValueError, RecursionError) as error:
        raise _make_toml_error(label, text, str(error)) from None
    base = os.path.dirname(os.path.abspath(path))
    layer = Layer(values=values, label=label, base=base, lines=_find_lines(text), read=read)
    if os.path.basename(path) != "pyproject.toml":
        return layer
    return _select_own_table(layer, required=required)


def _select_own_table(layer: Layer, *, required: bool) -> Layer | None:
    """Reduces the layer of a pyproject.toml to its table [tool.sitemapper].

    None if there is no such table. Raises ConfigError if it is `required`, or no table.
    """
    tool = layer.values.get("tool", {})
    table = tool.get("sitemapper") if isinstance(tool, dict) else None
    if isinstance(table, dict):
        return layer._replace(values=table, prefix="tool.sitemapper.")
    if table is not None:
        problem = f"{layer.label}: tool.sitemapper: must be a table"
        raise _error(problem, "write [tool.sitemapper]")
    if required:
        raise _error(f"{layer.label}: has no [tool.sitemapper] table", "add the table")
    return None


def _make_toml_error(label: str, text: str, message: str) -> ConfigError:
    """Makes the error for a file that is not TOML, with its line and what to do.

    tomllib's message `Invalid value (at line 3, column 8)` → `sitemapper.toml:3: is not valid TOML:
    Invalid value`.
    """
    lines = lines_of(text)
    line = re.search(r"at line (\d+)", message)
    number = int(line[1]) if line else len(lines)  # `(at end of document)`
    what = message.partition(" (at ")[0]
    help = ""
    if what == "Invalid value":
        help = _help_for_bare_text(lines[number - 1])
    for start, hint in _TOML_HINTS.items():
        if what.startswith(start):
            help = hint
    return _error(f"{label}:{number}: is not valid TOML: {what}", help)


def _help_for_bare_text(line: str) -> str:
    """`put the text in quotes: site = "public"` for the line `site = public`, "" for others."""
    bare_text = re.match(_BARE_TEXT, line)
    if not bare_text:
        return ""
    return f'put the text in quotes: {bare_text["key"]} = "{bare_text["text"]}"'


def _error(problem: str, help: str) -> ConfigError:
    return ConfigError((with_help(problem, help),))
