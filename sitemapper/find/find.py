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

    # The ledger records when the content of pages changed. With `lastmod = "auto"`, a site has one
    # if somebody wrote its path, or if an earlier run left the file there.
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
    """Lists the patterns of files that are ignored; the last one that matches a file wins.

    The built-in defaults come first, then those of the generator and of GitHub Pages, and at last
    what a person wrote.
    """
    # Files that sitemapper writes. An `include` such as `*.txt` would list them otherwise.
    settings = config.settings
    stem = settings.sitemap.name.removesuffix(".xml")
    written = ["/robots.txt", f"/{settings.submit.key}.txt", os.path.basename(settings.ledger.path)]
    for ending in (".xml", *FORMATS.values()):
        written += [f"/{stem}{ending}*", f"/{stem}-*{ending}*"]

    lines = [_built_in(text, "built-in default") for text in (*DEFAULTS, *written)]
    if project:
        source = f"built-in default for {project.name}"
        lines += [_built_in(text, source) for text in project.ignore]
    if _is_built_by_github_pages(config, folder):  # its Jekyll does not publish names with `_`
        lines.append(_built_in("_*", "GitHub Pages without a file .nojekyll"))
    return [*lines, *config.ignore]


def _built_in(text: str, source: str) -> Line:
    """A pattern that no person wrote; `source` is what messages call its origin."""
    return Line(text, Origin(source, None, text.removeprefix("/")))


def _is_built_by_github_pages(config: Config, folder: str) -> bool:
    """Whether GitHub Pages publishes the folder from a branch, and so runs Jekyll over it.

    It does not run Jekyll if there is a file `.nojekyll`, or if a workflow deploys the site.
    """
    host = config.settings.host
    if host not in ("auto", "github"):
        return False
    if os.path.lexists(os.path.join(folder, ".nojekyll")) or pages_deployments(folder):
        return False

    has_domain = os.path.isfile(os.path.join(folder, "CNAME"))
    is_on_github = host == "github" or has_domain or repository_on_github(folder) is not None
    # A branch has what is committed. A built site is mostly ignored by git, and is deployed.
    return is_on_github and bool(output(folder, "ls-files", "-z", "--", "*.html"))
