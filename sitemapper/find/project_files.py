"""The projects of generators in a folder: which ones there are, and what their settings say."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import filter as matching
from glob import glob
from typing import NamedTuple

from ..fs import ancestors, is_inside, relative
from ..model import MORE_KEYS, Found, Origin
from ..site import Site
from ..syntax.settings_files import is_script, look_up
from ..syntax.urls import INDEXES, is_page_name
from .first_look import FirstLook
from .generator import Generator, SettingsFiles
from .generators import ALL

PACKAGES = "package.json"
_DEPENDENCIES = ("dependencies", "devDependencies")  # tables of package.json
_FRONT_MATTER = b"---"
# Folders of a repository in which documentation or a website often has its own project.
_BELOW = ("docs", "doc", "documentation", "website", "site", "web", "www", "source", "src", "book")
_BELOW_THAT = ("docs/source", "doc/source", "docs/html", "doc/html", "docs/en", "doc/en")


class Setting(NamedTuple):
    """A key, and what a settings file says of it."""

    key: str
    found: Found

    @property
    def shown_key(self) -> str:
        """The key as a person would name it: the last step in a script."""
        if not is_script(self.found.file):
            return self.key
        return self.key.rpartition(".")[2].rstrip("[]()")

    @property
    def origin(self) -> Origin:
        """The place of the key."""
        return Origin(self.found.file, self.found.line, self.shown_key)

    @property
    def place(self) -> str:
        """The file and the line of the key: `hugo.toml:2`."""
        return str(self.origin._replace(text=""))

    @property
    def not_literal_reason(self) -> str:
        """Where a key stands that only code can tell."""
        return f"{self.shown_key} is not a literal at {self.place}"


class ProjectFiles(NamedTuple):
    """A generator's project: its folder, the file that identifies it, and its settings.

    `top` is the root of its repository, or else the folder where the search began. `label` is the
    file as seen from the working directory. `packages` is what its package.json says.
    """

    generator: Generator
    folder: str
    file: str
    label: str
    top: str
    settings: SettingsFiles
    packages: Mapping[str, Found]

    @property
    def outputs(self) -> list[str]:
        """The folder in the settings, or else the generator's default folders."""
        named = self.first_text(self.generator.folder)
        names: list[str] = [named] if named else []
        for name in () if named else self.generator.output:
            names += sorted(glob(name, root_dir=self.folder)) if "*" in name else [name]
        return [os.path.normpath(os.path.join(self.folder, name)) for name in names]

    @property
    def site(self) -> str | None:
        """The existing output. One outside `top` counts only if the command line names it."""
        return next((o for o in self.outputs if has_index_page(o) and is_below(o, self.top)), None)

    def part_of_output(self, site: str) -> str | None:
        """The path of a folder in the built site: "" for the whole site, None if it is outside."""
        for output in self.outputs:
            if site == output:
                return ""
        for output in self.outputs:
            if is_below(site, output) and has_index_page(output):
                part = relative(os.path.realpath(site), os.path.realpath(output))
                return "" if part == "." else part.replace(os.sep, "/")
        return None

    def is_source(self, folder: str) -> bool:
        """Whether a folder is part of the sources."""
        contents = (name for name in self.generator.content if name != ".")
        return any(is_below(folder, os.path.join(self.folder, name)) for name in contents)

    def content_in_settings(self) -> Iterator[str]:
        """The folders of sources in the settings: `contentDir: content/en` → `content/en`."""
        wanted = self.generator.content_key.lower()
        for settings in self.settings.values():
            for key, found in settings.items():
                if wanted and key.lower().rpartition(".")[2] == wanted and found.text:
                    yield found.text

    @property
    def unreadable_file(self) -> str:
        """Which settings file cannot be read, and why; "" if all can."""
        reasons = map(describe_unreadable, [*self.settings.values(), self.packages])
        return next(filter(None, reasons), "")

    def find(self, keys: Sequence[str], *, is_address: bool = False) -> Iterator[Setting]:
        """What the settings files say of the keys, in any letter case, if they set them.

        Files with data alone count only for the address of the site.
        """
        for name, settings in self.settings.items():
            if name in self.generator.data_files and not is_address:
                continue
            folded = {key.lower(): found for key, found in settings.items()}
            for key in keys:
                found = look_up(folded, key.lower())
                if found and found.value != "":
                    yield Setting(key, found)

    def first_text(self, keys: Sequence[str]) -> str:
        """The first literal value of some keys, "" if there is none."""
        texts = (setting.found.text for setting in self.find(keys))
        return next(filter(None, texts), "")


def projects_in(folder: str, first_look: FirstLook, site: str = "") -> list[ProjectFiles]:
    """The projects in a folder and its usual project folders, but not in the site.

    Without a repository, they may read what is in the working directory, if they are in it.
    """
    top = ancestors(folder)[-1]
    is_repository = os.path.exists(os.path.join(top, ".git"))
    if not is_repository and is_inside(top, first_look.cwd):
        top = first_look.cwd
    projects: list[ProjectFiles] = []
    for place, names in list_project_folders(folder):
        if not names or place == site:
            continue
        for generator, file in generators_in(place, names, first_look):
            projects.append(
                ProjectFiles(
                    generator=generator,
                    folder=place,
                    file=file,
                    label=relative(os.path.join(place, file), first_look.cwd),
                    top=top,
                    settings=_read_settings([file, *generator.settings], place, top, first_look),
                    packages=first_look.settings(place, PACKAGES, top) if PACKAGES in names else {},
                )
            )
    return projects


