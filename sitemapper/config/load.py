"""From TOML, environment and flags to Settings, or to every fault at once as `file:line: key: message`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from pydantic import ValidationError

from sitemapper.config import messages as config_errors
from sitemapper.config import names as output_names
from sitemapper.config.files import regular, relative
from sitemapper.config.layers import COMMAND_LINE, ENV_PREFIX, ENVIRONMENT, Layer, file_layer, from_env
from sitemapper.config.messages import ADDED_UP
from sitemapper.config.settings import Config, Settings
from sitemapper.errors import ConfigError
from sitemapper.model import Origin
from sitemapper.syntax.gitignore import BUILT_IN, Line, compile_line

IGNORE_FILE = ".sitemapignore"
# Served in place of what was asked for, never as pages of their own; and what proves ownership.
_IN_PLACE = (".*", "404.html", "**/404/index.html", "500.html", "50x.html")
_PROOFS = tuple(f"/{name}{'[0-9a-f]' * 16}.html" for name in ("google", "yandex_"))


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
    given = [Layer(from_env(env, problems), ENVIRONMENT, cwd), Layer(dict(values or {}), label, cwd)]
    layers = [_ready(layer) for layer in ([file, *given] if file else given)]
    epoch = _epoch(env, problems)
    try:
        checked = Config.model_validate(_merged(layers, cwd))
    except ValidationError as error:
        raise ConfigError((*problems, *config_errors.sentences(error, layers))) from None
    project = file.base if file else cwd
    lines = tuple(_ignore_lines(layers, checked, cwd, project))
    problems += _faults(checked, lines, file)
    problems += _bad_ledger(checked, layers)
    if problems:
        raise ConfigError(tuple(problems))
    return Settings.model_construct(
        **dict(checked),
        lines=lines,
        rule_origins=tuple(_origins(file, "rules", [", ".join(r.match) for r in checked.rules])),
        url_origins=tuple(_origins(file, "urls", ["" for _ in checked.urls])),
        cwd=cwd,
        project=project,
        source_date_epoch=epoch,
    )


def _merged(layers: list[Layer], cwd: str) -> dict[str, Any]:
    merged: dict[str, Any] = {"site": cwd}
    defaults = {key: Config.model_fields[key].default for key in ("include", "lastmod")}
    for values, label, *_ in layers:
        if label == COMMAND_LINE and "include" in values:
            merged.setdefault("include", defaults["include"])
        merged = _merge(merged, values)
        if label == COMMAND_LINE and "path" in values.get("ledger", {}):
            merged["lastmod"] = _with_ledger(merged.get("lastmod", defaults["lastmod"]))
    return merged


def _with_ledger(sources: Any) -> Any:
    """The sources with the ledger that a flag asks for: before the file's time, which it is to correct."""
    if not isinstance(sources, tuple) or not sources or "ledger" in sources:
        return sources
    before = tuple(source for source in sources if source != "mtime")
    return (*before, "ledger", *(["mtime"] if "mtime" in sources else []))


def _epoch(env: Mapping[str, str], problems: list[str]) -> int | None:
    text = env.get("SOURCE_DATE_EPOCH", "")
    if re.fullmatch(r"\d{0,12}", text):
        return int(text) if text else None
    problems.append(f"environment: SOURCE_DATE_EPOCH: {text!r} must be whole seconds since 1970")
    return None


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        before = merged.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            merged[key] = _merge(before, value)
        elif key in ADDED_UP and key in merged:
            # What is no list is kept, for the check to find.
            if isinstance(before, tuple):
                merged[key] = before + value if isinstance(value, tuple) else value
        elif not isinstance(value, dict) or key not in merged:  # no table is kept for the check too
            merged[key] = value
    return merged


def _with_tuples(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _with_tuples(inner) for key, inner in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, (list, tuple)) else value


def _ready(layer: Layer) -> Layer:
    """The layer with tuples for lists, as the frozen models want them, and its paths made absolute."""
    try:
        values: dict[str, Any] = _with_tuples(layer.values)
    except RecursionError:
        raise ConfigError(
            (f"{layer.label}: is nested too deep; no key needs more than three levels",)
        ) from None
    for table, key in ((values, "site"), (values, "output"), (values.get("ledger"), "path")):
        if isinstance(table, dict) and isinstance(table.get(key), str) and table[key]:
            table[key] = os.path.normpath(os.path.join(layer.base, table[key]))
    if isinstance(values.get("extra"), tuple):
        paths = values["extra"]
        values["extra"] = tuple(os.path.join(layer.base, p) if p and isinstance(p, str) else p for p in paths)
    return layer._replace(values=values)


