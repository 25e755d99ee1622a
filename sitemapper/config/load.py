"""From TOML, environment and flags to Settings.

Reports all errors at once as `file:line: key: message`.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from ..errors import ConfigError, with_help
from ..fs import ancestors, regular, relative
from ..hosts.choose import of_builder
from ..hosts.provider import Provider
from ..model import Detected, Origin
from ..syntax.gitignore import BUILT_IN, Line
from . import filenames, messages
from .layers import COMMAND_LINE, ENV_CACHE, ENV_PREFIX, ENVIRONMENT, Layer, file_layer
from .messages import APPENDED_LISTS, has
from .settings import Config, Settings, check_pattern

Detect = Callable[[str, str | None, bool], Layer]
_FLAGS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(
    ("false", "no", "off", "0"), False
)
# Error pages, fallbacks and folders of frameworks, and the files by which search engines verify a
# site.
_ERRORS = ("40[134]", "410", "50[0234xX]")
_DEFAULTS = (
    *(f"{code}.[hHxX]*" for code in _ERRORS),
    *(f"**/{code}/[iI][nN][dD][eE][xX].[hHxX]*" for code in _ERRORS),
    "!**/page/*/index.*",  # of a file that lists very many pages
    *(".*", "404.html", "/200.html", "_error.html", "__404error.html"),
    *("__spa-fallback.html", "_not-found.html", "index.csr.html", "/_gatsby/", "__pycache__/"),
    *("node_modules/", "bower_components/", "*.docset/"),
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
    """The settings of a run: defaults < project < file < environment < `values` (`ignore`,
    `include` add up).

    The file is `config`, or else the nearest one from `cwd` upwards or in the folder of the
    detected project. Without both, no file is read. `values` have the shape of the file, `label`
    names them in messages, and `flags` are the command line's, by key. `defaults`, of the same
    shape, override ours. `detect` returns the project, given a folder, the site of the other
    layers, and whether they lack a base URL. Raises ConfigError with all errors.
    """
    env = env or {}
    is_searching = cwd is not None or config is not None
    cwd = os.path.abspath(cwd or os.curdir)
    problems: list[str] = []
    layers = [
        _ready(Layer(_from_env(env, problems), ENVIRONMENT, cwd)),
        _ready(Layer(dict(values or {}), label, cwd, flags=flags or {})),
    ]
    file = file_layer(config, cwd) if is_searching else None
    file, above, detected = _with_project(file, layers, detect, cwd, is_named=config is not None)
    project = file.base if file else detected.base
    builder = of_builder(env)
    layers = [
        _ready(Layer(dict(defaults or {}), BUILT_IN, cwd)),
        *_production(builder, env, cwd),
        *above,
    ]
    epoch = _epoch(env, problems)
    try:
        checked = Config.model_validate(_merged(layers, cwd))
    except ValidationError as error:
        searched = cwd if is_searching and not file else None
        raise ConfigError((*problems, *messages.format_errors(error, layers, searched))) from None
    read = {os.path.join(cwd, file.label): file.read} if file else {}
    lines = tuple(_ignore_lines(layers, checked, cwd, project, problems, read))
    if problems:
        raise ConfigError(tuple(problems))
    return Settings.model_construct(
        _fields_set=checked.model_fields_set,
        **dict(checked),
        ignore_lines=lines,
        **_all_places(file, layers, checked),
        read_from=tuple(read.items()),
        detected=tuple(_detected(layers, cwd)),
        cwd=cwd,
        project=project,
        source_files=detected.source_files,
        builder=builder.name if builder else "",
        detected_project=detected.project,
        date_sources=_date_sources(checked, layers, project),
        source_date_epoch=epoch,
        proxies=_proxies(env),
    )


def load_tables(cwd: str, *names: str) -> Config:
    """Some tables of the configuration file. No other key is checked. Raises ConfigError."""
    layer = file_layer(None, os.path.abspath(cwd))
    tables = {name: layer.values[name] for name in names if layer and name in layer.values}
    try:
        return Config.model_validate({"base_url": "http://localhost/", **with_tuples(tables)})
    except ValidationError as error:
        raise ConfigError(
            tuple(messages.format_errors(error, [layer] if layer else [], None))
        ) from None


def _production(builder: Provider | None, env: Mapping[str, str], cwd: str) -> list[Layer]:
    """The site's URL from the environment of its builder, the last source of the base URL."""
    text = env.get(builder.production, "") if builder else ""
    url = (text if "://" in text else f"https://{text}").rstrip("/") + "/"
    if not builder or not urlsplit(url).hostname:
        return []
    label = f"{ENVIRONMENT}: {builder.production}"
    return [Layer({"base_url": url}, label, cwd, origins={"base_url": Origin(label)})]


