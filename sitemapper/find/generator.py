"""What is known of a generator, and of the project in which it was found."""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from ..model import Detected, SourceRoute
from ..syntax.answers import Answer
from .addresses import Address

# The steps to a setting: ("project", "site_url"); () for no setting. In a script, `plugins[]` is a
# step into the items of a list, and `plugins[][]` one into the items of lists in it.
Key = tuple[str, ...]


class Always(Enum):
    """The type of `ALWAYS`."""

    ALWAYS = auto()


ALWAYS: Final = Always.ALWAYS  # whatever the settings of a project are


class ProjectFile(NamedTuple):
    """A file that identifies a generator, if it contains the word, which is in lower case.

    The name is a path in the project's folder, or a pattern such as `*.lektorproject`.
    """

    name: str
    word: str = ""


class CleanSetting(NamedTuple):
    """A setting that serves pages without `.html`: its key, and its value or a test of it."""

    key: Key
    value: str | Callable[[str], bool]

    def is_met(self, text: str) -> bool:
        """Whether this text of the setting serves pages without `.html`."""
        if callable(self.value):
            return self.value(text)
        return text == self.value


class PageSources(NamedTuple):
    """Templates of the path of a page and of the files that it may be built from."""

    page: str
    sources: tuple[str, ...]


FindRoutes = Callable[[str, Mapping[str, Mapping[str, Answer]]], list[SourceRoute]]


class OwnSitemap(NamedTuple):
    """The sitemap that a generator writes at each build, unless its settings say otherwise.

    `names` are its files in the output, the main one first. `plugins` are packages that write it,
    () if the generator does. With `is_automatic`, it is enough to install one. `templates` are
    the names of sources that make it, where no plugin does.

    `off` are settings that turn it off: each a key with its value, or with an item of its list.
    `on` is a setting that turns it on, and `filename` one that gives the main file another name.
    """

    names: tuple[str, ...] = ("sitemap.xml",)
    plugins: tuple[str, ...] = ()
    is_automatic: bool = False
    templates: tuple[str, ...] = ()
    off: tuple[tuple[Key, str], ...] = ()
    on: Key = ()
    filename: Key = ()


class Generator(NamedTuple):
    """Project files, output, signature and habits.

    A project is recognised by one of `files`, or by a name of `package` in package.json. Settings
    are in `files`: `address` are the keys of the base URL, which may be in `more`, too, `path` is
    the key of a path to append, and `folder` that of the output. Without it, the output is in one
    of `output`.
    `aliases` are pairs of a key and another place where it may stand. With `needs_plugin`, the keys
    of `address` are those of plugins and of starters, and it has none itself.

    A page is recognised by one of `marks` in its generator tag (by default the generator's name),
    or by `trace` anywhere. The output contains the file `left`.

    `clean` is the setting that serves pages without `.html`. `content` are the folders of sources,
    "." for the project itself. `maps` name sources that no title shows. With a versions.json,
    `routes` finds the folders of versions, and elements that match `drop` are no content. `ignore`
    are patterns of files that are no pages. `sitemap` is the one that it writes, None for none, and
    `own_sitemap` says how to turn it off. `plugin` is the line that activates ours. A weak
    generator is a tool for many kinds of projects.
    """

    name: str
    files: tuple[ProjectFile, ...] = ()
    output: tuple[str, ...] = ()
    address: tuple[Key, ...] = ()
    needs_plugin: bool = False
    path: Key = ()
    folder: Key = ()
    aliases: tuple[tuple[Key, Key], ...] = ()
    run: str = "npm run build"
    package: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    clean: CleanSetting | Always | None = None
    marks: tuple[str, ...] = ()
    trace: bytes = b""
    left: str = ""
    maps: tuple[PageSources, ...] = ()
    routes: FindRoutes | None = None
    content: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sitemap: OwnSitemap | None = None
    own_sitemap: str = "turn off the generator's own sitemap"
    plugin: str = ""
    is_weak: bool = False

    def signs(self, sign: str) -> bool:
        """Whether a generator tag with this text names it."""
        if self.is_weak:
            return False
        words = f" {sign.lower()}"
        marks = self.marks or (self.name,)
        return any(f" {mark.lower()}" in words for mark in marks)

    @property
    def has_address(self) -> bool:
        """Whether it has a key for the base URL itself."""
        return bool(self.address) and not self.needs_plugin

    def places_of(self, key: Key) -> list[Key]:
        """A key and its aliases, none for no setting."""
        if not key:
            return []
        return [key, *(alias for name, alias in self.aliases if name == key)]

    @property
    def settings(self) -> list[str]:
        """The files that may contain its settings."""
        names = [file.name for file in self.files]
        return list(dict.fromkeys([*names, *self.more]))

    @property
    def data_files(self) -> list[str]:
        """The files that may only contain the base URL, such as `_data/site.js` of Eleventy."""
        names = [file.name for file in self.files]
        return [name for name in self.more if name not in names]


class Project(NamedTuple):
    """The project that was detected, once for a run.

    `evidence` shows the generator, `site` is the built folder, and `settings` are the values that
    the project gives, each with its origin. `address` is what its files say of the base URL,
    `no_base_url` why no place names one, and `base_url_help` what to do at one of the places.
    `mistake` is the reason for a missing site and what to do, `note` the message if a plugin left
    no record. `source_folders` are the generator's folders of sources, and `output_folders` those
    that it may write the site to. `sitemap` is what each build of the project writes by its
    settings, None for none. If it has `templates`, git must track one.
    `source_routes` are the folders of sources whose pages' paths are known. Without
    `source_folders`, their pages have no others.
    """

    generator: Generator = Generator("")
    folder: str = ""
    file: str = ""
    evidence: tuple[str, ...] = ()
    site: str | None = None
    settings: tuple[Detected, ...] = ()
    address: Address = Address()
    no_base_url: str = ""
    base_url_help: str = ""
    mistake: tuple[str, str] = ("", "")
    note: str = ""
    source_folders: tuple[str, ...] = ()
    output_folders: tuple[str, ...] = ()
    source_routes: tuple[SourceRoute, ...] = ()
    sitemap: OwnSitemap | None = None
