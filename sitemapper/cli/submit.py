"""`sitemapper submit`: sends the URLs that a build listed with `--changes`, or all of them.

The list is a queue: after each accepted request, its rows are removed from the file.
"""

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

import typer

from ..errors import WRITE_ADVICE, PublishError, SitemapperError, with_help
from ..find.load import Setup
from ..model import NO_BASELINE, UrlChange
from ..publish.published import Previous, find_previous
from ..publish.queue import (
    is_below,
    is_whole_site_note,
    mark_as_sending,
    parse_row,
    requeue_unaccepted,
    without_accepted,
)
from ..read.sitemap import parse_row as parse_sitemap_row
from ..replace import replacing
from ..site import Site
from .console import emit, tell
from .options import BASE_URL, CONFIG, FORMAT, MAIN, PREVIOUS, QUIET, RUN, STDOUT, flag
from .parameters import SITE, command
from .render.json import document
from .request import input_lines, load_setup
from .text import amounts, plural, shown

if TYPE_CHECKING:
    from ..net.client import Answer


_WHOLE_SITE = "the build found no earlier sitemap, so the list has the whole site and is not sent"
_ALL_ONCE = "the next build lists what changes; to send everything once: sitemapper submit --all"
_SAME_BASE_URL = "run build and submit with the same base_url"


class ChangedLoc(NamedTuple):
    """A URL to send to a search engine, and its change: added, changed or removed."""

    kind: UrlChange
    url: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SubmitOptions:
    """The options of `submit`."""

    changes: str | None = flag(
        None,
        MAIN,
        "Send the URLs in the list of a build, and remove what is accepted (- for stdin).",
        "FILE",
        excludes=("all",),
    )
    all: bool = flag(False, MAIN, "Send every published URL.")
    base_url: str | None = BASE_URL
    dry_run: bool = flag(False, MAIN, "Print what would be sent, without sending anything.")
    wait: float = flag(
        60,
        RUN,
        "Wait up to SECONDS for the key file to go live  [default: 60]",
        "SECONDS",
        min_number=0,
    )
    endpoint: tuple[str, ...] = flag((), RUN, metavar="URL", key="submit.endpoint")
    previous: str | None = PREVIOUS
    key: str | None = flag(None, RUN, metavar="KEY", key="submit.key")
    config: str | None = CONFIG
    format: Literal["text", "json"] = FORMAT
    quiet: bool = QUIET


@command("submit --changes changes.tsv", "submit --all")
def submit(site: str | None = SITE, *, options: SubmitOptions) -> None:
    """Notify search engines of changed URLs.

    Send the URLs that a build listed with --changes, or all published ones, by IndexNow.
    """
    if not options.changes and not options.all:
        raise SitemapperError(
            "submit needs --changes FILE or --all",
            "--changes sends the list that `sitemapper build --changes FILE` wrote; "
            "--all sends every published URL",
        )
    setup = load_setup(site, options)
    listed = _read_list(options, setup.site.base_url)
    if not setup.settings.submit.key:
        raise SitemapperError(
            "submit.key: is not set, and IndexNow needs a key",
            "create one with `sitemapper init --indexnow`, or pass one in SITEMAPPER_SUBMIT_KEY "
            "or --key",
        )
    if not options.all:
        _submit(lambda: iter(listed), setup, options)
        return
    with find_previous(setup.settings.previous, setup.site, setup.run, None) as previous:
        # The sitemaps are read again in each pass, because a million URLs take much memory.
        _submit(lambda: _published(previous, setup.site), setup, options)


def _submit(
    read_all: Callable[[], Iterator[ChangedLoc]], setup: Setup, options: SubmitOptions
) -> None:
    """Sends the URLs that `read_all` yields, and prints the result in the chosen format.

    `read_all` is called again for each pass over the URLs, of which there are up to three: one
    counts them, one sends them, and one prints them. A dry run sends nothing. Exits with 1 if the
    engine has not accepted all of them.
    """
    # A first pass counts, so that no request is sent for a list with a faulty row at its end.
    counts = Counter(change.kind for change in read_all())
    requests: list[Request] = []
    remaining = 0
    if counts and not options.dry_run:
        with _marked_rows(options.changes, setup.site.base_url):
            accepted = _send(read_all(), requests, setup, options)
        remaining = counts.total() - accepted
    if options.format == "json":
        emit([_json(read_all(), requests, remaining, dry_run=options.dry_run)])
    elif options.dry_run and not options.quiet:
        emit(f"{change.kind.value}\t{shown(change.url)}" for change in read_all())
    elif not options.quiet:
        emit(_text(counts, requests, remaining, setup.settings.submit.endpoint))
    if remaining:
        raise typer.Exit(1)


