"""The ignore patterns of a site in order: built-in ones, config, flags."""

import os
from collections.abc import Iterator, Sequence

from ..config import filenames
from ..config.layers import COMMAND_LINE, ENV_PREFIX, ENVIRONMENT, Layer
from ..config.settings import Settings
from ..errors import with_help
from ..fs import relative
from ..model import Origin
from ..syntax.gitignore import BUILT_IN, Line

_HASH = "[0-9a-f]" * 16
_LETTER = "[a-zA-Z]"
# Where error pages stand: at the root, or in a language's folder: `de`, `pt-BR`, `es-419`.
_LANGUAGE = f"/{_LETTER * 2}"
_ERROR_FOLDERS = (
    "",
    _LANGUAGE,
    f"{_LANGUAGE}[-_]{_LETTER * 2}",
    f"{_LANGUAGE}[-_]{_LETTER * 4}",
    f"{_LANGUAGE}[-_]419",
)
_ERRORS = ("40[134]", "410", "50[0234xX]")
# The folders of versions, as mike and Read the Docs call them: `1.0`, `2.x`, `v3`, `latest`.
_VERSION_FOLDERS = ("/[0-9]*.[0-9xX]*", "/v[0-9]*", "/latest", "/stable", "/dev")
# Pages that are not for search engines.
_DEFAULTS = (
    # Error pages: `404.html`, `de/50x.htm`, and in folders of their own `404/index.html`. Elsewhere
    # in the site, such names are those of pages about errors, or numbers.
    *(f"{folder}/{error}.[hHxX]*" for folder in _ERROR_FOLDERS for error in _ERRORS),
    *(
        f"{folder}/{error}/[iI][nN][dD][eE][xX].[hHxX]*"
        for folder in _ERROR_FOLDERS
        for error in _ERRORS
    ),
    # MkDocs and Sphinx write one into each version of a documentation.
    *(f"{folder}/404.html" for folder in _VERSION_FOLDERS),
    # Hidden files, and the error pages and fallbacks of frameworks.
    ".*",
    "/404.html",
    "/200.html",
    "_error.html",
    "__404error.html",
    "__spa-fallback.html",
    "_not-found.html",
    "index.csr.html",
    # Folders of frameworks and other tools.
    "/_gatsby/",
    "__pycache__/",
    "node_modules/",
    "bower_components/",
    "offline-plugin-app-shell-fallback/",  # Gatsby's, which is empty
    "*.docset/",
    # Files by which Google and Yandex verify a site: `google0123456789abcdef.html`.
    f"/google{_HASH}.html",
    f"/yandex_{_HASH}.html",
)
# What messages call the place of a pattern that is in no file.
_FLAGS = {COMMAND_LINE: "--ignore", ENVIRONMENT: f"{ENV_PREFIX}IGNORE"}


def read_patterns(
    settings: Settings | None, layers: Sequence[Layer], project: str
) -> tuple[Line, ...]:
    """Reads the ignore patterns: built-in ones, then those of each layer.

    A later pattern overrides an earlier one: `!404.html` in `ignore` lists an error page. `layers`
    are the sources of the settings, such as the configuration file and the command line. `project`
    is the folder at which the path of the ledger begins.
    """
    if settings is None:  # they are faulty, which the caller reports
        return ()
    # The built-in patterns, also for the files that sitemapper itself writes into the site.
    lines: list[Line] = []
    for text in (*_DEFAULTS, *_list_output_patterns(settings, project)):
        # Messages show the pattern `/404.html` without its slash: `built-in default: 404.html`.
        lines.append(Line(text, Origin(BUILT_IN, None, text.removeprefix("/"))))
    for layer in layers:
        lines += [_make_line(layer, text) for text in layer.values.get("ignore", ())]
    return tuple(lines)


def list_ignore_files(
    settings: Settings | None, layers: Sequence[Layer], cwd: str
) -> Iterator[str]:
    """Yields an error for each .sitemapignore, in the site or beside sitemapper.toml.

    It was read once. Without the error, a build would list what its patterns leave out.
    """
    folders = [layer.base for layer in layers if layer.lines]  # only a file has lines
    if settings:
        folders.append(settings.site)
    for folder in dict.fromkeys(map(os.path.abspath, folders)):
        path = os.path.join(folder, ".sitemapignore")
        if os.path.exists(path):
            help = "move its patterns to `ignore` in sitemapper.toml, and delete it"
            yield with_help(f"{relative(path, cwd)}: is not read", help)


def _make_line(layer: Layer, text: str) -> Line:
    """Makes the `Line` of a pattern in `ignore`: its text, and where it was written, for messages.

    | the pattern `drafts/` is in | messages show |
    |---|---|
    | line 3 of sitemapper.toml | `sitemapper.toml:3: drafts/` |
    | a flag | `--ignore: drafts/` |
    | an environment variable | `SITEMAPPER_IGNORE: drafts/` |

    `layer` has the settings of one of these.
    """
    source = _FLAGS.get(layer.label, layer.label)  # not `command line`, but `--ignore`
    number = layer.line_of("ignore", text) if layer.lines else None  # only a file has lines
    return Line(text, Origin(source, number, text))


def _list_output_patterns(settings: Settings, project: str) -> Iterator[str]:
    """Yields the patterns that ignore the files which sitemapper itself writes into the site.

    They are robots.txt, the sitemaps such as /sitemap-*.xml.gz, the file of the IndexNow key, and
    the ledger. With `include = ["*.txt"]`, some of them would otherwise be listed. Files that are
    written outside of the site need no pattern.

    `project` is the folder at which the path of the ledger begins.
    """
    site = os.path.realpath(settings.site)
    output = _path_inside(os.path.realpath(settings.output or settings.site), site)
    if output is not None:
        folder = "/" if output == "." else f"/{output}/"
        yield f"{folder}robots.txt"
        stem = f"{folder}{settings.sitemap.stem}"
        for start in (stem, f"{stem}-*"):  # sitemap.xml, and sitemap-2.xml or sitemap-blog.xml
            for extension in filenames.EXTENSIONS:
                sitemap = f"{start}.{extension}"
                yield sitemap
                yield f"{sitemap}.gz"
        if settings.submit.key:
            yield f"{folder}{settings.submit.key}.txt"
    may_have_ledger = "ledger" in settings.lastmod or "auto" in settings.lastmod
    ledger = _path_inside(os.path.join(project, settings.ledger.path), settings.site)
    if ledger is not None and may_have_ledger:
        yield "/" + ledger


def _path_inside(path: str, folder: str) -> str | None:
    """Returns the path as seen from a folder, with slashes, None if it is outside.

    `/site/a/b` in `/site` → `a/b`.
    """
    inside = relative(path, folder).replace(os.sep, "/")
    if inside.startswith(".."):
        return None
    return inside
