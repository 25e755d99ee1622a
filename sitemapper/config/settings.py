"""The shape of the configuration: frozen models with one field for each key."""

from __future__ import annotations

import os
import re
from datetime import date, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from ..errors import with_help
from ..fs import relative
from ..model import Detected, Origin, SourceFiles
from ..protocol import MAX_BYTES, MAX_URLS, ChangeFreq
from ..syntax.dates import Writer, read
from ..syntax.gitignore import Line, compile_line
from ..syntax.html_files import PAGE_ENDINGS
from ..syntax.templates import compile_map
from ..syntax.urls import SESSION_IDS, normalise_base, resolve
from .choices import Gzip, HostName, Index, Source, Style
from .filenames import RECENT, is_own_name


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _path(text: str) -> str:
    if not text or "\0" in text:
        raise ValueError("must not be empty" if not text else "must not contain a NUL character")
    return text


def check_pattern(text: str) -> str:
    """The text, if it is a gitignore pattern. Raises ValueError."""
    try:
        compile_line(Line(text, Origin("")))
    except ValueError:
        help = "remove the NUL character" if "\0" in text else "remove the backslash at its end"
        raise ValueError(with_help(f"{text!r} is not a gitignore pattern", help)) from None
    return text


def _selector(text: str) -> str:
    # Imported here: few configurations need the parser.
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("<p>").css(text)
    except SelectolaxError:
        raise ValueError(f"{text!r} is not a CSS selector") from None
    return text


def _readable(value: datetime | date | str) -> datetime | date | str:
    read(value, Writer())
    return value


def _zone(name: str) -> str:
    if name == "UTC":
        return name
    # Imported here: it costs some 5 ms, and most sites write UTC.
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        help = "write a name such as UTC or Europe/Berlin"
        raise ValueError(with_help(f"{name!r} is not a time zone", help)) from None
    return name


def _no_repeat(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(value)) != len(value):
        raise ValueError("lists the same value twice")
    return value


def _auto_alone(value: tuple[str, ...]) -> tuple[str, ...]:
    if "auto" in value and len(value) > 1:
        raise ValueError(
            with_help("auto stands alone", 'write lastmod = "auto", or name the sources in order')
        )
    return value


# What a string must be, in words, and an example.
FORMS = {
    r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.xml$": ("a file name that ends in .xml", "sitemap.xml"),
    r"^[a-z][a-z0-9-]*$": ("lower-case letters, digits and hyphens", "blog"),
    r"^([A-Za-z0-9-]{8,128})?$": ("8 to 128 letters, digits and hyphens", "3f0c9a51e7d24b86a1c05d7e92f8b643"),
    r"^https?://[!-~]+$": ("an absolute http or https URL", "https://api.indexnow.org/indexnow"),
    r"^(https?://[!-~]+)?$": ("an absolute http or https URL", "https://example.com/key.txt"),
}
_FILE_NAME, _SECTION_NAME, _KEY, _URL, _URL_OR_NONE = FORMS

PathText = Annotated[str, AfterValidator(_path)]
WrittenDate = Annotated[datetime | date | str, AfterValidator(_readable)]
Priority = Annotated[float, Field(ge=0.0, le=1.0)]
Percent = Annotated[float, Field(ge=0, le=100)]
Texts = Annotated[tuple[str, ...], Field(min_length=1)]
Pattern = Annotated[str, AfterValidator(check_pattern)]
Patterns = Annotated[tuple[Pattern, ...], Field(min_length=1)]
Selector = Annotated[str, AfterValidator(_selector)]
Sources = Annotated[
    tuple[Source, ...],
    BeforeValidator(lambda value: (value,) if value == "auto" else value),
    AfterValidator(_no_repeat),
    AfterValidator(_auto_alone),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": ["auto"]},
                {"type": "array", "items": {"enum": [name for name in get_args(Source) if name != "auto"]}},
            ]
        }
    ),
]
Zone = Annotated[str, AfterValidator(_zone)]
BaseUrl = Annotated[str, AfterValidator(normalise_base)]


