"""The values that rooms exchange. They have no behaviour except for output."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from enum import Enum, auto
from itertools import repeat
from typing import Any, Final, NamedTuple

from .messages import Message

_NONE: Mapping[Any, Any] = {}


class Origin(NamedTuple):
    """Where a decision comes from: a file, a flag or a built-in default, with its line and text."""

    source: str  # such as "sitemapper.toml" or "--ignore"
    line: int | None = None  # from 1, None if it is not known
    text: str = ""  # such as "drafts/", "" if it is not known

    def __str__(self) -> str:
        """Writes `sitemapper.toml:12: drafts/`. A line or a text that is not known is left out."""
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{where}: {self.text}" if self.text else where


class Detected(NamedTuple):
    """A setting of the project: its dotted key, its value, and its origin."""

    key: str
    value: object
    origin: Origin

    @property
    def text(self) -> str:
        """Writes the value as text, for messages.

        | value | text |
        |---|---|
        | `3` | `3` |
        | `["a", "b"]` | `a, b` |
        | `[{"page": "a/", "source": "src/a.md"}]`, from `[[git.map]]` | `a/` |
        """
        items = self.value if isinstance(self.value, (list, tuple)) else (self.value,)
        texts = []
        for item in items:
            shown = item["page"] if isinstance(item, dict) else item
            texts.append(str(shown))
        return ", ".join(texts)

    def __str__(self) -> str:
        return f"{self.key} {self.text} ({self.origin._replace(text='')})"


class NotLiteral(Enum):
    """The type of `NOT_LITERAL`."""

    NOT_LITERAL = "not literal"


NOT_LITERAL: Final = NotLiteral.NOT_LITERAL  # a value that only running a file would tell
MORE_KEYS = "*"  # in place of all keys of a file that cannot be read


class Found(NamedTuple):
    """What a settings file says of a key: its value, and the line if it is known.

    `problem` says why the file cannot be read, "" if it can.
    """

    value: str | NotLiteral
    file: str
    line: int | None = None
    problem: str = ""

    @property
    def text(self) -> str:
        """Returns the literal value, "" for one that is not literal."""
        return "" if self.value is NOT_LITERAL else self.value


class Reason(Enum):
    """The reason why a page is not in the sitemap, in the order of the checks."""

    IGNORED = "ignored"
    NOT_FOLLOWED = "not followed"
    UNREADABLE = "unreadable"
    RULE = "unlisted by a rule"
    ROBOTS = "disallowed by robots.txt"
    REDIRECT = "redirect"
    CLOSED = "closed by the host"
    NOT_A_PAGE = "not a page"
    NOINDEX = "noindex"
    CANONICAL = "canonical elsewhere"
    DUPLICATE = "duplicate URL"
    TOO_LONG = "URL too long"


class Page(NamedTuple):
    """A file that may be a page. `path` is relative, with `/`, UTF-8 with surrogate escapes; times
    in ns.

    `inode` and `device` identify the file. `ctime` changes with contents and permissions, even if
    `mtime` is set back.
    """

    path: str
    size: int
    mtime: int
    inode: int = 0
    ctime: int = 0
    device: int = 0


class Metadata(NamedTuple):
    """The metadata in a page. URLs are as written, and `base` is the base of relative ones.

    `signals` are the texts that may exclude the page, by the name of their signal
    (select/signals/). `alternates` are pairs of hreflang and URL.
    """

    signals: Mapping[str, str] = _NONE
    base: str | None = None
    alternates: tuple[tuple[str, str], ...] = ()


NO_METADATA = Metadata()
# The titles in words, the size of the main text in bytes, and whether that is exact: otherwise, the
# main text has at most so many.
Shown = tuple[tuple[str, ...], int, bool]


class PageFacts(NamedTuple):
    """What was read from a page."""

    metadata: Metadata = NO_METADATA
    date: str | None = None  # the date that the page states
    kind: str | None = None  # what the file is if it is no page, such as an app shell
    digest: str | None = None  # of its content, for the ledger
    # The places of the `[ledger] drop` selectors that removed something.
    dropped: tuple[int, ...] = ()
    images: tuple[str, ...] = ()  # their URLs as written
    shown: Shown | None = None  # only for a page that may have a source file


NO_FACTS = PageFacts()
Alternates = tuple[tuple[str, str], ...]  # languages and absolute URLs


class LinkedPage(NamedTuple):
    """Another page of the site: its listed URL, and the absolute URLs of its language versions."""

    loc: str
    alternates: Alternates
    page: Page


class SourceFiles(NamedTuple):
    """The source files of pages, as a generator named them: relative to `folder`, or absolute.

    With `may_be_stubs`, a page may show more than its files contain.
    """

    folder: str
    of: Mapping[str, Sequence[str]]
    may_be_stubs: bool = False


class TimesOfEdit(NamedTuple):
    """Between which times a page was last edited: after one commit, and not after another one.

    Both are in seconds. `after` is 0 if there is no commit before the edit.
    """

    after: int
    until: int


class GitDates(NamedTuple):
    """What git says of a file, or of the files from which a page is built together.

    Times are in seconds since the epoch.
    """

    commit: int | None = None  # the last commit that was an edit
    is_shallow: bool = False  # the history of the clone ends before that commit
    edit: int | None = None  # the file's time if it differs from the commit, 0 if it is deleted
    # When the files were last edited, if no commit edited them after the sitemap was committed.
    edited_before_sitemap: TimesOfEdit | None = None

    @property
    def has_date(self) -> bool:
        """Whether git has a date of the file, or would have one in a clone that is not shallow."""
        return self.commit is not None or self.is_shallow or self.edit is not None


NO_DATES = GitDates()
DELETED = 0  # in place of the time of an edit, if that was to delete the file


class ShownBy(Enum):
    """What shows that a file is the source of a page, besides their similar paths."""

    NOTHING = auto()  # notes/about.md and about.html may be similar by chance
    CONTENT_FOLDER = auto()  # the file is in a folder that the generator reads
    TITLED_FOLDER = auto()  # at least three pages show the titles of files in its folder
    OWN_PATH = auto()  # the file states the path of its page: `permalink: /about/`
    RECORD = auto()  # a plugin recorded the file as a source of the page


class PossibleSource(NamedTuple):
    """A file that may be the source file of a page, because their paths end alike."""

    name: str
    size: int  # bytes, with those of its `parts`
    title: str  # in lower-case words
    has_own_title: bool  # in its metadata, and not only as a heading of its text
    shown_by: ShownBy = ShownBy.NOTHING
    parts: tuple[str, ...] = ()  # the files that it includes
    is_stub: bool = False  # it has no text of its own, as `::: package.module`
    change: Found | None = None  # the last change that its front matter states, if that counts
    git: GitDates = NO_DATES

    @property
    def max_text(self) -> int:
        """The most bytes of main text that a page can show if this file is its source.

        That is twice the size of the file, plus 500 bytes, because a theme adds texts of its own,
        such as dates and links (docs/dates.md).

        If a page shows more, most of its text is from other files. The last change of this file is
        then not the last change of the page, so it is not used as the page's date.
        """
        return 2 * self.size + 500

    @property
    def is_source_by_path(self) -> bool:
        """Whether the file is the source of a page even if the page does not show its title.

        CONTENT_FOLDER    only if it has no title that the page could show
        NOTHING           no: notes/about.md may have a path like about.html by chance
        all others        yes
        """
        if self.shown_by is ShownBy.CONTENT_FOLDER:
            return not self.title
        return self.shown_by is not ShownBy.NOTHING


class LastMod(NamedTuple):
    """A date of change: seconds since the epoch for ordering, W3C Datetime for writing."""

    seconds: int
    text: str


class LedgerEntry(NamedTuple):
    """A row of the ledger: the page's date, None if it is unknown, and its content's digest.

    If no source has dated a change yet, `changed_after` is the date before the change.
    """

    lastmod: LastMod | None
    digest: str
    changed_after: LastMod | None = None


class Listed(NamedTuple):
    """A page that belongs in the sitemap. URLs are absolute and percent-encoded, not XML-escaped.

    `origins` are the rules that set keys. `section` names the sitemap, "" for the numbered ones.
    """

    path: str
    loc: str
    lastmod: LastMod | None = None
    changefreq: str | None = None
    priority: str | None = None
    alternates: Alternates = ()
    images: tuple[str, ...] = ()
    origins: tuple[tuple[str, Origin], ...] = ()
    section: str = ""


class Excluded(NamedTuple):
    """A page that is left out, or a folder that was not entered (its path ends with `/`)."""

    path: str
    reason: Reason
    origin: Origin

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder that was not entered.

        The slash at the end is not enough, because an extra URL that is excluded may have one too.
        """
        reasons_for_folders = (Reason.IGNORED, Reason.NOT_FOLLOWED, Reason.UNREADABLE)
        return self.path.endswith("/") and self.reason in reasons_for_folders