def _read_list(options: SubmitOptions, base_url: str) -> Collection[ChangedLoc]:
    """Reads the changes in the list of `--changes`, without repetitions. Empty without the flag.

    The first build of a site has nothing to compare with, so it lists every URL as added. Search
    engines want only changes, so such a list is not sent: this prints a warning, and the result is
    empty.
    """
    if not options.changes:
        return ()
    rows = input_lines(options.changes)
    label = label_of(options.changes)
    if any(is_whole_site_note(row, base_url) for row in rows):
        tell("warning", [with_help(f"{label}: {_WHOLE_SITE}", _ALL_ONCE)])
        return ()
    return dict.fromkeys(parse_changes(rows, base_url, label))


def parse_changes(rows: Iterable[str], base_url: str, label: str) -> Iterator[ChangedLoc]:
    """Yields the changes in a list that `build --changes` wrote.

    A row `added TAB https://a.example/b` → `ChangedLoc(UrlChange.ADDED, "https://a.example/b")`.
    Several sites may share a list, so rows with a URL that is not below `base_url` are left out.
    http and https count as the same here. Messages call the list `label`: its file, or "stdin".

    Raises SitemapperError for a row of another shape. Also raises it if the list has URLs of other
    sites only, because `base_url` is probably wrong then.
    """
    kinds = {kind.value: kind for kind in UrlChange}
    problem_of_other_site = ""  # a message about the first URL of another site, "" for none
    has_own_url = False
    for number, row in enumerate(rows, 1):
        if row.startswith(NO_BASELINE):  # says that the list has the whole site, not a URL
            continue
        kind, url, _ = parse_row(row)
        if kind not in kinds or not re.fullmatch(r"https?://[!-~]+", url):
            raise SitemapperError(
                f"{label}:{number}: expected “added, changed or removed TAB URL”",
                "pass the list that `sitemapper build --changes FILE` wrote",
            )
        if is_below(url, base_url):
            has_own_url = True
            yield ChangedLoc(kinds[kind], url)
        elif not problem_of_other_site:
            problem_of_other_site = f"{label}:{number}: {url} is not below base_url ({base_url})"
    if problem_of_other_site and not has_own_url:
        raise SitemapperError(problem_of_other_site, _SAME_BASE_URL)


def label_of(file: str) -> str:
    """Returns what messages call a list: its file, or "stdin" for `-`."""
    return "stdin" if file == STDOUT else file


def _published(previous: Previous, site: Site) -> Iterator[ChangedLoc]:
    """Yields all URLs of the published sitemaps, as `submit --all` sends them: each as added.

    `previous` are the sitemaps of the last build: those in the output folder, or a copy of those
    that `--previous` names. Raises PublishError if there are none that sitemapper wrote, or if one
    lists a URL that is not below base_url.
    """
    # What messages call the sitemap: where it was copied from, or its file in the output folder.
    place = previous.copied_from or site.output.path(site.output.name)
    has_sitemap_in_output = bool(previous.names)
    if not has_sitemap_in_output and not previous.has_sitemap_elsewhere:
        what = f"{place}: there is no sitemap that sitemapper wrote"
        raise PublishError(what, "run `sitemapper build` first")
    for row in previous.all_rows():
        loc, _ = parse_sitemap_row(row)
        if not loc.startswith(site.base_url):
            raise PublishError(
                f"{place}: {loc} is not below base_url ({site.base_url})", _SAME_BASE_URL
            )
        yield ChangedLoc(UrlChange.ADDED, loc)


class Request(NamedTuple):
    """A request that was sent: how many URLs it had, the engine that got it, and its reply."""

    urls: int
    endpoint: str
    reply: "Answer"


