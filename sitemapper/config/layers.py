"""Where settings come from: TOML files and the environment, each a layer with the lines of its keys."""

from __future__ import annotations

import difflib
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from ..errors import ConfigError, with_help
from ..fs import regular, relative
from ..model import Origin, SourceFiles
from ..syntax import toml
from .detected import DetectedProject
from .settings import Config

NAMES = ("sitemapper.toml", "pyproject.toml")
ENV_PREFIX = "SITEMAPPER_"
ENV_CACHE = f"{ENV_PREFIX}CACHE"  # the folder of the cache, which is no setting
ENVIRONMENT, COMMAND_LINE = "environment", "command line"
_FLAGS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
# What Python says of a mistake in a string, and what to do.
_PATH, _UNCLOSED = r"write a path of Windows in single quotes: 'C:\site'", "close the string on its line"
_TOML_HINTS = (
    *((start, _PATH) for start in ("Unescaped", "Invalid hex", "Escaped character")),
    *((start, _UNCLOSED) for start in ("Unterminated", "Illegal character '\\n'", 'Expected "\'"')),
)


class Lines(NamedTuple):
    """The line of each key and table of a TOML file and the lines of each string, which tomllib lacks."""

    keys: Mapping[str, int]
    strings: Mapping[str, list[int]]


class Layer(NamedTuple):
    """One source of settings. Relative paths start at `base`; only a file has lines.

    `prefix` is the table of the file in which the settings are, `read` the bytes of the file,
    `flags` are those of the command line, by key. `project` is the detected one, `origins` are those of the
    keys that it sets, `built_in` the patterns of `ignore` that nobody wrote, and `source_files` are the files
    from which a plugin made the pages.
    """

    values: dict[str, Any]
    label: str
    base: str
    lines: Lines | None = None
    prefix: str = ""
    read: bytes = b""
    flags: Mapping[str, str] = MappingProxyType({})
    origins: Mapping[str, Origin] = MappingProxyType({})
    project: DetectedProject = DetectedProject()
    built_in: tuple[str, ...] = ()
    source_files: SourceFiles | None = None

    def where(self, key: str, item: str = "") -> str:
        """The place to name in a message about a key, or about one string of its list."""
        if self.label == ENVIRONMENT:
            variable = re.sub(r"\[\d+\]", "", key).upper().replace(".", "_")
            return f"{self.label}: {ENV_PREFIX}{variable}"
        if key in self.origins:
            return str(self.origins[key])
        return f"{self.label}:{self.line(key, item)}" if self.lines else self.label

    def place(self, key: str, item: str = "") -> str:
        """Where a key is set and its name, as the user wrote them."""
        flag = self.flags.get(re.sub(r"\[\d+\]", "", key))
        return flag or f"{self.where(key, item)}: {key}"

    def line(self, key: str, item: str = "") -> int:
        """The line of a key or an item of its list, or of the nearest table above that has one."""
        if self.lines is None:
            return 1
        full, keys, strings = self.prefix + key, self.lines.keys, self.lines.strings
        while full and full not in keys and f"{full}[0]" not in keys:
            full = re.sub(r"(\[\d+\]|(^|\.)[^.\[]*|.)$", "", full)
        first = keys.get(full) or keys.get(f"{full}[0]", 1)
        rows = (strings.get(item) or strings.get(item.replace("\\", "\\\\"), [])) if item else []
        place = bisect_left(rows, first)
        return rows[place] if place < len(rows) else first


def _lines(text: str) -> Lines:
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
    return Lines(keys, strings)


def file_layer(config: str | None, cwd: str, start: str = "") -> Layer | None:
    """The configuration file: the one named, else the nearest upwards from a folder. Raises ConfigError."""
    if config is not None:
        path = os.path.join(cwd, config)
        if not os.path.exists(path):
            raise ConfigError((with_help(f"{config}: does not exist", "check the path after --config"),))
        return None if path == os.devnull else _read_toml(path, config, required=True)
    paths = (os.path.join(folder, name) for folder in ancestors(start or cwd) for name in NAMES)
    layers = (_read_toml(p, relative(p, cwd), required=False) for p in paths if os.path.isfile(p))
    return next(filter(None, layers), None)


def ancestors(cwd: str) -> list[str]:
    """The folders from `cwd` up to the repository's root; only `cwd` outside a repository."""
    folders = [cwd]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return folders[:1]
        folders.append(above)
    return folders