class NoDate(Enum):
    """Why a page has no date, in a sentence about this page."""

    LIST = "a home page or a list of pages, which shows more than one source file"
    UNKNOWN = "no source is known"
    AMBIGUOUS = "two sources fit"
    EXCEEDED = "the page shows more than its source"
    WRITTEN = "a copy, a build or one commit over nearly all pages wrote the file"
    SHALLOW = "this is a shallow clone, without the commit that changed the page"


class PageRow(NamedTuple):
    """What is known of a page before it is read, apart from its file: its row beside the batch."""

    git: GitDates = NO_DATES  # of the sources that somebody named, or else of the page's own file
    is_committed: bool = False  # the page's own file is as in the last commit
    sources: Sequence[PossibleSource] = ()  # what the page shows decides which one counts
    published: Mapping[str, str] = _NONE  # dates in the earlier sitemap, by URL
    ledger: LedgerEntry | None = None
    # Many files were written within seconds of the file, as by a copy or a build.
    is_in_burst: bool = False


# Shared by all pages of which nothing else is known, because a row of its own takes memory.
NO_ROW = PageRow()
ROW_IN_BURST = PageRow(is_in_burst=True)


class Batch(NamedTuple):
    """Consecutive pages in walk order, with what is known of them before they are read."""

    pages: Sequence[Page]
    excluded: Sequence[Excluded]  # by the walk, among these pages
    # By the path of a page, the file beside it that may have its URL: `b/index.html` or `b` for
    # `b.html`, and `index.html` for `index.htm`.
    other_files: Mapping[str, str]
    rows: Sequence[PageRow] = ()  # in the order of the pages; none if nothing is known of any
    versions: Mapping[str, bytes] = _NONE  # what earlier batches read of these pages, packed
    rows_not_walked: Sequence[tuple[str, str]] = ()  # paths and lines of the ledger, to keep

    def page_rows(self) -> Iterator[tuple[Page, PageRow]]:
        """Yields each page with its row, `NO_ROW` if nothing is known of any page."""
        return zip(self.pages, self.rows or repeat(NO_ROW), strict=False)

    @property
    def sources(self) -> dict[str, Sequence[PossibleSource]]:
        """Collects the files that may be the sources of pages, by the paths of these pages."""
        if not self.rows:
            return {}
        return {page.path: row.sources for page, row in self.page_rows() if row.sources}


