"""The ignore patterns of a site in order: built-in ones, .sitemapignore files, config, flags."""

import os
from collections.abc import Iterator, Sequence

from ..config import filenames
from ..config.layers import COMMAND_LINE, ENV_PREFIX, ENVIRONMENT, Layer
from ..config.settings import Settings, check_pattern
from ..errors import with_help
from ..fs import regular, relative
from ..model import Origin
from ..syntax.gitignore import BUILT_IN, Line

# Error pages, fallbacks and folders of frameworks, and the files by which search engines verify a
# site.
_ERRORS = ("40[134]", "410", "50[0234xX]")
_DEFAULTS = (
    *(f"{code}.[hHxX]*" for code in _ERRORS),
    *(f"**/{code}/[iI][nN][dD][eE][xX].[hHxX]*" for code in _ERRORS),
    "!**/page/*/index.*",  # of a file that lists very many pages
    ".*",
    "404.html",
    "/200.html",
    "_error.html",
    "__404error.html",
    "__spa-fallback.html",
    "_not-found.html",
    "index.csr.html",
    "/_gatsby/",
    "__pycache__/",
    "node_modules/",
    "bower_components/",
    "*.docset/",
    *(f"/{name}{'[0-9a-f]' * 16}.html" for name in ("google", "yandex_")),
)
# How messages call a pattern that no file contains.
_FLAGS = {COMMAND_LINE: "--ignore", ENVIRONMENT: f"{ENV_PREFIX}IGNORE"}


def list_patterns(
    settings: Settings,
    layers: Sequence[Layer],
    cwd: str,
    project: str,
    problems: list[str],
    read: dict[str, bytes],
) -> Iterator[Line]:
    """The ignore patterns in order: defaults, our outputs, .sitemapignore files, config, flags.

    Adds what is wrong with .sitemapignore files to `problems`, and their bytes to `read`, by path.
    """
    for text in (*_DEFAULTS, *_own_files(settings, project)):
        yield Line(text, Origin(BUILT_IN, None, text))
    # A generator empties its output folder, so the file may also be beside the configuration.
    config_folders = [layer.base for layer in layers if layer.lines]
    folders = [settings.site, *config_folders]
    for folder in dict.fromkeys(map(os.path.abspath, folders)):
        yield from _read_ignore_file(os.path.join(folder, ".sitemapignore"), cwd, problems, read)
    for layer in layers:
        for text in layer.values.get("ignore", ()):
            yield Line(text, _origin(layer, text))


def _origin(layer: Layer, text: str) -> Origin:
    """Where a pattern of the key `ignore` stands."""
    is_file = bool(layer.lines)
    line = layer.line("ignore", text) if is_file else None
    if text in layer.built_in:
        return Origin(BUILT_IN, line, text)
    return Origin(_FLAGS.get(layer.label, layer.label), line, text)


def _read_ignore_file(
    path: str, cwd: str, problems: list[str], read: dict[str, bytes]
) -> Iterator[Line]:
    """The lines of a .sitemapignore file; a missing one has none. Adds to `problems` and `read`."""
    label = relative(path, cwd)
    try:
        text = regular(path) or b""
    except OSError as error:
        what = f"{label}: cannot be read: {error.strerror}"
        problems.append(with_help(what, "fix its permissions, or remove it"))
        return
    read[path] = text
    rows = text.decode("utf-8-sig", "surrogateescape").split("\n")
    for number, row in enumerate(rows, 1):
        try:
            check_pattern(row)
        except ValueError as error:
            problems.append(f"{label}:{number}: ignore: {error}")
        yield Line(row, Origin(label, number, row.strip()))


def _own_files(settings: Settings, project: str) -> Iterator[str]:
    """Patterns for the files that we write, if they are in the site, such as /sitemap-*.xml.gz."""
    site = os.path.realpath(settings.site)
    output = _path_inside(os.path.realpath(settings.output or settings.site), site)
    if output is not None:
        folder = "/" if output == "." else f"/{output}/"
        yield f"{folder}robots.txt"
        for middle in ("", "-*"):
            for extension in filenames.EXTENSIONS:
                yield f"{folder}{settings.sitemap.stem}{middle}.{extension}"
                yield f"{folder}{settings.sitemap.stem}{middle}.{extension}.gz"
        if settings.submit.key:
            yield f"{folder}{settings.submit.key}.txt"
    may_have_ledger = "ledger" in settings.lastmod or "auto" in settings.lastmod
    ledger = _path_inside(os.path.join(project, settings.ledger.path), settings.site)
    if ledger is not None and may_have_ledger:
        yield "/" + ledger


def _path_inside(path: str, folder: str) -> str | None:
    """The path of a file in a folder, with slashes. None if it is outside."""
    inside = relative(path, folder).replace(os.sep, "/")
    if inside.startswith(".."):
        return None
    return inside
