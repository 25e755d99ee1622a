"""The projects of generators in a folder, with their settings."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import filter as matching
from glob import glob
from typing import NamedTuple

from ..fs import ancestors, is_inside, relative
from ..model import Found, Origin
from ..site import Site
from ..syntax.settings_files import find_setting, is_script
from ..syntax.urls import INDEXES, is_page_name
from .first_look import FirstLook
from .generator import Generator, SettingsFiles
from .generators import ALL

PACKAGES = "package.json"
_DEPENDENCIES = ("dependencies", "devDependencies")  # tables of package.json
_FRONT_MATTER = b"---"
# Folders of a repository in which documentation or a website often has its own project.
_BELOW = ("docs", "doc", "documentation", "website", "site", "web", "www", "source", "src", "book")
_TWO_BELOW = ("docs/source", "doc/source", "docs/html", "doc/html", "docs/en", "doc/en")


class Setting(NamedTuple):
    """A key with its value in a settings file."""

    key: str
    found: Found

    @property
    def shown_key(self) -> str:
        """Returns the key for messages: in full, or only its last step if it is in a script.

        `project.site_url` in zensical.toml stays, `sitemap.hostname` in config.mts → `hostname`.
        """
        return self.key.rpartition(".")[2] if is_script(self.found.file) else self.key

    @property
    def origin(self) -> Origin:
        """Names the file, the line and the key: `hugo.toml:2: baseURL`."""
        return Origin(self.found.file, self.found.line, self.shown_key)

    @property
    def place(self) -> str:
        """Names the file and the line: `hugo.toml:2`."""
        return str(self.origin._replace(text=""))

    @property
    def not_literal_reason(self) -> str:
        """Says why the value is not read: `url is not a literal at docusaurus.config.js:8`."""
        if not self.found.line:
            return f"{self.shown_key} is set more than once in {self.found.file}"
        return f"{self.shown_key} is not a literal at {self.place}"


class ProjectFiles(NamedTuple):
    """A project of a generator: its folder, the file that shows the generator, and its settings.

    `label` is this file as seen from the working directory, such as `docs/mkdocs.yml`. `top` is the
    root of the repository, or the folder where the search began. `packages` are the keys of its
    package.json.
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
        """Lists the folder of the output in the settings, or else the generator's default folders.

        With `publishDir = "www"` in hugo.toml, the path of `www`; without it, that of `public`. A
        default such as `dist/*` of Angular gives all folders that match it.
        """
        name_in_settings = self.first_text(self.generator.folder)
        names: list[str] = []
        if name_in_settings:
            names.append(name_in_settings)
        else:
            for name in self.generator.output:
                names += sorted(glob(name, root_dir=self.folder)) if "*" in name else [name]
        return [os.path.normpath(os.path.join(self.folder, name)) for name in names]

    @property
    def site(self) -> str | None:
        """Finds the built site: the first output with an index page, None if there is none.

        An output outside of the repository does not count, since a user has to name it.
        """
        for output in self.outputs:
            if has_index_page(output) and is_below(output, self.top):
                return output
        return None

    def part_of_output(self, site: str) -> str | None:
        """Finds the path of a site in the built output, to append it to the base URL.

        | site, with the output `public` | result |
        |---|---|
        | `public` | "" |
        | `public/en` | `en` |
        | `www`, which is not in it | None |
        """
        if site in self.outputs:
            return ""
        for output in self.outputs:
            if is_below(site, output) and has_index_page(output):
                part = relative(os.path.realpath(site), os.path.realpath(output))
                return "" if part == "." else part.replace(os.sep, "/")
        return None

    def content_in_settings(self) -> Iterator[str]:
        """Yields the folders of sources in the settings: `contentDir: content/en` → `content/en`.

        The key may be below others, as in `languages.en.contentDir`.
        """
        wanted = self.generator.content_key.lower()
        if not wanted:
            return
        for settings in self.settings.values():
            for key, found in settings.items():
                last_step = key.lower().rpartition(".")[2]
                if last_step == wanted and found.text:
                    yield found.text

    @property
    def unreadable_file(self) -> str:
        """Says why a settings file cannot be read: `_config.yml: …`; "" if all can."""
        reasons = map(describe_unreadable, [*self.settings.values(), self.packages])
        return next(filter(None, reasons), "")

    def find_values(self, keys: Sequence[str], *, is_address: bool = False) -> Iterator[Setting]:
        """Yields the settings of some keys, from each of the settings files that sets them.

        `["baseURL"]` → the setting at `hugo.toml:2`, also if it is written `baseurl` there. Empty
        values are left out. Of `sitemap.hostname`, only `hostname` is searched for in a script.

        With `is_address`, the keys are those of the site's address. Only these are searched for in
        files of data, such as `_data/site.json` of Eleventy: other keys there are the user's own.
        The settings of a generator with such files do not have the address.
        """
        data_files = self.generator.data_files
        for name, settings in self.settings.items():
            if data_files and is_address != (name in data_files):
                continue
            found_by_key = {key.lower(): found for key, found in settings.items()}
            for key in keys:
                key_in_file = key.rpartition(".")[2] if is_script(name) else key
                found = find_setting(found_by_key, key_in_file.lower())
                if found and found.value != "":
                    yield Setting(key, found)

    def first_text(self, keys: Sequence[str]) -> str:
        """Returns the literal value of the first of some keys that has one, "" if none has."""
        texts = (setting.found.text for setting in self.find_values(keys))
        return next(filter(None, texts), "")


