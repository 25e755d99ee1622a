"""What is known of a generator: a row of the table in `generators.py`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..model import Found, SourceRoute

# What the settings files of a project say: by the name of the file, then by key.
SettingsFiles = Mapping[str, Mapping[str, Found]]
FindRoutes = Callable[[str, SettingsFiles], list[SourceRoute]]


class CleanSetting(NamedTuple):
    """A setting that serves pages without `.html`: its key, and an expression for its values."""

    key: str
    values: str


ALWAYS_CLEAN = CleanSetting("", "")  # whatever the settings of a project are


class PageSources(NamedTuple):
    """Templates of the path of a page and of the files that it may be built from."""

    page: str
    sources: tuple[str, ...]


class OwnSitemap(NamedTuple):
    """The sitemap that a generator writes at each build, unless its settings say otherwise.

    `names` are its files in the output, the main one first. `plugins` are packages that write it,
    () if the generator does. With `is_automatic`, it is enough to install one. `templates` are
    the names of sources that make it, where no plugin does.

    `off` are settings that turn it off: each a key with its value, or with an item of its list.
    `on` is the key that turns it on, and `filename` the one that gives the main file another name.
    """

    names: tuple[str, ...] = ("sitemap.xml",)
    plugins: tuple[str, ...] = ()
    is_automatic: bool = False
    templates: tuple[str, ...] = ()
    off: tuple[tuple[str, str], ...] = ()
    on: str = ""
    filename: str = ""


class Generator(NamedTuple):
    """Project files, output, signature and habits.

    A project is recognised by one of `files`, or by a name of `package` in package.json. A file
    may be a pattern, `*.lektorproject`, or need a word in lower case: `_config.yml: hexo`.

    Settings are in `files`. Keys have dots between their steps: `project.site_url`. In a script,
    `plugins[]` is a step into the items of a list, and `plugins[][]` one into those of lists in it.
    `address` are the keys of the base URL, which may be in `more`, too, `path` those of a path to
    append, and `folder` those of the output. Without it, the output is in one of `output`. With
    `needs_plugin`, the keys of `address` are those of plugins and of starters, and it has none
    itself.

    A page is recognised by one of `marks` in its generator tag (by default the generator's name),
    or by `trace` anywhere. The output contains the file `left`.

    `clean` is the setting that serves pages without `.html`. `content` are the folders of sources,
    "." for the project itself, and `content_key` is the setting that names another, also below
    other keys: `languages.en.contentDir`. `maps` name sources that no title shows. With a
    versions.json, `routes` finds the folders of versions, and elements that match `drop` are no
    content. `ignore` are patterns of files that are no pages. `sitemap` is the one that it writes,
    None for none, and `own_sitemap` says how to turn it off. `plugin` is the line that activates
    ours. A weak generator is a tool for many kinds of projects.
    """

    name: str
    files: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    address: tuple[str, ...] = ()
    needs_plugin: bool = False
    path: tuple[str, ...] = ()
    folder: tuple[str, ...] = ()
    run: str = "npm run build"
    package: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    clean: CleanSetting | None = None
    marks: tuple[str, ...] = ()
    trace: bytes = b""
    left: str = ""
    maps: tuple[PageSources, ...] = ()
    routes: FindRoutes | None = None
    content: tuple[str, ...] = ()
    content_key: str = ""
    ignore: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sitemap: OwnSitemap | None = None
    own_sitemap: str = "turn off the generator's own sitemap"
    plugin: str = ""
    is_general_tool: bool = False

    def matches_tag(self, sign: str) -> bool:
        """Whether a generator tag with this text names it."""
        if self.is_general_tool:
            return False
        words = f" {sign.lower()}"
        marks = self.marks or (self.name,)
        return any(f" {mark.lower()}" in words for mark in marks)

    @property
    def has_address(self) -> bool:
        """Whether it has a key for the base URL itself."""
        return bool(self.address) and not self.needs_plugin

    @property
    def settings(self) -> list[str]:
        """The files that may contain its settings."""
        names = [file.partition(":")[0] for file in self.files]
        return list(dict.fromkeys([*names, *self.more]))

    @property
    def data_files(self) -> list[str]:
        """The files that may only contain the base URL, such as `_data/site.js` of Eleventy."""
        names = [file.partition(":")[0] for file in self.files]
        return [name for name in self.more if name not in names]
