"""The flags: types, names and help, in groups that commands share."""

import os
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from ..messages import SitemapperError

if TYPE_CHECKING:
    from ..config import Config

# The panels of the help, the most used first.
ARGUMENTS, MAIN, LISTED, DATES = "Arguments", "Options", "What is listed", "Dates"
FILES, THIS_RUN, OUTPUT = "Files", "This run", "Output"
PANELS = (ARGUMENTS, MAIN, LISTED, DATES, FILES, THIS_RUN, OUTPUT)
STDOUT = "-"


def flag(names: str, panel: str, help: str, metavar: str | None = None, **more: Any) -> Any:
    """Describes a flag to typer. `names` is its name and perhaps a short one: `--output -o`.

    `panel` is the section of the help in which it stands, and `metavar` stands for its value there.
    """
    return typer.Option(*names.split(), help=help, metavar=metavar, rich_help_panel=panel, **more)


def argument(name: str, help: str) -> Any:
    """Describes an argument, which has no `--`, to typer."""
    return typer.Argument(metavar=name, help=help, rich_help_panel=ARGUMENTS, show_default=False)


Site = Annotated[str | None, argument("SITE", "Folder of the built site  [default: found]")]


class SiteFlags(NamedTuple):
    """The flags that say what the site is, also for `explain`."""

    base_url: Annotated[
        str | None,
        flag("--base-url", MAIN, "The absolute URL at which the site's folder is served.", "URL"),
    ] = None
    output: Annotated[
        str | None,
        flag("--output -o", MAIN, "Folder in which to write  [default: the site]", "DIR"),
    ] = None
    config: Annotated[
        list[str] | None,
        flag(
            "--config",
            MAIN,
            "Configuration file, or a line of one  [repeatable; default: sitemapper.toml, "
            "pyproject.toml]",
            "FILE|'KEY = VALUE'",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        flag("--ignore", MAIN, "Leave out files, in gitignore syntax  [repeatable]", "PATTERN"),
    ] = None
    include: Annotated[
        list[str] | None,
        flag("--include", LISTED, "Also list files such as *.pdf  [repeatable]", "PATTERN"),
    ] = None
    url_style: Annotated[
        Literal["auto", "directory", "clean", "slash", "bare", "file"] | None,
        flag("--url-style", LISTED, "How the server names a/index.html and b.html."),
    ] = None
    lastmod: Annotated[
        list[str] | None,
        flag(
            "--lastmod",
            MAIN,
            "Sources of dates, in order of trust: page, published, front_matter, git, ledger, "
            "mtime  [repeatable; default: auto]",
            "SOURCE",
        ),
    ] = None
    no_lastmod: Annotated[bool, flag("--no-lastmod", DATES, "Write no dates.")] = False
    ledger: Annotated[
        str | None,
        flag("--ledger", DATES, "Record when the content of each page changed.", "FILE"),
    ] = None
    previous: Annotated[
        str | None,
        flag(
            "--previous",
            THIS_RUN,
            "The earlier sitemap to compare with: output, live, none, a file or a URL.",
            "SOURCE",
        ),
    ] = None


class RunFlags(NamedTuple):
    """The other flags that build and check share."""

    gzip: Annotated[
        Literal["no", "also", "only"] | None, flag("--gzip", FILES, "Which files to compress.")
    ] = None
    robots: Annotated[
        bool | None,
        flag("--robots/--no-robots", FILES, "Add the Sitemap: line to robots.txt, or do not."),
    ] = None
    max_drop: Annotated[
        float | None,
        flag(
            "--max-drop",
            THIS_RUN,
            "How many percent of the earlier URLs may go; 100 also allows an empty sitemap.",
            "PERCENT",
        ),
    ] = None
    strict: Annotated[bool | None, flag("--strict", MAIN, "Exit with 1 if there are warnings.")] = (
        None
    )
    tracked: Annotated[
        bool,
        flag(
            "--tracked",
            THIS_RUN,
            "Exit with 1 if a file changes, or if git does not track an output or a listed page.",
        ),
    ] = False
    jobs: Annotated[
        int | None, flag("--jobs", THIS_RUN, "Number of processes  [default: auto]", "N", min=1)
    ] = None
    scheduler: Annotated[
        str | None,
        flag("--scheduler", THIS_RUN, "Read pages on a Dask cluster, tcp://HOST:8786.", "ADDRESS"),
    ] = None
    excluded: Annotated[
        str | None,
        flag("--excluded", MAIN, "List the excluded pages in FILE (- for stdout).", "FILE"),
    ] = None
    format: Annotated[
        Literal["text", "json", "github"],
        flag("--format", MAIN, "Format of the result; github writes workflow annotations."),
    ] = "text"
    quiet: Annotated[
        bool, flag("--quiet -q", OUTPUT, "Print only errors, and with --strict also warnings.")
    ] = False
    verbose: Annotated[
        bool, flag("--verbose -v", MAIN, "List all changes, and what was found.")
    ] = False


class BuildFlags(NamedTuple):
    """The flags of build alone: it writes."""

    dry_run: Annotated[
        bool, flag("--dry-run", MAIN, "Print what would change, without writing anything.")
    ] = False
    replace: Annotated[
        bool, flag("--replace", FILES, "Replace a sitemap that another tool wrote.")
    ] = False
    changes: Annotated[
        str | None,
        flag("--changes", OUTPUT, "List the changed URLs in FILE (- for stdout).", "FILE"),
    ] = None
    report: Annotated[
        str | None,
        flag("--report", OUTPUT, "Write an HTML report of all pages.", "FILE.html"),
    ] = None


class ExplainFlags(NamedTuple):
    """The flags of explain alone."""

    site: Annotated[
        str | None, flag("--site", MAIN, "Folder of the built site  [default: found]", "DIR")
    ] = None
    format: Annotated[Literal["text", "json"], flag("--format", MAIN, "Format of the result.")] = (
        "text"
    )


class FindingFlags(NamedTuple):
    """The flags that validate and verify share."""

    select: Annotated[
        list[str] | None,
        flag(
            "--select",
            MAIN,
            "Check only this rule, such as SM203, or family, such as SM2  [repeatable]",
            "CODE",
        ),
    ] = None
    disable: Annotated[
        list[str] | None, flag("--disable", MAIN, "Skip this rule or family  [repeatable]", "CODE")
    ] = None
    strict: Annotated[bool | None, flag("--strict", MAIN, "Exit with 1 if there are warnings.")] = (
        None
    )
    format: Annotated[
        Literal["text", "json", "github"],
        flag("--format", MAIN, "Format of the result; github writes workflow annotations."),
    ] = "text"
    quiet: Annotated[
        bool, flag("--quiet -q", OUTPUT, "Print only errors, and with --strict also warnings.")
    ] = False
    verbose: Annotated[bool, flag("--verbose -v", MAIN, "Print every finding.")] = False


def load_config(site: str | None, flags: SiteFlags, others: RunFlags | None = None) -> "Config":
    """Loads the configuration of a command, in which flags are stronger than the file.

    `site` is the folder that was given. Not all flags set a key: `FLAGS` has those that do. Raises
    SitemapperError for wrong settings.
    """
    from ..config.load import FLAGS, load  # slow to load

    if site and "://" in site:
        raise SitemapperError(f"{site}: is not a folder", f"pass a URL as --base-url {site}")
    given = flags._asdict()
    if others:
        given |= others._asdict()
    if flags.no_lastmod:
        given["lastmod"] = []  # no source, so no dates
    # By the keys of the file. The field of the flag `--base-url` is `base_url`.
    values = {key: given.get(name.strip("-").replace("-", "_")) for key, name in FLAGS.items()}
    return load(values | {"site": site}, os.getcwd(), os.environ, flags.config or ())
