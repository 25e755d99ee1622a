"""From TOML, environment and flags to Settings, or to every fault at once as `file:line: key: message`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from . import config_errors, output_names
from .config_errors import ADDED_UP
from .config_sources import COMMAND_LINE, ENV_PREFIX, ENVIRONMENT, Layer, file_layer, from_env
from .errors import ConfigError
from .model import Origin
from .patterns import BUILT_IN, Line, Patterns, compile_line
from .settings import Config, Settings
from .user_files import regular

IGNORE_FILE = ".sitemapignore"
_PATHS = ("site", "output")
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
    file = file_layer(config, cwd)
    problems: list[str] = []
    layers = [
        *([file] if file else []),
        Layer(from_env(env, problems), ENVIRONMENT, cwd),
        Layer(dict(values or {}), label, cwd),
    ]
    epoch = _epoch(env, problems)
    merged: dict[str, Any] = {}
    for layer in layers:
        own = _absolute(layer)
        if layer.label == COMMAND_LINE and "include" in own and "include" not in merged:
            own["include"] = [*Config.model_fields["include"].default, *own["include"]]
        merged = _merge(merged, own)
        if layer.label == COMMAND_LINE and "path" in own.get("ledger", {}):
            merged["lastmod"] = _with_ledger(merged.get("lastmod", Config.model_fields["lastmod"].default))
    try:
        checked = Config.model_validate(_with_tuples(merged))
    except ValidationError as error:
        raise ConfigError((*problems, *config_errors.sentences(error, layers))) from None
    site = checked.site if "site" in merged else cwd
    lines = tuple(_ignore_lines(layers, checked, site, cwd, file.base if file else cwd))
    problems += _bad_patterns(lines)
    problems += _bad_matches(checked, file)
    problems += _bad_sources(checked, file)
    problems += _bad_ledger(checked, layers, site)
    if problems:
        raise ConfigError(tuple(problems))
    extra: dict[str, Any] = {"site": site, "lines": lines, "source_date_epoch": epoch}
    extra |= {
        "cwd": cwd,
        "project": file.base if file else cwd,
        "rule_origins": tuple(_origins(file, "rules", [", ".join(r.match) for r in checked.rules])),
        "url_origins": tuple(_origins(file, "urls", ["" for _ in checked.urls])),
    }
    return Settings.model_construct(**(dict(checked) | extra))


def _with_ledger(sources: Any) -> Any:
    """The sources with the ledger that a flag asks for: before the file's time, which it is to correct."""
    if not isinstance(sources, (list, tuple)) or not sources or "ledger" in sources:
        return sources
    before = [source for source in sources if source != "mtime"]
    return [*before, "ledger", *(["mtime"] if "mtime" in sources else [])]


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
        elif key in ADDED_UP and key in merged:
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
    ledger = values.get("ledger")
    if isinstance(ledger, dict) and isinstance(ledger.get("path"), str) and ledger["path"]:
        values["ledger"] = ledger | {"path": os.path.normpath(os.path.join(layer.base, ledger["path"]))}
    if isinstance(values.get("extra"), (list, tuple)):
        paths = values["extra"]
        values["extra"] = [os.path.join(layer.base, p) if p and isinstance(p, str) else p for p in paths]
    return values


def _ignore_lines(layers: list[Layer], config: Config, site: str, cwd: str, project: str) -> Iterator[Line]:
    """The ignore patterns in order: built in, our outputs, .sitemapignore files, config, flags."""
    for text in (*_DEFAULT_IGNORES, *_own_outputs(config, site), *_own_ledger(config, site, project)):
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
        yield from (folder + pattern for pattern in output_names.ignored(config.sitemap.stem))


def _own_ledger(config: Config, site: str, project: str) -> Iterator[str]:
    inside = os.path.relpath(os.path.join(project, config.ledger.path), site).replace(os.sep, "/")
    if not inside.startswith("..") and "ledger" in config.lastmod:
        yield "/" + inside


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


def _bad_ledger(config: Config, layers: list[Layer], site: str) -> Iterator[str]:
    """A ledger where a sitemap or robots.txt would be."""
    folder, name = os.path.split(config.ledger.path)
    taken = name == "robots.txt" or output_names.is_ours(name, config.sitemap.stem, ())
    if taken and folder in (config.output, site):
        layer = next(layer for layer in reversed(layers) if "path" in layer.values.get("ledger", {}))
        yield f"{layer.where('ledger.path')}: ledger.path: {name} is another file's name; choose its own"


def _bad_sources(config: Config, file: Layer | None) -> Iterator[str]:
    """What is wrong with the templates of `[[git.map]]` and the selectors of `[ledger] drop`."""
    where = file.where if file else lambda key: "settings"
    if config.git.map:
        from .lastmod.git import compile_map

        for n, templates in enumerate(config.git.map):
            try:
                compile_map(templates.page, templates.source)
            except ValueError as error:
                yield f"{where(f'git.map[{n}]')}: git.map[{n}]: {error}"
    if config.ledger.drop:
        from .content import rule

        try:
            rule(config.ledger.drop)
        except ValueError as error:
            yield f"{where('ledger.drop')}: ledger.drop: {error}"


def _origins(file: Layer | None, table: str, texts: list[str]) -> Iterator[Origin]:
    """Where each entry of an array of tables stands."""
    for n, text in enumerate(texts):
        line = file.line(f"{table}[{n}]") if file else None
        yield Origin(file.label if file else "settings", line, text)


def include_patterns(settings: Config) -> Patterns:
    """The include patterns, compared in any case."""
    return Patterns((Line(text, Origin("include", None, text)) for text in settings.include), any_case=True)
