"""The keys of the configuration: the values that each may have, its default and its description.

The text below a key is its description in the docs and in schema.json, which scripts/ write: to
collect such texts would cost each start 12 ms.
"""

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal, TypeVar
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainValidator,
    WithJsonSchema,
)

from ..protocol import MAX_BYTES, MAX_URLS, ChangeFreq
from ..syntax.dates import Writer, read_date
from ..syntax.patterns import check as check_pattern
from ..syntax.urls import normalize_base

# --- Checks of single values: each returns the value, and raises ValueError with a sentence.


def _check_selector(text: str) -> str:
    """Checks a CSS selector, by a search in an empty page."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # few configurations need it

    try:
        LexborHTMLParser("<p>").css(text)
    except SelectolaxError:
        raise ValueError(f"{text!r} is not a CSS selector") from None
    return text


def _check_date(value: Any) -> Any:
    """Checks a date: one of TOML, or a text such as `2026-03-01` or `1 March 2026`."""
    if not isinstance(value, str | date):
        raise ValueError(f"must be a date, not {value!r}; write it as 2026-03-01")
    read_date(value, Writer())  # raises ValueError
    return value


def _check_zone(name: str) -> str:
    """Checks that the system knows a time zone: `Europe/Berlin`."""
    if name == "UTC":
        return name  # a system without time zones has it, too
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        advice = "write a name such as UTC or Europe/Berlin"
        raise ValueError(f"{name!r} is not a time zone; {advice}") from None
    return name


def _check_sources(sources: tuple[str, ...]) -> tuple[str, ...]:
    """Checks the list of `lastmod`, in which `auto` can only stand alone."""
    if "auto" in sources and len(sources) > 1:
        advice = 'write lastmod = "auto", or list the sources in order'
        raise ValueError(f"auto cannot be combined with other sources; {advice}")
    return sources


def _as_list(value: Any) -> Any:
    """Allows `ignore = "drafts/"` for `ignore = ["drafts/"]`."""
    return [value] if isinstance(value, str) else value


# --- Types of values

FILE_NAME = r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.xml$"
SECTION_NAME = r"^[a-z][a-z0-9-]*$"
KEY = r"^([A-Za-z0-9-]{8,128})?$"  # IndexNow
URL = r"^https?://[!-~]+$"

_Item = TypeVar("_Item")
Several = Annotated[tuple[_Item, ...], BeforeValidator(_as_list)]
Pattern = Annotated[str, AfterValidator(check_pattern)]
PathText = Annotated[str, Field(min_length=1)]
Date = Annotated[
    datetime | date | str, PlainValidator(_check_date), WithJsonSchema({"type": "string"})
]
Priority = Annotated[float, Field(ge=0, le=1)]


class _Table(BaseModel):
    # Only Settings validates: building a validator for each table would cost each start 10 ms.
    model_config = {"frozen": True, "extra": "forbid", "defer_build": True}


class Respect(_Table):
    """Which signals exclude pages."""

    noindex: bool = True
    """Leave out pages with a noindex tag or header."""
    canonical: bool = True
    """Leave out pages whose canonical names another page."""
    refresh: bool = True
    """Leave out pages that redirect by meta refresh."""
    robots: bool = True
    """Leave out pages that robots.txt disallows."""


class Sitemap(_Table):
    """The files to write."""

    name: str = Field("sitemap.xml", pattern=FILE_NAME)
    """Name of the main file, from which the others derive. If it is not set, a sitemap that is
    there keeps its name."""
    text: bool = False
    """Also write `sitemap.txt`, with one URL per line."""
    gzip: Literal["no", "also", "only"] = "no"
    """Which files to compress. `also` writes a `.xml.gz` beside each file; `only` compresses all
    but the index."""
    index: Literal["auto", "always"] = "auto"
    """`always` writes an index even for a single sitemap."""
    strategy: Literal["sequential", "stable"] = "sequential"
    """Where to split: when a sitemap is full, or at URLs chosen by their hash."""
    max_urls: int = Field(MAX_URLS, ge=1, le=MAX_URLS)
    """URLs per file. The default is the protocol's limit."""
    max_bytes: int = Field(MAX_BYTES, ge=1_000, le=MAX_BYTES)
    """Uncompressed bytes per file. The default is the protocol's limit."""
    schema_location: bool = False
    """Name the XML schema in each file."""
    others: Several[PathText] = ()
    """Sitemaps of other tools to list in the index: paths in the output, or URLs."""


class Robots(_Table):
    """The host's robots.txt."""

    write: bool = True
    """Add the `Sitemap:` line to robots.txt."""


class Dates(_Table):
    """The format of dates."""

    timezone: Annotated[str, AfterValidator(_check_zone)] = "UTC"
    """Time zone of the dates in the sitemap."""
    date_only: bool = False
    """Write the day without the time."""


class Ledger(_Table):
    """How changes of content are tracked."""

    path: PathText = "sitemapper.ledger"
    """The file that records when the content of each page changed. If it is not set, only a file
    that is there counts."""
    drop: Several[Annotated[str, AfterValidator(_check_selector)]] = ()
    """CSS selectors of elements that never count as content."""