class Sitemap(_Model):
    """`[sitemap]`: the files to write."""

    name: Annotated[str, Field(pattern=_FILE_NAME)] = Field(
        default="sitemap.xml", description="Name of the main file. The other names derive from it."
    )
    text: bool = Field(default=False, description="Also write `sitemap.txt`, with one URL a line.")
    gzip: Gzip = Field(
        default="no",
        description="Which files to compress. `also` writes a `.xml.gz` beside each file; "
        "`only` compresses all but the index.",
    )
    index: Index = Field(default="auto", description="`always` writes an index even for a single sitemap.")
    strategy: Literal["sequential", "stable"] = Field(
        default="sequential",
        description="Where to split: when a sitemap is full, or where the hash of a URL says so.",
    )
    recent: Annotated[int, Field(ge=0, le=MAX_URLS)] = Field(
        default=0, description="Repeat this many of the newest pages in `sitemap-recent.xml`."
    )
    max_urls: Annotated[int, Field(ge=1, le=MAX_URLS)] = Field(
        default=MAX_URLS, description="URLs per file. The default is the protocol's limit."
    )
    max_bytes: Annotated[int, Field(ge=1_000, le=MAX_BYTES)] = Field(
        default=MAX_BYTES, description="Uncompressed bytes per file. The default is the protocol's limit."
    )
    schema_location: bool = Field(default=False, description="Name the XML schema in each file.")
    view: bool = Field(default=False, description="Let browsers show files of up to 5,000 URLs as a table.")
    others: tuple[PathText, ...] = Field(
        default=(), description="Sitemaps of other tools to name in the index: paths in the output, or URLs."
    )

    @property
    def stem(self) -> str:
        """The name without its extension, with which all names begin."""
        return self.name.removesuffix(".xml")


class Respect(_Model):
    """`[respect]`: which signals exclude pages."""

    noindex: bool = Field(default=True, description="Leave out pages with a noindex tag or header.")
    canonical: bool = Field(default=True, description="Leave out pages whose canonical names another page.")
    refresh: bool = Field(default=True, description="Leave out pages that redirect by meta refresh.")
    not_a_page: bool = Field(default=True, description="Leave out app shells and fragments of pages.")
    robots: bool = Field(default=True, description="Leave out what robots.txt disallows.")


class Robots(_Model):
    """`[robots]`: the host's robots.txt."""

    agents: Texts = Field(
        default=("*",), description="User agents. A page is left out if it is disallowed for all of them."
    )
    write: bool = Field(default=True, description="Add the `Sitemap:` line to robots.txt.")


class Dates(_Model):
    """`[dates]`: how to write lastmod, and when to distrust it."""

    timezone: Zone = Field(default="UTC", description="Time zone of the dates in the sitemap.")
    date_only: bool = Field(default=False, description="Write the day without the time.")
    guard: Literal["warn", "omit"] = Field(
        default="omit",
        description="What to do if 90 % of the file times lie within 60 seconds, so that a build wrote them.",
    )


class Ledger(_Model):
    """`[ledger]`: the file that remembers the content of pages and when it changed."""

    path: PathText = Field(
        default="sitemapper.ledger",
        description="The file that remembers when the content of each page changed.",
    )
    drop: tuple[Selector, ...] = Field(
        default=(), description="CSS selectors of elements that never count as content."
    )
    live: bool = Field(
        default=False,
        description="Publish the ledger, and read it from `base_url` where there is no local one.",
    )


class GitMap(_Model):
    """`[[git.map]]`: from pages to their sources; `{name}` stands for any text."""

    page: Annotated[str, Field(min_length=1)] = Field(
        description="Template of a page's path. `{name}` stands for any text.", examples=["{path}/index.html"]
    )
    source: tuple[str, ...] = Field(
        description="Templates of the files that the page is built from, relative to the configuration file; "
        "`[]` for a list of other pages, which no file alone makes.",
        examples=[["content/{path}.md", "content/{path}/index.md"]],
    )

    @model_validator(mode="after")
    def _compiles(self) -> GitMap:
        compile_map(self.page, self.source)
        return self


class Git(_Model):
    """`[git]`: dates from commits."""

    date: Literal["author", "committer"] = Field(
        default="author", description="Which date of a commit to use."
    )
    map: tuple[GitMap, ...] = Field(default=(), description="Which files a page is built from.")


class RuleConfig(_Model):
    """`[[rules]]`: values for matching pages. For each key, the last rule that sets it wins."""

    match: Patterns = Field(description="Patterns of pages, in gitignore syntax.", examples=[["blog/"]])
    changefreq: ChangeFreq | None = Field(
        default=None, description="How often the pages change.", examples=["weekly"]
    )
    priority: Priority | None = Field(
        default=None, description="Priority of the pages within the site.", examples=[0.8]
    )
    lastmod: WrittenDate | None = Field(
        default=None, description="A fixed date for the pages.", examples=["2026-03-01"]
    )
    list: bool | None = Field(default=None, description="`false` leaves the pages out.", examples=[True])


class Section(_Model):
    """`[[sitemaps]]`: a separate sitemap for matching pages. The first match wins."""

    name: Annotated[str, Field(pattern=_SECTION_NAME)] = Field(
        description="Name of the sitemap: `blog` gives `sitemap-blog.xml`.", examples=["blog"]
    )
    match: Patterns = Field(description="Patterns of pages, in gitignore syntax.", examples=[["blog/"]])


