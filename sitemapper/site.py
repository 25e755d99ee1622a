"""What holds for a site, and what one call asked for: plain values, settled before a run.

`find/settle.py` makes them from what a person wrote and from what was found. A run looks for
nothing any more. A function takes the smallest of these values that it needs.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .config.settings import Sitemap
from .fs import shown_path
from .model import Detected, Origin, SourceFiles, SourceRoute
from .syntax.gitignore import Line


class Output(NamedTuple):
    """Where the sitemaps are written, what is in them, and the names of our files there.

    `folder` is an absolute path, served at `base_url`. `sections` are the names of `[[sitemaps]]`,
    `extensions` the settings of the extensions that are written. `key` is the IndexNow key, "" for
    none, and `key_location` the URL of its file, "" if a build publishes it. `writes_robots` says
    whether robots.txt gets a line.
    """

    folder: str
    base_url: str
    name: str
    options: Sitemap
    sections: tuple[str, ...] = ()
    extensions: frozenset[str] = frozenset()
    key: str = ""
    key_location: str = ""
    writes_robots: bool = True

    @property
    def stem(self) -> str:
        """The name of the main sitemap without its extension. All file names begin with it."""
        return self.name.removesuffix(".xml")

    @property
    def live_name(self) -> str:
        """The name of the file that publishes the ledger: `sitemap-ledger.txt`."""
        return f"{self.stem}-ledger.txt"

    @property
    def sitemap_url(self) -> str:
        """The URL of the main sitemap."""
        return self.base_url + self.name

    def path(self, name: str) -> str:
        """The path of the file `name` in the output folder. An absolute path stays as it is."""
        return os.path.join(self.folder, name)


class GeneratedSitemap(NamedTuple):
    """The sitemap that the project's generator writes itself.

    `names` are the files that each of its builds writes, none if its settings turn that off. With
    `templates`, it writes them only if git tracks one of these. `turn_off` is what a person does
    against it.
    """

    names: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    turn_off: str = "turn off the tool that writes it"


class Site(NamedTuple):
    """What holds for the site of a run.

    `root` is the absolute path of its folder, and `label` begins messages about it if the file or
    the environment sets it. `project` is the folder of the configuration or of the generator's
    project. `include` and `ignore` are patterns in order. `date_sources` are the sources of dates,
    and `is_auto_dated` says whether nobody chose them. With `wants_no_dates`, the configuration
    chose none. `ledger` is the path of the ledger, None if
    it is not a source. `generator` is its name, "" for none and for a tool of many kinds of
    projects. `source_folders` are the generator's folders of sources, and `output_folders` those
    that it may write the site to. `source_routes` are those whose pages' paths are known.
    `source_files` come from a plugin. `found` are the values of the project that nothing else sets.
    `generated` is the sitemap of the generator, and `plugin` the line that activates our plugin
    for it, "" for none.
    """

    root: str
    base_url: str
    output: Output
    label: str = ""
    project: str = ""
    include: tuple[str, ...] = ()
    ignore: tuple[Line, ...] = ()
    date_sources: tuple[str, ...] = ("mtime",)
    is_auto_dated: bool = False
    wants_no_dates: bool = False
    ledger: str | None = None
    has_live_ledger: bool = False
    generator: str = ""
    source_folders: tuple[str, ...] = ()
    output_folders: tuple[str, ...] = ()
    source_routes: tuple[SourceRoute, ...] = ()
    source_files: SourceFiles | None = None
    found: tuple[Detected, ...] = ()
    generated: GeneratedSitemap = GeneratedSitemap()
    plugin: str = ""


class Run(NamedTuple):
    """What one call asked for, and where it runs.

    Displayed paths are relative to `cwd`. `jobs` is the number of processes (0: auto), `scheduler`
    the address of a cluster. `replace` replaces sitemaps of other tools, and `allow_empty` allows
    an empty sitemap. With `no_live`, the live ledger is not read. With `ignores_dates`, dates and
    ledgers are not compared with the published ones. With `is_check`, nothing is published, only
    compared: `check` lists the missing URLs of `[check] required`, and notes old versions.
    `proxies` maps http, https, all and no to the values in the environment. `headers` are sent to
    the host of the previous sitemap. `epoch` is SOURCE_DATE_EPOCH in seconds. `builder` is the host
    that runs this build, "" for none. `read_from` are the files of the configuration, with their
    bytes.
    """

    cwd: str
    proxies: Mapping[str, str]
    headers: Mapping[str, str] = MappingProxyType({})
    jobs: int = 0
    scheduler: str | None = None
    replace: bool = False
    allow_empty: bool = False
    no_live: bool = False
    ignores_dates: bool = False
    is_check: bool = False
    epoch: int | None = None
    builder: str = ""
    read_from: tuple[tuple[str, bytes], ...] = ()

    def display(self, path: str) -> str:
        """A path as messages show it: `public/a.html`, as seen from the working directory."""
        return shown_path(path, self.cwd)


class Origins(NamedTuple):
    """Where the entries of `[[rules]]`, `[[sitemaps]]`, `[ledger] drop`, `[[urls]]` and `[check]
    gone` stand.
    """

    rules: tuple[Origin, ...] = ()
    sections: tuple[Origin, ...] = ()
    drop: tuple[Origin, ...] = ()
    urls: tuple[Origin, ...] = ()
    gone: tuple[Origin, ...] = ()


class RobotsFile(NamedTuple):
    """A robots.txt: the path, and the text, which is empty if the file is missing."""

    path: str
    text: bytes
