"""A generator's project: its folder, its site, and the settings for that site."""

import os
from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from ..fs import ancestors, is_inside, relative
from ..model import Detected, Origin
from ..syntax.answers import ANYTHING, Answer, answer_for
from ..syntax.project_files import find_fault, is_script, line_of, plugins_in, values
from ..syntax.urls import INDEXES, is_page_name
from .addresses import Address, Place, check_base, is_placeholder, place_that_names
from .generator import ALWAYS, Generator, Key, OwnSitemap
from .search import LIMIT, PACKAGES, generators_in, start_of, text_of, whole_text_of

INDEX = "index.html"
_FRONT_MATTER = b"---"
_COMMENT_START = "#"  # of a line in YAML, TOML, Python or Ruby
# Folders of a repository in which documentation or a website often has its own project.
_BELOW = ("docs", "doc", "documentation", "website", "site", "web", "www", "source", "src", "book")
_BELOW_THAT = ("docs/source", "doc/source", "docs/html", "doc/html", "docs/en", "doc/en")


class Setting(NamedTuple):
    """What one of the settings files says of a key."""

    name: str
    key: str
    answer: Answer


class ProjectCandidate(NamedTuple):
    """A generator's project: its folder, and the file that identifies it.

    `top` is the root of its repository, or else the folder where the search began. `entries` is
    what its settings files say, by name and key.
    """

    generator: Generator
    folder: str
    file: str
    top: str
    entries: dict[str, dict[str, Answer]]

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
        if own.on and next(self._settings([own.on]), None) is None:
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
            names += [PACKAGES, "Gemfile"]
        for name in names:
            if "*" in name:
                continue
            if is_script(name):
                is_named = self._script_names(name, own.plugins)
            else:
                is_named = _row_names(text_of(self.folder, name, self.top), own.plugins)
            if is_named:
                return True
        return False

    def _script_names(self, name: str, plugins: Sequence[str]) -> bool:
        """Whether a script uses a plugin, or has a key for it below `plugins`."""
        keys = tuple(f"plugins.{plugin}" for plugin in plugins)
        if any(key.startswith(keys) for key in self.entries.get(name, {})):
            return True
        return _names_plugin(plugins_in(text_of(self.folder, name, self.top), name), plugins)

    def _settings(self, keys: Sequence[Key]) -> Iterator[Setting]:
        """What the settings files say of the keys, in any letter case, if they set them."""
        if not keys:
            return
        is_address = keys == self.generator.address
        for name, entries in self.entries.items():
            if name in self.generator.data_files and not is_address:
                continue
            folded: dict[str, Answer] = {}
            for key, answer in entries.items():
                folded[key.lower()] = answer
            for key in map(_flat_key, keys):
                found = answer_for(folded, key.lower())
                if found and found.text != "":
                    yield Setting(name, key, found)

    def _first_text(self, key: Key) -> str:
        """The first literal value of a key in the settings files, "" if there is none."""
        for setting in self._settings(self.generator.places_of(key)):
            if setting.answer.text:
                return setting.answer.text
        return ""

    def _origin(self, setting: Setting, cwd: str) -> Origin:
        name, key, answer = setting
        line = answer.line
        if line is None:
            line = line_of(text_of(self.folder, name, self.top), key, answer.text or "")
        return Origin(self.label(cwd, name), line, _shown_key(setting))

    def address(self, site: str, cwd: str) -> Address:
        """What the project's files say of the base URL of a folder of its output."""
        path, problem = self._path(cwd)
        if problem:
            # Any base URL without its path could be that of another site on the same host.
            reason = self._fault(cwd) or problem
            help = self._how_to_set_address(cwd)
            return Address(setting=Place("setting", reason=reason, help=help), path=None)
        part = quote(self.part_of_output(site) or "")
        setting = self._own_address(path, cwd)
        homepage = self._homepage(path, cwd)
        return Address(
            setting=setting._replace(base_url=_base_of_part(setting.base_url, part)),
            homepage=homepage._replace(base_url=_base_of_part(homepage.base_url, part)),
            path=f"{path}/{part}".strip("/"),
        )

    def _unset_address(self, cwd: str) -> str:
        """Says that the settings do not set the address, or that the generator has no key for it.

        Where other settings files are read as well, the first of those contains the address.
        """
        generator = self.generator
        if not generator.has_address:
            return f"{generator.name} has no setting for the address of a site"
        name = self.file
        if generator.more:
            name = generator.more[0]
        elif name == PACKAGES:
            name = generator.settings[0]
        key = ".".join(_shown_name(step) for step in generator.address[0])
        return f"{self.label(cwd, name)} does not set {key}"

    def _fault(self, cwd: str) -> str:
        """Which settings file cannot be read, "" if all can."""
        unclear = [name for name, answers in self.entries.items() if ANYTHING in answers]
        for name in unclear:
            fault = describe_damage(self.folder, name, cwd, self.top)
            if fault:
                return fault
        return describe_damage(self.folder, PACKAGES, cwd, self.top)

    def _path(self, cwd: str) -> tuple[str, str]:
        """The path to append to an address, or why it is not known."""
        for setting in self._settings(self.generator.places_of(self.generator.path)):
            text = setting.answer.text
            if text is None:
                return "", self._not_literal(setting, cwd)
            if text.strip("/"):
                return text.strip("/"), ""
        return "", ""

    def _own_address(self, path: str, cwd: str) -> Place:
        """The first address in the settings that can be one, or why there is none."""
        refused: list[str] = []
        unknown: list[str] = []
        for setting in self._settings(self.generator.address):
            text = setting.answer.text
            if text is None:
                unknown.append(self._not_literal(setting, cwd))
                continue
            origin = self._origin(setting, cwd)
            place = place_that_names(_with_path(text, path), "setting", origin)
            if place.base_url:
                return place
            refused.append(place.reason)
        reason = "; ".join(refused) or self._fault(cwd)
        if not reason:
            reason = unknown[0] if unknown else self._unset_address(cwd)
        return Place("setting", reason=reason, help=self._how_to_set_address(cwd))

    def _how_to_set_address(self, cwd: str) -> str:
        """What to do if the settings still have the address of a new project, "" otherwise.

        The pages contain it, too, so that another base URL alone would contradict them.
        """
        for setting in self._settings(self.generator.address):
            if setting.answer.text and is_placeholder(setting.answer.text):
                place = _shown_place(self._origin(setting, cwd))
                return f"set {_shown_key(setting)} in {place}, and build the site again"
        return ""

    def unknown_output(self, cwd: str) -> str:
        """Why the settings do not tell the folder of the site, "" if they tell it or have none."""
        for setting in self._settings(self.generator.places_of(self.generator.folder)):
            if setting.answer.text:
                return ""
            return self._fault(cwd) or self._not_literal(setting, cwd)
        return ""

    def _not_literal(self, setting: Setting, cwd: str) -> str:
        """Where a setting stands that only code can tell."""
        return (
            f"{_shown_key(setting)} is not a literal at {_shown_place(self._origin(setting, cwd))}"
        )

    def _homepage(self, path: str, cwd: str) -> Place:
        """The base URL by the key of package.json for the home page of a package.

        Or why it cannot be one: it has another path than the settings.
        """
        name, key = PACKAGES, "homepage"
        answer = values(text_of(self.folder, name), name).get(key)
        text = (answer.text if answer else "") or ""
        url, _ = check_base(_with_path(text, path))
        if not answer or not url:  # most name the repository
            return Place(name)
        origin = self._origin(Setting(name, key, answer), cwd)
        is_whole = not urlsplit(text).path.strip("/") or url.rstrip("/") == text.rstrip("/")
        if path and not is_whole:
            reason = f"{origin} is {text}, but the settings have the path /{path}/"
            return Place(name, reason=reason)
        return Place(name, base_url=Detected("base_url", url, origin))

    def style(self, cwd: str) -> Detected | None:
        """`clean`, if the generator or its settings use it."""
        setting = self.generator.clean
        if setting is ALWAYS:
            return Detected("url_style", "clean", Origin(self.label(cwd)))
        if setting is None:
            return None
        for found in self._settings([setting.key]):
            if found.answer.text and setting.is_met(found.answer.text):
                return Detected("url_style", "clean", self._origin(found, cwd))
        return None