class ExtraUrl(_Model):
    """`[[urls]]`: a page that is not a file of the site."""

    loc: str = Field(description="The absolute URL, below `base_url`.", examples=["https://example.com/app/"])
    lastmod: WrittenDate | None = Field(
        default=None, description="Date of the last change.", examples=["2026-03-01"]
    )
    changefreq: ChangeFreq | None = Field(
        default=None, description="How often the page changes.", examples=["weekly"]
    )
    priority: Priority | None = Field(
        default=None, description="Priority of the page within the site.", examples=[0.8]
    )


class Check(_Model):
    """`[check]`: what else `sitemapper check` requires."""

    required: tuple[str, ...] = Field(
        default=(), description="URLs that must be listed, such as `/pricing/`."
    )


class Submit(_Model):
    """`[submit]`: how `sitemapper submit` tells search engines what changed."""

    key: Annotated[str, Field(pattern=_KEY)] = Field(
        default="", description="IndexNow key. `sitemapper init --indexnow` makes one."
    )
    key_location: Annotated[str, Field(pattern=_URL_OR_NONE)] = Field(
        default="",
        description="URL of the key's file. Default: `KEY.txt` at `base_url`, which `build` publishes.",
    )
    endpoint: Annotated[str, Field(pattern=_URL)] = Field(
        default="https://api.indexnow.org/indexnow",
        description="The search engine to tell. It tells the others.",
    )
    ping: tuple[Annotated[str, Field(pattern=_URL)], ...] = Field(
        default=(), description="Addresses to request, with the sitemap's URL appended."
    )


class Config(_Model):
    """The configuration file."""

    base_url: BaseUrl = Field(
        description="The absolute URL at which the site's folder is served.",
        examples=["https://example.com/"],
    )
    site: PathText = Field(default=".", description="Folder of the built site.", examples=["public"])
    output: PathText | None = Field(
        default=None,
        description="Folder in which to write the sitemaps. Default: the site.",
        examples=["public"],
    )
    include: tuple[Pattern, ...] = Field(
        default=tuple(f"*{ending}" for ending in PAGE_ENDINGS),
        description="Files to list, in any letter case.",
    )
    ignore: tuple[Pattern, ...] = Field(default=(), description="Files to leave out, in gitignore syntax.")
    url_style: Style = Field(
        default="directory", description="How the server names `a/index.html` and `b.html`."
    )
    host: HostName = Field(default="auto", description="The host whose redirects and headers apply.")
    hreflang: bool = Field(
        default=False, description="Write `xhtml:link` alternates from the `hreflang` links of the pages."
    )
    images: bool = Field(default=False, description="List the images in the main content of each page.")
    lastmod: Sources = Field(
        default=("auto",),
        description="Sources of dates, in order of trust. "
        "`auto`: `git` in a repository, `ledger` if there is one, `mtime`.",
        json_schema_extra={"default": "auto"},
    )
    extra: tuple[PathText, ...] = Field(
        default=(), description="Files with more URLs: `.txt`, or `.csv` with a header."
    )
    session_ids: tuple[str, ...] = Field(
        default=SESSION_IDS, description="Parameters to remove from extra URLs."
    )
    strict: bool = Field(default=False, description="Exit with 1 if there are warnings.")
    max_drop: Percent = Field(
        default=50, description="Percentage by which one run may shrink the published sitemap."
    )
    respect: Respect = Respect()
    sitemap: Sitemap = Sitemap()
    robots: Robots = Robots()
    dates: Dates = Dates()
    ledger: Ledger = Ledger()
    git: Git = Git()
    check: Check = Check()
    submit: Submit = Submit()
    severities: dict[str, Literal["error", "warning", "off"]] = Field(
        default={},
        alias="validate",  # which pydantic's models have as a method
        description='Severities of rules, such as `SM208 = "error"`: `error`, `warning` or `off`.',
        examples=[{"SM208": "error"}],
    )
    rules: tuple[RuleConfig, ...] = Field(default=(), description="Values for pages.")
    sitemaps: tuple[Section, ...] = Field(default=(), description="Separate sitemaps for some pages.")
    urls: tuple[ExtraUrl, ...] = Field(default=(), description="Pages that are not files.")

    @model_validator(mode="after")
    def _every_file_has_its_own_name(self) -> Config:
        names = {section.name: n for n, section in reversed(tuple(enumerate(self.sitemaps)))}
        for n, section in enumerate(self.sitemaps):
            overflow = re.fullmatch(r"(.+)-\d+", section.name)
            taken = names[section.name] < n or (overflow and overflow[1] in names)
            if taken or (section.name == RECENT and self.sitemap.recent):
                what = f"sitemaps[{n}].name: another sitemap would also be named {section.name!r}"
                raise ValueError(with_help(what, "choose another name"))
        folder, name = os.path.split(self.ledger.path)
        taken = name == "robots.txt" or is_own_name(name, self.sitemap.stem, ())
        if taken and folder in (self.output, self.site):
            what = f"ledger.path: {name} is also the name of another file that is written there"
            raise ValueError(with_help(what, "choose another name"))
        return self

    @model_validator(mode="after")
    def _keys_agree(self) -> Config:
        if self.ledger.live and self.lastmod not in (("auto",), ()) and "ledger" not in self.lastmod:
            what = "ledger.live: the ledger is not a source of dates"
            raise ValueError(with_help(what, 'write lastmod = ["ledger", "mtime"]'))
        covered = self.submit.key_location.rpartition("/")[0].partition("://")[2] + "/"
        if self.submit.key_location and not self.base_url.partition("://")[2].startswith(covered):
            what = f"submit.key_location: a key in {covered} does not cover {self.base_url}"
            raise ValueError(with_help(what, "put the key's file at base_url or above it"))
        for n, other in enumerate(self.sitemap.others):
            url = resolve(other, self.base_url) or ""
            if not url.startswith(self.base_url):
                what = f"sitemap.others[{n}]: {other} is not below {self.base_url}"
                help = "an index may name only sitemaps of its own host, at or below its own folder"
                raise ValueError(with_help(what, f"{help}; name others in robots.txt"))
            if is_own_name(
                url.removeprefix(self.base_url), self.sitemap.stem, [s.name for s in self.sitemaps]
            ):
                what = f"sitemap.others[{n}]: {other} is a name of this sitemap's own files"
                raise ValueError(with_help(what, "change [sitemap] name, or remove it from the list"))
        return self


