"""What is ignored in a site, in order: defaults, the generator's row, the host, the settings."""

import os
from collections.abc import Iterator
from itertools import product

from ..config.load import Config
from ..files import is_inside, site_path
from ..git import output
from ..model import Line, Origin, Project
from .github import deploys_by_workflow, repository_on_github
from .table import GENERATORS

_HASH = "[0-9a-f]" * 16
# Where error pages stand: at the root, in a language's folder (`de`, `pt-BR`, `zh-Hans`, `es-419`)
# or in that of a version (`1.0`, `v3`, `latest`).
_FOLDERS = (
    "/", "/[a-zA-Z][a-zA-Z]/", "/[a-zA-Z][a-zA-Z][-_][a-zA-Z][a-zA-Z]/",
    "/[a-zA-Z][a-zA-Z][-_][a-zA-Z][a-zA-Z][a-zA-Z][a-zA-Z]/", "/[a-zA-Z][a-zA-Z][-_]419/",
    "/[0-9]*.[0-9xX]*/", "/v[0-9]*/", "/latest/", "/stable/", "/dev/",
)  # fmt: skip
_ERRORS = ("40[134]", "410", "50[0234xX]")
_ENDINGS = (".[hHxX]*", "/[iI][nN][dD][eE][xX].[hHxX]*")
DEFAULTS = (
    *map("".join, product(_FOLDERS, _ERRORS, _ENDINGS)),
    # Hidden files, error pages and fallbacks of frameworks, and folders of tools.
    ".*", "/404.html", "/200.html", "_error.html", "__404error.html", "__spa-fallback.html",
    "_not-found.html", "index.csr.html", "/_gatsby/", "__pycache__/", "node_modules/",
    "bower_components/", "offline-plugin-app-shell-fallback/", "*.docset/",
    # Files by which Google and Yandex verify a site: `google0123456789abcdef.html`.
    f"/google{_HASH}.html", f"/yandex_{_HASH}.html",
)  # fmt: skip


def ignore_lines(config: Config, folder: str, out: str, project: Project | None) -> list[Line]:
    """Lists all lines in order; the last one that matches wins."""
    lines = [
        _built_in(text, "built-in default") for text in (*DEFAULTS, *_own(config, folder, out))
    ]
    for generator in GENERATORS:
        if project and generator.name == project.name:
            source = f"built-in default for {project.name}"
            lines += [_built_in(text, source) for text in generator.ignore.split()]
    if _is_copied_by_jekyll(config, folder):
        lines.append(_built_in("_*", "GitHub Pages without a file .nojekyll"))
    return [*lines, *config.ignore]


def _built_in(text: str, source: str) -> Line:
    return Line(text, Origin(source, None, text.removeprefix("/")))


def _own(config: Config, folder: str, out: str) -> Iterator[str]:
    """The patterns of our own files, which an `include` such as `*.txt` would list otherwise."""
    settings = config.settings
    if out == folder:
        stem = settings.sitemap.name.removesuffix(".xml")
        yield "/robots.txt"
        for ending in ("xml", "xml.gz", "txt", "txt.gz"):
            yield f"/{stem}.{ending}"
            yield f"/{stem}-*.{ending}"
        if settings.submit.key:
            yield f"/{settings.submit.key}.txt"
    ledger = os.path.realpath(settings.ledger.path)
    if is_inside(ledger, folder):
        yield f"/{site_path(os.path.relpath(ledger, folder))}"


def _is_copied_by_jekyll(config: Config, folder: str) -> bool:
    """Whether GitHub Pages publishes the folder from a branch: Jekyll leaves out names with `_`."""
    if config.settings.host not in ("auto", "github"):
        return False
    if os.path.lexists(os.path.join(folder, ".nojekyll")) or deploys_by_workflow(folder):
        return False
    is_on_github = (
        config.settings.host == "github"
        or os.path.isfile(os.path.join(folder, "CNAME"))
        or repository_on_github(folder) is not None
    )
    return is_on_github and bool(output(folder, "ls-files", "-z", "--", "*.html"))