def projects_in(folder: str, first_look: FirstLook, site: str = "") -> list[ProjectFiles]:
    """Finds the projects in a folder, and in the usual project folders below it, such as docs/.

    `hugo.toml` in the folder and `docs/mkdocs.yml` → the projects of Hugo and MkDocs. The folder
    `site` is left out, because a build may have copied project files into it.
    """
    top = _find_top(folder, first_look.cwd)
    # 1. The folder and those below it that exist.
    names_here = list_names(folder)
    below = [name for name in _BELOW if name in names_here]
    below += [path for path in _TWO_BELOW if path.partition("/")[0] in below]
    folders = [folder, *(os.path.join(folder, path) for path in below)]
    # 2. The projects.
    projects: list[ProjectFiles] = []
    for project_folder in folders:
        if project_folder == site:
            continue
        for generator, file in generators_in(project_folder, first_look):
            settings_files = [file, *generator.settings]
            projects.append(
                ProjectFiles(
                    generator=generator,
                    folder=project_folder,
                    file=file,
                    label=relative(os.path.join(project_folder, file), first_look.cwd),
                    top=top,
                    settings=_read_settings(settings_files, project_folder, top, first_look),
                    packages=first_look.settings(project_folder, PACKAGES, top),
                )
            )
    return projects


def _find_top(folder: str, cwd: str) -> str:
    """Finds the folder out of which no symbolic link may lead, if a file of a project is read.

    It is the root of the repository. Without a repository, it is the working directory `cwd` or, if
    `folder` is not in it, `folder` itself.
    """
    top = ancestors(folder)[-1]  # the root of the repository; `folder`, if there is none
    if os.path.exists(os.path.join(top, ".git")):
        return top
    # The user trusts the files in the working directory. So the settings in docs/ may inherit from
    # ../base.yml.
    return cwd if is_inside(folder, cwd) else folder


def _read_settings(names: list[str], folder: str, top: str, first_look: FirstLook) -> SettingsFiles:
    """Reads the settings files that exist: the keys of each, by the name of the file.

    With `INHERIT: ../base.yml`, as MkDocs allows it, the inherited file is read too.
    """
    settings: dict[str, dict[str, Found]] = {}
    for name in names:  # which grows, as an inherited file may inherit from another one
        # A broken link counts as a file: a message then says why it cannot be read.
        if name in settings or not os.path.lexists(os.path.join(folder, name)):
            continue
        settings[name] = first_look.settings(folder, name, top)
        parent = settings[name].get("INHERIT")
        if parent and parent.text:
            names.append(os.path.normpath(os.path.join(os.path.dirname(name), parent.text)))
    return settings


def generators_in(folder: str, first_look: FirstLook) -> list[tuple[Generator, str]]:
    """Finds the generators of the projects in a folder, each with the file that shows it.

    A folder with hugo.toml → Hugo and `hugo.toml`. A settings file shows only one generator: the
    `_config.yml` of Hexo does not also show Jekyll. But a package.json may show several, by its
    dependencies. A general tool, such as Vite, is only found in a folder without other generators.
    """
    names = list_names(folder)
    if not names:  # most of the usual folders do not exist
        return []
    dependencies = _list_dependencies(folder, first_look) if PACKAGES in names else set()
    generators: list[tuple[Generator, str]] = []
    for generator in ALL:
        # General tools such as Vite come last in ALL. They are also parts of generators. So if a
        # generator was found, it makes the pages, and the tool does not count.
        if generator.is_general_tool and generators:
            continue
        file = _find_file(generator, folder, names, first_look)
        if not file and not dependencies.isdisjoint(generator.package):
            file = PACKAGES
        # A `_config.yml` with the word "hexo" shows Hexo, and any `_config.yml` would show Jekyll,
        # which comes later in ALL. So the file counts only for the first of them.
        is_of_other = any(file in other.settings for other, _ in generators)
        if file and not is_of_other:
            generators.append((generator, file))
    return generators