class ShardSeries(NamedTuple):
    """A sequence of shards: the format's extension and the section ("" for the numbered ones)."""

    format: str
    section: str


LEDGER_SERIES = ShardSeries("ledger", "")


class RenderedEntries(NamedTuple):
    """Entries of one series, as they are written to its files."""

    series: ShardSeries
    data: bytes  # the entries, one after the other
    ends: Sequence[int]  # where each entry ends in `data`
    dates: Sequence[LastMod | None]
    locs: Sequence[str] = ()  # only if the URLs decide where a file ends


Value = tuple[str, str, str]  # of a listed page: key, text and origin


class BatchDetails(NamedTuple):
    """The data of a batch for a report.

    `folders` counts pages by folder ("a/b/") and kind (an index into `KINDS`). `months` counts
    dates by source and month. `listed` contains the path and the values of each listed page, flat.
    """

    folders: Mapping[tuple[str, int], int]
    months: Mapping[tuple[str, str], int]
    listed: Sequence[tuple[str, ...]]


class BatchResult(NamedTuple):
    """The result of `process` for one batch. Sequences are in walk order."""

    entries: Sequence[RenderedEntries]  # by series
    listed: int
    excluded: Sequence[Excluded] = ()
    diagnostics: Sequence[Message] = ()
    # URLs that are also extra ones, with the paths of their pages.
    extra_owners: Sequence[tuple[str, str]] = ()
    # Dates that an import into git or a build may have set, in seconds, by their source.
    dates_perhaps_of_an_import: Mapping[str, Sequence[int]] = _NONE
    ledger: bytes = b""  # its rows
    dated: Mapping[str, int] = _NONE  # pages by the source of their date
    omitted: Mapping[NoDate, int] = _NONE  # pages whose file time does not count, by the cause
    undated: str = ""  # the first of these that is no list
    times_of_builds: int = 0  # pages with the time of a copy, because only `mtime` is a source
    # Listed pages of this batch that are among the first thousand of the site.
    first_pages: int = 0
    changed_first_pages: int = 0  # how many of these changed since the last build
    # The result that counts if nearly all of them changed. None if it is the same.
    after_new_theme: "BatchResult | None" = None
    parsed: int = 0  # pages that were parsed
    effective: Set[Origin] = frozenset()  # rules and selectors that had an effect
    details: BatchDetails | None = None  # for a report
    versions: Mapping[str, bytes] = _NONE  # what was read of later pages, packed
    large: Sequence[Page] = ()  # listed pages of which Googlebot reads only a part


