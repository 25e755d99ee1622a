"""`sitemapper submit`."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import typer

from ..commands.submit import Submission
from ..commands.submit import submit as run
from ..errors import SitemapperError
from ..summary import UrlChange
from .options import BASE_URL, COLOR, CONFIG, FORMAT, MAIN, QUIET, RUN, STDOUT, flag
from .parameters import SITE, command
from .render.json import document
from .request import input_lines, load_settings
from .streams import emit, tell
from .words import amounts, plural, shown


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SubmitOptions:
    """The options of `submit`."""

    changes: str | None = flag(
        None, MAIN, "Send the URLs in the list of a build, and remove what is accepted (- for stdin).", "FILE"
    )
    all: bool = flag(False, MAIN, "Send every published URL.")
    base_url: str | None = BASE_URL
    dry_run: bool = flag(False, MAIN, "Print what would be sent, without sending anything.")
    wait: float = flag(60, RUN, "Wait up to SECONDS for the key file to go live.", "SECONDS")
    endpoint: str | None = flag(None, RUN, metavar="URL", key="submit.endpoint")
    key: str | None = flag(None, RUN, metavar="KEY", key="submit.key")
    config: str | None = CONFIG
    format: Literal["text", "json"] = FORMAT
    quiet: bool = QUIET
    color: Literal["auto", "always", "never"] = COLOR


@command("submit --changes changes.tsv", "submit --all")
def submit(site: str | None = SITE, *, options: SubmitOptions) -> None:
    """Notify search engines of changed URLs.

    Send the URLs that a build listed with --changes, or all published ones, by IndexNow.
    """
    if options.changes and options.all:
        raise SitemapperError("--changes and --all exclude each other")
    if not (options.changes or options.all):
        raise SitemapperError(
            "submit needs --changes FILE or --all",
            "--changes sends the list that `sitemapper build --changes FILE` wrote; "
            "--all sends every published URL",
        )
    settings = load_settings(site, options, options.config)

    def pause(seconds: float, why: str) -> None:
        if not options.quiet:
            tell("note", [why], options.color)
        time.sleep(seconds)

    queue = None if options.changes == STDOUT else options.changes
    rows = input_lines(options.changes) if options.changes else None
    done = run(settings, rows, queue=queue, dry_run=options.dry_run, wait=options.wait, sleep=pause)
    if options.format == "json":
        emit([_json(done, dry_run=options.dry_run)])
    elif not options.quiet:
        emit(_text(done, settings.submit.endpoint, dry_run=options.dry_run))
    if not (done.is_complete or options.dry_run):
        raise typer.Exit(1)


def _text(done: Submission, endpoint: str, *, dry_run: bool) -> Iterator[str]:
    """What was sent and what came back; on a dry run the list of what would be."""
    if dry_run:
        yield from (f"{kind.value}\t{shown(url)}" for kind, url in done.changes)
        return
    if not done.changes:
        yield "nothing to send"
        return
    kinds = Counter(kind for kind, _ in done.changes)
    counts = amounts((kind, kinds[kind]) for kind in UrlChange)
    yield f"{plural(len(done.changes), 'URL')} ({counts}) for {endpoint}"
    yield from (f"  {plural(count, 'URL')}: {shown(str(reply))}" for count, reply in done.requests)
    if done.remaining:
        yield f"  {plural(done.remaining, 'URL')} left to send: run submit again"
    yield from (f"  ping: {shown(str(ping))}" for ping in done.pings)


def _json(done: Submission, *, dry_run: bool) -> str:
    """The same as JSON, `"version": 1`."""
    urls: dict[str, list[str]] = {kind.value: [] for kind in UrlChange}
    for kind, url in done.changes:
        urls[kind.value].append(url)
    shape = {
        "dry_run": dry_run,
        "changes": urls,
        "left": done.remaining,
        "requests": [{"urls": n, "status": r.status, "said": r.text} for n, r in done.requests],
        "pings": [{"status": ping.status, "said": ping.text} for ping in done.pings],
    }
    return document(shape)
