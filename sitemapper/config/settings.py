"""The shape of the configuration: frozen models, one field a key. Loading is in `config`."""

from __future__ import annotations

import os
import re
from datetime import date, datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sitemapper.config.files import relative
from sitemapper.config.names import RECENT
from sitemapper.model import Origin
from sitemapper.syntax.dates import Writer, read
from sitemapper.syntax.gitignore import Line
from sitemapper.syntax.urls import normalise_base

ChangeFreq = Literal["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]
Style = Literal["auto", "directory", "clean", "slash", "file"]
Source = Literal["page", "git", "ledger", "mtime"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _path(text: str) -> str:
    if not text or "\0" in text:
        raise ValueError("must be a path, not an empty text" if not text else "must hold no NUL character")
    return text


def _readable(value: datetime | date | str) -> datetime | date | str:
    read(value, Writer())
    return value


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{name!r} is no time zone; write a name such as UTC or Europe/Berlin") from None
    return name


def _no_repeat(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(value)) != len(value):
        raise ValueError("names one thing twice")
    return value


# What a text must be like, in words.
FORMS = {
    r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.xml$": "a file name that ends in .xml, such as sitemap.xml",
    r"^[a-z][a-z0-9-]*$": "small letters, digits and hyphens, such as blog",
}
_FILE_NAME, _SECTION_NAME = FORMS

PathText = Annotated[str, AfterValidator(_path)]
WrittenDate = Annotated[datetime | date | str, AfterValidator(_readable)]
Priority = Annotated[float, Field(ge=0.0, le=1.0)]
Percent = Annotated[float, Field(ge=0, le=100)]
Texts = Annotated[tuple[str, ...], Field(min_length=1)]
Sources = Annotated[tuple[Source, ...], AfterValidator(_no_repeat)]
Zone = Annotated[str, AfterValidator(_zone)]
BaseUrl = Annotated[str, AfterValidator(normalise_base)]


class Sitemap(_Model):
    """`[sitemap]`: the files that are written."""

    name: Annotated[str, Field(pattern=_FILE_NAME)] = Field(default="sitemap.xml", description="main file")
    text: bool = Field(default=False, description="also write sitemap.txt, one URL a line")
    gzip: Literal["no", "also", "only"] = Field(default="no", description="write .xml.gz files")
    index: Literal["auto", "always"] = Field(default="auto", description="an index for one sitemap too")
    strategy: Literal["sequential", "stable"] = Field(
        default="sequential", description="where sitemaps are cut: when full, or where a URL's hash says so"
    )
    recent: Annotated[int, Field(ge=0, le=50_000)] = Field(
        default=0, description="so many of the newest pages once more, in a sitemap of their own"
    )
    max_urls: Annotated[int, Field(ge=1, le=50_000)] = 50_000
    max_bytes: Annotated[int, Field(ge=1_000, le=52_428_800)] = 52_428_800
    schema_location: bool = Field(default=False, description="name the XML schema in each file")

    @property
    def stem(self) -> str:
        """The name without its extension, from which the names of shards are made."""
        return self.name.removesuffix(".xml")


class Respect(_Model):
    """`[respect]`: what keeps pages out besides patterns and rules."""

    noindex: bool = Field(default=True, description="robots metas, X-Robots-Tag")
    canonical: bool = Field(default=True, description="canonicals that name another page")
    refresh: bool = Field(default=True, description="meta refresh to another page")
    robots: bool = Field(default=True, description="robots.txt")
    host: bool = Field(default=True, description="_redirects and _headers")


class Robots(_Model):
    """`[robots]`: the host's robots.txt."""

    agents: Texts = Field(default=("*",), description="left out is what robots.txt closes to all of these")
    write: bool = Field(default=True, description="add the Sitemap: line to robots.txt")


class Dates(_Model):
    """`[dates]`: how lastmod is written and when it is believed."""

    timezone: Zone = Field(default="UTC", description="zone of written dates")
    date_only: bool = Field(default=False, description="days instead of seconds")
    guard: Literal["warn", "omit", "error"] = Field(
        default="warn", description="when 90 % of 20 or more dates lie within 60 seconds"
    )


class Ledger(_Model):
    """`[ledger]`: the memory of what pages contained."""

    path: PathText = Field(default="sitemapper.ledger", description="the file, beside the configuration")
    drop: tuple[str, ...] = Field(default=(), description="CSS selectors of what never counts as content")


class GitMap(_Model):
    """`[[git.map]]`: from pages to their sources; `{name}` stands for any text."""

    page: Annotated[str, Field(min_length=1)] = Field(description="a template of the site's paths")
    source: Texts = Field(
        description="templates of the files behind such a page, relative to the configuration"
    )


class Git(_Model):
    """`[git]`: dates of commits."""

    date: Literal["author", "committer"] = Field(default="author", description="which of a commit's dates")
    map: tuple[GitMap, ...] = Field(default=(), description="which files a page is made from")


class Rule(_Model):
    """`[[rules]]`: values for the pages that match; later rules win, key by key."""

    match: Texts
    changefreq: ChangeFreq | None = None
    priority: Priority | None = None
    lastmod: WrittenDate | None = Field(default=None, description="a fixed date")
    list: bool | None = Field(default=None, description="false leaves the pages out")


class Section(_Model):
    """`[[sitemaps]]`: a sitemap of its own for the pages that match; the first match wins."""

    name: Annotated[str, Field(pattern=_SECTION_NAME)]
    match: Texts


class ExtraUrl(_Model):
    """`[[urls]]`: a page that is not a file."""

    loc: str
    lastmod: WrittenDate | None = Field(default=None, description="a fixed date")
    changefreq: ChangeFreq | None = None
    priority: Priority | None = None


class Check(_Model):
    """`[check]`: what `sitemapper check` asks for besides."""

    required: tuple[str, ...] = Field(default=(), description="pages that must be listed, such as /pricing/")


class Config(_Model):
    """The configuration file."""

    base_url: BaseUrl = Field(description="absolute URL at which the site's folder is served")
    site: PathText = Field(default=".", description="the built site's folder")
    output: PathText | None = Field(default=None, description="where sitemaps are written; default: the site")
    include: tuple[str, ...] = Field(
        default=("*.html", "*.htm", "*.xhtml"), description="which files are pages, in any case"
    )
    ignore: tuple[str, ...] = Field(default=(), description="what is left out, gitignore syntax")
    url_style: Style = Field(default="directory", description="how the server names a/index.html and b.html")
    host: Literal["auto", "none", "cloudflare", "netlify", "github"] = Field(
        default="auto", description="whose _redirects and _headers rules hold"
    )
    hreflang: bool = Field(default=False, description="xhtml:link alternates from the pages")
    lastmod: Sources = Field(default=("mtime",), description="sources of dates in order of trust")
    extra: tuple[PathText, ...] = Field(
        default=(), description="lists of more URLs: .txt, or .csv with a header"
    )
    session_ids: tuple[str, ...] = Field(
        default=("jsessionid", "phpsessid", "sid", "sessionid"), description="taken off extra URLs"
    )
    strict: bool = Field(default=False, description="exit with 1 when there were warnings")
    max_drop: Percent = Field(default=50, description="percent by which one run may list fewer URLs")
    respect: Respect = Respect()
    sitemap: Sitemap = Sitemap()
    robots: Robots = Robots()
    dates: Dates = Dates()
    ledger: Ledger = Ledger()
    git: Git = Git()
    check: Check = Check()
    rules: tuple[Rule, ...] = Field(default=(), description="values for pages")
    sitemaps: tuple[Section, ...] = Field(default=(), description="sitemaps of their own")
    urls: tuple[ExtraUrl, ...] = Field(default=(), description="pages that are not files")

    @model_validator(mode="after")
    def _names_apart(self) -> Config:
        names = [section.name for section in self.sitemaps]
        for n, name in enumerate(names):
            if name == RECENT and self.sitemap.recent:
                raise ValueError(f"sitemaps[{n}].name: {name!r} is that of the newest pages; choose another")
            overflow = re.fullmatch(r"(.+)-\d+", name)
            if name in names[:n] or (overflow and overflow[1] in names):
                raise ValueError(f"sitemaps[{n}].name: two files would be called {name!r}; choose another")
        return self


class Settings(Config):
    """One run: the configuration, and what only the run knows.

    `site` and `output` are absolute OS paths, `cwd` the folder that labels are relative to, `project`
    that of the configuration file, `jobs` counts processes (0: as many as pay), `scheduler` is that of a
    cluster; `lines` are the ignore patterns in their order; the origins are
    those of `rules` and `urls`.
    """

    lines: tuple[Line, ...] = ()
    rule_origins: tuple[Origin, ...] = ()
    url_origins: tuple[Origin, ...] = ()
    cwd: str = ""
    project: str = ""
    source_date_epoch: int | None = None
    allow_empty: bool = False
    jobs: int = 0
    scheduler: str | None = None

    @property
    def output_dir(self) -> str:
        """Where the files are written."""
        return self.output or self.site

    @property
    def ledger_file(self) -> str | None:
        """Where the ledger lies; None if no dates come from it."""
        return os.path.join(self.project, self.ledger.path) if "ledger" in self.lastmod else None

    def label(self, path: str) -> str:
        """A path as the user would type it."""
        inside = relative(path, self.cwd)
        return path if inside.startswith("..") else inside
