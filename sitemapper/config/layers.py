"""The layers of settings: TOML files, with the lines of their keys, and values of other origins."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ..errors import ConfigError
from ..fs import ancestors, regular, relative, with_slashes
from ..model import Origin
from ..syntax.settings_files import lines_of, read_toml
from .choices import PREVIOUS
from .settings import fields_by_key

NAMES = ("sitemapper.toml", "pyproject.toml")
ENV_PREFIX = "SITEMAPPER_"
ENVIRONMENT, COMMAND_LINE = "environment", "command line"
_KEYS_OF_PATHS = ("site", "output", "ledger.path")
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
    "Cannot overwrite": "the file sets this key twice; remove one of the lines",
    "Expected '='": 'write each setting as key = "value"',
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
    """The numbers of the lines of a TOML file, which tomllib does not report.

    - `keys` has the line of each key and table: `rules[0].match` → 3
    - `strings` has all lines of each string in quotes: `drafts/` → [3, 8]
    """

    keys: Mapping[str, int]
    strings: Mapping[str, list[int]]

    def of_key(self, key: str) -> int:
        """Finds the line of a key, or else of what contains it. 1 if neither is in the file.

        `rules[1].match[0]` → the line of `rules[1].match`.
        """
        while key and key not in self.keys and f"{key}[0]" not in self.keys:
            key = re.sub(_LAST_STEP, "", key)
        # `rules` begins with its first table, `rules[0]`.
        return self.keys.get(key) or self.keys.get(f"{key}[0]", 1)


class Layer(NamedTuple):
    """One source of settings: a file, the environment, the command line, or the user's project.

    - `values` are its values by key: `sitemap.gzip` for `gzip` in the table `[sitemap]`
    - `label` is what messages call the source: `sitemapper.toml`
    - `base` is the folder at which relative paths start
    - a file has `lines`, where its keys stand, and `read`, its bytes
    - `prefix` is the table that has the settings in a file: `tool.sitemapper.` in pyproject.toml
    - `unread` is the path of another file with settings in the same folder, which does not count
    - the command line has `flags`, by key: `base_url` → `--base-url`
    - a project has `origins`, the places of keys in its files: `base_url` → line 2 of `hugo.toml`
    """

    values: dict[str, Any]
    label: str
    base: str
    lines: Lines | None = None
    prefix: str = ""
    read: bytes = b""
    flags: Mapping[str, str] = MappingProxyType({})
    origins: Mapping[str, Origin] = MappingProxyType({})
    unread: str = ""

    def describe_place(self, key: str, item: str = "") -> str:
        """Describes where this layer sets a key, for the start of a message.

            the command line      --base-url
            the environment       environment: SITEMAPPER_SITE: site
            a file                sitemapper.toml:3: match of the first [[rules]]
            a project             hugo.toml:2: base_url
            a call from Python    settings: base_url

        With `item`, the line of a file is that of this string in the list.
        """
        name = re.sub(r"\[\d+\]", "", key)
        if name in self.flags:  # the command line
            return self.flags[name]
        if self.label == ENVIRONMENT:
            return f"{self.label}: {ENV_PREFIX}{name.upper().replace('.', '_')}: {key}"
        where = self.label
        if self.lines:  # a file
            where = f"{self.label}:{self.line_of(key, item)}"
        elif key in self.origins:  # a project
            where = str(self.origins[key])
        return f"{where}: {key_in_words(key)}"

    def line_of(self, key: str, item: str = "") -> int:
        """Finds the line of a key in this file, or that of an `item` in the key's list.

            2  ignore = [         `ignore` → 2
            3    "a/",            `ignore` with the item `a/` → 3
            4  ]
            5  [[rules]]          `rules` and `rules[0]` → 5
            6  match = "b/"       `rules[0].match` and `rules[0].match[0]` → 6

        Returns 1 for a layer that is no file.
        """
        if self.lines is None:
            return 1
        first_line = self.lines.of_key(self.prefix + key)
        if not item:
            return first_line
        # TOML wants two backslashes in double quotes: `a\b` may be written as `"a\\b"`.
        strings = self.lines.strings
        of_item = strings.get(item) or strings.get(item.replace("\\", "\\\\"), [])
        # The same text may also stand in another list, above the key.
        below_key = [number for number in of_item if number >= first_line]
        return below_key[0] if below_key else first_line


def make_layer(values: Mapping[str, Any], label: str, base: str, **more: Any) -> Layer:
    """Makes a layer from values as a user writes them, in a file or in a plugin's options.

    A user may write the same value in several ways. A layer has only one: flat keys, tuples for
    lists, and absolute paths. If paths are relative to the folder `base`, `/a`:

    | values | values of the layer |
    |---|---|
    | `{"sitemap": {"gzip": "also"}}` | `{"sitemap.gzip": "also"}` |
    | `{"ignore": ["x/"]}`, `{"ignore": "x/"}` | `{"ignore": ("x/",)}` |
    | `{"site": "public"}` | `{"site": "/a/public"}` |

    `more` are other fields of the layer, such as `lines`. Raises ConfigError for values that are
    nested too deep.
    """
    # 1. Tuples for lists.
    try:
        values = with_tuples(values)
    except RecursionError:
        problem = f"{label}: is nested too deep"
        raise ConfigError(problem, "no key needs more than three levels") from None
    # 2. One key for a table and a key in it.
    fields = fields_by_key()
    tables = {key.partition(".")[0] for key in fields if "." in key}
    by_key: dict[str, Any] = {}
    for name, value in values.items():
        if name in tables and isinstance(value, dict):
            by_key |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            by_key[str(name)] = value  # a plugin's options may have a number as a key
    # 3. Lists for single texts, and absolute paths. When layers are merged, nobody knows any more
    # in which folder a value was written.
    for key, value in by_key.items():
        if key in fields:
            by_key[key] = _with_lists(value, fields[key].annotation)
        if key in _KEYS_OF_PATHS or (key == "previous" and not _is_word_or_url(value)):
            by_key[key] = _absolute(by_key[key], base)
    return Layer(by_key, label, base, **more)


def _is_word_or_url(previous: Any) -> bool:
    """Whether the key `previous` is a word such as `live`, or a URL. Otherwise, it is a path."""
    return isinstance(previous, str) and (previous in PREVIOUS or "://" in previous)


def with_tuples(value: Any) -> Any:
    """Returns a value in which all lists are tuples, as the frozen models need them.

    {"a": ["b", ["c"]]} → {"a": ("b", ("c",))}.
    """
    if isinstance(value, Mapping):
        return {key: with_tuples(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(map(with_tuples, value))
    return value


def _with_lists(value: Any, field_type: Any) -> Any:
    """Puts a single text into a list, if the key of the value needs a list: `"a/"` → `("a/",)`.

    Lists are tuples in a layer. `field_type` is the type of the key in the models:

    | the key needs | value | result |
    |---|---|---|
    | no list, as `site` does | any | the same |
    | a list of tables, as `rules` does | `({"match": "b/"},)` | `({"match": ("b/",)},)` |
    | a list of texts, as `ignore` does | `"a/"` | `("a/",)` |

    A value of a wrong type stays as it is, because the models report it.
    """
    if get_origin(field_type) is not tuple:  # no list
        return value
    model_of_tables = table_of(field_type)
    if model_of_tables and isinstance(value, tuple):
        # The keys of a table may need lists, such as `match` in `rules`.
        fields = model_of_tables.model_fields
        return tuple(_table_with_lists(table, fields) for table in value)
    is_single_text = model_of_tables is None and isinstance(value, str)
    return (value,) if is_single_text else value


def _table_with_lists(table: Any, fields: Mapping[str, FieldInfo]) -> Any:
    """Returns a table such as an entry of `[[rules]]`, with lists for single texts.

    `{"match": "b/"}` → `{"match": ("b/",)}`. `fields` have the types of its keys.
    """
    if not isinstance(table, dict):
        return table
    return {
        key: _with_lists(value, fields[key].annotation) if key in fields else value
        for key, value in table.items()
    }


def table_of(kind: Any) -> type[BaseModel] | None:
    """Returns the model of the tables that a type has, None for a type without tables.

    `Dates` → Dates; `tuple[RuleConfig, ...]` → RuleConfig; `str | None` → None.
    """
    # The type itself, or what it consists of: `tuple[RuleConfig, ...]` has RuleConfig in it.
    for member in (kind, *get_args(kind)):
        if isinstance(member, type) and issubclass(member, BaseModel):
            return member
    return None


def _absolute(value: Any, base: str) -> Any:
    """Returns a path, or each path in a list, made absolute: `public` → `/a/public`.

    `base` is the folder of the layer, `/a`. `.\\public`, as written on Windows, gets slashes. A
    value that is no path, such as 3, stays as it is, because the models report it.
    """
    if isinstance(value, tuple):
        return tuple(_absolute(path, base) for path in value)
    if not isinstance(value, str) or not value or "\0" in value:
        return value
    return os.path.normpath(os.path.join(base, with_slashes(value, base)))


def last_layer_with(key: str, layers: Sequence[Layer]) -> Layer | None:
    """Finds the last layer that sets a key such as `sitemap.gzip`, None if none does.

    A layer is a place of settings, such as the file or the flags. A later one overrides an earlier.
    """
    name = key.partition("[")[0]  # `rules[0].priority` → `rules`: a layer sets all rules or none
    layers_with_key = [layer for layer in layers if name in layer.values]
    return layers_with_key[-1] if layers_with_key else None


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

        1  site = "public"        `site`
        2  [[rules]]              `rules[0]`
        3  match = ["a/"]         `rules[0].match`, and the string `a/`
        4  [[rules]]              `rules[1]`

    Each line is read by itself. A line in the middle of a long string may look like a key, but a
    wrong line in a message does little harm.
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
            # `[git.map]` also begins the table `git`, which may have no header of its own.
            keys.setdefault(table.partition(".")[0], number)
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

    | `config` | the file |
    |---|---|
    | `a.toml` | this file; ConfigError if it is missing |
    | `/dev/null` | None: the user wants no file |
    | None | the nearest one from the folder `start` upwards; None if there is none |

    `start` "" stands for the current folder, `cwd`. Raises ConfigError for a file that cannot be
    read or is not TOML.
    """
    if config is not None:
        path = os.path.join(cwd, config)
        if not os.path.exists(path):
            raise ConfigError(f"{config}: does not exist", "check the path after --config")
        if path == os.devnull:
            return None
        return _read_toml(path, config, required=True)
    for folder in ancestors(start or cwd):
        layer = _read_file_in(folder, cwd)
        if layer:
            return layer
    return None