def _ignore_lines(layers: list[Layer], config: Config, cwd: str, project: str) -> Iterator[Line]:
    """The ignore patterns in order: built in, our outputs, .sitemapignore files, config, flags."""
    for text in (*_IN_PLACE, *_PROOFS, *_own_files(config, project)):
        yield Line(text, Origin(BUILT_IN, None, text))
    folders = [config.site, *(layer.base for layer in layers if layer.is_file)]
    for folder in dict.fromkeys(os.path.abspath(f) for f in folders):
        path = os.path.join(folder, IGNORE_FILE)
        yield from _ignore_file(path, relative(path, cwd))
    flags = {COMMAND_LINE: "--ignore", ENVIRONMENT: f"{ENV_PREFIX}IGNORE"}
    for layer in layers:
        for text in layer.values.get("ignore", ()):
            line = layer.item_line("ignore", text) if layer.is_file else None
            source = layer.label if layer.is_file else flags.get(layer.label, layer.label)
            yield Line(text, Origin(source, line, text))


def _own_files(config: Config, project: str) -> Iterator[str]:
    """Our own outputs and the ledger, where they lie in the site."""
    output = _inside(os.path.realpath(config.output or config.site), os.path.realpath(config.site))
    if output is not None:
        folder = "/" if output == "." else f"/{output}/"
        yield from (folder + pattern for pattern in output_names.ignored(config.sitemap.stem))
    ledger = _inside(os.path.join(project, config.ledger.path), config.site)
    if ledger is not None and "ledger" in config.lastmod:
        yield "/" + ledger


def _inside(path: str, site: str) -> str | None:
    inside = relative(path, site).replace(os.sep, "/")
    return None if inside.startswith("..") else inside


def _ignore_file(path: str, label: str) -> Iterator[Line]:
    try:
        text = (regular(path) or b"").decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise ConfigError((f"{label}: cannot be read: {error.strerror}; check it",)) from None
    for number, row in enumerate(text.split("\n"), 1):
        yield Line(row, Origin(label, number, row.strip()))


def _faults(config: Config, lines: tuple[Line, ...], file: Layer | None) -> Iterator[str]:
    """What is wrong with texts that are compiled when a run begins."""
    for place, key, compiled in _to_compile(config, lines):
        try:
            compiled()
        except ValueError as error:
            yield f"{place or (file.where(key) if file else 'settings')}: {key}: {error}"


def _to_compile(config: Config, lines: tuple[Line, ...]) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Patterns, the templates of `[[git.map]]`, the selectors of `[ledger] drop`: place, key, compilation."""
    for line in lines:
        yield str(line.origin._replace(text="")), "ignore", partial(_compile, line.text)
    matches = {"include": config.include}
    matches |= {f"rules[{n}].match": rule.match for n, rule in enumerate(config.rules)}
    matches |= {f"sitemaps[{n}].match": section.match for n, section in enumerate(config.sitemaps)}
    yield from (("", key, partial(_compile, text)) for key, texts in matches.items() for text in texts)
    if config.git.map:
        from sitemapper.lastmod.git import compile_map

        for n, templates in enumerate(config.git.map):
            yield "", f"git.map[{n}]", partial(compile_map, templates.page, templates.source)
    if config.ledger.drop:
        from sitemapper.lastmod.content import rule

        yield "", "ledger.drop", partial(rule, config.ledger.drop)


def _compile(text: str) -> None:
    try:
        compile_line(Line(text, Origin("")))
    except ValueError:
        why = "it holds a NUL" if "\0" in text else "does it end with a backslash?"
        raise ValueError(f"{text!r} is no gitignore pattern ({why})") from None


def _bad_ledger(config: Config, layers: list[Layer]) -> Iterator[str]:
    """A ledger where a sitemap or robots.txt would be."""
    folder, name = os.path.split(config.ledger.path)
    taken = name == "robots.txt" or output_names.is_ours(name, config.sitemap.stem, ())
    if taken and folder in (config.output, config.site):
        layer = next(layer for layer in reversed(layers) if "path" in layer.values.get("ledger", {}))
        yield f"{layer.where('ledger.path')}: ledger.path: {name} is another file's name; choose its own"


def _origins(file: Layer | None, table: str, texts: list[str]) -> Iterator[Origin]:
    """Where each entry of an array of tables stands."""
    for n, text in enumerate(texts):
        line = file.line(f"{table}[{n}]") if file else None
        yield Origin(file.label if file else "settings", line, text)
