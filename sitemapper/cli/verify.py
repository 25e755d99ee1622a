"""`sitemapper verify`."""

import os
import re
import sys
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from urllib.parse import urljoin, urlsplit

import typer

from ..commands.judge import Scope
from ..commands.verify import Verification
from ..errors import SitemapperError
from ..linter import apply_severities, chosen
from ..model import NO_BASELINE
from ..setup.find import ProjectSearch
from ..setup.settle import Setup
from ..syntax.urls import normalise_base
from .findings import Findings
from .options import MAIN, RUN, ValidateOptions, flag
from .parameters import command
from .progress import Bar
from .request import cache_folder, input_lines, load_layers
from .submit import ChangedLoc, parse_changes
from .words import now, tell

SITEMAP_URL = typer.Argument(
    None, metavar="SITEMAP_URL", help="A live sitemap  [default: the project's]", show_default=False
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LiveOptions:
    """The options for the requests of `verify`."""

    sample: int | None = flag(
        None, MAIN, "Request about N of the listed URLs  [default: 200]", "N", least=1
    )
    all: bool = flag(False, MAIN, "Request every listed URL.")
    changes: str | None = flag(
        None, MAIN, "Request the URLs in the list of a build (- for stdin).", "FILE"
    )
    at: str | None = flag(
        None, MAIN, "Send the requests to this host instead of the one in the sitemap.", "ORIGIN"
    )
    wait: float = flag(
        0, MAIN, "Wait up to SECONDS for the new sitemap to go live.", "SECONDS", least=0
    )
    rate: float = flag(10, RUN, "Requests per second; 0 for no limit.", "N", least=0)
    timeout: float = flag(20, RUN, "Time limit for each response.", "SECONDS", least=0.001)
    max_time: float = flag(900, RUN, "Time limit for the run.", "SECONDS", least=0.001)
    header: tuple[str, ...] = flag(
        (), RUN, "Send the host a header, with the value of an environment variable", "NAME=ENVVAR"
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VerifyOptions(ValidateOptions, LiveOptions):
    """The options of `verify`."""


@command("verify", "verify --changes changes.tsv --wait 120")
def verify(sitemap: str | None = SITEMAP_URL, *, options: VerifyOptions) -> None:
    """Verify the live sitemap and its pages.

    Request robots.txt, the sitemap and the URLs in it. Exit with 1 if there is an error.
    """
    codes = chosen(options.select, options.disable, is_live=True)
    chosen_pages = [options.sample, options.all, options.changes]
    if sum(map(bool, chosen_pages)) > 1:
        raise SitemapperError("--sample, --all and --changes exclude each other")
    scope, setup = verify_scope(sitemap, options)
    headers = secret_headers(options)
    changed = None
    if options.changes:
        changed = _read_changes(options.changes, setup.site.base_url)
    # Imported here: urllib3 is an extra.
    from ..net.client import Client, Fetcher, is_private_name

    public_only = not is_private_name(urlsplit(scope.at).hostname or "")
    connect = partial(Client, setup.run.proxies, deadline=options.timeout, public_only=public_only)
    sample = None if options.all else options.sample or 200
    with Fetcher(connect, headers, options.rate, options.max_time) as fetcher:
        done = Verification(
            scope, setup, fetcher, now=int(now().timestamp()), is_built=sitemap is None
        )
        is_quiet = options.quiet or not sys.stderr.isatty()
        with closing(Bar(lambda: done.planned, quiet=is_quiet)) as bar:
            done.run(sample, changed, options.wait, bar.show)
    findings = Findings("verify", options, is_strict=options.strict)
    findings.files += done.files
    reported = (finding for finding in done.findings if finding.code in codes)
    findings.gather(apply_severities(reported, setup.settings.severities))
    if not options.quiet:
        tell("note", done.notes, options.color)
    exit_code = findings.print()
    if not done.judged:
        exit_code = 2
    raise typer.Exit(exit_code)


def _read_changes(file: str, base_url: str) -> list[ChangedLoc]:
    """The changes in a list of a build, each once."""
    lines = (row for row in input_lines(file) if not row.startswith(NO_BASELINE))
    return list(dict.fromkeys(parse_changes(lines, base_url)))


def verify_scope(sitemap: str | None, options: VerifyOptions) -> tuple[Scope, Setup]:
    """The scope of `verify`, and what holds for it. Raises SitemapperError for invalid URLs."""

    def base_of(flag: str, url: str, root: str = "") -> str:
        try:
            return normalise_base(urljoin(url, root))
        except ValueError as error:
            raise SitemapperError(f"{flag}: {error}") from None

    root = "/" if sitemap and "://" in sitemap else ""
    values = {"base_url": base_of("SITEMAP_URL", sitemap, root)} if sitemap else {}
    search = ProjectSearch(cache=cache_folder(options), needs_site=False)
    setup = load_layers(values, options, None if sitemap else search)
    base = setup.site.base_url
    name = setup.site.output.name
    if sitemap:
        _, _, name = sitemap.partition("://")[2].partition("/")
    at = base_of("--at", options.at) if options.at else base
    if options.at and urlsplit(at).path == "/":
        at = urljoin(at, urlsplit(base).path)
    return Scope(base + name, base, at), setup


def secret_headers(options: VerifyOptions) -> dict[str, str]:
    """The headers of `--header`, with values from the environment. Raises SitemapperError."""
    headers = {}
    for text in options.header:
        name, _, variable = text.partition("=")
        value = os.environ.get(variable, "")
        is_name = re.fullmatch(r"[A-Za-z0-9-]+", name)
        is_one_line = re.fullmatch(r"[ -~]+", value)
        if not is_name or not is_one_line:
            help = "write NAME=ENVVAR, where the variable contains the value on one line"
            raise SitemapperError(
                f"--header: {name}: is not a header name, or its variable is not set", help
            )
        headers[name] = value
    return headers
