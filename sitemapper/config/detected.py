"""The project that a site is of: what is known of its generator, and what its files say."""

from __future__ import annotations

from typing import NamedTuple

from ..model import Detected

Maps = tuple[tuple[str, str], ...]


class Generator(NamedTuple):
    """Project files, output, signature and habits. Names of a list have spaces between them.

    `files` are the project files by which it is known, some with a word behind a colon that they must hold,
    `package` its names in a package.json. `output` are the folders that it writes by default, `folder` the
    key in a project file that names another. `address` are the keys of the base URL, `path` that of a path to
    append, in `files` and in the files `more`. `clean` is a pattern of `key=value` for a setting with which
    pages are served without `.html`; "always" needs none.
    Pages carry `mark` in their generator tag, by default its name, or `trace` anywhere; the output holds the
    file `left`. `content` are the folders of sources, "." for the project itself; `maps` name sources that no
    title shows, `versions` those where there is a versions.json. `sitemap` are the plugins that
    write one at each build, "always" if it needs none, `own_sitemap` is how to turn it off, and `plugin` the
    line that makes it run ours. A weak one is a tool of many projects.
    """

    name: str
    files: str = ""
    output: str = ""
    address: str = ""
    path: str = ""
    folder: str = ""
    run: str = "npm run build"
    package: str = ""
    more: str = ""
    clean: str = ""
    mark: str = ""
    trace: bytes = b""
    left: str = ""
    maps: Maps = ()
    versions: Maps = ()
    content: str = ""
    ignore: str = ""
    drop: tuple[str, ...] = ()
    sitemap: str = ""
    own_sitemap: str = "turn off the generator's own sitemap"
    plugin: str = ""
    is_weak: bool = False

    def signs(self, sign: str) -> bool:
        """Whether the text of a page's generator tag names it."""
        marks = (self.mark or self.name).lower().split("|")
        return not self.is_weak and any(f" {mark}" in f" {sign.lower()}" for mark in marks)

    @property
    def settings(self) -> list[str]:
        """The files that may hold its settings."""
        names = (entry.partition(":")[0] for entry in f"{self.files} {self.more}".split())
        return list(dict.fromkeys(names))


class DetectedProject(NamedTuple):
    """What was recognised, found once for a run.

    `evidence` is what shows the generator, `site` the built folder, `settings` are the values that the
    project gives, each with its origin. `no_base_url` says why there is no base URL, `mistake` why there is
    no site and what to do, `note` that a plugin has left nothing. `source_folders` are where the generator
    looks for sources. `writes_sitemap` says that each build of the project writes a sitemap.
    """

    generator: Generator = Generator("")
    folder: str = ""
    file: str = ""
    evidence: tuple[str, ...] = ()
    site: str | None = None
    settings: tuple[Detected, ...] = ()
    no_base_url: str = ""
    mistake: tuple[str, str] = ("", "")
    note: str = ""
    source_folders: tuple[str, ...] = ()
    writes_sitemap: bool = False