def _read_file_in(folder: str, cwd: str) -> Layer | None:
    """Reads the configuration file in a folder, None if there is none.

    | the folder has | what counts |
    |---|---|
    | sitemapper.toml | this file |
    | sitemapper.toml, and settings in pyproject.toml | the first; the second is its `unread` |
    | settings in pyproject.toml | this file |
    | a pyproject.toml without [tool.sitemapper] | None |
    """
    layer = None
    for name in NAMES:  # sitemapper.toml comes first
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            continue
        label = relative(path, cwd)
        if layer is None:
            layer = _read_toml(path, label, required=False)
            continue
        # A user who edits a pyproject.toml that does not count would wonder why nothing changes, so
        # it is noted for a warning. A fault in it is no error.
        with suppress(ConfigError):
            if _read_toml(path, label, required=False):
                layer = layer._replace(unread=label)
    return layer


def _read_toml(path: str, label: str, *, required: bool) -> Layer | None:
    """Reads the settings in a TOML file, with the lines of their keys.

    None for a pyproject.toml without the table [tool.sitemapper]. `label` is the file's path in
    messages. Raises ConfigError for a file that cannot be read, is not UTF-8, or is not TOML. If
    the settings are `required`, as after --config, it does so for a missing table, too.
    """
    # 1. The text of the file.
    try:
        read = regular(path) or b""
        text = read.decode("utf-8-sig")
    except OSError as error:
        problem = f"{label}: cannot be read: {error.strerror}"
        raise ConfigError(problem, "check the path and its permissions") from None
    except UnicodeDecodeError as error:
        problem = f"{label}: is not UTF-8 (byte {error.start})"
        raise ConfigError(problem, "save the file as UTF-8") from None
    # 2. Its values.
    try:
        values = read_toml(text)
    except (ValueError, RecursionError) as error:
        raise _make_toml_error(label, text, str(error)) from None
    # 3. Our table among those of other tools.
    prefix = ""
    if os.path.basename(path) == "pyproject.toml":
        prefix = "tool.sitemapper."
        table = _find_own_table(values, label, required=required)
        if table is None:
            return None
        values = table
    base = os.path.dirname(os.path.abspath(path))
    return make_layer(values, label, base, lines=_find_lines(text), prefix=prefix, read=read)


def _find_own_table(
    values: Mapping[str, Any], label: str, *, required: bool
) -> dict[str, Any] | None:
    """Finds the table [tool.sitemapper] in the values of a pyproject.toml.

    None without it, since most projects have this file for other tools. If the table is `required`,
    this raises ConfigError, and also for a value that is no table.
    """
    tool = values.get("tool", {})
    table = tool.get("sitemapper") if isinstance(tool, dict) else None
    if table is None and required:
        raise ConfigError(f"{label}: has no [tool.sitemapper] table", "add the table")
    if table is None or isinstance(table, dict):
        return table
    raise ConfigError(f"{label}: tool.sitemapper: must be a table", "write [tool.sitemapper]")


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
    bare_text = re.match(_BARE_TEXT, lines[number - 1])
    if what == "Invalid value" and bare_text:  # `site = public`
        help = f'put the text in quotes: {bare_text["key"]} = "{bare_text["text"]}"'
    for start, hint in _TOML_HINTS.items():
        if what.startswith(start):
            help = hint
    return ConfigError(f"{label}:{number}: is not valid TOML: {what}", help)
