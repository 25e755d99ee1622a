"""From TOML, environment and flags to Settings, or to every fault at once as `file:line: key: message`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from ..errors import ConfigError, with_help
from ..fs import regular, relative
from ..model import Detected, Origin
from ..syntax import hosts
from ..syntax.gitignore import BUILT_IN, Line
from ..syntax.hosts.files import Provider
from . import filenames, messages
from .fields import check_pattern
from .layers import COMMAND_LINE, ENV_PREFIX, ENVIRONMENT, Layer, ancestors, file_layer, from_env
from .messages import APPENDED_LISTS, has
from .settings import Config, Settings

Detect = Callable[[str, str | None, bool], Layer]
IGNORE_FILE = ".sitemapignore"
# Error pages, fallbacks and folders of frameworks, and the files by which search engines verify a site.
_ERRORS = ("40[134]", "410", "50[0234xX]")
_DEFAULTS = (
    *(f"{code}.[hHxX]*" for code in _ERRORS),
    *(f"**/{code}/[iI][nN][dD][eE][xX].[hHxX]*" for code in _ERRORS),
    "!**/page/*/index.*",  # of a list with very many pages
    *(".*", "404.html", "/200.html", "_error.html", "__404error.html"),
    *("__spa-fallback.html", "_not-found.html", "index.csr.html", "/_gatsby/", "__pycache__/"),
    "node_modules/",
    "bower_components/",
    "*.docset/",
    *(f"/{name}{'[0-9a-f]' * 16}.html" for name in ("google", "yandex_")),
)


def load(
    values: Mapping[str, Any] | None = None,
    *,
    label: str = "settings",
    defaults: Mapping[str, Any] | None = None,
    config: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    flags: Mapping[str, str] | None = None,
    detect: Detect | None = None,
) -> Settings:
    """The settings of a run: defaults < project < file < environment < `values` (`ignore`, `include` add up).

    The file is `config`, or else the one that is found from `cwd` upwards or in the folder of the detected
    project; without either, none is read. `values` have the shape of the file, `label` names them in
    messages, `flags` are those of the command line, by key. `defaults`, of the same shape, stand before our
    own. `detect` finds what the project says, from a folder, the site that the other layers name, and
    whether none of them has a base URL. Raises ConfigError with all faults.
    """
    env = env or {}
    is_searching = cwd is not None or config is not None
    cwd = os.path.abspath(cwd or os.curdir)
    problems: list[str] = []
    layers = [
        _ready(Layer(from_env(env, problems), ENVIRONMENT, cwd)),
        _ready(Layer(dict(values or {}), label, cwd, flags=flags or {})),
    ]
    file = file_layer(config, cwd) if is_searching else None
    file, above, detected = _with_project(file, layers, detect, cwd, is_named=config is not None)
    project = file.base if file else detected.base
    builder = hosts.of_builder(env)
    own = [_ready(Layer(dict(defaults), BUILT_IN, cwd))] if defaults else []
    layers = [*own, *(_production(builder, env, cwd) if builder else ()), *above]
    searched = cwd if is_searching and not file else None
    epoch = _epoch(env, problems)
    try:
        checked = Config.model_validate(_merged(layers, cwd))
    except ValidationError as error:
        raise ConfigError((*problems, *messages.format_errors(error, layers, searched))) from None
    read = {os.path.join(cwd, file.label): file.read} if file else {}
    lines = tuple(_ignore_lines(layers, checked, cwd, project, problems, read))
    if problems:
        raise ConfigError(tuple(problems))
    return Settings.model_construct(
        _fields_set=checked.model_fields_set,
        **dict(checked),
        ignore_lines=lines,
        **_all_origins(file, _last_with(["ledger", "drop"], layers), checked),
        read_from=tuple(read.items()),
        detected=tuple(_detected(layers, cwd)),
        site_prefix=_site_prefix(_last_with(["site"], layers)),
        cwd=cwd,
        project=project,
        source_files=detected.source_files,
        builder=builder.name if builder else "",
        detected_project=detected.project,
        date_sources=_date_sources(checked, layers, project),
        source_date_epoch=epoch,
        proxies=_proxies(env),
    )


def robots_agents(cwd: str) -> tuple[str, ...]:
    """The crawlers of which robots.txt must allow one; none if `[respect]` turns robots.txt off.

    Raises ConfigError.
    """
    config = _tables(cwd, "robots", "respect")
    return tuple(config.robots.agents) if config.respect.robots else ()


def severities(cwd: str) -> Mapping[str, str]:
    """`[validate]` of the configuration file. Raises ConfigError."""
    return _tables(cwd, "validate").severities


def _tables(cwd: str, *names: str) -> Config:
    """Some tables of the configuration file; no other key is looked at."""
    layer = file_layer(None, os.path.abspath(cwd))
    tables = {name: layer.values[name] for name in names if layer and name in layer.values}
    try:
        return Config.model_validate({"base_url": "http://localhost/", **with_tuples(tables)})
    except ValidationError as error:
        raise ConfigError(tuple(messages.format_errors(error, [layer] if layer else [], None))) from None


def _production(builder: Provider, env: Mapping[str, str], cwd: str) -> list[Layer]:
    """The site's URL from its builder's environment, the last source of the base URL."""
    text, label = env.get(builder.production, ""), f"{ENVIRONMENT}: {builder.production}"
    url = (text if "://" in text else f"https://{text}").rstrip("/") + "/"
    layer = Layer({"base_url": url}, label, cwd, origins={"base_url": Origin(label)})
    return [layer] if urlsplit(url).hostname else []


def _with_project(
    file: Layer | None, layers: list[Layer], detect: Detect | None, cwd: str, *, is_named: bool
) -> tuple[Layer | None, list[Layer], Layer]:
    """The file, all layers with what the project says below them, and the latter.

    The file may be in the project's folder.
    """
    detected = Layer({}, BUILT_IN, cwd)
    above = [_ready(file), *layers] if file else layers
    if not detect:
        return file, above, detected
    project = file.base if file else cwd
    detected = _ready(detect(project, _site(above), _last_with(["base_url"], above) is None))
    if file is None and not is_named and (file := file_layer(None, cwd, detected.base)):
        above = [_ready(file), *layers]
    project = file.base if file else detected.base
    return file, [_with_sources_from(project, detected), *above], detected


def _all_origins(file: Layer | None, dropper: Layer | None, checked: Config) -> dict[str, tuple[Origin, ...]]:
    """Where the entries of lists stand, by the names of Settings; `dropper` is the layer of `ledger.drop`."""
    dropper = dropper if dropper and (dropper.lines or dropper.origins) else None
    return {
        "rule_origins": tuple(_origins(file, "rules", [", ".join(r.match) for r in checked.rules])),
        "section_origins": tuple(_origins(file, "sitemaps", [", ".join(s.match) for s in checked.sitemaps])),
        "drop_origins": tuple(_origins(dropper, "ledger.drop", checked.ledger.drop)),
        "url_origins": tuple(_origins(file, "urls", ["" for _ in checked.urls])),
    }


def _site(layers: list[Layer]) -> str | None:
    """The site that a layer names."""
    named = _last_with(["site"], layers)
    return named.values["site"] if named and isinstance(named.values["site"], str) else None


def _site_prefix(layer: Layer | None) -> str:
    """The beginning of a message about the site, if the file or the environment names it."""
    return f"{layer.place('site')}: " if layer and (layer.lines or layer.label == ENVIRONMENT) else ""


def _last_with(steps: list[str], layers: list[Layer]) -> Layer | None:
    return next((layer for layer in reversed(layers) if has(layer.values, steps)), None)


def _with_sources_from(project: str, layer: Layer) -> Layer:
    """The layer with templates of sources that are relative to a folder."""
    above = relative(layer.base, project).replace(os.sep, "/")
    git = layer.values.get("git")
    if above == "." or not git:
        return layer
    maps = tuple(
        {**table, "source": tuple(f"{above}/{source}" for source in table["source"])} for table in git["map"]
    )
    return layer._replace(values=layer.values | {"git": {"map": maps}})


def _detected(layers: list[Layer], cwd: str) -> Iterator[Detected]:
    """The values of the project that no other layer sets."""
    for layer in layers:
        for key, origin in layer.origins.items():
            steps = key.split(".")
            if key in APPENDED_LISTS or _last_with(steps, layers) is layer:
                value: Any = layer.values
                for step in steps:
                    value = value[step]
                yield Detected(key, relative(value, cwd) if key == "site" else value, origin)


def _merged(layers: list[Layer], cwd: str) -> dict[str, Any]:
    merged: dict[str, Any] = {"site": cwd}
    for values, label, *_ in layers:
        merged = _merge(merged, values)
        if label == COMMAND_LINE and "path" in values.get("ledger", {}):
            merged["lastmod"] = _with_ledger(merged.get("lastmod", Config.model_fields["lastmod"].default))
    return merged


def _with_ledger(sources: Any) -> Any:
    """The sources with the ledger, which a flag has set, in front of `mtime`."""
    if not isinstance(sources, tuple) or not sources or sources == ("auto",) or "ledger" in sources:
        return sources
    before = tuple(source for source in sources if source != "mtime")
    return (*before, "ledger", *(["mtime"] if "mtime" in sources else []))


def _date_sources(config: Config, layers: list[Layer], project: str) -> tuple[str, ...]:
    """The sources of dates; for `auto`, those that the project has."""
    if config.lastmod != ("auto",):
        return config.lastmod
    folders = (*ancestors(project), *ancestors(config.site))
    has_git = any(os.path.exists(os.path.join(folder, ".git")) for folder in folders)
    # Setting any key of the ledger turns it on.
    has_ledger = any(layer.values.get("ledger") for layer in layers if not layer.origins)
    has_ledger = has_ledger or os.path.isfile(os.path.join(project, config.ledger.path))
    return (*(["git"] if has_git else []), *(["ledger"] if has_ledger else []), "mtime")


def _epoch(env: Mapping[str, str], problems: list[str]) -> int | None:
    text = env.get("SOURCE_DATE_EPOCH", "")
    if re.fullmatch(r"\d{0,12}", text):
        return int(text) if text else None
    problem = f"environment: SOURCE_DATE_EPOCH: {text!r} is not a whole number"
    problems.append(with_help(problem, "set it to seconds since 1970, or unset it"))
    return None


def _proxies(env: Mapping[str, str]) -> dict[str, str]:
    """The proxies that the environment names, by scheme; names in small letters win."""
    names = sorted(name for name in env if name.lower().endswith("_proxy"))
    return {name.lower().removesuffix("_proxy"): env[name] for name in names}


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both, the upper one first; what has the wrong type is kept for the models to find."""
    merged = dict(below)
    for key, value in above.items():
        before = merged.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            merged[key] = _merge(before, value)
        elif key in APPENDED_LISTS and key in merged:
            if isinstance(before, tuple):
                merged[key] = before + value if isinstance(value, tuple) else value
        elif not isinstance(value, dict) or key not in merged:
            merged[key] = value
    return merged


