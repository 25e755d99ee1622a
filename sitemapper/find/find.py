"""The front door: from what a person wrote to the site as it was found, with what is ignored."""

import os
from itertools import product

from ..config.load import Config
from ..git import output
from ..model import Found, Line, Origin, Project, Run
from ..protocol import FORMATS
from .folder import find_folder
from .project import pages_deployments, repository_on_github

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


def find(config: Config, run: Run) -> Found:
    """Finds the folder of the site, its generator, and what is ignored in it.

    Raises SitemapperError if there is no site, or more than one, or if SITE is none.
    """
    settings = config.settings
    folder, origin, project = find_folder(config, run.cwd)
    ledger = os.path.realpath(settings.ledger.path)
    has_ledger = "ledger" in settings.lastmod
    if settings.lastmod == ("auto",):
        has_ledger = config.origin("ledger.path") is not None or os.path.isfile(ledger)
    return Found(
        config=config,
        folder=folder,
        output=os.path.realpath(settings.output or folder),
        project=project,
        ignore=tuple(_ignore_lines(config, folder, project)),
        include=config.include,
        ledger=ledger if has_ledger else None,
        origin=origin,
    )


def _ignore_lines(config: Config, folder: str, project: Project | None) -> list[Line]:
    """Lists all lines in order; the last one that matches wins."""
    # Our own files, which an `include` such as `*.txt` would list otherwise.
    settings = config.settings
    stem = settings.sitemap.name.removesuffix(".xml")
    own = ["/robots.txt", f"/{settings.submit.key}.txt", os.path.basename(settings.ledger.path)]
    for ending in (".xml", *FORMATS.values()):
        own += [f"/{stem}{ending}*", f"/{stem}-*{ending}*"]
    lines = [_built_in(text, "built-in default") for text in (*DEFAULTS, *own)]
    if project:
        source = f"built-in default for {project.name}"
        lines += [_built_in(text, source) for text in project.ignore]
    if _is_built_by_github_pages(config, folder):  # by Jekyll, which leaves out names with `_`
        lines.append(_built_in("_*", "GitHub Pages without a file .nojekyll"))
    return [*lines, *config.ignore]


def _built_in(text: str, source: str) -> Line:
    return Line(text, Origin(source, None, text.removeprefix("/")))


def _is_built_by_github_pages(config: Config, folder: str) -> bool:
    """Whether GitHub Pages runs Jekyll over the folder, as it does with a branch that it publishes.

    It does not if there is a file `.nojekyll`, or if a workflow deploys the site.
    """
    if config.settings.host not in ("auto", "github"):
        return False
    if os.path.lexists(os.path.join(folder, ".nojekyll")) or pages_deployments(folder):
        return False
    is_on_github = (
        config.settings.host == "github"
        or os.path.isfile(os.path.join(folder, "CNAME"))  # the site's own domain
        or repository_on_github(folder) is not None
    )
    # What is published from a branch is committed.
    return is_on_github and bool(output(folder, "ls-files", "-z", "--", "*.html"))
