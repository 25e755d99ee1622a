"""A generator's project: its folder, its site, and the settings for that site."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from typing import NamedTuple

from ..fs import ancestors, is_inside, relative
from ..model import Detected, Origin
from ..syntax.project_files import line_of, values
from ..syntax.urls import INDEXES, is_page_name, normalise_base, suspicious_base
from .generator import ALWAYS, Generator, Key, OwnSitemap
from .search import LIMIT, generators_in, start_of, text_of

INDEX = "index.html"
_COMMENT_STARTS = ("#", "//", "*")  # of a line in YAML, TOML, Python or JavaScript
# Folders of a repository in which documentation or a website often has its own project.
_BELOW = ("docs", "doc", "documentation", "website", "site", "web", "www", "source", "src", "book")
_BELOW_THAT = ("docs/source", "doc/source", "docs/en", "doc/en")
# Patterns are compiled when they are used.
_EXAMPLE = r"https?://([^/]*\.)?example\.(com|net|org)[:/]"
_NOT_THE_SITE = r"https?://(www\.)?(github|gitlab|npmjs)\.com/"
_HOST_NAME = r"[\w-]+(?:\.[\w-]+)*\.?"


class ProjectCandidate(NamedTuple):
    """A generator's project: its folder, and the file that identifies it.

    `top` is the root of its repository, or else the folder where the search began. `entries` are
    the texts of its settings files, by name and key.
    """

    generator: Generator
    folder: str
    file: str
    top: str
    entries: dict[str, dict[str, str]]

    @property
    def outputs(self) -> list[str]:
        """The folder in the settings, or else the generator's default folders."""
        named = self._first_text(self.generator.folder)
        if named:
            return [os.path.normpath(os.path.join(self.folder, named))]
        names: list[str] = []
        for name in self.generator.output:
            names += sorted(glob(name, root_dir=self.folder)) if "*" in name else [name]
        return [os.path.normpath(os.path.join(self.folder, name)) for name in names]

    @property
    def site(self) -> str | None:
        """The existing output. One outside `top` counts only if the command line names it."""
        return next((o for o in self.outputs if holds_index(o) and is_below(o, self.top)), None)

    def label(self, cwd: str, name: str = "") -> str:
        """A file of the project, by default the one that identifies it, as seen from a folder."""
        return relative(os.path.join(self.folder, name or self.file), cwd)

    def part_of_output(self, site: str) -> str | None:
        """The path of a folder in the built site: "" for the whole site, None if it is outside."""
        above = (os.path.realpath(o) for o in self.outputs if is_below(site, o) and holds_index(o))
        part = next((relative(os.path.realpath(site), o).replace(os.sep, "/") for o in above), None)
        return "" if part == "." or site in self.outputs else part

    def is_source(self, folder: str) -> bool:
        """Whether a folder is part of the sources, or contains templates of the project."""
        contents = (name for name in self.generator.content if name != ".")
        is_content = any(is_below(folder, os.path.join(self.folder, name)) for name in contents)
        return is_content or (is_below(folder, self.folder) and is_template(folder))

    @property
    def sitemap(self) -> OwnSitemap | None:
        """The sitemap that each build writes by the settings, None for none.

        It keeps its `templates` where only one of them would write it.
        """
        own = self.generator.sitemap
        if own is None or self._turns_off(own):
            return None
        is_written = self._enables_any(own) if own.plugins else True
        if is_written:
            return own._replace(templates=())
        return own if own.templates else None

    def _turns_off(self, own: OwnSitemap) -> bool:
        """Whether a setting says that no sitemap is written, or one with another name."""
        if own.on and not self._first_text(own.on):
            return True
        filename = self._first_text(own.filename)
        if filename and filename != own.names[0]:
            return True
        for key, value in own.off:
            items = self._first_text((*key[:-1], f"{key[-1]}[]")).split("\n")
            if value in items or self._first_text(key) == value:
                return True
        return False

    def _enables_any(self, own: OwnSitemap) -> bool:
        """Whether the settings name one of the plugins outside of a comment.

        An automatic one may also stand among the dependencies.
        """
        names = list(self.generator.settings)
        if own.is_automatic:
            names += ["package.json", "Gemfile"]
        for name in names:
            if "*" in name:
                continue
            for row in text_of(self.folder, name, self.top).splitlines():
                is_comment = row.lstrip().startswith(_COMMENT_STARTS)
                if not is_comment and any(plugin in row for plugin in own.plugins):
                    return True
        return False

    def _texts(self, keys: Sequence[Key]) -> Iterator[tuple[str, str, str]]:
        """The settings files that have one of the keys, in any letter case, each with the key and
        its value.
        """
        if not keys:
            return
        for name, entries in self.entries.items():
            folded = {key.lower(): text for key, text in entries.items()}
            for key in map(_flat_key, keys):
                text = folded.get(key.lower())
                if text:
                    yield name, key, text

    def _first_text(self, key: Key) -> str:
        """The first value of a key in the settings files, "" if there is none."""
        if not key:
            return ""
        for _, _, text in self._texts([key]):
            return text
        return ""

    def _origin(self, name: str, key: str, text: str, cwd: str) -> Origin:
        line = line_of(text_of(self.folder, name, self.top), key, text)
        return Origin(self.label(cwd, name), line, key)

    def base_url(self, site: str, cwd: str) -> tuple[Detected | None, str]:
        """The base URL, or the reason why there is none."""
        path = self._first_text(self.generator.path).strip("/")
        own: Detected | None = None
        reasons: list[str] = []
        for name, key, text in self._texts(self.generator.address):
            origin, start = self._origin(name, key, text, cwd), text.rstrip("/")
            url, reason = check_base(
                text if not path or start.endswith(f"/{path}") else f"{start}/{path}"
            )
            if url:
                own = own or Detected("base_url", url, origin)
            else:
                reasons.append(f"{origin}: {reason}")
        other, reason = of_cname([site, self.folder], cwd, path)
        if own and other and len({str(url.value).split("/")[2] for url in (own, other)}) > 1:
            return None, f"{own.origin} is {own.value}, but {other.origin} is {other.value}"
        if own or other:
            return own or other, ""
        homepage = values(text_of(self.folder, "package.json"), "package.json").get("homepage", "")
        if url := check_base(homepage)[0]:
            return Detected(
                "base_url", url, self._origin("package.json", "homepage", homepage, cwd)
            ), ""
        if reasons or reason:
            return None, "; ".join(reasons) or reason
        keys = [key[-1] for key in self.generator.address]
        for name in self.entries:
            if _assigns_any(text_of(self.folder, name, self.top), keys):
                return None, f"{self.label(cwd, name)} computes it in code, and there is no CNAME"
        unset = keys[0] if keys else "it"
        return None, f"{self.label(cwd)} does not set {unset}, and there is no CNAME"

    def style(self, cwd: str) -> Detected | None:
        """`clean`, if the generator or its settings use it."""
        setting = self.generator.clean
        if setting is ALWAYS:
            return Detected("url_style", "clean", Origin(self.label(cwd)))
        if setting is None:
            return None
        key = _flat_key(setting.key)
        for name, entries in self.entries.items():
            if key in entries and setting.is_met(entries[key]):
                return Detected("url_style", "clean", self._origin(name, key, entries[key], cwd))
        return None


