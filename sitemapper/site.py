"""What holds for a site, and what one call asked for: plain values, settled before a run.

`find/settle.py` makes them from what a person wrote and from what was found. A run looks for
nothing any more. A function takes the smallest of these values that it needs.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from .config.settings import Sitemap
from .fs import shown_path
from .model import Detected, Origin, SourceFiles
from .syntax.gitignore import Line


class Output(NamedTuple):
    """Where the sitemaps are written, what is in them, and the names of our files there.

    - `folder` is the absolute path where they are written, and `base_url` the URL of the site
    - `name` is that of the main sitemap: `sitemap.xml`
    - `options` is the table `[sitemap]`, and `sections` are the names of `[[sitemaps]]`
    - `extensions` are the XML extensions that are written: `hreflang`, `images`
    - `key` is the IndexNow key, "" for none
    - `writes_robots` says whether robots.txt gets the line `Sitemap:`
    """

    folder: str
    base_url: str
    name: str
    options: Sitemap
    sections: tuple[str, ...] = ()
    extensions: frozenset[str] = frozenset()
    key: str = ""
    writes_robots: bool = True

    @property
    def stem(self) -> str:
        """Returns the name of the main sitemap without `.xml`. All file names begin with it."""
        return self.name.removesuffix(".xml")

    @property
    def sitemap_url(self) -> str:
        """Returns the URL of the main sitemap: `https://a.example/sitemap.xml`."""
        return self.base_url + self.name

    def path(self, name: str) -> str:
        """Joins the output folder and the name of a file in it. An absolute path stays as it is."""
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
    """The settings that hold for the site of a run, after all layers are merged.

    Folder and URLs:
    - `root` is the absolute path of the site's folder, and `base_url` the URL of the site
    - `output` is where the sitemaps are written
    - `label` begins messages about `root`: `sitemapper.toml:2: site: `; "" if neither a file nor
      the environment sets it
    - `project` is the folder of the configuration or of the generator's project

    Pages and their dates:
    - `include` are patterns of pages besides HTML, and `ignore` those of files to leave out
    - `date_sources` are the sources of dates in order: `ledger`, `git`, `mtime`
    - `is_auto_dated` says that nobody chose these sources
    - `wants_no_dates` says that the configuration chose none: `lastmod = []`
    - `ledger` is the path of the ledger, None if it is not a source
    - `live_ledger` is the URL of the ledger on the live site, "" if it is not to be read from there

    The generator and its project:
    - `generator` is its name: `Hugo`; "" for none and for a tool such as Vite, which makes many
      kinds of projects
    - `source_folders` are its folders of sources, and `output_folders` those of its output
    - `source_files` are the source files of each page, as a plugin recorded them; None for none
    - `found` are the settings that were found in the project and that no person overrides
    - `generated` is the sitemap that the generator writes
    - `plugin` is the line that activates our plugin for the generator, "" for none
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
    live_ledger: str = ""
    generator: str = ""
    source_folders: tuple[str, ...] = ()
    output_folders: tuple[str, ...] = ()
    source_files: SourceFiles | None = None
    found: tuple[Detected, ...] = ()
    generated: GeneratedSitemap = GeneratedSitemap()
    plugin: str = ""


class Run(NamedTuple):
    """What one call asked for, and where it runs.

    Where it runs:
    - `cwd` is the working directory: messages show paths as seen from it
    - `jobs` is the number of processes, 0 if we choose it
    - `scheduler` is the address of a cluster, None for processes of this machine
    - `builder` is the name of the host that runs this build, "" for none
    - `epoch` is SOURCE_DATE_EPOCH in seconds, None if it is not set
    - `read_from` are the configuration files that were read, each with its bytes

    What it asked for:
    - `replace` overwrites sitemaps of other tools
    - `allow_empty` allows a sitemap without URLs
    - `ignores_dates` does not stop if dates would be lost
    - `is_check` publishes nothing and only compares. It also lists the URLs of `[check] required`
      that are missing, and notes old versions

    The network:
    - `proxies` maps `http`, `https`, `all` and `no` to the values in the environment
    """

    cwd: str
    proxies: Mapping[str, str]
    jobs: int = 0
    scheduler: str | None = None
    replace: bool = False
    allow_empty: bool = False
    ignores_dates: bool = False
    is_check: bool = False
    epoch: int | None = None
    builder: str = ""
    read_from: tuple[tuple[str, bytes], ...] = ()

    def display(self, path: str) -> str:
        """Shortens a path for messages, as seen from the working directory: `public/a.html`."""
        return shown_path(path, self.cwd)


class Origins(NamedTuple):
    """Where the entries of `[[rules]]`, `[[sitemaps]]`, `[ledger] drop` and `[[urls]]` stand."""

    rules: tuple[Origin, ...] = ()
    sections: tuple[Origin, ...] = ()
    drop: tuple[Origin, ...] = ()
    urls: tuple[Origin, ...] = ()


class RobotsFile(NamedTuple):
    """A robots.txt: its path, and its text, which is empty if the file is missing."""

    path: str
    text: bytes