def _list_dependencies(folder: str, first_look: FirstLook) -> set[str]:
    """Lists the packages on which the package.json of a folder depends: `astro`, `vite`.

    Those that only the development needs count, too, since most generators are among them.
    """
    keys = first_look.settings(folder, PACKAGES)  # such as `devDependencies.astro`
    parts = [key.partition(".") for key in keys]
    return {package for table, _, package in parts if table in _DEPENDENCIES}


def describe_project_in(site: Site) -> str:
    """Says which project is in the folder of a site: `hugo.toml (Hugo writes to public/)`.

    Such a folder may have the sources of a site, which the sitemap would then list. So the run
    warns of it. "" if the folder has no project. Two kinds of projects do not count:

    - that of the site's own generator, which may write pages beside its own files, as Pelican can
    - that of a general tool such as Vite, which may only be used to work on the site
    """
    root = site.root
    for generator, file in generators_in(root, FirstLook(root)):
        if not generator.is_general_tool and generator.name != site.generator:
            folder = generator.output[0]
            return f"{file} ({generator.name} writes to {folder}/)"
    return ""


def _find_file(
    generator: Generator, folder: str, names: Collection[str], first_look: FirstLook
) -> str:
    """Finds the first file of a folder that shows the generator, "" if there is none.

    | in the generator's `files` | the folder has it if |
    |---|---|
    | `*.lektorproject` | one of its `names` ends so |
    | `mkdocs.yml` | it is one of its `names` |
    | `config/_default/hugo.toml` | this file is there |
    | `_config.yml: hexo` | the file contains `hexo`, also in capitals |
    """
    for file in generator.files:
        name, _, required_word = file.partition(": ")
        if "*" in name:
            name = next(iter(matching(names, name)), "")
        # Most names are not there, and the list of `names` shows it without a system call.
        first_part, slash, _ = name.partition("/")
        if first_part not in names:
            continue
        if slash and not os.path.isfile(os.path.join(folder, name)):
            continue
        if not required_word or required_word in first_look.text(folder, name).lower():
            return name
    return ""


def select_site_projects(projects: Sequence[ProjectFiles], folder: str) -> list[ProjectFiles]:
    """Selects the projects whose generators only write sites, unlike Vite or Gulp.

    If `folder` itself has such projects, only these are returned. Otherwise, those in the folders
    below it are, such as docs/.
    """
    of_sites = [project for project in projects if not project.generator.is_general_tool]
    in_folder = [project for project in of_sites if project.folder == folder]
    return in_folder or of_sites


def describe_unreadable(settings: Mapping[str, Found]) -> str:
    """Says why a settings file could not be read: `mkdocs.yml: Permission denied`; "" if it was.

    `settings` are the keys that were read from the file. A file that cannot be read has a single
    entry in place of its keys, with the problem.
    """
    for found in settings.values():
        if found.problem:
            return f"{Origin(found.file, found.line)}: {found.problem}"
    return ""


# --- folders


def list_names(folder: str) -> frozenset[str]:
    """Lists the names of the files and folders in a folder, none if it cannot be listed."""
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def is_below(path: str, top: str) -> bool:
    """Whether a path is the folder `top` or below it, after symbolic links are followed."""
    return is_inside(os.path.realpath(path), os.path.realpath(top))


def has_index_page(folder: str) -> bool:
    """Whether a folder has an index page, such as index.html."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in INDEXES)


def is_template(folder: str, first_look: FirstLook) -> bool:
    """Whether the index page of a folder is a template, so that the folder is no built site.

    Without an index page, the first page by name counts. A template has front matter, or `{{` or
    `{%` in its head. In the body, these may be the text of a built page, as in documentation.
    """
    start = _first_page(folder, first_look)
    head = start.partition(b"<body")[0]
    return start.startswith(_FRONT_MATTER) or b"{{" in head or b"{%" in head


def has_front_matter(folder: str, first_look: FirstLook) -> bool:
    """Whether the index page of a folder, or else its first page, begins with front matter.

    Front matter, settings between two lines `---`, shows that the page is a source and no built
    page. Often nothing else shows it: a project of Jekyll needs no settings file.
    """
    return _first_page(folder, first_look).startswith(_FRONT_MATTER)


def _first_page(folder: str, first_look: FirstLook) -> bytes:
    """Reads the first bytes of the index page of a folder, or else of its first page by name.

    Empty if the folder has no page.
    """
    pages = [*INDEXES, *filter(is_page_name, sorted(list_names(folder)))]
    starts = (first_look.start(folder, name) for name in pages)
    return next(filter(None, starts), b"")
