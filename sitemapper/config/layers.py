"""Where settings come from: TOML files and the environment, each a layer that knows its lines."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from sitemapper.config.files import regular, relative
from sitemapper.config.settings import Config
from sitemapper.errors import ConfigError

NAMES = ("sitemapper.toml", "pyproject.toml")
ENV_PREFIX = "SITEMAPPER_"
ENVIRONMENT, COMMAND_LINE = "environment", "command line"


class Layer(NamedTuple):
    """One source of settings. `base` resolves relative paths, `lines` finds keys in the text."""

    values: dict[str, Any]
    label: str
    base: str
    text: str = ""
    prefix: str = ""
    is_file: bool = False

    def where(self, key: str) -> str:
        """The place to name in a message about a key."""
        if self.label == ENVIRONMENT:
            return f"{self.label}: {ENV_PREFIX}{key.upper().replace('.', '_')}"
        return f"{self.label}:{self.line(key)}" if self.is_file else self.label

    def line(self, key: str) -> int:
        """The line of a key, or of the nearest thing above it that has one."""
        places = key_lines(self.text)
        full = self.prefix + key
        while full and full not in places and f"{full}[0]" not in places:
            full = re.sub(r"(\[\d+\]|(^|\.)[^.\[]*|.)$", "", full)
        return places.get(full) or places.get(f"{full}[0]", 1)

    def item_line(self, key: str, item: str) -> int:
        """The line in which an item of an array stands."""
        first = self.line(key)
        rows = self.text.splitlines()[first - 1 :]
        quoted = (f'"{item}"', f"'{item}'")
        return next((first + n for n, row in enumerate(rows) if any(q in row for q in quoted)), first)


def key_lines(text: str) -> dict[str, int]:
    """The line of each key and table of a TOML text, which tomllib does not tell."""
    places: dict[str, int] = {}
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
            places.setdefault(table, number)
        elif key:
            name = re.sub(r"[\"']", "", key[1])
            places.setdefault(f"{table}.{name}" if table else name, number)
    return places


def file_layer(config: str | None, cwd: str) -> Layer | None:
    """The configuration file: the one named, else the nearest upwards. Raises ConfigError."""
    if config is not None:
        path = os.path.join(cwd, config)
        if not os.path.exists(path):
            raise ConfigError((f"{config}: does not exist; check --config",))
        return None if path == os.devnull else _read_toml(path, config, required=True)
    paths = (os.path.join(folder, name) for folder in upwards(cwd) for name in NAMES)
    found = (_read_toml(p, relative(p, cwd), required=False) for p in paths if os.path.isfile(p))
    return next(filter(None, found), None)


def upwards(cwd: str) -> list[str]:
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
        text = (regular(path) or b"").decode("utf-8-sig")
        values = tomllib.loads(text)
    except OSError as error:
        raise ConfigError((f"{label}: cannot be read: {error.strerror}; check the path",)) from None
    except UnicodeDecodeError as error:
        raise ConfigError((f"{label}: is not UTF-8 (byte {error.start}); save it as UTF-8",)) from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        place = line[1] if line else len(text.splitlines())
        what = str(error).partition(" (at ")[0]
        raise ConfigError((f"{label}:{place}: this is not TOML: {what}",)) from None
    base = os.path.dirname(os.path.abspath(path))
    if os.path.basename(path) != "pyproject.toml":
        return Layer(values, label, base, text, is_file=True)
    tool = values.get("tool", {})
    section = tool.get("sitemapper") if isinstance(tool, dict) else None
    if section is not None and not isinstance(section, dict):
        raise ConfigError((f"{label}: tool.sitemapper must be a table: write [tool.sitemapper]",))
    if section is None and required:
        raise ConfigError((f"{label}: has no [tool.sitemapper] table; add one",))
    return None if section is None else Layer(section, label, base, text, "tool.sitemapper.", is_file=True)


def from_env(env: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """The values of SITEMAPPER_BASE_URL, SITEMAPPER_SITEMAP_MAX_URLS …; lists are split at commas."""
    known = dict(_env_keys())
    values: dict[str, Any] = {}
    for name in sorted(n for n in env if n.startswith(ENV_PREFIX)):
        if name not in known:
            problems.append(f"environment: {name}: unknown setting{nearest(name, list(known))}")
            continue
        path, is_list = known[name]
        if env[name] or is_list:
            table = values.setdefault(path[0], {}) if len(path) > 1 else values
            table[path[-1]] = _items(env[name]) if is_list else _scalar(env[name])
    return values


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _scalar(text: str) -> Any:
    """`true`, `8` and `0.5` as TOML has them; anything else is text."""
    return tomllib.loads(f"v = {text}")["v"] if re.fullmatch(r"true|false|\d{1,18}(\.\d+)?", text) else text


def _env_keys(
    model: type[BaseModel] = Config, above: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[tuple[str, ...], bool]]]:
    """Each variable, the keys that it stands for, whether they hold a list; none for arrays of tables."""
    for name, field in model.model_fields.items():
        path, kind = (*above, name), field.annotation
        table = table_of(kind)
        if table is None:
            yield ENV_PREFIX + "_".join(path).upper(), (path, get_origin(kind) is tuple)
        elif not get_args(kind):
            yield from _env_keys(table, path)


def table_of(kind: Any) -> type[BaseModel] | None:
    """The model of a key that holds a table or an array of tables."""
    kinds = (kind, *get_args(kind))
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)


def nearest(word: str, words: list[str]) -> str:
    """A hint at the word that was probably meant, "" if none is near."""
    close = difflib.get_close_matches(word, words, 1, 0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
