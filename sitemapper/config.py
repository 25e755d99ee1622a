"""From TOML, environment and flags to Settings, or to every fault at once as `file:line: key: message`."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from . import names
from .errors import ConfigError
from .model import Origin
from .patterns import BUILT_IN, Line, Patterns, compile_line
from .reading import regular
from .settings import FORMS, Config, Settings

NAMES = ("sitemapper.toml", "pyproject.toml")
IGNORE_FILE = ".sitemapignore"
ENV_PREFIX = "SITEMAPPER_"
ENVIRONMENT, COMMAND_LINE = "environment", "command line"
_PATHS = ("site", "output")
_ADDED_UP = ("ignore", "include")
# Served in place of what was asked for, never as pages of their own; and what proves ownership.
_DEFAULT_IGNORES = (
    ".*",
    "404.html",
    "**/404/index.html",
    "500.html",
    "50x.html",
    "/google" + "[0-9a-f]" * 16 + ".html",
    "/yandex_" + "[0-9a-f]" * 16 + ".html",
)


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
        return f"{self.label}:{self.line(key)}" if self.is_file else self.label

    def line(self, key: str) -> int:
        """The line of a key, or of the nearest thing above it that has one."""
        places = key_lines(self.text)
        full = self.prefix + key
        while full and full not in places and f"{full}[0]" not in places:
            full = re.sub(r"(\[\d+\]|(^|\.)[^.\[]*)$", "", full)
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


def load(
    values: Mapping[str, Any] | None = None,
    *,
    label: str = "settings",
    config: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str = ".",
) -> Settings:
    """The settings of a run: defaults < file < environment < `values` (`ignore`, `include` add up).

    `values` have the shape of the file, `label` names them in messages; those of the command line
    add to the default `include` too. Raises ConfigError with all faults.
    """
    env = env or {}
    cwd = os.path.abspath(cwd)
    file = _file_layer(config, cwd)
    problems: list[str] = []
    layers = [
        *([file] if file else []),
        Layer(_from_env(env, problems), ENVIRONMENT, cwd),
        Layer(dict(values or {}), label, cwd),
    ]
    epoch = _epoch(env, problems)
    merged: dict[str, Any] = {}
    for layer in layers:
        own = _absolute(layer)
        if layer.label == COMMAND_LINE and "include" in own and "include" not in merged:
            own["include"] = [*Config.model_fields["include"].default, *own["include"]]
        merged = _merge(merged, own)
    try:
        checked = Config.model_validate(_with_tuples(merged))
    except ValidationError as error:
        raise ConfigError((*problems, *_sentences(error, layers))) from None
    site = checked.site if "site" in merged else cwd
    lines = tuple(_ignore_lines(layers, checked, site, cwd))
    problems += _bad_patterns(lines)
    problems += _bad_matches(checked, file)
    if problems:
        raise ConfigError(tuple(problems))
    extra: dict[str, Any] = {"site": site, "lines": lines, "source_date_epoch": epoch}
    extra |= {
        "cwd": cwd,
        "rule_origins": tuple(_origins(file, "rules", [", ".join(r.match) for r in checked.rules])),
        "url_origins": tuple(_origins(file, "urls", ["" for _ in checked.urls])),
    }
    return Settings.model_construct(**(dict(checked) | extra))


def _file_layer(config: str | None, cwd: str) -> Layer | None:
    if config is not None:
        path = os.path.join(cwd, config)
        if not os.path.exists(path):
            raise ConfigError((f"{config}: does not exist; check --config",))
        return None if path == os.devnull else _read_toml(path, config, required=True)
    for folder in _upwards(cwd):
        for name in NAMES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                layer = _read_toml(path, os.path.relpath(path, cwd), required=False)
                if layer:
                    return layer
    return None


def _upwards(cwd: str) -> Iterator[str]:
    """The folders from `cwd` up to the repository's root; only `cwd` outside a repository."""
    folders = [cwd]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return iter(folders[:1])
        folders.append(above)
    return iter(folders)


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