def _assigns_any(text: str, keys: Sequence[str]) -> bool:
    """Whether a line outside of a comment gives one of the keys a value that is not empty."""
    if not keys:
        return False
    names = "|".join(map(re.escape, keys))
    assigned = re.compile(rf"""\b(?:{names})\b["']?[ \t]*+[:=][ \t]*+(?!""|''|$)""")
    rows = (row for row in text.splitlines() if not row.lstrip().startswith(_COMMENT_STARTS))
    return any(assigned.search(row) for row in rows)


def _flat_key(key: Key) -> str:
    """The key as `project_files.values` writes it."""
    return ".".join(key)


def candidates_in(folder: str, site: str = "", cwd: str = "") -> list[ProjectCandidate]:
    """The projects in a folder and its usual project folders, but not in the site.

    Without a repository, they may read what is in `cwd`, the working directory, if they are in it.
    """
    top = ancestors(folder)[-1]
    is_repository = os.path.exists(os.path.join(top, ".git"))
    if cwd and not is_repository and is_inside(top, cwd):
        top = cwd
    return [
        ProjectCandidate(
            generator, place, file, top, _entries([file, *generator.settings], place, top)
        )
        for place, entries in places_in(folder)
        if entries and place != site
        for generator, file in generators_in(place, entries)
    ]