def _send(
    changed: Iterator[ChangedLoc],
    requests: list[Request],
    setup: Setup,
    options: SubmitOptions,
) -> int:
    """Sends the URLs to a search engine by IndexNow, and returns how many were accepted.

    They are sent in batches of 10,000. If no engine of the settings accepts a batch, later batches
    are not sent. The rows of an accepted batch are removed from the list of `--changes` at once.
    Each request is added to `requests`, for the caller to print.

    Raises NetworkError if the key file is not live, or if an engine rejects a request.
    """
    # Imported here: a dry run sends no requests.
    from ..net import indexnow
    from ..net.client import Client

    def pause(seconds: float, why: str) -> None:
        if not options.quiet:
            tell("note", [why])
        time.sleep(seconds)

    # Engines accept URLs only if the site serves a file with the key, so wait until it does.
    settings = setup.settings.submit
    client = Client(setup.run.proxies)
    key_url = f"{setup.site.base_url}{settings.key}.txt"
    key = indexnow.Key(settings.key, key_url)
    indexnow.confirm(key, client, options.wait, pause)
    # Send one batch after the other.
    engines = list(settings.endpoint)
    accepted_count = 0
    while batch := list(islice(changed, indexnow.MAX_URLS)):
        # `indexnow.send` tries the engines in order, and stops at the first that accepts the batch.
        # So only the last reply can be an acceptance:
        # {"https://a.example": 429 Too Many Requests, "https://b.example": 200 OK}.
        replies = indexnow.send([change.url for change in batch], key, engines, client, pause)
        requests += [Request(len(batch), engine, reply) for engine, reply in replies.items()]
        last_engine = list(replies)[-1]
        if not indexnow.is_accepted(replies[last_engine]):
            break
        # If a later batch fails, the next run must not send this one again.
        rows = {(change.kind.value, change.url) for change in batch}
        _edit_list(options.changes, partial(without_accepted, accepted=rows))
        accepted_count += len(batch)
        # The next batch goes first to the engine that accepted this one, not to a busy one.
        engines.remove(last_engine)
        engines.insert(0, last_engine)
    return accepted_count


@contextmanager
def _marked_rows(file: str | None, base_url: str) -> Iterator[None]:
    """Marks the rows of a list as being sent, for as long as the `with` block runs.

    `added TAB https://a.example/b` → `added TAB https://a.example/b TAB sending`

    During the block, a build may add a new row for the same URL. When an engine accepts the URL,
    only the marked row is removed, and the new row stays for the next run. At the end of the block,
    rows that no engine accepted lose their mark. If the process is killed, they keep the mark, and
    the next run sends them.
    """
    _edit_list(file, partial(mark_as_sending, base_url=base_url))
    try:
        yield
    finally:
        _edit_list(file, partial(requeue_unaccepted, base_url=base_url))


def _edit_list(file: str | None, edit: Callable[[list[str]], Iterator[str]]) -> None:
    """Replaces the lines of the list of `--changes` by those that `edit` makes of them.

    `file` is the value of `--changes`. Nothing is edited without that flag, or if the list comes
    from stdin (`-`) or a pipe. Raises PublishError if the file cannot be written.
    """
    is_stdin = file == STDOUT  # the name `-` means stdin for a file that is read
    if not file or is_stdin or not os.path.isfile(file):
        return
    try:
        lines = input_lines(file)  # read again each time, because a build may have added rows
        edited = list(edit(lines))
        if edited == lines:
            return
        with replacing(file) as new:
            new.write("".join(edited).encode())
    except OSError as error:
        raise PublishError(
            f"{file}: cannot be rewritten ({error.strerror}), so the next run sends its rows again",
            WRITE_ADVICE,
        ) from error


def _text(
    counts: Counter[UrlChange],
    requests: Sequence[Request],
    remaining: int,
    endpoints: Sequence[str],
) -> Iterator[str]:
    """Yields the result for a person: how many URLs there are, each request, and what is left.

    `12 URLs (10 added, 2 removed) for api.example`, then `12 URLs: 200 OK` for each request, then
    `2 URLs left to send: run submit again`, if any are. `remaining` is their number, and
    `endpoints` are the engines of the settings.
    """
    if not counts:
        yield "nothing to send"
        return
    kinds = amounts((kind, counts[kind]) for kind in UrlChange)
    yield f"{plural(counts.total(), 'URL')} ({kinds}) for {', '.join(endpoints)}"
    for request in requests:
        engine = f" to {request.endpoint}" if len(endpoints) > 1 else ""
        yield f"  {plural(request.urls, 'URL')}{engine}: {shown(str(request.reply))}"
    if remaining:
        yield f"  {plural(remaining, 'URL')} left to send: run submit again"


def _json(
    listed: Iterable[ChangedLoc], requests: Sequence[Request], remaining: int, *, dry_run: bool
) -> str:
    """Writes the result as JSON: the URLs by kind of change, each request, and the URLs left.

    `{"changes": {"added": ["https://…"], …}, "left": 2, "requests": [{"urls": 9, …}]}`. `remaining`
    is the number of URLs that no engine has accepted, 0 for a dry run.
    """
    urls: dict[str, list[str]] = {kind.value: [] for kind in UrlChange}
    for kind, url in listed:
        urls[kind.value].append(url)
    answered = [
        {
            "urls": request.urls,
            "endpoint": request.endpoint,
            "status": request.reply.status,
            "said": request.reply.text,
        }
        for request in requests
    ]
    return document({"dry_run": dry_run, "changes": urls, "left": remaining, "requests": answered})