class Shard(NamedTuple):
    """A finished group of entries, which becomes one file."""

    series: ShardSeries
    number: int  # from 1
    urls: int = 0
    start: int = 0  # the offset of its entries, in bytes
    size: int = 0  # in bytes
    newest: LastMod | None = None  # the newest date
    key: str = ""  # names a stable shard in place of the number


class Change(Enum):
    """What publishing does to a file."""

    CREATED = "created"
    UPDATED = "updated"
    KEPT = "kept"
    REMOVED = "removed"


class UrlChange(Enum):
    """What a run does to a URL. `changed` means that it has a new date."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class Fate(Enum):
    """What became of a URL that was published before and is not listed now."""

    REDIRECTED = "redirected"  # it leads to another page
    MOVED = "moved"  # its content is at another URL
    WITHDRAWN = "withdrawn"  # it is left out on purpose
    LOST = "lost"  # nothing answers there any more


class GoneUrl(NamedTuple):
    """A URL that was published before and is not listed now, and its fate.

    `target` is the URL to which it leads, or that of the page with its content, "" if that is not
    known. `origin` is the line or the file that decided, None if nothing is there. `is_same_page`
    if its page is listed at `target`, and `is_uncertain` if nobody knows whether the host redirects
    it there.
    """

    url: str
    fate: Fate
    target: str = ""
    origin: Origin | None = None
    is_same_page: bool = False
    is_uncertain: bool = False


NO_BASELINE = "# no baseline"  # begins the last line of a list of changes that names the whole site


class FileChange(NamedTuple):
    """A file of the output and its change. `urls` is None if it is not a sitemap.

    `size` is in bytes before compression, None for a removed file.
    """

    name: str
    change: Change
    urls: int | None = None
    size: int | None = None


class Summary(NamedTuple):
    """The result of a build."""

    site: str
    sitemap: str
    listed: int
    excluded: dict[Reason, int]
    pruned: int
    files: tuple[FileChange, ...]
    warnings: tuple[Message, ...]
    notes: tuple[Message, ...]  # that are no warnings
    previous: int | None  # URLs published before, None if there were none
    changes: dict[UrlChange, int]  # since then
    dated: dict[str, int]  # pages by the source of their date, 0 for all if none is dated
    detected: tuple[Detected, ...] = ()  # settings of the project
    unmatched: tuple[str, ...] = ()  # patterns of the user that match nothing now
    compared_with: str = ""  # the URL or file of the earlier sitemap, "" for the one in the output
    # The number of pages whose canonicals name other sites, and examples of these, if they are too
    # few for a warning.
    cross_posts: tuple[int, tuple[str, ...]] = (0, ())
    gone: Collection[GoneUrl] = ()  # URLs that were published before and are not listed now
