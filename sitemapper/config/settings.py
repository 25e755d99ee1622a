"""The configuration as frozen models: a field for each key, with the values that it may have."""

from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo

from ..errors import with_help
from ..model import Origin
from ..protocol import MAX_BYTES, MAX_URLS, ChangeFreq
from ..syntax.dates import Writer, read
from ..syntax.gitignore import LIMIT, Line, compile_line
from ..syntax.urls import folder_of_file, normalise_base
from .choices import Gzip, HostName, Index, Source, Style


def _check_path(text: str) -> str:
    """Returns the path unchanged. Raises ValueError for "" and for a NUL character in it."""
    if not text:
        raise ValueError("must not be empty")
    if "\0" in text:
        raise ValueError("must not contain a NUL character")
    return text


def _check_previous(text: str) -> str:
    """Returns the value of `previous` unchanged: a word such as `live`, a file, or a web URL.

    Raises ValueError for a URL such as `ftp://a.example/`.
    """
    if "://" not in text:
        return text
    try:
        parts = urlsplit(text)
        is_web_url = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web_url = False
    if not is_web_url:
        help = "write output, live, none, a file, or a URL such as https://example.com/sitemap.xml"
        raise ValueError(with_help(f"{text!r} is not an http or https URL", help))
    return text


def _check_pattern(text: str) -> str:
    """Returns the gitignore pattern unchanged. Raises ValueError for a faulty one, with what to do.

    | faulty pattern | help |
    |---|---|
    | is longer than `LIMIT`, and is no comment | write several shorter patterns |
    | contains a NUL character | remove the NUL character |
    | `a\\`, which ends with a backslash | remove the backslash at its end, which … |
    """
    if "\\" not in text and "\0" not in text and len(text) <= LIMIT:
        return text  # certainly right, as most patterns are
    try:
        compile_line(Line(text, Origin("")))
    except ValueError:
        problem = f"{text!r} is not a gitignore pattern"
        if len(text) > LIMIT:
            problem = f"{text[:20]!r}… is longer than {LIMIT:,} characters"
            help = "write several shorter patterns"
        elif "\0" in text:
            help = "remove the NUL character"
        else:
            help = "remove the backslash at its end, which escapes nothing"
        raise ValueError(with_help(problem, help)) from None
    return text


def _check_selector(text: str) -> str:
    """Returns the CSS selector, such as `.ad > p`, unchanged. Raises ValueError for others."""
    # Imported here: few configurations need the parser.
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("<p>").css(text)
    except SelectolaxError:
        raise ValueError(f"{text!r} is not a CSS selector") from None
    return text


def _check_date(value: datetime | date | str) -> datetime | date | str:
    """Returns the date unchanged. Raises ValueError for a text such as `soon`."""
    read(value, Writer())
    return value


def _check_zone(name: str) -> str:
    """Returns the name of a time zone, such as `Europe/Berlin`, unchanged.

    Raises ValueError if the system has no time zone of this name.
    """
    if name == "UTC":
        return name  # a system without time zones has it, too
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        help = "write a name such as UTC or Europe/Berlin"
        raise ValueError(with_help(f"{name!r} is not a time zone", help)) from None
    return name


def _normalise_base_url(text: str) -> str:
    """Returns the base URL in its normal form: `https://A.example` → `https://a.example/`.

    Raises ValueError for a text that is no absolute URL, or the URL of a file.
    """
    base = normalise_base(text)
    folder = folder_of_file(base)
    if folder:
        raise ValueError(with_help(f"{text!r} is the URL of a file", f"did you mean {folder}?"))
    return base


