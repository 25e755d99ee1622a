"""The values that rooms hand on, in the order in which a build makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Literal, NamedTuple

from .messages import Message

if TYPE_CHECKING:
    from .config.load import Config
    from .hosts.host import Host
    from .read.sitemap import SitemapEntry


class Origin(NamedTuple):
    """Where a value or a decision comes from: a file, a flag or a built-in default."""

    source: str  # such as "sitemapper.toml", "--ignore" or "a/index.html"
    line: int | None = None  # from 1, None if it is not known
    text: str = ""  # such as "drafts/", "" if it is not known

    def __str__(self) -> str:
        """Writes `sitemapper.toml:12: drafts/`. A line or a text that is not known is left out."""
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{where}: {self.text}" if self.text else where


class Stated(NamedTuple):
    """A value that some file states, and where."""

    value: str
    origin: Origin


class Line(NamedTuple):
    """A pattern in gitignore syntax as somebody wrote it, and where."""

    text: str
    origin: Origin


# How a URL names a file. slash: a/ for a/index.html, b/ for b.html. bare: a and b.
# file: a/index.html and b.html.
Form = Literal["slash", "bare", "file"]


class UrlForms(NamedTuple):
    """The URL form of the pages of folders (`a/index.html`), and of all others (`b.html`)."""

    folder: Form = "slash"
    page: Form = "file"


# The values of `url_style`.
STYLES: Mapping[str, UrlForms] = {
    "directory": UrlForms("slash", "file"),
    "clean": UrlForms("slash", "bare"),
    "slash": UrlForms("slash", "slash"),
    "bare": UrlForms("bare", "bare"),
    "file": UrlForms("file", "file"),
}


class Run(NamedTuple):
    """What holds for one run only: where it was started, and what flags without a key say."""

    cwd: str
    environment: Mapping[str, str]
    is_dry: bool = False
    jobs: int = 0  # processes that read pages; 0: as many as there are processors
    scheduler: str | None = None  # the address of a Dask scheduler
    replace: bool = False
    changes: str = ""  # the path, without links, of the list to which a build adds its changes
    # The files that each page is made from, by absolute paths, as a plugin of a generator knows
    # them; () for a page that is made from none.
    sources: Mapping[str, Sequence[str]] = {}


class Setup(NamedTuple):
    """What a call of the API starts from: what a person wrote, and what holds for this run."""

    config: Config
    run: Run


class Project(NamedTuple):
    """The project of a generator, and what its settings state. Folders are absolute."""

    folder: str
    name: str  # of the generator: "Hugo"
    file: str  # that shows the generator, relative to `folder`
    outputs: tuple[str, ...]  # where it may have written the site, the likeliest first
    sources: tuple[str, ...]  # where its pages come from, if settings or the generator say so
    address: Stated | None  # its base URL, with the path that another key states
    sitemaps: tuple[str, ...]  # names of the sitemaps that it writes
    ignore: tuple[str, ...] = ()  # patterns of what it writes beside pages


class Found(NamedTuple):
    """The site as `find` found it. Folders are absolute and without links."""

    config: Config
    folder: str  # of the built site
    output: str  # in which the sitemaps are written
    project: Project | None
    ignore: tuple[Line, ...]  # all lines in order: defaults, generator, files, flags
    include: tuple[Line, ...]
    ledger: str | None  # its path without links, if there is one or is to be one
    origin: Origin  # what named the folder


class Page(NamedTuple):
    """A file that may be a page: its path below the site with `/`, and what the walk saw of it.

    The path is as in the file system: UTF-8 with surrogate escapes for other bytes.
    """

    path: str
    mtime: int  # nanoseconds


class Reason(Enum):
    """Why a page is not in the sitemap, in the order in which the reasons are checked."""

    IGNORED = "ignored"
    NOT_FOLLOWED = "not followed"
    UNREADABLE = "unreadable"
    NOT_A_PAGE = "not a page"
    RULE = "unlisted by a rule"
    ROBOTS = "disallowed by robots.txt"
    CLOSED = "closed by the host"
    REDIRECT = "redirect"
    NOINDEX = "noindex"
    CANONICAL = "canonical elsewhere"
    DUPLICATE = "duplicate URL"
    TOO_LONG = "URL too long"


class Excluded(NamedTuple):
    """A page that is left out, or a folder that was not entered: its path ends with `/`."""

    path: str  # of a file, or the URL of an entry of `[[urls]]`
    reason: Reason
    origin: Origin  # what decided
    url: str = ""  # that the page would have; "" for what was not read
    target: str = ""  # the URL to which a redirect or a canonical leads


class Scanned(NamedTuple):
    """The walk of the site: pages in URL order, and what was left out."""

    pages: list[Page]
    excluded: list[Excluded]
    # Folders that links stand for, below the site: {"latest": "2.1"}.
    links: Mapping[str, str]


class OwnUrl(NamedTuple):
    """A canonical that names the page itself: base URL and form, whose values many pages share.

    For `a/index.html` and https://x.example/docs/a/: `OwnUrl("https://x.example/docs/", "slash")`.
    """

    base: str
    form: Form


class Facts(NamedTuple):
    """What one page says. URLs are as written; `base` is the `href` of its base element.

    A page that says nothing has the shared value `NO_FACTS`.
    """

    canonical: OwnUrl | str | None = None
    base: str | None = None
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, URL)
    images: tuple[str, ...] = ()
    og_url: str | None = None  # only of the home page
    title: str = ""
    h1: str = ""
    date: str | None = None  # the last change that the page states
    text_length: int = 0  # of the main text, in bytes
    digest: str | None = None  # of the significant content

    # Each fact from here on may exclude the page, so a new one stands here.
    # The robots metas that count: (name, content), as ("robots", "noindex").
    robots: tuple[tuple[str, str], ...] = ()
    refresh: str | None = None  # the target of a meta refresh
    kind: str | None = None  # what the file is if it is no page: "an empty file", "JSON"
    error: str | None = None  # why it cannot be read


NO_FACTS = Facts()


class Site(NamedTuple):
    """All that holds for the site: nothing in it changes after `settle`."""

    found: Found
    host: Host
    base_url: str  # absolute, ends with a slash
    base_url_origin: Origin
    former_base_url: str  # an address that the host redirects to `base_url`, "" without one
    forms: UrlForms
    forms_origin: Origin
    messages: tuple[Message, ...] = ()


class Values(NamedTuple):
    """What `[[rules]]` and `[[sitemaps]]` say of a page. Pages with the same values share them."""

    changefreq: str | None = None
    priority: str | None = None
    lastmod: str | None = None  # W3C Datetime
    section: str = ""  # the name in `[[sitemaps]]`, "" for the main sitemap


NO_VALUES = Values()


class Listed(NamedTuple):
    """A page that belongs in the sitemap, at an absolute, percent-encoded URL (not XML-escaped)."""

    page: Page | None  # None for an entry of `[[urls]]`
    url: str
    values: Values = NO_VALUES
    facts: Facts = NO_FACTS
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, absolute URL)
    images: tuple[str, ...] = ()  # absolute URLs


class Row(NamedTuple):
    """What the ledger records of a page: the date of its last change, and its content's digest."""

    # W3C Datetime; "-" if no date is known, and ">2026-03-01" for a change after this date.
    lastmod: str
    digest: str  # with the version of its rule: "1a2b-0123456789abcdef"
    # The fourth column: "unlisted", or "/b" for a page at this URL below the base URL, which is not
    # in the form of the site's URLs; "" for a page at its usual URL.
    place: str = ""


