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
    """Yields the projects in folders: of each generator, the first file that shows it.

    A file shows one generator only: the `_config.yml` of Hexo does not show Jekyll, too.
    """
    for folder in folders:
        try:
            names = set(os.listdir(folder))
        except OSError:
            continue
        projects: dict[str, Project] = {}
        for generator in GENERATORS:
            file = _find_file(generator, folder, names)
            if file and file not in projects:
                projects[file] = _make_project(generator, folder, file)
        yield from projects.values()


def folders_below(folder: str) -> Iterator[list[str]]:
    """Yields the folders one level below a folder, then those two below, without examples.

    Links are not followed: what they lead to lies in another folder.
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
    """The first file of a folder that shows a generator, "" without one."""
    for item in generator.files.split():
        pattern, _, word = item.partition(":")
        first = pattern.partition("/")[0]
        # The names are held in memory: a glob for each pattern would take long.
        is_here = bool(fnmatch.filter(names, first)) if "*" in first else first in names
        for file in sorted(glob(pattern, root_dir=folder)) if is_here else ():
            if not word or word in _text_of(folder, file).lower():
                return file
    return ""


class _Settings(NamedTuple):
    """The file of a project's settings: a table, or a script in JavaScript or Python."""

    file: str
    text: str
    table: Mapping[str, Any] | None  # None for a script

    def texts_at(self, key: str) -> list[str]:
        """The literal texts of a key. A text with a variable (`{env}`, `$VAR`) is no literal."""
        if not key:
            return []
        if self.table is None:
            texts = _literals_in_script(key, self.text)
        else:
            texts = _texts_in_table(key.lower(), self.table)
        return [text for text in texts if text and not _VARIABLE.search(text)]

    def text_at(self, key: str) -> str:
        """The first of these texts, "" without one."""
        return next(iter(self.texts_at(key)), "")


def _read_settings(folder: str, file: str) -> _Settings:
    """Reads a file of settings. A table that cannot be parsed is empty."""
    text = _text_of(folder, file)
    if not file.endswith(_TABLES):
        return _Settings(file, _COMMENTS.sub("", text), None)
    table: dict[str, Any] = {}
    with contextlib.suppress(ValueError):  # the generator itself says what is wrong
        table = _in_small_letters(read_table(file, text))
    return _Settings(file, text, table)


def _text_of(folder: str, file: str) -> str:
    """The text of a file, "" if it cannot be read or a link leads out of the repository."""
    top = ancestors(folder)[-1]
    data = contents(top, os.path.relpath(os.path.join(folder, file), top))
    return data.decode("utf-8-sig", "replace")


def _in_small_letters(value: Any) -> Any:
    """The same tables with their keys in small letters: Hugo takes `baseURL` and `baseurl`."""
    if isinstance(value, dict):
        return {key.lower(): _in_small_letters(inner) for key, inner in value.items()}
    return value


def _texts_in_table(key: str, table: Mapping[str, Any]) -> list[str]:
    """The texts at a dotted key, or of a key in all inner tables: `languages.en.contentDir`."""
    texts = [text_at(table, key)]
    if "." not in key:
        for inner in table.values():
            if isinstance(inner, dict):
                texts += _texts_in_table(key, inner)
    return texts


def _literals_in_script(key: str, text: str) -> list[str]:
    """The plain literal of a key that stands once in JavaScript or Python."""
    quoted = rf"""(?<![\w.$-])(["']?){re.escape(key)}\1\s*(?::(?!:)|=(?!=))"""
    ends = [found.end() for found in re.finditer(quoted, text)]
    literal = _LITERAL.match(text, ends[0]) if len(ends) == 1 else None
    return [literal[2]] if literal else []


def _make_project(generator: Generator, folder: str, file: str) -> Project:
    """Describes a project by its settings, and by the generator's defaults for what they lack.

    `file` is the one that shows the generator, such as `mkdocs.yml`. It has the settings.
    """
    settings = _read_settings(folder, file)
    outputs = settings.texts_at(generator.output_key)
    if not outputs:
        for name in generator.outputs.split():
            outputs += sorted(glob(name, root_dir=folder)) if "*" in name else [name]
    # mdBook with several renderers, for example, writes the pages to `book/html`.
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
    return tuple(os.path.normpath(os.path.join(folder, name)) for name in names)


def _address(generator: Generator, settings: _Settings) -> Stated | None:
    """The base URL that the settings state, with the path that another key states."""
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
    """The name of the repository around a folder, `ann/tea`, if its remote is on github.com."""
    url = output(folder, "config", "--get", "remote.origin.url")
    found = _REMOTE.fullmatch((url or "").strip())
    return found[1] if found else None


def pages_address(folder: str) -> str | None:
    """The address that GitHub Pages has for the repository around a folder, published or not."""
    repository = repository_on_github(folder)
    if repository is None:
        return None
    owner, _, name = repository.partition("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def is_on_github_pages(folder: str) -> bool:
    """Whether a workflow deploys to the repository's address, or its branch is checked out."""
    deployments = pages_deployments(folder)
    if deployments:
        return not any(_ELSEWHERE.search(text) for text in deployments)
    return (output(folder, "branch", "--show-current") or "").strip() == "gh-pages"


def pages_deployments(folder: str) -> list[bytes]:
    """The texts of the workflows around a folder that deploy to GitHub Pages."""
    top = ancestors(folder)[-1]
    files = sorted(glob(".github/workflows/*.y*ml", root_dir=top))
    texts = [contents(top, file) for file in files]
    return [text for text in texts if re.search(PAGES_DEPLOYMENT, text)]