def _from_env(env: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """SITEMAPPER_BASE_URL, SITEMAPPER_SITEMAP_MAX_URLS and the like; lists are split at commas."""
    known = dict(_env_keys())
    values: dict[str, Any] = {}
    for name in sorted(n for n in env if n.startswith(ENV_PREFIX)):
        if name not in known:
            hint = _nearest(name, list(known))
            problems.append(f"environment: {name}: unknown setting{hint}")
            continue
        path, is_list = known[name]
        if not env[name] and not is_list:
            continue
        value: Any = [v.strip() for v in env[name].split(",") if v.strip()] if is_list else _scalar(env[name])
        values = _merge(values, _nested(path, value))
    return values


def _scalar(text: str) -> Any:
    """`true`, `8` and `0.5` as TOML has them; anything else is text."""
    return tomllib.loads(f"v = {text}")["v"] if re.fullmatch(r"true|false|\d{1,18}(\.\d+)?", text) else text


def _env_keys() -> Iterator[tuple[str, tuple[tuple[str, ...], bool]]]:
    for name, field in Config.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            for inner in kind.model_fields:
                yield f"{ENV_PREFIX}{name}_{inner}".upper(), ((name, inner), False)
        elif not any(isinstance(a, type) and issubclass(a, BaseModel) for a in get_args(kind)):
            yield f"{ENV_PREFIX}{name}".upper(), ((name,), "tuple" in str(kind))


def _nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


def _epoch(env: Mapping[str, str], problems: list[str]) -> int | None:
    text = env.get("SOURCE_DATE_EPOCH")
    if not text:
        return None
    if not re.fullmatch(r"\d{1,12}", text):
        problems.append(f"environment: SOURCE_DATE_EPOCH: {text!r} must be whole seconds since 1970")
        return None
    return int(text)


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        if isinstance(value, Mapping) and isinstance(merged.get(key), dict):
            merged[key] = _merge(merged[key], value)
        elif key in _ADDED_UP and key in merged:
            # What is no list is kept, for the check to find.
            whole = isinstance(merged[key], list) and isinstance(value, (list, tuple))
            merged[key] = [*merged[key], *value] if whole else merged[key]
        else:
            merged[key] = list(value) if isinstance(value, tuple) else value
    return merged


def _with_tuples(value: Any) -> Any:
    """The values with tuples for lists, as the frozen models want them."""
    if isinstance(value, dict):
        return {key: _with_tuples(inner) for key, inner in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _absolute(layer: Layer) -> dict[str, Any]:
    """The layer's values with its paths made absolute."""
    values = dict(layer.values)
    for key in _PATHS:
        if isinstance(values.get(key), str) and values[key]:
            values[key] = os.path.normpath(os.path.join(layer.base, values[key]))
    if isinstance(values.get("extra"), (list, tuple)):
        paths = values["extra"]
        values["extra"] = [os.path.join(layer.base, p) if p and isinstance(p, str) else p for p in paths]
    return values


def _ignore_lines(layers: list[Layer], config: Config, site: str, cwd: str) -> Iterator[Line]:
    """The ignore patterns in order: built in, our outputs, .sitemapignore files, config, flags."""
    for text in (*_DEFAULT_IGNORES, *_own_outputs(config, site)):
        yield Line(text, Origin(BUILT_IN, None, text))
    folders = [site, *(layer.base for layer in layers if layer.is_file)]
    for folder in dict.fromkeys(os.path.abspath(f) for f in folders):
        path = os.path.join(folder, IGNORE_FILE)
        yield from _ignore_file(path, os.path.relpath(path, cwd))
    for layer in layers:
        patterns = layer.values.get("ignore", ())
        for text in patterns:
            line = layer.item_line("ignore", text) if layer.is_file else None
            yield Line(text, Origin(layer.label if layer.is_file else _flag(layer, "ignore"), line, text))


def _own_outputs(config: Config, site: str) -> Iterator[str]:
    inside = os.path.relpath(os.path.realpath(config.output or site), os.path.realpath(site)).replace(
        os.sep, "/"
    )
    if not inside.startswith(".."):
        folder = "/" if inside == "." else f"/{inside}/"
        yield from (folder + pattern for pattern in names.ignored(config.sitemap.stem))


def _ignore_file(path: str, label: str) -> Iterator[Line]:
    try:
        text = (regular(path) or b"").decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise ConfigError((f"{label}: cannot be read: {error.strerror}; check it",)) from None
    for number, row in enumerate(text.split("\n"), 1):
        yield Line(row, Origin(label, number, row.strip()))


def _flag(layer: Layer, key: str) -> str:
    return {COMMAND_LINE: f"--{key}", ENVIRONMENT: ENV_PREFIX + key.upper()}.get(layer.label, layer.label)


def _bad_patterns(lines: tuple[Line, ...]) -> Iterator[str]:
    for line in lines:
        problem = _pattern_problem(line.text)
        if problem:
            yield f"{line.origin._replace(text='')}: ignore: {problem}"


def _pattern_problem(text: str) -> str | None:
    try:
        compile_line(Line(text, Origin("")))
    except ValueError:
        return f"{text!r} is no gitignore pattern (does it end with a backslash?)"
    return None


def _bad_matches(config: Config, file: Layer | None) -> Iterator[str]:
    lists = {"include": config.include}
    lists |= {f"rules[{n}].match": rule.match for n, rule in enumerate(config.rules)}
    lists |= {f"sitemaps[{n}].match": section.match for n, section in enumerate(config.sitemaps)}
    for key, texts in lists.items():
        for problem in filter(None, map(_pattern_problem, texts)):
            yield f"{file.where(key) if file else 'settings'}: {key}: {problem}"


def _origins(file: Layer | None, table: str, texts: list[str]) -> Iterator[Origin]:
    """Where each entry of an array of tables stands."""
    for n, text in enumerate(texts):
        line = file.line(f"{table}[{n}]") if file else None
        yield Origin(file.label if file else "settings", line, text)


def _sentences(error: ValidationError, layers: list[Layer]) -> list[str]:
    """One finished line a fault, in the order in which the faults stand in the file."""
    found: list[tuple[int, str]] = []
    faults = error.errors(include_url=False)
    unknown = [str(fault["loc"][-1]) for fault in faults if fault["type"] == "extra_forbidden"]
    for fault in faults:
        if fault["type"] == "missing" and difflib.get_close_matches(str(fault["loc"][-1]), unknown, 1, 0.6):
            continue  # the misspelt key is told already
        key, message = _key(fault["loc"]), _message(dict(fault))
        if not key:  # a fault of several keys together names the first itself
            key, _, message = message.partition(": ")
        elif fault["type"] == "missing" and key == "base_url":
            message = "is missing; pass --base-url https://example.com/ or set it in sitemapper.toml"
            message += "" if layers[0].is_file else f" (none was found from {layers[0].base} upwards)"
        layer = _layer_of(key, layers)
        line = layer.line(key) if layer else 0
        found.append((line, f"{layer.where(key) if layer else 'settings'}: {key}: {message}"))
    return [sentence for _, sentence in sorted(found, key=lambda pair: pair[0])]


def _key(loc: tuple[int | str, ...]) -> str:
    """`rules[0].priority` of ("rules", 0, "priority"); the branches of a union have no name."""
    parts: list[str] = []
    for step in loc:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif "[" not in step and not (step in ("datetime", "date", "str") and parts[-1:] == [".lastmod"]):
            parts.append(f".{step}" if parts else step)
    return "".join(parts)


def _layer_of(key: str, layers: list[Layer]) -> Layer | None:
    """The last layer that sets the key; the file, if any, for what no layer sets."""
    steps = re.findall(r"[^.\[\]]+", key)
    setting = [layer for layer in layers if steps and _has(layer.values, steps)]
    if key in _ADDED_UP:  # the lists are fine, what is none is the fault
        setting = [layer for layer in setting if not isinstance(layer.values[key], (list, tuple))]
    files = [layer for layer in layers if layer.is_file]
    return setting[-1] if setting else files[0] if files else None


def _has(values: Any, steps: list[str]) -> bool:
    for step in steps:
        if isinstance(values, Mapping) and step in values:
            values = values[step]
        elif isinstance(values, (list, tuple)) and step.isdigit() and int(step) < len(values):
            values = values[int(step)]
        else:
            return False
    return True


def _message(fault: dict[str, Any]) -> str:
    kind, given = fault["type"], fault.get("input")
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            keys = _valid_keys(fault["loc"])
            hint = _nearest(str(fault["loc"][-1]), keys) or _elsewhere(fault["loc"])
            return f"unknown key{hint or '; valid are ' + ', '.join(keys)}"
        case "value_error":
            return str(fault["ctx"]["error"])
        case "model_type" | "model_attributes_type":
            table = fault["loc"][0]
            sections = table == "sitemap" and isinstance(given, tuple)
            more = "; several are written [[sitemaps]]" if sections else ""
            return f"must be a table: write [{table}] and its keys on lines of their own{more}"
        case "tuple_type" if isinstance(given, str):
            return f'must be a list, such as ["{given}"]'
        case "tuple_type" if isinstance(given, dict):
            return f"must be a list of tables: write [[{fault['loc'][0]}]]"
        case "tuple_type":
            return "must be a list; [] is an empty one"
        case "too_short":
            return "must have at least one entry"
        case "string_pattern_mismatch":
            return f"must be {FORMS[fault['ctx']['pattern']]}, not {given!r}"
        case "greater_than_equal" | "less_than_equal" if isinstance(given, (int, float, str)):
            return f"{fault['msg'].replace('Input should be', 'must be')}, not {given}"
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", fault["msg"])
            return f"must be one of {', '.join(allowed)}, not {given!r}{_nearest(str(given), allowed)}"
    said = fault["msg"].replace("Input should be", "must be").replace("String should", "must")
    return f"{said}, not {given!r}"


def _valid_keys(loc: tuple[int | str, ...]) -> list[str]:
    model: Any = Config
    for step in loc[:-1]:
        if isinstance(step, str) and step in model.model_fields:
            kind = model.model_fields[step].annotation
            inner = [a for a in (kind, *get_args(kind)) if isinstance(a, type) and issubclass(a, BaseModel)]
            model = inner[0] if inner else model
    return list(model.model_fields)


def _elsewhere(loc: tuple[int | str, ...]) -> str:
    """A hint for a key that stands at the top and belongs into a table."""
    tables = {n: f.default for n, f in Config.model_fields.items() if isinstance(f.default, BaseModel)}
    homes = [name for name, table in tables.items() if len(loc) == 1 and loc[0] in type(table).model_fields]
    return f"; it belongs under [{homes[0]}]" if homes else ""


def _nearest(word: str, words: list[str]) -> str:
    close = difflib.get_close_matches(word, words, 1, 0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def include_patterns(settings: Config) -> Patterns:
    """The include patterns, compared in any case."""
    return Patterns((Line(text, Origin("include", None, text)) for text in settings.include), any_case=True)
