"""The properties of a generator: a row of the table in `generators.py`."""

from collections.abc import Mapping
from typing import NamedTuple

from ..model import Found
from ..site import GeneratedSitemap

# The values in the settings files of a project: by the name of the file, then by key.
SettingsFiles = Mapping[str, Mapping[str, Found]]


class CleanSetting(NamedTuple):
    """A setting that serves `b.html` as `b`: its key, and an expression for the values that do so.

    `urls.html_extension_style` and `drop` for Antora.
    """

    key: str
    values: str


ALWAYS_CLEAN = CleanSetting("", "")  # for a generator that has no other way


class SitemapFeature(NamedTuple):
    """The feature of a generator that writes a sitemap at each build, and what turns it on or off.

    - `names` are the files that it writes into the output, the main one first
    - `plugins` are packages that write it, () if the generator does; with `is_automatic`, it is
      enough to install one
    - `templates` are the names of sources that make it where no plugin does: `sitemap.njk`
    - `off` are settings that turn it off, each a key with its value, or with an item of its list
    - `on` is the key without which it is not written
    - `filename` is the key that gives the main file another name
    """

    names: tuple[str, ...] = ("sitemap.xml",)
    plugins: tuple[str, ...] = ()
    is_automatic: bool = False
    templates: tuple[str, ...] = ()
    off: tuple[tuple[str, str], ...] = ()
    on: str = ""
    filename: str = ""


class Generator(NamedTuple):
    """A generator: its project files, its output, its mark on pages, and its sitemap.

    How a project is recognised:
    - `files`: it has one of these. `*.lektorproject` is a pattern, and `_config.yml: hexo` a file
      that contains a word in lower case
    - `package`: or its package.json depends on one of these
    - `is_general_tool`: the generator makes many kinds of projects, not only sites

    Its settings are in `files`. From `data_files`, such as `_data/site.json` of Eleventy, only the
    base URL is read, because all their keys are the user's own. Keys have dots between their steps:
    `project.site_url`. Of a script, only `address` and `path` are read, by the last step of their
    keys. These are keys:
    - `address`: the base URL. With `needs_plugin`, plugins and starters read them, not the
      generator. `address_file` has this key, "" for the file that shows the generator
    - `instead_of_address`: the end of the sentence that the generator has no setting for it
    - `path`: a path to append to it
    - `folder`: the output. Without it, the output is in one of the folders `output`
    - `clean`: serves pages without `.html`
    - `content_key`: another folder of sources, also below other keys: `languages.en.contentDir`

    How a page is recognised:
    - `marks`: its generator tag has one of these, by default the generator's name
    - `trace`: it contains this text
    - `left`: the output contains this file

    Sources and pages:
    - `content`: the folders of sources, "." for the project itself
    - `drop`: elements on the pages of old versions that are no content
    - `ignore`: patterns of files that are no pages

    What to do next:
    - `run`: the command that builds the site
    - `sitemap`: how the generator writes a sitemap, without `names` if it cannot
    - `turn_off_sitemap`: how to turn it off
    - `plugin`: the line that activates our plugin
    """

    name: str
    files: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    address: tuple[str, ...] = ()
    needs_plugin: bool = False
    instead_of_address: str = ""
    path: tuple[str, ...] = ()
    folder: tuple[str, ...] = ()
    run: str = "npm run build"
    package: tuple[str, ...] = ()
    data_files: tuple[str, ...] = ()
    address_file: str = ""
    clean: CleanSetting | None = None
    marks: tuple[str, ...] = ()
    trace: bytes = b""
    left: str = ""
    content: tuple[str, ...] = ()
    content_key: str = ""
    ignore: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sitemap: SitemapFeature = SitemapFeature(names=())
    turn_off_sitemap: str = GeneratedSitemap().turn_off
    plugin: str = ""
    is_general_tool: bool = False

    def matches_tag(self, tag: str) -> bool:
        """Whether a generator tag shows this generator: `Hugo 0.140` does for Hugo.

        It must have a word that begins with the generator's name, or with one of its `marks`. So
        `Chugo 1` does not show Hugo.
        """
        if self.is_general_tool:  # Vite writes no tag: a tag is that of a generator which uses Vite
            return False
        words = f" {tag.lower()}"
        marks = self.marks or (self.name,)
        return any(f" {mark.lower()}" in words for mark in marks)

    @property
    def settings(self) -> list[str]:
        """Lists the names of the settings files that it reads, each once.

        They are those in `files`, and the files of data in `data_files`: `_data/site.json`. An
        entry of `files` may also have a word that the file must contain, which is left out:
        `_config.yml: hexo` → `_config.yml`.
        """
        names = [file.partition(":")[0] for file in self.files]
        return list(dict.fromkeys([*names, *self.data_files]))