def list_project_folders(folder: str) -> Iterator[tuple[str, frozenset[str]]]:
    """A folder and its usual project folders, each with the names in it."""
    names = list_names(folder)
    below = [name for name in _BELOW if name in names]
    below += [name for name in _BELOW_THAT if name.partition("/")[0] in below]
    yield folder, names
    for path in (os.path.join(folder, name) for name in below):
        yield path, list_names(path)


def _read_settings(names: list[str], folder: str, top: str, first_look: FirstLook) -> SettingsFiles:
    """What the settings files say, and the files that they inherit from (MkDocs' INHERIT)."""
    settings: dict[str, dict[str, Found]] = {}
    for name in names:
        if name in settings or not os.path.lexists(os.path.join(folder, name)):
            continue
        settings[name] = first_look.settings(folder, name, top)
        parent = settings[name].get("INHERIT")
        if parent and parent.text:
            names.append(os.path.normpath(os.path.join(os.path.dirname(name), parent.text)))
    return settings


def generators_in(
    folder: str, names: Collection[str], first_look: FirstLook
) -> list[tuple[Generator, str]]:
    """The generators of a folder with entries of these `names`, each with the file that identifies
    it.

    A file counts only for the first generator: the _config.yml of Hexo does not indicate Jekyll.
    """
    dependencies: set[str] = set()
    if PACKAGES in names:
        for key in first_look.settings(folder, PACKAGES):
            table, _, name = key.partition(".")
            if table in _DEPENDENCIES:
                dependencies.add(name)
    found: list[tuple[Generator, str]] = []
    claimed: set[str] = set()
    for generator in ALL:
        if generator.is_general_tool and found:
            continue
        file = _find_file(generator, folder, names, first_look)
        if not file and not dependencies.isdisjoint(generator.package):
            file = PACKAGES
        if file and file not in claimed:
            found.append((generator, file))
            claimed.update(generator.settings)
            claimed.discard(PACKAGES)  # it may name several generators
    return found


def find_project_in(site: Site) -> str:
    """What shows that the site's folder is a project and not the built site, "" for nothing.

    The generator of the site itself is none: it wrote the pages beside its project's files.
    """
    root = site.root
    for generator, file in generators_in(root, list_names(root), FirstLook(root)):
        if not generator.is_general_tool and generator.name != site.generator:
            folder = generator.output[0]
            return f"{file} ({generator.name} writes to {folder}/)"
    return ""


def _find_file(
    generator: Generator, folder: str, names: Collection[str], first_look: FirstLook
) -> str:
    """The first existing project file that contains the required word, "" if there is none."""
    for file in generator.files:
        name, _, word = file.partition(": ")
        if "*" in name:
            name = next(iter(matching(names, name)), "")
        first, slash, _ = name.partition("/")
        is_there = first in names and (not slash or os.path.isfile(os.path.join(folder, name)))
        if is_there and (not word or word in first_look.text(folder, name).lower()):
            return name
    return ""


def select_site_projects(projects: Sequence[ProjectFiles], folder: str) -> list[ProjectFiles]:
    """The projects of generators that only write sites: those in a folder, else those below it."""
    strong = [project for project in projects if not project.generator.is_general_tool]
    own = [project for project in strong if project.folder == folder]
    return own or strong


def describe_unreadable(settings: Mapping[str, Found]) -> str:
    """Why a settings file cannot be read, "" if it can."""
    found = settings.get(MORE_KEYS)
    if found is None or not found.problem:
        return ""
    return f"{Origin(found.file, found.line)}: {found.problem}"


# --- folders


def list_names(folder: str) -> frozenset[str]:
    """The names in a folder, none if it cannot be listed."""
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def is_below(path: str, top: str) -> bool:
    """Whether a path is a folder or below it, after links are followed."""
    return is_inside(os.path.realpath(path), os.path.realpath(top))


def has_index_page(folder: str) -> bool:
    """Whether a folder has an index page."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in INDEXES)


def is_template(folder: str, first_look: FirstLook) -> bool:
    """Whether the index page of a folder, or else its first page, is a template.

    It has front matter, or a statement in its head. The text of a built page may show statements.
    """
    start = _first_page(folder, first_look)
    head = start.partition(b"<body")[0]
    return start.startswith(_FRONT_MATTER) or b"{{" in head or b"{%" in head


def has_front_matter(folder: str, first_look: FirstLook) -> bool:
    """Whether the index page of a folder, or else its first page, is a source with metadata.

    No built page has them. Jekyll needs no other file than such pages.
    """
    return _first_page(folder, first_look).startswith(_FRONT_MATTER)


def _first_page(folder: str, first_look: FirstLook) -> bytes:
    """The start of the index page of a folder, or else of its first page."""
    pages = [*INDEXES, *filter(is_page_name, sorted(list_names(folder)))]
    starts = (first_look.start(folder, name) for name in pages)
    return next(filter(None, starts), b"")