def _with_project(
    file: Layer | None, layers: list[Layer], detect: Detect | None, cwd: str, *, is_named: bool
) -> tuple[Layer | None, list[Layer], Layer]:
    """The file, which may be in the project's folder, all layers with the project's below, and that
    layer.
    """
    detected = Layer({}, BUILT_IN, cwd)
    above = [_ready(file), *layers] if file else layers
    if not detect:
        return file, above, detected
    named = _last_with(["site"], above)
    site = named.values["site"] if named and isinstance(named.values["site"], str) else None
    detected = _ready(
        detect(file.base if file else cwd, site, _last_with(["base_url"], above) is None)
    )
    if file is None and not is_named and (file := file_layer(None, cwd, detected.base)):
        above = [_ready(file), *layers]
    place = relative(detected.base, file.base if file else detected.base).replace(os.sep, "/")
    if place != "." and (
        git := detected.values.get("git")
    ):  # paths of sources are relative to the project
        maps = (
            {**table, "source": tuple(f"{place}/{s}" for s in table["source"])}
            for table in git["map"]
        )
        detected = detected._replace(values=detected.values | {"git": {"map": tuple(maps)}})
    return file, [detected, *above], detected


def _all_places(file: Layer | None, layers: list[Layer], checked: Config) -> dict[str, Any]:
    """The origins of the site and of the entries of lists, by their names in Settings."""
    site, dropper = _last_with(["site"], layers), _last_with(["ledger", "drop"], layers)
    dropper = dropper if dropper and (dropper.lines or dropper.origins) else None
    is_written = site and (site.lines or site.label == ENVIRONMENT)
    return {
        "site_prefix": f"{site.place('site')}: " if site and is_written else "",
        "rule_origins": _origins(file, "rules", [", ".join(r.match) for r in checked.rules]),
        "section_origins": _origins(
            file, "sitemaps", [", ".join(s.match) for s in checked.sitemaps]
        ),
        "drop_origins": _origins(dropper, "ledger.drop", checked.ledger.drop),
        "url_origins": _origins(file, "urls", ["" for _ in checked.urls]),
    }


def _origins(file: Layer | None, key: str, texts: Sequence[str]) -> tuple[Origin, ...]:
    """The origin of each entry of a list or an array of tables."""
    if not file or not file.lines:
        return tuple(Origin(file.label if file else "settings", None, text) for text in texts)
    lines = (file.line(f"{key}[{n}]", text if "." in key else "") for n, text in enumerate(texts))
    return tuple(Origin(file.label, line, text) for line, text in zip(lines, texts, strict=True))