def describe_damage(folder: str, name: str, cwd: str, top: str = "") -> str:
    """Says why a project file cannot be read, "" if it can or if there is none."""
    place = relative(os.path.join(folder, name), cwd)
    try:
        fault = find_fault(whole_text_of(folder, name, top), name)
    except OSError as error:
        return f"{place}: {error.strerror}"
    if fault is None:
        return ""
    return f"{Origin(place, fault.line)}: {fault.problem}"


def _base_of_part(base_url: Detected | None, part: str) -> Detected | None:
    """The base URL of a folder of the output: https://example.com/ and `en` → …/en/."""
    if base_url is None or not part:  # the site is the whole output
        return base_url
    return base_url._replace(value=f"{base_url.value}{part}/")


def _with_path(address: str, path: str) -> str:
    """An address with the path below it, if it does not end with it."""
    start = address.rstrip("/")
    if not path or start.endswith(f"/{path}"):
        return address
    return f"{start}/{path}"


def _row_names(text: str, plugins: Sequence[str]) -> bool:
    """Whether a line outside of a comment contains the name of a plugin."""
    for row in text.splitlines():
        is_comment = row.lstrip().startswith(_COMMENT_START)
        if not is_comment and any(plugin in row for plugin in plugins):
            return True
    return False


def _names_plugin(names: Iterable[str], plugins: Sequence[str]) -> bool:
    """Whether one of the names is that of a plugin, perhaps with a scope and a prefix.

    `@docusaurus/preset-classic` and `gatsby-plugin-sitemap` are named by their ends.
    """
    for name in names:
        for plugin in plugins:
            if name == plugin or name.endswith((f"/{plugin}", f"-{plugin}")):
                return True
    return False