def places_in(folder: str) -> Iterator[tuple[str, frozenset[str]]]:
    """A folder and its usual project folders, each with the names in it."""
    names = _names(folder)
    below = [name for name in _BELOW if name in names]
    below += [name for name in _BELOW_THAT if name.partition("/")[0] in below]
    yield folder, names
    for path in (os.path.join(folder, name) for name in below):
        yield path, _names(path)


def _entries(names: list[str], folder: str, top: str) -> dict[str, dict[str, str]]:
    """The values in the settings files by name, and in the files that they inherit from (MkDocs'
    INHERIT).
    """
    entries: dict[str, dict[str, str]] = {}
    for name in names:
        if name not in entries and os.path.isfile(os.path.join(folder, name)):
            entries[name] = values(text_of(folder, name, top), name)
            if parent := entries[name].get("INHERIT"):
                names.append(os.path.normpath(os.path.join(os.path.dirname(name), parent)))
    return entries


def _names(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def of_cname(folders: Iterable[str], cwd: str, path: str = "") -> tuple[Detected | None, str]:
    """The base URL from the first CNAME that names a host, or the reason why it cannot be one."""
    for folder in folders:
        file = os.path.join(folder, "CNAME")
        if host := start_of(folder, file, LIMIT).decode("utf-8", "replace").strip():
            origin = Origin(relative(file, cwd))
            if not re.fullmatch(_HOST_NAME, host):
                return None, f"{origin}: must contain a host name alone, such as www.example.com"
            url, reason = check_base(f"https://{host}/{path}")
            return (Detected("base_url", url, origin), "") if url else (None, f"{origin}: {reason}")
    return None, ""


def check_base(text: str) -> tuple[str, str]:
    """The base URL in a text, or the reason why it cannot be one."""
    try:
        url = normalise_base(text)
    except ValueError:
        return "", f"{text!r} is not an absolute URL"
    example = "is an example" if re.match(_EXAMPLE, url) else ""
    is_elsewhere = re.match(_NOT_THE_SITE, url) or is_preview(url.split("/")[2])
    elsewhere = "is not the URL of a site" if is_elsewhere else ""
    why = suspicious_base(url) or example or elsewhere
    return ("", f"{url} {why}") if why else (url, "")


def is_preview(host: str) -> bool:
    """Whether a host name is a preview's, by the patterns of Netlify, Cloudflare and Vercel."""
    first, _, rest = host.partition(".")
    return (
        first.startswith("deploy-preview-")
        or ("--" in first and rest == "netlify.app")
        or ("-git-" in first and rest == "vercel.app")
        or (rest.endswith(".pages.dev") and re.fullmatch("[0-9a-f]{7,}", first) is not None)
    )


def is_below(path: str, top: str) -> bool:
    """Whether a path is a folder or below it, after links are followed."""
    return is_inside(os.path.realpath(path), os.path.realpath(top))


def is_template(folder: str) -> bool:
    """Whether the index page of a folder, or else its first page, is a template.

    It has front matter, or a statement in its head. The text of a built page may show statements.
    """
    pages = [*INDEXES, *filter(is_page_name, sorted(_names(folder)))]
    starts = (start_of(folder, os.path.join(folder, name), LIMIT) for name in pages)
    start = next(filter(None, starts), b"")
    head = start.partition(b"<body")[0]
    return start.startswith(b"---") or b"{{" in head or b"{%" in head


def holds_index(folder: str) -> bool:
    """Whether a folder has an index page."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in INDEXES)