def _last_with(steps: list[str], layers: list[Layer]) -> Layer | None:
    return next((layer for layer in reversed(layers) if has(layer.values, steps)), None)


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
    """The merged values of all layers.

    A ledger set by a flag becomes a source of dates, before `mtime`.
    """
    merged: dict[str, Any] = {"site": cwd}
    for values, label, *_ in layers:
        merged = _merge(merged, values)
        sources = merged.get("lastmod", ("auto",))
        is_set = (
            label == COMMAND_LINE
            and "path" in values.get("ledger", {})
            and isinstance(sources, tuple)
        )
        if is_set and sources not in ((), ("auto",)) and "ledger" not in sources:
            before = tuple(source for source in sources if source != "mtime")
            merged["lastmod"] = (*before, "ledger", *(["mtime"] if "mtime" in sources else []))
    return merged


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
    """The proxies in the environment, by scheme. Lower-case names take precedence."""
    names = sorted(name for name in env if name.lower().endswith("_proxy"))
    return {name.lower().removesuffix("_proxy"): env[name] for name in names}


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merges two values; the upper one comes first.

    Wrong types are kept for the models to report.
    """
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
        problem = with_help(
            f"{layer.label}: is nested too deep", "no key needs more than three levels"
        )
        raise ConfigError((problem,)) from None
    for table, key in ((values, "site"), (values, "output"), (values.get("ledger"), "path")):
        if isinstance(table, dict) and isinstance(table.get(key), str) and table[key]:
            table[key] = os.path.normpath(os.path.join(layer.base, table[key]))
    if isinstance(values.get("extra"), tuple):
        paths = values["extra"]
        values["extra"] = tuple(
            os.path.join(layer.base, p) if p and isinstance(p, str) else p for p in paths
        )
    return layer._replace(values=values)


def _ignore_lines(
    layers: list[Layer],
    config: Config,
    cwd: str,
    project: str,
    problems: list[str],
    read: dict[str, bytes],
) -> Iterator[Line]:
    """The ignore patterns in order: defaults, our outputs, .sitemapignore files, config, flags.

    Adds to `problems`, and to `read` the files.
    """
    for text in (*_DEFAULTS, *_own_files(config, project)):
        yield Line(text, Origin(BUILT_IN, None, text))
    folders = [config.site, *(layer.base for layer in layers if layer.lines)]
    for folder in dict.fromkeys(os.path.abspath(f) for f in folders):
        path = os.path.join(folder, ".sitemapignore")
        label = relative(path, cwd)
        try:
            read[path] = regular(path) or b""
        except OSError as error:
            what = f"{label}: cannot be read: {error.strerror}"
            problems.append(with_help(what, "fix its permissions, or remove it"))
            continue
        for number, row in enumerate(
            read[path].decode("utf-8-sig", "surrogateescape").split("\n"), 1
        ):
            try:
                check_pattern(row)
            except ValueError as error:
                problems.append(f"{label}:{number}: ignore: {error}")
            yield Line(row, Origin(label, number, row.strip()))
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
        yield f"{folder}robots.txt"
        ends = [end for extension in filenames.EXTENSIONS for end in (extension, f"{extension}.gz")]
        yield from (
            f"{folder}{config.sitemap.stem}{middle}.{end}" for middle in ("", "-*") for end in ends
        )
        if config.submit.key:
            yield f"{folder}{config.submit.key}.txt"
    ledger = _inside(os.path.join(project, config.ledger.path), config.site)
    if ledger is not None and not {"ledger", "auto"}.isdisjoint(config.lastmod):
        yield "/" + ledger


def _inside(path: str, site: str) -> str | None:
    inside = relative(path, site).replace(os.sep, "/")
    return None if inside.startswith("..") else inside


def _from_env(env: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """The values of SITEMAPPER_BASE_URL, SITEMAPPER_SITEMAP_MAX_URLS … for all keys but arrays of
    tables.
    """
    variables: dict[str, tuple[str, str, Any]] = {}  # the table ("" for none), the key, its type
    models: dict[str, Any] = {
        name: type(field.default) for name, field in Config.model_fields.items()
    }
    for table, model in [("", Config), *models.items()]:
        for key, field in model.model_fields.items() if issubclass(model, BaseModel) else ():
            kind = field.annotation
            if get_origin(kind) is not dict and messages.table_of(kind) is None:
                name = f"{table}_{key}" if table else key
                variables[ENV_PREFIX + name.upper()] = table, key, kind
    values: dict[str, Any] = {}
    for name in sorted(n for n in env if n.startswith(ENV_PREFIX) and n != ENV_CACHE):
        if name not in variables:
            problem = f"environment: {name}: unknown setting"
            bare = name.removeprefix(ENV_PREFIX)
            in_tables = [variable for variable in variables if variable.endswith(f"_{bare}")]
            hint = messages.did_you_mean(name, in_tables or [*variables])
            problems.append(with_help(problem, hint or "unset it"))
            continue
        table, key, kind = variables[name]
        if env[name] or get_origin(kind) is tuple:
            above = values.setdefault(table, {}) if table else values
            above[key] = _read(env[name], kind)
    return values


def _read(text: str, kind: Any) -> Any:
    """The value of a variable. Commas separate the items of a list; booleans may be yes, no, on,
    off …

    `8` and `0.5` are numbers as in TOML if the key is no string. Anything else is a string.
    """
    if get_origin(kind) is tuple:
        return [item.strip() for item in text.split(",") if item.strip()]
    if kind is bool:
        return _FLAGS.get(text.lower(), text)
    is_string = any(str in (one, *get_args(one)[:1]) for one in (kind, *get_args(kind)))
    number = r"true|false|(0|[1-9]\d{0,17})(\.\d+)?"
    return text if is_string or not re.fullmatch(number, text, re.ASCII) else json.loads(text)