def _check_sources(value: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the sources of dates unchanged.

    Raises ValueError for a source that is listed twice, and for `auto` beside others.
    """
    if len(set(value)) != len(value):
        raise ValueError("lists the same value twice")
    if "auto" in value and len(value) > 1:
        what = "auto cannot be combined with other sources"
        raise ValueError(with_help(what, 'write lastmod = "auto", or list the sources in order'))
    return value


FILE_NAME = r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.xml$"
SECTION_NAME = r"^[a-z][a-z0-9-]*$"
KEY = r"^([A-Za-z0-9-]{8,128})?$"
URL = r"^https?://[!-~]+$"
# What messages call the texts that match a pattern, and an example of one.
PATTERNS = {
    FILE_NAME: ("a file name that ends in .xml", "sitemap.xml"),
    SECTION_NAME: ("lower-case letters, digits and hyphens", "blog"),
    KEY: ("8 to 128 letters, digits and hyphens", "3f0c9a51e7d24b86a1c05d7e92f8b643"),
    URL: ("an absolute http or https URL", "https://api.indexnow.org/indexnow"),
}

PathText = Annotated[str, AfterValidator(_check_path)]
PreviousText = Annotated[str, AfterValidator(_check_path), AfterValidator(_check_previous)]
WrittenDate = Annotated[datetime | date | str, AfterValidator(_check_date)]
Priority = Annotated[float, Field(ge=0.0, le=1.0)]
Pattern = Annotated[str, AfterValidator(_check_pattern)]
WebUrl = Annotated[str, Field(pattern=URL)]
Patterns = Annotated[tuple[Pattern, ...], Field(min_length=1)]
Selector = Annotated[str, AfterValidator(_check_selector)]
_SOURCES_SCHEMA = {
    "type": "array",
    "items": {"enum": [name for name in get_args(Source) if name != "auto"]},
}
Sources = Annotated[
    tuple[Source, ...],
    BeforeValidator(lambda value: (value,) if value == "auto" else value),
    AfterValidator(_check_sources),
    WithJsonSchema({"anyOf": [{"type": "string", "enum": ["auto"]}, _SOURCES_SCHEMA]}),
]
Zone = Annotated[str, AfterValidator(_check_zone)]
BaseUrl = Annotated[str, AfterValidator(_normalise_base_url)]


def setting(default: Any, description: str, **more: Any) -> Any:
    """Makes the field of a key, with its text in the docs. `...` as its default means none."""
    return Field(default, description=description, **more)


class _Model(BaseModel):
    # Only Settings validates: building a validator for each table would take a hundredth of a small
    # run.
    model_config = {"frozen": True, "extra": "forbid", "strict": True, "defer_build": True}


class Sitemap(_Model):
    """`[sitemap]`: the files to write."""

    name: str = setting(
        "sitemap.xml", "Name of the main file. The other names derive from it.", pattern=FILE_NAME
    )
    text: bool = setting(False, "Also write `sitemap.txt`, with one URL per line.")
    gzip: Gzip = setting(
        "no",
        "Which files to compress. `also` writes a `.xml.gz` beside each file; "
        "`only` compresses all but the index.",
    )
    index: Index = setting("auto", "`always` writes an index even for a single sitemap.")
    strategy: Literal["sequential", "stable"] = setting(
        "sequential", "Where to split: when a sitemap is full, or at URLs chosen by their hash."
    )
    max_urls: int = setting(
        MAX_URLS, "URLs per file. The default is the protocol's limit.", ge=1, le=MAX_URLS
    )
    max_bytes: int = setting(
        MAX_BYTES,
        "Uncompressed bytes per file. The default is the protocol's limit.",
        ge=1_000,
        le=MAX_BYTES,
    )
    schema_location: bool = setting(
        False, "Name the XML schema in each file, and omit dates that it does not allow: `2026-05`."
    )
    others: tuple[PathText, ...] = setting(
        (), "Sitemaps of other tools to list in the index: paths in the output, or URLs."
    )

    @property
    def stem(self) -> str:
        """Returns the name without its extension: `sitemap`. All names of files begin with it."""
        return self.name.removesuffix(".xml")


class Respect(_Model):
    """`[respect]`: which signals exclude pages."""

    noindex: bool = setting(True, "Leave out pages with a noindex tag or header.")
    canonical: bool = setting(True, "Leave out pages whose canonical names another page.")
    refresh: bool = setting(True, "Leave out pages that redirect by meta refresh.")
    robots: bool = setting(True, "Leave out pages that robots.txt disallows.")


class Robots(_Model):
    """`[robots]`: the host's robots.txt."""

    write: bool = setting(True, "Add the `Sitemap:` line to robots.txt.")


class Dates(_Model):
    """`[dates]`: the format of dates."""

    timezone: Zone = setting("UTC", "Time zone of the dates in the sitemap.")
    date_only: bool = setting(False, "Write the day without the time.")


class Ledger(_Model):
    """`[ledger]`: how changes of content are tracked."""

    path: PathText = setting(
        "sitemapper.ledger",
        "The file that records when the content of each page changed. In the output folder, it is "
        'published, and `previous = "live"` reads it from the live site.',
    )
    drop: tuple[Selector, ...] = setting(
        (), "CSS selectors of elements that never count as content."
    )


class GitMap(_Model):
    """`[[git.map]]`: the source files of pages."""

    page: str = setting(
        ...,
        "Template of a page's path. `{name}` stands for any text.",
        examples=["{path}/index.html"],
        min_length=1,
    )
    source: tuple[str, ...] = setting(
        ...,
        "Templates of the files that the page is built from, relative to the configuration file. "
        "`[]` for a page without a source, such as a list of other pages.",
        examples=[["content/{path}.md", "content/{path}/index.md"]],
    )

    @model_validator(mode="after")
    def _check_templates(self) -> Self:
        """Raises ValueError if one of the templates cannot be read."""
        # Imported here: few configurations have templates.
        from ..syntax.templates import compile_map

        compile_map(self.page, self.source)
        return self


class Git(_Model):
    """`[git]`: dates from commits."""

    map: tuple[GitMap, ...] = setting((), "Which files a page is built from.")


class RuleConfig(_Model):
    """`[[rules]]`: values for matching pages. For each key, the last rule that sets it wins."""

    match: Patterns = setting(..., "Patterns of pages, in gitignore syntax.", examples=[["blog/"]])
    changefreq: ChangeFreq | None = setting(
        None, "How often the pages change.", examples=["weekly"]
    )
    priority: Priority | None = setting(
        None, "Priority of the pages within the site.", examples=[0.8]
    )
    lastmod: WrittenDate | None = setting(
        None, "A fixed date for the pages.", examples=["2026-03-01"]
    )
    list: bool | None = setting(None, "`false` leaves the pages out.", examples=[True])


class Section(_Model):
    """`[[sitemaps]]`: a separate sitemap for matching pages. The first match wins."""

    name: str = setting(
        ...,
        "Name of the sitemap: `blog` gives `sitemap-blog.xml`.",
        examples=["blog"],
        pattern=SECTION_NAME,
    )
    match: Patterns = setting(..., "Patterns of pages, in gitignore syntax.", examples=[["blog/"]])


class ExtraUrl(_Model):
    """`[[urls]]`: a page that is not a file of the site."""

    loc: str = setting(
        ..., "The absolute URL, below `base_url`.", examples=["https://example.com/app/"]
    )
    lastmod: WrittenDate | None = setting(None, "Date of the last change.", examples=["2026-03-01"])
    changefreq: ChangeFreq | None = setting(
        None, "How often the page changes.", examples=["weekly"]
    )
    priority: Priority | None = setting(
        None, "Priority of the page within the site.", examples=[0.8]
    )


class Check(_Model):
    """`[check]`: URLs that must be listed."""

    required: tuple[str, ...] = setting((), "URLs that must be listed, such as `/pricing/`.")


class Submit(_Model):
    """`[submit]`: how `sitemapper submit` notifies search engines."""

    key: str = setting("", "IndexNow key. `sitemapper init --indexnow` creates one.", pattern=KEY)
    endpoint: Annotated[tuple[WebUrl, ...], Field(min_length=1)] = setting(
        ("https://api.indexnow.org/indexnow",),
        "The search engine to notify, which notifies the others. Several are tried in order.",
    )


class Settings(_Model):
    """What a person may write: a field for each key of the configuration file.

    `base_url` is optional here, because it may be found in other places, such as CNAME.
    """

    base_url: BaseUrl | None = setting(
        None,
        "The absolute URL at which the site's folder is served.",
        examples=["https://example.com/"],
    )
    site: PathText = setting(".", "Folder of the built site.", examples=["public"])
    output: PathText | None = setting(
        None, "Folder in which to write the sitemaps. Default: the site.", examples=["public"]
    )
    include: tuple[Pattern, ...] = setting(
        (),
        (
            "Files to list besides `*.html`, `*.htm` and `*.xhtml`. `!*.html` removes one of these "
            "defaults."
        ),
    )
    ignore: tuple[Pattern, ...] = setting((), "Files to leave out, in gitignore syntax.")
    url_style: Style = setting("auto", "How the server names `a/index.html` and `b.html`.")
    host: HostName = setting("auto", "The host whose redirects and headers apply.")
    hreflang: bool = setting(
        False, "Write `xhtml:link` alternates from the `hreflang` links of the pages."
    )
    images: bool = setting(False, "List the images in the main content of each page.")
    previous: PreviousText = setting(
        "output",
        "The earlier sitemap, to compare with: `output` (in the output folder), `live` (at "
        "`base_url`), `none`, a file or a URL.",
        examples=["live"],
    )
    lastmod: Sources = setting(
        ("auto",),
        "Sources of dates, in order of trust. "
        "`auto`: `ledger`, if there is one; then, in a git repository, `published`, `front_matter` "
        "and `git`; then `mtime`.",
        json_schema_extra={"default": "auto"},
    )
    strict: bool = setting(False, "Exit with 1 if there are warnings.")
    max_drop: float = setting(
        50,
        "How many percent of the earlier sitemap's URLs, or of their dates, a run may lose.",
        ge=0,
        le=100,
    )
    respect: Respect = Respect.model_construct()
    sitemap: Sitemap = Sitemap.model_construct()
    robots: Robots = Robots.model_construct()
    dates: Dates = Dates.model_construct()
    ledger: Ledger = Ledger.model_construct()
    git: Git = Git.model_construct()
    check: Check = Check.model_construct()
    submit: Submit = Submit.model_construct()
    rules: tuple[RuleConfig, ...] = setting((), "Values for pages.")
    sitemaps: tuple[Section, ...] = setting((), "Separate sitemaps for some pages.")
    urls: tuple[ExtraUrl, ...] = setting((), "Pages that are not files.")

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Makes the JSON Schema of the file, in which `base_url` is a required text."""
        # The models of tables get their validators only when they are used (`defer_build`). Without
        # validators, pydantic 2.10 leaves the defaults out of the schema.
        for table in _Model.__subclasses__():
            table.model_rebuild()
        schema = super().model_json_schema(*args, **kwargs)
        # The model allows None, because the base URL may be found. In a file, it is a text.
        base_url = schema["properties"]["base_url"]
        del base_url["anyOf"], base_url["default"]
        base_url["type"] = "string"
        texts = {"title": "Config", "description": "The configuration file."}
        all_entries = {**schema, **texts, "required": ["base_url"]}
        return dict(sorted(all_entries.items()))  # the same in each version of pydantic


@cache
def fields_by_key() -> dict[str, FieldInfo]:
    """Returns {key that a person may set: its field}. A field has a type, a default and a help.

    | in the file | keys |
    |---|---|
    | `strict = true` at the top | `strict` |
    | `gzip = "also"` and `text = true` below `[sitemap]` | `sitemap.gzip`, `sitemap.text` |
    | `[[rules]]`, a list of tables | `rules`, whose value is the whole list |
    """
    fields: dict[str, FieldInfo] = {}
    for name, field in Settings.model_fields.items():
        # The default of a table is its model, in which each key has its own default.
        is_table = isinstance(field.default, BaseModel)
        if is_table:
            for key, inner_field in type(field.default).model_fields.items():
                fields[f"{name}.{key}"] = inner_field
        else:
            fields[name] = field
    return fields
