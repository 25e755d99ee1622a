"""The options that commands share, as frozen dataclasses. Each field describes its flag."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from ..config.choices import Gzip, Index, Signal, Style

# The panels of the help, the most used first.
MAIN, LISTED, DATES, FILES = "Options", "What is listed", "Dates", "Files"
RUN, OUTPUT = "This run", "Output"
PANELS = (MAIN, LISTED, DATES, FILES, RUN, OUTPUT)
STDOUT = "-"
Value = TypeVar("Value")


class Flag(NamedTuple):
    """Describes the flag of a field of options: how it is written, its help, and what it sets.

    - `panel` is the part of the help in which it stands, and `help` its text there
    - `metavar` is what the help shows for its value: `--base-url URL`
    - `key` is the configuration key that it sets, "" for none; the help of the key comes before
      `help`
    - `name` and `short` are how it is written; without `name`, by its field: `--base-url`
    - `has_commas` allows several values in one: `git,page`
    - `min_number` is the smallest number allowed, None for any
    - `excludes` are the fields of flags that make no sense beside this one
    - `is_of_run` says that it sets the field of `Run` with its name
    """

    panel: str
    help: str = ""
    metavar: str | None = None
    key: str = ""
    name: str = ""
    short: str | None = None
    has_commas: bool = False
    min_number: float | None = None
    excludes: tuple[str, ...] = ()
    is_of_run: bool = False


def flag(
    default: Value, panel: str, help: str = "", metavar: str | None = None, **about: Any
) -> Value:
    """Makes a field of a dataclass of options, with its default and its flag.

    `jobs: int | None = flag(None, RUN, "Number of processes", "N", min_number=1)`

    `panel` is the part of the help in which the flag stands. `metavar` is what the help shows for
    its value, such as N. `about` are more fields of Flag, such as `min_number`.

    The function returns a field, but its annotation says that it returns the default. So mypy
    checks that `None` is a value of `int | None`, and does not complain of a field.
    """
    return field(default=default, metadata={"flag": Flag(panel, help, metavar, **about)})


_SIGNALS = ", ".join(get_args(Signal))
# Options of several commands. Several classes may use a field, under the same name.
BASE_URL: str | None = flag(None, MAIN, metavar="URL", key="base_url")
CONFIG: str | None = flag(
    None, MAIN, "Configuration file  [default: sitemapper.toml, pyproject.toml]", "FILE"
)
PREVIOUS: str | None = flag(None, RUN, metavar="SOURCE", key="previous")
QUIET = flag(
    False,
    OUTPUT,
    "Print only errors, and with --strict also warnings.",
    short="-q",
    excludes=("verbose",),
)
FORMAT: Literal["text", "json"] = flag("text", MAIN, "Format of the summary.")
FindingsFormat = Literal["text", "json", "github"]
FINDINGS_FORMAT: FindingsFormat = flag(
    "text", MAIN, "Format of the findings; github writes workflow annotations."
)


@dataclass(init=False, frozen=True, kw_only=True, eq=False, repr=False)
class SiteOptions:
    """The options of build, check and explain that set keys of the configuration.

    Only the classes of commands have an `__init__`, because making one takes long.
    """

    base_url: str | None = BASE_URL
    ignore: tuple[str, ...] = flag((), MAIN, metavar="PATTERN", key="ignore")
    include: tuple[str, ...] = flag((), LISTED, metavar="PATTERN", key="include")
    url_style: Style | None = flag(None, LISTED, key="url_style")
    no_respect: tuple[str, ...] = flag(
        (), LISTED, f"Ignore a signal: {_SIGNALS}  [repeatable]", "SIGNAL", has_commas=True
    )
    lastmod: tuple[str, ...] = flag((), MAIN, metavar="SOURCE", key="lastmod", has_commas=True)
    no_lastmod: bool = flag(False, DATES, "Write no dates.", excludes=("lastmod", "ledger"))
    ledger: str | None = flag(None, DATES, metavar="FILE", key="ledger.path")
    output: str | None = flag(None, MAIN, metavar="DIR", key="output", short="-o")
    text: bool | None = flag(None, FILES, key="sitemap.text")
    gzip: Gzip | None = flag(None, FILES, key="sitemap.gzip")
    index: Index | None = flag(None, FILES, key="sitemap.index")
    max_urls: int | None = flag(None, FILES, metavar="N", key="sitemap.max_urls")
    max_bytes: int | None = flag(None, FILES, metavar="N", key="sitemap.max_bytes")
    robots: bool | None = flag(None, FILES, key="robots.write", name="--robots/--no-robots")
    config: str | None = CONFIG
    previous: str | None = PREVIOUS
    max_drop: float | None = flag(None, RUN, metavar="PERCENT", key="max_drop")
    strict: bool | None = flag(None, MAIN, key="strict")


@dataclass(init=False, frozen=True, kw_only=True, eq=False, repr=False)
class RunOptions(SiteOptions):
    """The options that build and check share."""

    jobs: int | None = flag(
        None, RUN, "Number of processes  [default: auto]", "N", min_number=1, is_of_run=True
    )
    scheduler: str | None = flag(
        None,
        RUN,
        "Process pages on the Dask cluster of this scheduler, such as tcp://HOST:8786.",
        "ADDRESS",
        is_of_run=True,
    )
    tracked: bool = flag(
        False,
        RUN,
        "Exit with 1 if a file changes, or if git does not track an output file or a listed page.",
    )
    excluded: str | None = flag(
        None, MAIN, "Write the excluded pages with their reasons to FILE (- for stdout).", "FILE"
    )
    changes: str | None = flag(
        None, OUTPUT, "Write the added, changed and removed URLs to FILE (- for stdout).", "FILE"
    )
    format: str = FORMAT
    quiet: bool = QUIET
    verbose: bool = flag(False, MAIN, "List every file, and examples of each reason.", short="-v")
