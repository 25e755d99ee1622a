"""The options of each command, as frozen dataclasses. A field says how its flag is written."""

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, get_args

from ..config.choices import Gzip, Index, Signal, Style

LISTED, DATES, FILES, RUN, OUTPUT = "What is listed", "Dates", "Files", "This run", "Output"
PANELS = (LISTED, DATES, FILES, RUN, OUTPUT)
STDOUT = "-"


class Flag(NamedTuple):
    """How an option is written, in which panel of the help, and which key of the configuration it sets.

    A flag with a key has the help of that key's field, and `help` after it. `name` is that of the field
    unless it is given; `has_commas` allows several values in one.
    """

    panel: str
    help: str = ""
    key: str = ""
    metavar: str | None = None
    name: str = ""
    short: str | None = None
    has_commas: bool = False


_SIGNALS = ", ".join(get_args(Signal))
BASE_URL = Annotated[str | None, Flag(LISTED, key="base_url", metavar="URL")]
CONFIG = Annotated[
    str | None,
    Flag(RUN, "Configuration file  [default: sitemapper.toml, pyproject.toml]", metavar="FILE"),
]
QUIET = Annotated[bool, Flag(OUTPUT, "Print only errors, and with --strict also warnings.", short="-q")]
COLOR = Annotated[Literal["auto", "always", "never"], Flag(OUTPUT, "Use colours in the output.")]
FORMAT = Annotated[Literal["text", "json"], Flag(OUTPUT, "Format of the summary.")]
FINDINGS_FORMAT = Annotated[
    Literal["text", "json", "github", "sarif", "junit", "markdown"],
    Flag(OUTPUT, "Format of the findings; github writes workflow annotations."),
]
BASELINE = Annotated[str | None, Flag(RUN, "Do not fail for the findings in FILE.", metavar="FILE")]
WRITE_BASELINE = Annotated[
    str | None,
    Flag(RUN, "Write the findings to FILE as known ones, instead of failing.", metavar="FILE"),
]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SiteOptions:
    """What build, check and explain share: the flags that set keys of the configuration."""

    base_url: BASE_URL = None
    ignore: Annotated[tuple[str, ...], Flag(LISTED, key="ignore", metavar="PATTERN")] = ()
    include: Annotated[tuple[str, ...], Flag(LISTED, key="include", metavar="PATTERN")] = ()
    url_style: Annotated[Style | None, Flag(LISTED, key="url_style")] = None
    respect: Annotated[
        tuple[str, ...],
        Flag(
            LISTED,
            f"Respect a signal that the configuration ignores: {_SIGNALS}  [repeatable]",
            metavar="SIGNAL",
            has_commas=True,
        ),
    ] = ()
    no_respect: Annotated[
        tuple[str, ...], Flag(LISTED, "Ignore a signal  [repeatable]", metavar="SIGNAL", has_commas=True)
    ] = ()
    lastmod: Annotated[tuple[str, ...], Flag(DATES, key="lastmod", metavar="SOURCE", has_commas=True)] = ()
    no_lastmod: Annotated[bool, Flag(DATES, "Write no dates.")] = False
    ledger: Annotated[str | None, Flag(DATES, key="ledger.path", metavar="FILE")] = None
    no_live: Annotated[bool, Flag(DATES, "Do not read the ledger of the live site.")] = False
    output: Annotated[str | None, Flag(FILES, key="output", metavar="DIR", short="-o")] = None
    text: Annotated[bool | None, Flag(FILES, key="sitemap.text")] = None
    gzip: Annotated[Gzip | None, Flag(FILES, key="sitemap.gzip")] = None
    index: Annotated[Index | None, Flag(FILES, key="sitemap.index")] = None
    max_urls: Annotated[int | None, Flag(FILES, key="sitemap.max_urls", metavar="N")] = None
    max_bytes: Annotated[int | None, Flag(FILES, key="sitemap.max_bytes", metavar="N")] = None
    robots: Annotated[bool | None, Flag(FILES, key="robots.write", name="--robots/--no-robots")] = None
    config: CONFIG = None
    max_drop: Annotated[float | None, Flag(RUN, key="max_drop", metavar="PERCENT")] = None
    strict: Annotated[bool | None, Flag(RUN, key="strict")] = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RunOptions(SiteOptions):
    """What build and check share."""

    allow_empty: Annotated[bool, Flag(RUN, "Publish the sitemap even if it contains no URL.")] = False
    jobs: Annotated[int | None, Flag(RUN, "Number of processes  [default: auto]", metavar="N")] = None
    engine: Annotated[
        Literal["local", "dask"], Flag(RUN, "Process pages on this machine or on a Dask cluster.")
    ] = "local"
    scheduler: Annotated[
        str | None,
        Flag(RUN, "Address of the cluster's scheduler, such as tcp://HOST:8786.", metavar="ADDRESS"),
    ] = None
    cache: Annotated[str | None, Flag(RUN, "Folder of the cache  [env: SITEMAPPER_CACHE]", metavar="DIR")] = (
        None
    )
    no_cache: Annotated[bool, Flag(RUN, "Read every page, without a cache.")] = False
    tracked: Annotated[bool, Flag(RUN, "Exit with 1 if git does not track one of the files.")] = False
    excluded: Annotated[
        str | None,
        Flag(OUTPUT, "Write the excluded pages with their reasons to FILE (- for stdout).", metavar="FILE"),
    ] = None
    changes: Annotated[
        str | None,
        Flag(OUTPUT, "Write the added, changed and removed URLs to FILE (- for stdout).", metavar="FILE"),
    ] = None
    report: Annotated[
        str | None,
        Flag(OUTPUT, "Write a page that shows what is listed, what is not, and why.", metavar="FILE.html"),
    ] = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BuildOptions(RunOptions):
    """The options of `build`."""

    output: Annotated[
        str | None, Flag(FILES, "`-` prints the sitemap.", key="output", metavar="DIR", short="-o")
    ] = None
    replace: Annotated[bool, Flag(FILES, "Take over a sitemap that another tool wrote.")] = False
    dry_run: Annotated[bool, Flag(RUN, "Print what would change, without writing anything.")] = False
    exit_code: Annotated[
        bool, Flag(RUN, "Exit with 1 if anything was written, as git diff --exit-code does.")
    ] = False
    format: Annotated[
        Literal["text", "json", "github"],
        Flag(OUTPUT, "Format of the summary; github writes workflow annotations."),
    ] = "text"
    quiet: QUIET = False
    verbose: Annotated[bool, Flag(OUTPUT, "List every file, and examples of each reason.", short="-v")] = (
        False
    )
    color: COLOR = "auto"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckOptions(RunOptions):
    """The options of `check`."""

    against: Annotated[
        str | None,
        Flag(RUN, "Compare another tool's sitemap with the pages instead.", metavar="FILE|DIR"),
    ] = None
    baseline: BASELINE = None
    write_baseline: WRITE_BASELINE = None
    format: FINDINGS_FORMAT = "text"
    quiet: QUIET = False
    verbose: Annotated[bool, Flag(OUTPUT, "List every file.", short="-v")] = False
    color: COLOR = "auto"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ValidateOptions:
    """The options of `validate`."""

    select: Annotated[
        tuple[str, ...],
        Flag(
            RUN,
            "Check only this rule, such as SM203, or family, such as SM2  [repeatable]",
            metavar="CODE",
        ),
    ] = ()
    disable: Annotated[
        tuple[str, ...], Flag(RUN, "Skip this rule or family  [repeatable]", metavar="CODE")
    ] = ()
    strict: Annotated[bool, Flag(RUN, "Exit with 1 if there are warnings.")] = False
    baseline: BASELINE = None
    write_baseline: WRITE_BASELINE = None
    format: FINDINGS_FORMAT = "text"
    quiet: QUIET = False
    verbose: Annotated[bool, Flag(OUTPUT, "Print every finding.", short="-v")] = False
    color: COLOR = "auto"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VerifyOptions(ValidateOptions):
    """The options of `verify`: those of `validate`, and how the host is asked."""

    sample: Annotated[
        int | None, Flag(LISTED, "Ask for about N of the listed URLs  [default: 200]", metavar="N")
    ] = None
    all: Annotated[bool, Flag(LISTED, "Ask for every listed URL.")] = False
    changes: Annotated[
        str | None, Flag(LISTED, "Ask for the URLs in the list of a build (- for stdin).", metavar="FILE")
    ] = None
    at: Annotated[str | None, Flag(RUN, "Ask this host in place of the one listed.", metavar="ORIGIN")] = None
    wait: Annotated[
        float,
        Flag(RUN, "Wait so many seconds until the sitemap is the built one  [default: 0]", metavar="SECONDS"),
    ] = 0.0
    rate: Annotated[float, Flag(RUN, "Requests a second, 0 for no limit  [default: 10]", metavar="N")] = 10.0
    timeout: Annotated[float, Flag(RUN, "Seconds for a whole answer  [default: 20]", metavar="SECONDS")] = (
        20.0
    )
    max_time: Annotated[float, Flag(RUN, "Seconds for the whole run  [default: 900]", metavar="SECONDS")] = (
        900.0
    )
    header: Annotated[
        tuple[str, ...],
        Flag(
            RUN,
            "Send the host a header, with the value of an environment variable  [repeatable]",
            metavar="NAME=ENVVAR",
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SubmitOptions:
    """The options of `submit`."""

    changes: Annotated[
        str | None,
        Flag(
            LISTED, "Send the list of a build, and take out what is accepted (- for stdin).", metavar="FILE"
        ),
    ] = None
    all: Annotated[bool, Flag(RUN, "Send every published URL.")] = False
    base_url: BASE_URL = None
    dry_run: Annotated[bool, Flag(RUN, "Print what would be sent, without sending anything.")] = False
    wait: Annotated[
        float,
        Flag(RUN, "Wait so many seconds until the key file is live  [default: 60]", metavar="SECONDS"),
    ] = 60.0
    endpoint: Annotated[str | None, Flag(RUN, key="submit.endpoint", metavar="URL")] = None
    key: Annotated[str | None, Flag(RUN, key="submit.key", metavar="KEY")] = None
    config: CONFIG = None
    format: FORMAT = "text"
    quiet: QUIET = False
    color: COLOR = "auto"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExplainOptions(SiteOptions):
    """The options of `explain`."""

    site: Annotated[str | None, Flag(LISTED, "Folder of the built site  [default: .]", metavar="DIR")] = None
    format: FORMAT = "text"
    color: COLOR = "auto"