def with_tuples(value: Any) -> Any:
    """A value with tuples for lists, as the frozen models need them."""
    if isinstance(value, Mapping):
        return {key: with_tuples(inner) for key, inner in value.items()}
    return tuple(map(with_tuples, value)) if isinstance(value, (list, tuple)) else value


def _ready(layer: Layer) -> Layer:
    """The layer with tuples for lists and with absolute paths."""
    try:
        values: dict[str, Any] = with_tuples(layer.values)
    except RecursionError:
        problem = with_help(f"{layer.label}: is nested too deep", "no key needs more than three levels")
        raise ConfigError((problem,)) from None
    for table, key in ((values, "site"), (values, "output"), (values.get("ledger"), "path")):
        if isinstance(table, dict) and isinstance(table.get(key), str) and table[key]:
            table[key] = os.path.normpath(os.path.join(layer.base, table[key]))
    if isinstance(values.get("extra"), tuple):
        paths = values["extra"]
        values["extra"] = tuple(os.path.join(layer.base, p) if p and isinstance(p, str) else p for p in paths)
    return layer._replace(values=values)


def _ignore_lines(
    layers: list[Layer], config: Config, cwd: str, project: str, problems: list[str], read: dict[str, bytes]
) -> Iterator[Line]:
    """The ignore patterns in order: defaults, our outputs, .sitemapignore files, config, flags.

    Adds to `problems`, and to `read` the files.
    """
    for text in (*_DEFAULTS, *_own_files(config, project)):
        yield Line(text, Origin(BUILT_IN, None, text))
    folders = [config.site, *(layer.base for layer in layers if layer.lines)]
    for folder in dict.fromkeys(os.path.abspath(f) for f in folders):
        path = os.path.join(folder, IGNORE_FILE)
        yield from _ignore_file(path, relative(path, cwd), problems, read)
    flags = {COMMAND_LINE: "--ignore", ENVIRONMENT: f"{ENV_PREFIX}IGNORE"}
    for layer in layers:
        for text in layer.values.get("ignore", ()):
            line = layer.line("ignore", text) if layer.lines else None
            source = BUILT_IN if text in layer.built_in else flags.get(layer.label, layer.label)
            yield Line(text, Origin(source, line, text))


