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
        """Finds the line of a key; if it has none, the line of the nearest key or table around it.

        `rules[1].match[0]` may have no line of its own. Then the lines of `rules[1].match`,
        `rules[1]` and `rules` are tried in this order, and line 1 is the last resort.
        """
        # An array of tables is only known by its entries: `rules` begins at `rules[0]`.
        while key and key not in self.keys and f"{key}[0]" not in self.keys:
            key = re.sub(_LAST_STEP, "", key)
        return self.keys.get(key) or self.keys.get(f"{key}[0]", 1)

    def lines_of_string(self, text: str) -> list[int]:
        """Lists the numbers of the lines that have a string in quotes: `drafts/` → [3, 8].

        Empty if the file does not contain it. `a\\b` may be written as `"a\\\\b"`, because TOML
        wants two backslashes in double quotes.
        """
        return self.strings.get(text) or self.strings.get(text.replace("\\", "\\\\"), [])


class Layer(NamedTuple):
    """One source of settings: a file, the environment, the command line, or the user's project.

    - `values` are its keys, as in TOML; messages call the source by its `label`
    - `base` is the folder at which relative paths start
    - a file has `lines`, where its keys stand, and `read`, its bytes
    - `prefix` is the table that has the settings in a file: `tool.sitemapper.` in pyproject.toml
    - `unread` is the path of another file with settings in the same folder, which does not count
    - the command line has `flags`, by key: `base_url` → `--base-url`
    - a project has `origins`, the places of keys in its files: `base_url` → line 2 of `hugo.toml`
    - `built_in` are those patterns of `ignore` that a plugin added, not the user
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
        """Describes where this layer sets a key, for the start of a message.

            a file              sitemapper.toml:3: match of the first [[rules]]
            the command line    --base-url
            the environment     environment: SITEMAPPER_SITE: site
            a project           hugo.toml:2: base_url

        With `item`, the line of a file is that of this string in the list.
        """
        name = re.sub(r"\[\d+\]", "", key)
        if name in self.flags:
            return self.flags[name]
        if self.label == ENVIRONMENT:
            return f"{self.label}: {ENV_PREFIX}{name.upper().replace('.', '_')}: {key}"
        where = f"{self.label}:{self.line_of(key, item)}" if self.lines else self.label
        return f"{self.origins.get(key, where)}: {key_in_words(key)}"

    def line_of(self, key: str, item: str = "") -> int:
        """Finds the line of a key in this file or, with `item`, of this string in the key's list.

        In a file with `ignore = [` on line 2 and `"a/"` on line 3, `ignore` → 2, and with the item
        `a/` → 3. Returns 1 for a layer that is no file.
        """
        if self.lines is None:
            return 1
        first_line = self.lines.line_of_key(self.prefix + key)
        if item:
            # The same text may also stand in another list, above the key. So the search begins at
            # the key.
            for number in self.lines.lines_of_string(item):
                if number >= first_line:
                    return number
        return first_line


def key_in_words(key: str) -> str:
    """Writes a key as messages show it, without the index of an item in its list.

    rules[0].match[1]    → match of the first [[rules]]
    rules[0]             → the first [[rules]]
    ignore[2]            → ignore
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
                # The next entry of an array of tables: `rules[0]`, `rules[1]`, …
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
    """Removes the quotes from a name in TOML: `"git".map` → `git.map`."""
    return re.sub(r"[\"']", "", name)


def file_layer(config: str | None, cwd: str, start: str = "") -> Layer | None:
    """Finds and reads the configuration file.

        config = "a.toml"       this file; ConfigError if it is missing
        config = "/dev/null"    None: the user wants no file
        config = None           the nearest sitemapper.toml or pyproject.toml, from the folder
                                `start` upwards; None if there is none

    `start` "" stands for the current folder, `cwd`. In a folder with both files, sitemapper.toml
    counts. A pyproject.toml without settings does not count. Raises ConfigError for a file that
    cannot be read or is not TOML.
    """
    if config is not None:
        path = os.path.join(cwd, config)
        if not os.path.exists(path):
            raise _error(f"{config}: does not exist", "check the path after --config")
        if path == os.devnull:
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
    nothing changes. `read_name` is the name of the file that is read.
    """
    # Only the names after `read_name` may be beside it unread. pyproject.toml is the last one.
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

    None for a pyproject.toml without a table [tool.sitemapper], or ConfigError if the settings are
    `required`, as after --config. Raises ConfigError for a file that cannot be read, that is not
    UTF-8, or that is not TOML. `label` is the file's path in messages.
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

    [tool.sitemapper]         the layer has the values of this table
    no such table             None, or ConfigError if it is `required`
    tool.sitemapper = 3       ConfigError
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
    Invalid value`. For `(at end of document)`, it is the last line.
    """
    lines = lines_of(text)
    line = re.search(r"at line (\d+)", message)
    number = int(line[1]) if line else len(lines)
    what = message.partition(" (at ")[0]
    help = ""
    if what == "Invalid value":
        help = _help_for_bare_text(lines[number - 1])
    for start, hint in _TOML_HINTS.items():
        if what.startswith(start):
            help = hint
    return _error(f"{label}:{number}: is not valid TOML: {what}", help)


def _help_for_bare_text(line: str) -> str:
    """Writes the help for a text without quotes; "" for any other line.

    `site = public` → `put the text in quotes: site = "public"`.
    """
    bare_text = re.match(_BARE_TEXT, line)
    if not bare_text:
        return ""
    return f'put the text in quotes: {bare_text["key"]} = "{bare_text["text"]}"'


def _error(problem: str, help: str) -> ConfigError:
    return ConfigError((with_help(problem, help),))