class Before(NamedTuple):
    """What was published before this run. Entries are read when they are asked for, and not kept.

    An earlier sitemap of another tool `is_ours` not: it is compared once, and is no baseline.
    """

    name: str  # of the main sitemap: "sitemap.xml"
    label: str = ""  # what messages call the earlier sitemap: "public/sitemap.xml", "" without one
    is_ours: bool = False
    files: Sequence[str] = ()  # of ours in the output, by their names
    entries: Callable[[], Iterator[SitemapEntry]] = lambda: iter(())
    rows: Mapping[str, Row] | None = None  # of the ledger, by paths; None without a ledger


class Entry(NamedTuple):
    """A URL of the sitemap, as it is written."""

    page: Page | None  # None for an entry of `[[urls]]`
    loc: str  # absolute and percent-encoded, not XML-escaped
    lastmod: str | None = None  # W3C Datetime
    # What dated the page, such as "git" or "a rule"; without a date, why, such as "no source".
    source: str = ""
    values: Values = NO_VALUES
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, absolute URL)
    images: tuple[str, ...] = ()  # absolute URLs


class Dated(NamedTuple):
    """The entries in the order of the listed pages, and the rows of the ledger to write."""

    entries: list[Entry]
    rows: Mapping[str, Row] | None = None  # in URL order; None without a ledger
    messages: tuple[Message, ...] = ()


class File(NamedTuple):
    """A file that a run writes, keeps or removes: a sitemap, robots.txt, a key, the ledger."""

    name: str  # relative to the output, with `/`; the ledger has its absolute path
    change: Literal["created", "updated", "kept", "removed"]
    data: bytes | None = None  # to write, None for a file that is kept or removed
    urls: int | None = None  # of a sitemap


ChangeKind = Literal["added", "changed", "removed"]


class Change(NamedTuple):
    """A URL that differs from the earlier sitemap, with its dates before and after, "" for none."""

    kind: ChangeKind
    url: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        """The row of a list of changes, which has no dates."""
        return f"{self.kind}\t{self.url}"


# What became of a URL that the earlier sitemap has and the new one lacks. form: the page is listed
# in another form, or under another host's name (http, www.). excluded: it is there, and left out.
Fate = Literal["redirected", "form", "moved", "excluded", "lost"]


class Gone(NamedTuple):
    """A URL of the earlier sitemap that is not listed any more."""

    url: str
    fate: Fate
    target: str = ""  # the URL to which it is redirected or moved, or in its new form
    reason: Reason | None = None  # of one that is excluded
    origin: Origin | None = None


class Plan(NamedTuple):
    """What a run writes, and what it changes compared with the earlier sitemap."""

    site: Site
    sitemap: str  # the URL of the main sitemap
    files: tuple[File, ...]  # in the order in which they are written
    entries: Sequence[Entry] = ()
    changes: tuple[Change, ...] = ()
    gone: tuple[Gone, ...] = ()
    previous: int | None = None  # URLs of the earlier sitemap; None without a baseline of ours
    compared_with: str = ""  # the earlier sitemap, if it is not in the output
    previous_dates: int = 0  # of the URLs that stay
    left_out: Mapping[Reason, int] = {}
    unproven: Sequence[str] = ()  # files of other tools that need --replace
    messages: tuple[Message, ...] = ()

    @property
    def listed(self) -> int:
        """How many URLs the sitemap has."""
        return len(self.entries)

    @property
    def is_changed(self) -> bool:
        """Whether a file would be written or removed."""
        return any(file.change != "kept" for file in self.files)