def _shown_place(origin: Origin) -> str:
    return f"{origin.source}:{origin.line}" if origin.line else origin.source


def _shown_key(setting: Setting) -> str:
    """The key as a person would name it: the last step in a script."""
    if not is_script(setting.name):
        return setting.key
    return _shown_name(setting.key.rpartition(".")[2])


def _shown_name(step: str) -> str:
    return step.rstrip("[]()")


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


def _entries(names: list[str], folder: str, top: str) -> dict[str, dict[str, Answer]]:
    """What the settings files say by name, and the files that they inherit from (MkDocs' INHERIT).

    Of a file that cannot be read, nothing is certain.
    """
    entries: dict[str, dict[str, Answer]] = {}
    for name in names:
        if name in entries or not os.path.lexists(os.path.join(folder, name)):
            continue
        try:
            entries[name] = values(whole_text_of(folder, name, top), name)
        except OSError:
            entries[name] = {ANYTHING: Answer(None)}
        parent = entries[name].get("INHERIT")
        if parent and parent.text:
            names.append(os.path.normpath(os.path.join(os.path.dirname(name), parent.text)))
    return entries


def _names(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def is_below(path: str, top: str) -> bool:
    """Whether a path is a folder or below it, after links are followed."""
    return is_inside(os.path.realpath(path), os.path.realpath(top))


def is_template(folder: str) -> bool:
    """Whether the index page of a folder, or else its first page, is a template.

    It has front matter, or a statement in its head. The text of a built page may show statements.
    """
    start = _first_page(folder)
    head = start.partition(b"<body")[0]
    return start.startswith(_FRONT_MATTER) or b"{{" in head or b"{%" in head


def has_front_matter(folder: str) -> bool:
    """Whether the index page of a folder, or else its first page, is a source with metadata.

    No built page has them. Jekyll needs no other file than such pages.
    """
    return _first_page(folder).startswith(_FRONT_MATTER)


def _first_page(folder: str) -> bytes:
    """The start of the index page of a folder, or else of its first page."""
    pages = [*INDEXES, *filter(is_page_name, sorted(_names(folder)))]
    starts = (start_of(folder, os.path.join(folder, name), LIMIT) for name in pages)
    return next(filter(None, starts), b"")


def holds_index(folder: str) -> bool:
    """Whether a folder has an index page."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in INDEXES)