class Settings(Config):
    """One run: the configuration, and what is only known at run time.

    `site` and `output` are absolute OS paths, `project` is the folder of the configuration file or of the
    generator's, and displayed paths are relative to `cwd`. `detected` is what the project tells.
    `ignore_lines` are the ignore patterns in order. The origins are those of `rules`, `sitemaps`,
    `[ledger] drop` and `urls`. `source_files` are those that a generator names. `jobs` is the number of
    processes (0: auto), `scheduler` the address of a cluster. `proxies` maps http, https, all and no to
    the values of the environment. `replace` takes over sitemaps of other tools. `no_live` keeps a run
    from reading the live ledger, `live_ledger_path` is the copy of it.
    """

    ignore_lines: tuple[Line, ...] = ()
    read_from: tuple[tuple[str, bytes], ...] = ()
    rule_origins: tuple[Origin, ...] = ()
    section_origins: tuple[Origin, ...] = ()
    drop_origins: tuple[Origin, ...] = ()
    url_origins: tuple[Origin, ...] = ()
    detected: tuple[Detected, ...] = ()
    cwd: str = ""
    project: str = ""
    date_sources: tuple[str, ...] = ("mtime",)
    source_date_epoch: int | None = None
    source_files: SourceFiles | None = None
    allow_empty: bool = False
    replace: bool = False
    jobs: int = 0
    scheduler: str | None = None
    proxies: dict[str, str] = {}
    no_live: bool = False
    live_ledger_path: str | None = None

    @property
    def output_dir(self) -> str:
        """The folder for the sitemaps."""
        return self.output or self.site

    @property
    def is_auto_dated(self) -> bool:
        """Whether nobody chose the sources of dates."""
        return self.lastmod == ("auto",)

    @property
    def ledger_file(self) -> str | None:
        """The path of the ledger; None if it is not a source of dates."""
        return os.path.join(self.project, self.ledger.path) if "ledger" in self.date_sources else None

    @property
    def ledger_to_read(self) -> str | None:
        """The ledger to read: that of the live site, where it was fetched."""
        return self.live_ledger_path or self.ledger_file

    @property
    def live_name(self) -> str:
        """The file that publishes the ledger."""
        return f"{self.sitemap.stem}-ledger.txt"

    @property
    def key_location(self) -> str:
        """The URL of the file that holds the IndexNow key."""
        return self.submit.key_location or f"{self.base_url}{self.submit.key}.txt"

    def display_path(self, path: str) -> str:
        """A path as a user would type it; of the copy of the live ledger, its URL."""
        if path == self.live_ledger_path:
            return self.base_url + self.live_name
        inside = relative(path, self.cwd)
        return path if inside.startswith("..") else inside