def _own_files(config: Config, project: str) -> Iterator[str]:
    """Patterns for our own files, if they are in the site."""
    output = _inside(os.path.realpath(config.output or config.site), os.path.realpath(config.site))
    if output is not None:
        folder = "/" if output == "." else f"/{output}/"
        yield from (folder + pattern for pattern in filenames.ignored(config.sitemap.stem))
        if config.submit.key:
            yield f"{folder}{config.submit.key}.txt"
    ledger = _inside(os.path.join(project, config.ledger.path), config.site)
    if ledger is not None and not {"ledger", "auto"}.isdisjoint(config.lastmod):
        yield "/" + ledger


def _inside(path: str, site: str) -> str | None:
    inside = relative(path, site).replace(os.sep, "/")
    return None if inside.startswith("..") else inside


def _ignore_file(path: str, label: str, problems: list[str], read: dict[str, bytes]) -> Iterator[Line]:
    try:
        read[path] = regular(path) or b""
        text = read[path].decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        problems.append(
            with_help(f"{label}: cannot be read: {error.strerror}", "fix its permissions, or remove it")
        )
        return
    for number, row in enumerate(text.split("\n"), 1):
        try:
            check_pattern(row)
        except ValueError as error:
            problems.append(f"{label}:{number}: ignore: {error}")
        yield Line(row, Origin(label, number, row.strip()))


def _origins(file: Layer | None, key: str, texts: Sequence[str]) -> Iterator[Origin]:
    """The place of each entry of a list or of an array of tables."""
    for n, text in enumerate(texts):
        line = file.line(f"{key}[{n}]", text if "." in key else "") if file and file.lines else None
        yield Origin(file.label if file else "settings", line, text)
