"""The projects of generators: which one is in a folder, and what its settings say."""

import contextlib
import fnmatch
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from typing import Any, NamedTuple

from ..files import ancestors, contents
from ..git import output
from ..hosts.table import PAGES_DEPLOYMENT
from ..model import Origin, Project, Stated
from ..syntax.tables import read_table, text_at
from .table import GENERATORS, Generator

# Folders that have projects of their own, which nobody publishes.
_SKIPPED = {
    "example", "examples", "fixture", "fixtures", "test", "tests", "e2e", "demo", "demos",
    "playground", "playgrounds", "template", "templates", "starters", "node_modules", "vendor",
    "venv",
}  # fmt: skip
_TABLES = (".toml", ".yaml", ".yml", ".json")  # all other settings are scripts
_VARIABLE = re.compile(r"[{$]")
_LITERAL = re.compile(r"""\s*(["'`])([^"'`\\]*)\1[ \t]*(?=[,;})#\n]|//|as\b|\Z)""")
# A comment that fills a line, or that stands between /* and */.
_COMMENTS = re.compile(r"(?m)^[ \t]*(?:#|//)[^\n]*$|/\*[^*]*(?:\*(?!/)[^*]*)*\*/")


def projects_in(*folders: str) -> Iterator[Project]:
    """Yields the generators' projects in these folders, in the order of the table of generators.

    A file such as `mkdocs.yml` shows a project. It counts for one generator only: `_config.yml`
    would show both Hexo and Jekyll.
    """
    for folder in folders:
        try:
            names = set(os.listdir(folder))
        except OSError:  # such as a folder that may not be read
            continue
        projects: dict[str, Project] = {}
        for generator in GENERATORS:
            file = _find_file(generator, folder, names)
            if file and file not in projects:
                projects[file] = _make_project(generator, folder, file)
        yield from projects.values()


def folders_below(folder: str) -> Iterator[list[str]]:
    """Yields two lists: the folders in `folder`, and the folders in these.

    Folders such as `examples` and `node_modules` are left out, because nobody publishes their
    projects. Symbolic links are not followed, because their target is seen in its own place.
    """
    folders = [folder]
    for _level in range(2):
        folders = [
            os.path.join(parent, name)
            for parent in folders
            for name in sorted(glob("[!_]*", root_dir=parent))  # without hidden folders
            if name.lower() not in _SKIPPED
        ]
        folders = [path for path in folders if os.path.isdir(path) and not os.path.islink(path)]
        yield folders


def _find_file(generator: Generator, folder: str, names: set[str]) -> str:
    """The first file in a folder that shows a generator, "" without one.

    An item of `generator.files` is a path such as `config/_default/hugo.*`, or a path and a word
    that the file must have, such as `conf.py:sphinx`. `names` are all names in the folder.
    """
    for item in generator.files.split():
        pattern, _, word = item.partition(":")
        # Most patterns match nothing. To look at the names first is faster than a glob for each.
        first_name = pattern.partition("/")[0]
        is_here = first_name in names
        if "*" in first_name:
            is_here = bool(fnmatch.filter(names, first_name))
        if not is_here:
            continue
        for file in sorted(glob(pattern, root_dir=folder)):
            if not word or word in _text_of(folder, file).lower():
                return file
    return ""


class _Settings(NamedTuple):
    """The file of a project's settings: a table, or a script in JavaScript or Python."""

    file: str
    text: str
    table: Mapping[str, Any] | None  # None for a script

    def texts_at(self, key: str) -> list[str]:
        """The texts of a key, as far as they are literals.

        `{env}/docs` and `$VAR/docs` are none, because only the generator knows the variables.
        """
        if not key:  # the generator has no such setting
            return []
        if self.table is None:
            texts = _literals_in_script(key, self.text)
        else:
            texts = _texts_in_table(key.lower(), self.table)
        return [text for text in texts if text and not _VARIABLE.search(text)]

    def text_at(self, key: str) -> str:
        """The first text of a key that is a literal, "" without one."""
        return next(iter(self.texts_at(key)), "")


def _read_settings(folder: str, file: str) -> _Settings:
    """Reads a file of settings. One in TOML, YAML or JSON that cannot be parsed is empty."""
    text = _text_of(folder, file)
    if not file.endswith(_TABLES):
        return _Settings(file, _COMMENTS.sub("", text), None)
    table: dict[str, Any] = {}
    with contextlib.suppress(ValueError):  # the person sees the error in the generator itself
        table = _in_small_letters(read_table(file, text))
    return _Settings(file, text, table)


def _text_of(folder: str, file: str) -> str:
    """The text of a file, "" if it cannot be read or a link leads out of the repository."""
    top = ancestors(folder)[-1]
    data = contents(top, os.path.relpath(os.path.join(folder, file), top))
    return data.decode("utf-8-sig", "replace")


def _in_small_letters(value: Any) -> Any:
    """The same tables with their keys in lower case, because Hugo takes `baseURL` and `baseurl`."""
    if isinstance(value, dict):
        return {key.lower(): _in_small_letters(inner) for key, inner in value.items()}
    return value


