"""The search for generators' files in a folder, and the beginnings of files."""

import os
from collections.abc import Collection
from fnmatch import filter as matching
from posixpath import normpath

from ..fs import ancestors, open_inside, start_inside
from ..site import Site
from ..syntax.project_files import packages, values
from .generator import Generator
from .generators import ALL

LIMIT = 1 << 20  # bytes that are read of a project file or a page
PACKAGES = "package.json"
# The keys that list the packages of a monorepo: docs.npmjs.com (workspaces), classic.yarnpkg.com
# (nohoist), pnpm.io/pnpm-workspace_yaml.
_WORKSPACES = {
    PACKAGES: ("workspaces[]", "workspaces.packages[]"),
    "pnpm-workspace.yaml": ("packages[]",),
}
_MOST_PATTERNS = 20
_MOST_STARS = 2  # parts of a pattern with a star: each lists all folders on a level


def generators_in(folder: str, names: Collection[str]) -> list[tuple[Generator, str]]:
    """The generators of a folder with entries of these `names`, each with the file that identifies
    it.

    A file counts only for the first generator: the _config.yml of Hexo does not indicate Jekyll.
    """
    dependencies: set[str] = set()
    if PACKAGES in names:
        dependencies = packages(text_of(folder, PACKAGES))
    found: list[tuple[Generator, str]] = []
    claimed: set[str] = set()
    for generator in ALL:
        if generator.is_weak and found:
            continue
        file = _find_file(generator, folder, names)
        if not file and not dependencies.isdisjoint(generator.package):
            file = PACKAGES
        if file and file not in claimed:
            found.append((generator, file))
            claimed.update(generator.settings)
            claimed.discard(PACKAGES)  # it may name several generators
    return found


def _find_file(generator: Generator, folder: str, names: Collection[str]) -> str:
    """The first existing project file that contains the required word, "" if there is none."""
    for file in generator.files:
        name = file.name
        if "*" in name:
            name = next(iter(matching(names, name)), "")
        if _exists(folder, name, names) and file.word in text_of(folder, name).lower():
            return name
    return ""


def _exists(folder: str, name: str, names: Collection[str]) -> bool:
    """Whether a folder with entries of these `names` has a file, given by its path."""
    first, slash, _ = name.partition("/")
    if first not in names:
        return False
    return not slash or os.path.isfile(os.path.join(folder, name))


def list_workspaces(root: str) -> list[str]:
    """The patterns that name the packages of a monorepo. `**` counts as one level."""
    patterns: list[str] = []
    for name, keys in _WORKSPACES.items():
        answers = values(text_of(root, name), name)
        for key in keys:
            text = answers[key].text if key in answers else ""
            patterns += (text or "").splitlines()
    plain = [normpath(pattern.strip("/").replace("**", "*")) for pattern in patterns]
    return list(filter(_is_near, plain))[:_MOST_PATTERNS]


def _is_near(pattern: str) -> bool:
    """Whether a pattern is of folders below, and few have to be listed for it."""
    parts = pattern.split("/")
    stars = [part for part in parts if "*" in part]
    is_outside = ".." in parts or pattern.startswith("!") or "\0" in pattern
    return pattern != "." and not is_outside and len(stars) <= _MOST_STARS


def text_of(folder: str, name: str, top: str = "") -> str:
    """The beginning of a file of a project's folder.

    "" if it cannot be read, or is not in the folder `top`, by default the root of the repository
    or, without one, the project's folder.
    """
    root = top or ancestors(folder)[-1]
    return start_of(root, os.path.join(folder, name), LIMIT).decode("utf-8", "replace")


def whole_text_of(folder: str, name: str, top: str = "") -> str:
    """The text of a file of a project's folder, as `text_of` reads it; "" if there is none.

    Raises OSError if it cannot be read, is too large, or is not in the folder `top`.
    """
    root = top or ancestors(folder)[-1]
    data = open_inside(root, os.path.join(folder, name), LIMIT)
    return (data or b"").decode("utf-8", "replace")


def start_of(root: str, path: str, limit: int = 1024) -> bytes:
    """The first bytes of a file in a site or repository `root`, empty if it cannot be read."""
    try:
        return start_inside(root, path, limit) or b""
    except OSError:
        return b""


def find_project_in(site: Site) -> str:
    """What shows that the site's folder is a project and not the built site, "" for nothing.

    The generator of the site itself is none: it wrote the pages beside its project's files.
    """
    root = site.root
    for generator, file in generators_in(root, frozenset(os.listdir(root))):
        if not generator.is_weak and generator.name != site.generator:
            folder = generator.output[0]
            return f"{file} ({generator.name} writes to {folder}/)"
    return ""