class GitMap(_Table):
    """The source files of pages."""

    page: PathText
    """Template of a page's path, such as `{path}/index.html`. `{name}` stands for any text."""
    source: Several[str]
    """Templates of the files that the page is built from, relative to the configuration file. `[]`
    for a page without a source, such as a list of other pages."""


class Git(_Table):
    """Dates from commits."""

    map: Several[GitMap] = ()
    """Which files a page is built from."""


class Check(_Table):
    """What must be in the sitemap."""

    required: Several[str] = ()
    """URLs that must be listed, such as `/pricing/`."""


class Submit(_Table):
    """How `sitemapper submit` notifies search engines."""

    key: str = Field("", pattern=KEY)
    """IndexNow key, which `build` publishes as `KEY.txt`. Made by `sitemapper init --indexnow`."""
    endpoint: str = Field("https://api.indexnow.org/indexnow", pattern=URL)
    """The search engine to notify, which notifies the others."""


class Rule(_Table):
    """Values for matching pages. For each key, the last rule that sets it wins."""

    match: Annotated[Several[Pattern], Field(min_length=1)]
    """Patterns of pages, in gitignore syntax."""
    changefreq: ChangeFreq | None = None
    """How often the pages change."""
    priority: Priority | None = None
    """Priority of the pages within the site."""
    lastmod: Date | None = None
    """A fixed date for the pages."""
    list: bool | None = None
    """`false` leaves the pages out."""


class Section(_Table):
    """A separate sitemap for matching pages. The first match wins."""

    name: str = Field(pattern=SECTION_NAME)
    """Name of the sitemap: `blog` gives `sitemap-blog.xml`."""
    match: Annotated[Several[Pattern], Field(min_length=1)]
    """Patterns of pages, in gitignore syntax."""


def _check_names(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    """Checks that no two sections would write a file of the same name.

    The second file of a large section `blog` is sitemap-blog-2.xml, so that no other section can be
    named `blog-2`.
    """
    names = [section.name for section in sections]
    for name in names:
        numbered = re.fullmatch(r"(.+)-\d+", name)
        is_like_part = numbered is not None and numbered[1] in names
        if is_like_part or names.count(name) > 1:
            raise ValueError(f"another sitemap would also be named {name!r}; choose another name")
    return sections


class ExtraUrl(_Table):
    """A page that is not a file of the site."""

    loc: str
    """The absolute URL, below `base_url`."""
    lastmod: Date | None = None
    """Date of the last change."""
    changefreq: ChangeFreq | None = None
    """How often the page changes."""
    priority: Priority | None = None
    """Priority of the page within the site."""


class Settings(_Table):
    """The configuration file. A key that nobody wrote, and whose value is found, is None."""

    base_url: Annotated[str, AfterValidator(normalize_base)] | None = None
    """The absolute URL at which the site's folder is served."""
    site: PathText | None = None
    """Folder of the built site. Default: the one that is found."""
    output: PathText | None = None
    """Folder in which to write the sitemaps. Default: the site."""
    include: Several[Pattern] = ()
    """Files to list besides `*.html`, `*.htm` and `*.xhtml`. `!*.html` removes one of these
    defaults."""
    ignore: Several[Pattern] = ()
    """Files to leave out, in gitignore syntax."""
    url_style: Literal["auto", "directory", "clean", "slash", "bare", "file"] = "auto"
    """How the server names `a/index.html` and `b.html`."""
    host: Literal[
        "auto", "none", "cloudflare", "firebase", "github", "gitlab", "netlify", "vercel"
    ] = "auto"
    """The host whose redirects and headers apply."""
    lastmod: Annotated[
        Several[Literal["auto", "page", "published", "front_matter", "git", "ledger", "mtime"]],
        AfterValidator(_check_sources),
    ] = ("auto",)
    """Sources of dates, in order of trust. `auto`: `ledger`, if there is one; then, in a git
    repository, `published`, `front_matter` and `git`; then `mtime`."""
    hreflang: bool = False
    """Write `xhtml:link` alternates from the `hreflang` links of the pages."""
    images: bool = False
    """List the images in the main content of each page."""
    previous: PathText = "output"
    """The earlier sitemap, to compare with: `output` (in the output folder), `live` (at
    `base_url`), `none`, a file or a URL."""
    max_drop: float = Field(50, ge=0, le=100)
    """How many percent of the earlier sitemap's URLs, or of their dates, a run may lose."""
    strict: bool = False
    """Exit with 1 if there are warnings."""
    respect: Respect = Respect.model_construct()
    sitemap: Sitemap = Sitemap.model_construct()
    robots: Robots = Robots.model_construct()
    dates: Dates = Dates.model_construct()
    ledger: Ledger = Ledger.model_construct()
    git: Git = Git.model_construct()
    check: Check = Check.model_construct()
    submit: Submit = Submit.model_construct()
    rules: Several[Rule] = ()
    """Values for pages."""
    sitemaps: Annotated[Several[Section], AfterValidator(_check_names)] = ()
    """Separate sitemaps for some pages."""
    urls: Several[ExtraUrl] = ()
    """Pages that are not files."""