def _texts_in_table(key: str, table: Mapping[str, Any]) -> list[str]:
    """The texts of a key: those at its place, and of a key without dots those in all tables.

    `contentdir` is also found in `languages.en`, but `project.site_url` in one place only. May
    contain "".
    """
    texts = [text_at(table, key)]
    if "." not in key:
        for inner in table.values():
            if isinstance(inner, dict):
                texts += _texts_in_table(key, inner)
    return texts


def _literals_in_script(key: str, text: str) -> list[str]:
    """The literal of a key in JavaScript or Python: `url: "https://a.example"`, `SITEURL = '…'`.

    The list has one item. It is empty if the key stands twice, because the script may choose
    between both, or if the value is no plain literal.
    """
    # The key, maybe in quotes, and then `:` or `=`, but not `::` or `==`.
    assignment = rf"""(?<![\w.$-])(["']?){re.escape(key)}\1\s*(?::(?!:)|=(?!=))"""
    matches = list(re.finditer(assignment, text))
    if len(matches) != 1:
        return []
    literal = _LITERAL.match(text, matches[0].end())
    return [literal[2]] if literal else []


def _make_project(generator: Generator, folder: str, file: str) -> Project:
    """Describes a project by its settings, and by the generator's defaults for what they lack.

    `file`, such as `mkdocs.yml`, shows that `folder` has a project, and has its settings.
    """
    settings = _read_settings(folder, file)
    outputs = settings.texts_at(generator.output_key)
    if not outputs:
        for name in generator.outputs.split():
            outputs += sorted(glob(name, root_dir=folder)) if "*" in name else [name]
    # mdBook with several renderers, for example, writes the pages to `book/html`, not to `book`.
    with_html = [name for output in outputs for name in (output, f"{output}/html")]

    sources = [*generator.sources.split(), *settings.texts_at(generator.source_key)]
    return Project(
        folder=folder,
        name=generator.name,
        file=file,
        outputs=_paths(folder, with_html),
        sources=_paths(folder, sources),
        address=_address(generator, settings),
        sitemaps=tuple(generator.sitemaps.split()),
        ignore=tuple(generator.ignore.split()),
    )


def _paths(folder: str, names: Iterable[str]) -> tuple[str, ...]:
    """The absolute paths of names in a folder: `../build` in `/tea/docs` is `/tea/build`."""
    return tuple(os.path.normpath(os.path.join(folder, name)) for name in names)


def _address(generator: Generator, settings: _Settings) -> Stated | None:
    """The base URL in the settings, None without one.

    Docusaurus has `url: "https://a.example"` and `baseUrl: "/docs/"`. Together, they are
    https://a.example/docs/.
    """
    for key in generator.address.split():
        address = settings.text_at(key)
        if not address.startswith(("http://", "https://")):
            continue
        base = address.rstrip("/") + "/"
        path = settings.text_at(generator.path).strip("/")
        if path and not base.endswith(f"/{path}/"):
            base += f"{path}/"
        line = settings.text.partition(address)[0].count("\n") + 1
        return Stated(base, Origin(settings.file, line, key))
    return None


# --- What a repository on GitHub says

_REMOTE = re.compile(
    r"(?:https://(?:[^/@]+@)?|ssh://git@|git@)github\.com[/:]([\w-]+/[\w.-]+?)(?:\.git)?/?"
)
# Inputs of actions that deploy to another address than that of the repository.
_ELSEWHERE = re.compile(
    rb"(?m)^[ \t]*(?:cname|external_repository|repository-name|destination_dir|target-folder):"
)


def repository_on_github(folder: str) -> str | None:
    """The owner and name of the repository around a folder, `ann/tea`, None if not on GitHub."""
    url = output(folder, "config", "--get", "remote.origin.url")
    found = _REMOTE.fullmatch((url or "").strip())
    return found[1] if found else None


def pages_address(folder: str) -> str | None:
    """The address that a site of the repository around a folder would have on GitHub Pages.

    `ann/tea` has https://ann.github.io/tea/, and `ann/ann.github.io` has https://ann.github.io/.
    None if the repository is not on GitHub.
    """
    repository = repository_on_github(folder)
    if repository is None:
        return None
    owner, _, name = repository.partition("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def is_on_github_pages(folder: str) -> bool:
    """Whether the site in a folder is published at the address of its repository.

    A workflow deploys it there, or the branch `gh-pages` is checked out.
    """
    deployments = pages_deployments(folder)
    if deployments:
        return not any(_ELSEWHERE.search(text) for text in deployments)
    return (output(folder, "branch", "--show-current") or "").strip() == "gh-pages"


def pages_deployments(folder: str) -> list[bytes]:
    """The contents of those workflows in the folder's repository that deploy to GitHub Pages."""
    top = ancestors(folder)[-1]
    files = sorted(glob(".github/workflows/*.y*ml", root_dir=top))
    texts = [contents(top, file) for file in files]
    return [text for text in texts if re.search(PAGES_DEPLOYMENT, text)]
