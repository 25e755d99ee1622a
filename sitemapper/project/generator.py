"""What is known of a generator, and of the project in which it was found."""

from typing import NamedTuple

from ..model import Detected


class Generator(NamedTuple):
    """Project files, output, signature and habits. Names in a string are separated by spaces.

    `files` are the project files that identify it; some have a word after a colon that they must
    contain. `package` are its names in package.json. `output` are its default output folders, and
    `folder` is the key for another one. `address` are the keys of the base URL, and `path` is the
    key of a path to append, in `files` and `more`. `clean` is a pattern of `key=value` for a
    setting that serves pages without `.html`, or "always". Pages contain `mark` in their generator
    tag, by default its name, or `trace` anywhere. The output contains the file `left`. `content`
    are the folders of sources, "." for the project itself. `maps` name sources that no title shows,
    `versions` those if there is a versions.json. `sitemap` are the plugins that write one at each
    build, or "always". `own_sitemap` says how to turn it off, and `plugin` is the line that
    activates ours. A weak generator is a tool for many kinds of projects.
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
    maps: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    content: str = ""
    ignore: str = ""
    drop: tuple[str, ...] = ()
    sitemap: str = ""
    own_sitemap: str = "turn off the generator's own sitemap"
    plugin: str = ""
    is_weak: bool = False

    def signs(self, sign: str) -> bool:
        """Whether a generator tag with this text names it."""
        marks = (self.mark or self.name).lower().split("|")
        return not self.is_weak and any(f" {mark}" in f" {sign.lower()}" for mark in marks)

    @property
    def settings(self) -> list[str]:
        """The files that may contain its settings."""
        names = (entry.partition(":")[0] for entry in f"{self.files} {self.more}".split())
        return list(dict.fromkeys(names))


class Project(NamedTuple):
    """The project that was detected, once for a run.

    `evidence` shows the generator, `site` is the built folder, and `settings` are the values that
    the project gives, each with its origin. `no_base_url` is the reason for a missing base URL,
    `mistake` the reason for a missing site and what to do, `note` the message if a plugin left no
    record. `source_folders` are the generator's folders of sources. With `writes_sitemap`, each
    build of the project writes a sitemap.
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