def _read_toml(path: str, label: str, *, required: bool) -> Layer | None:
    text = ""
    try:
        read = regular(path) or b""
        text = read.decode("utf-8-sig")
        values = toml.loads(text)
    except OSError as error:
        problem = with_help(
            f"{label}: cannot be read: {error.strerror}", "check the path and its permissions"
        )
        raise ConfigError((problem,)) from None
    except UnicodeDecodeError as error:
        problem = with_help(f"{label}: is not UTF-8 (byte {error.start})", "save the file as UTF-8")
        raise ConfigError((problem,)) from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        place = line[1] if line else len(text.splitlines())
        what = str(error).partition(" (at ")[0]
        hint = next((hint for start, hint in _TOML_HINTS if what.startswith(start)), "")
        wrong = text.splitlines()[int(place) - 1] if what == "Invalid value" else ""
        if bare := re.match(r"\s*([\w-]+) *= *([A-Za-z][^\s\"'#]*)", wrong):
            hint = f'put the text in quotes: {bare[1]} = "{bare[2]}"'
        raise ConfigError((with_help(f"{label}:{place}: is not valid TOML: {what}", hint),)) from None
    layer = Layer(values, label, os.path.dirname(os.path.abspath(path)), _lines(text), read=read)
    if os.path.basename(path) != "pyproject.toml":
        return layer
    tool = values.get("tool", {})
    section = tool.get("sitemapper") if isinstance(tool, dict) else None
    if section is not None and not isinstance(section, dict):
        raise ConfigError(
            (with_help(f"{label}: tool.sitemapper: must be a table", "write [tool.sitemapper]"),)
        )
    if section is None and required:
        raise ConfigError((with_help(f"{label}: has no [tool.sitemapper] table", "add the table"),))
    return None if section is None else layer._replace(values=section, prefix="tool.sitemapper.")


def from_env(env: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """The values of SITEMAPPER_BASE_URL, SITEMAPPER_SITEMAP_MAX_URLS …; lists are split at commas."""
    variables = dict(_env_keys())
    values: dict[str, Any] = {}
    for name in sorted(n for n in env if n.startswith(ENV_PREFIX) and n != ENV_CACHE):
        if name not in variables:
            problem = f"environment: {name}: unknown setting"
            key = name.removeprefix(ENV_PREFIX)
            in_tables = [variable for variable in variables if variable.endswith(f"_{key}")]
            problems.append(with_help(problem, did_you_mean(name, in_tables or [*variables]) or "unset it"))
            continue
        path, read = variables[name]
        if env[name] or read is _items:
            table = values.setdefault(path[0], {}) if len(path) > 1 else values
            table[path[-1]] = read(env[name])
    return values


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _scalar(text: str) -> Any:
    """`true`, `8` and `0.5` as TOML reads them; anything else is a string."""
    number = r"true|false|(0|[1-9]\d{0,17})(\.\d+)?"
    return toml.loads(f"v = {text}")["v"] if re.fullmatch(number, text, re.ASCII) else text


def _flag(text: str) -> bool | str:
    """What people write for true and false; anything else is a string."""
    return _FLAGS.get(text.lower(), text)


def _env_keys(
    model: type[BaseModel] = Config, above: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[tuple[str, ...], Callable[[str], Any]]]]:
    """Each variable, the keys that it sets, and how its text is read; not for arrays of tables."""
    for name, field in model.model_fields.items():
        path, kind = (*above, name), field.annotation
        table = table_of(kind)
        if get_origin(kind) is dict:
            continue
        if table is None:
            kinds = [get_args(one)[:1] or (one,) for one in (kind, *get_args(kind))]
            read: Callable[[str], Any] = str if (str,) in kinds else _flag if kind is bool else _scalar
            read = _items if get_origin(kind) is tuple else read
            yield ENV_PREFIX + "_".join(path).upper(), (path, read)
        elif not get_args(kind):
            yield from _env_keys(table, path)


def table_of(kind: Any) -> type[BaseModel] | None:
    """The model of a key that holds a table or an array of tables."""
    kinds = (kind, *get_args(kind))
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)


def did_you_mean(word: str, words: list[str]) -> str:
    """A question whether the nearest of the words was meant; "" if none is near."""
    forms = {_letters(other): other for other in words}
    close = difflib.get_close_matches(_letters(word), forms, 1, 0.6)
    return f"did you mean {forms[close[0]]!r}?" if close else ""


def _letters(word: str) -> str:
    """The word in lower case, without `_` and `-`: baseURL and base-url are near base_url."""
    return re.sub(r"[_-]", "", word).lower()
