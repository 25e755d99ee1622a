"""`sitemapper verify`."""

import os
import sys
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import typer

from ..commands.asking import Scope
from ..commands.verify import Verification
from ..config.layers import COMMAND_LINE
from ..errors import SitemapperError
from ..find.load import ProjectSearch, Setup, load
from ..linter import chosen
from ..messages import Kind
from ..syntax.urls import normalise_base, without_scheme
from .console import now, tell
from .findings import REQUESTS, Findings, ValidateOptions
from .options import MAIN, RUN, flag
from .parameters import command
from .progress import Bar
from .request import input_lines, secret_headers
from .submit import ChangedLoc, label_of, parse_changes
from .words import message_text

if TYPE_CHECKING:
    from ..net.client import Fetcher

_DEFAULT_SAMPLE = 200  # URLs that are requested, which takes 20 seconds at 10 a second
SITEMAP_URL = typer.Argument(
    None, metavar="SITEMAP_URL", help="A live sitemap  [default: the project's]", show_default=False
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LiveOptions:
    """The options for the requests of `verify`."""

    sample: int | None = flag(
        None,
        MAIN,
        "Request about N of the listed URLs  [default: 200]",
        "N",
        min_number=1,
        excludes=("all", "changes"),
    )
    all: bool = flag(False, MAIN, "Request every listed URL.", excludes=("changes",))
    changes: str | None = flag(
        None, MAIN, "Request the URLs in the list of a build (- for stdin).", "FILE"
    )
    at: str | None = flag(
        None, MAIN, "Send the requests to this host instead of the one in the sitemap.", "ORIGIN"
    )
    wait: float = flag(
        0,
        MAIN,
        "Wait up to SECONDS for the new sitemap to go live  [default: 0]",
        "SECONDS",
        min_number=0,
    )
    rate: float = flag(
        10, RUN, "Requests per second; 0 for no limit  [default: 10]", "N", min_number=0
    )
    timeout: float = flag(
        20, RUN, "Time limit for each response  [default: 20]", "SECONDS", min_number=0.001
    )
    max_time: float = flag(
        900, RUN, "Time limit for the run  [default: 900]", "SECONDS", min_number=0.001
    )
    header: tuple[str, ...] = flag(
        (),
        RUN,
        "Send the host a header, with the value of an environment variable  [repeatable]",
        "NAME=ENVVAR",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VerifyOptions(ValidateOptions, LiveOptions):
    """The options of `verify`."""


@command("verify", "verify --changes changes.tsv --wait 120")
def verify(sitemap: str | None = SITEMAP_URL, *, options: VerifyOptions) -> None:
    """Verify the live sitemap and its pages.

    Request robots.txt, the sitemap and the URLs in it. Exit with 1 if there is an error.
    """
    # What to check, and where.
    checked_codes = chosen(options.select, options.disable, is_live=True)
    scope, setup = _load_scope_and_setup(sitemap, options)
    headers = secret_headers(options.header)
    changed = _read_changes(options.changes, setup) if options.changes else None
    sample = None if options.all else (options.sample or _DEFAULT_SAMPLE)  # None for no limit
    # Send the requests.
    with _make_fetcher(scope, setup, headers, options) as fetcher:
        is_built = sitemap is None  # then the answers are compared with the project's build
        verification = Verification(
            scope, setup, fetcher, now=int(now().timestamp()), is_built=is_built
        )
        is_quiet = options.quiet or not sys.stderr.isatty()
        with closing(Bar(lambda: verification.planned, quiet=is_quiet)) as bar:
            verification.run(sample, changed, options.wait, bar.show)
    # Print what the answers show.
    findings = _gather_findings(verification, checked_codes, options)
    if not options.quiet:
        # The summary of the findings has the number of requested URLs. And the note that Search
        # Console may be slow (PENDING) is true of every new sitemap.
        hidden = REQUESTS if options.verbose else REQUESTS | {Kind.PENDING}
        notes = [note for note in findings.notes if note.kind not in hidden]
        tell("note", map(message_text, notes))
    exit_code = findings.print()
    # Nothing was checked: the host cannot be reached, or its sitemap lists URLs of another host.
    if not verification.checked:
        exit_code = 2
    raise typer.Exit(exit_code)


def _read_changes(file: str, setup: Setup) -> list[ChangedLoc]:
    """Reads the URLs in a list that `build --changes` wrote, each once. `-` stands for stdin."""
    changes = parse_changes(input_lines(file), setup.site.base_url, label_of(file))
    return list(dict.fromkeys(changes))


def _gather_findings(
    verification: Verification, checked_codes: Collection[str], options: VerifyOptions
) -> Findings:
    """Gathers what to print when all answers are in: findings, settings that mend them, and notes.

    Only findings of the rules `checked_codes` count.
    """
    findings = Findings("verify", options, is_strict=options.strict)
    findings.files += verification.files
    checked = (finding for finding in verification.findings if finding.code in checked_codes)
    findings.gather(checked)
    # Settings such as `ignore = ["/old/"]` are proposed only for findings that are reported.
    advice = verification.advise(findings.codes())
    findings.settings += advice.settings
    findings.notes += [*verification.notes, *advice.notes]
    return findings


def _make_fetcher(
    scope: Scope, setup: Setup, headers: Mapping[str, str], options: VerifyOptions
) -> "Fetcher":
    """Makes the fetcher, which sends all requests, with `--rate`, `--timeout` and `--max-time`.

    A redirect of a public site must not lead into a private network, so the fetcher refuses
    addresses such as 10.0.0.1. If the host that is verified has a private name itself, such as
    localhost, it may connect to them.
    """
    # Imported here: help needs none of it.
    from ..net.client import Client, Fetcher, is_private_name

    public_only = not is_private_name(urlsplit(scope.requested_base).hostname or "")
    connect = partial(Client, setup.run.proxies, deadline=options.timeout, public_only=public_only)
    return Fetcher(connect, headers, options.rate, options.max_time)


def _load_scope_and_setup(sitemap: str | None, options: VerifyOptions) -> tuple[Scope, Setup]:
    """Loads the settings, and chooses the sitemap to verify and the host of the requests.

    `sitemap` is the URL on the command line, such as `https://a.example/blog/map.xml`. None stands
    for the sitemap of the project. Raises SitemapperError for an invalid URL.
    """
    values: dict[str, str] = {}
    search = None
    if sitemap:
        # The sitemap may be of any site, so no project is searched for. It may list all pages of
        # its host, so the base URL is the root of this host: https://a.example/.
        values["base_url"] = _parse_base_url(sitemap, "SITEMAP_URL", keeps_path=False)
    else:
        search = ProjectSearch(
            reads_own_sitemap=True,  # of an earlier build, which may have the only base URL
            is_for_verify=True,  # the live site can be checked without one on this machine
        )
    setup = load(values, label=COMMAND_LINE, env=os.environ, cwd=os.getcwd(), search=search)
    base = setup.site.base_url
    name = _name_of_sitemap(sitemap) if sitemap else setup.site.output.name
    # With --at, the requests go to another host than that of the URLs in the sitemap.
    requested_base = _parse_requested_base(options.at, base) if options.at else base
    return Scope(sitemap=base + name, listed_base=base, requested_base=requested_base), setup


def _parse_requested_base(at: str, base_url: str) -> str:
    """Turns the address of `--at` into the base URL to which requests are sent.

    With the base URL https://a.example/docs/, `--at https://preview.example` means the same folder
    there, https://preview.example/docs/. An address with a path is taken as it is.
    """
    requested_base = _parse_base_url(at, "--at", keeps_path=True)
    if urlsplit(requested_base).path == "/":
        return urljoin(requested_base, urlsplit(base_url).path)
    return requested_base


def _name_of_sitemap(url: str) -> str:
    """Gives the path of a sitemap on its host: `https://a.example/blog/map.xml` → `blog/map.xml`.

    `https://a.example/blog/` → `blog/sitemap.xml`, because most sites have it there.
    """
    _host, _, path = without_scheme(url).partition("/")
    is_folder = path == "" or path.endswith("/")
    return f"{path}sitemap.xml" if is_folder else path


def _parse_base_url(text: str, flag: str, *, keeps_path: bool) -> str:
    """Turns a URL that the user typed into a base URL, which ends with a slash.

    `https://A.example/b` → `https://a.example/b/`. If `keeps_path` is false, the root of the host:
    `https://a.example/`. Raises SitemapperError, which names the flag, if the text is no URL.
    """
    try:
        # A text without a scheme is no URL. It stays as it is, so that the message quotes it.
        if not keeps_path and "://" in text:
            text = urljoin(text, "/")
        return normalise_base(text)
    except ValueError as error:
        raise SitemapperError(f"{flag}: {error}") from None
