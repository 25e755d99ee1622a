"""`build`: runs the stream, compares the result with the published files, and publishes it."""

import os
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from ..errors import ConfigError, PublishError, with_help
from ..find.plan import make_plan
from ..find.search import find_project_in
from ..find.settle import Setup
from ..fs import relative
from ..model import Diagnostic, Summary, WarningKind
from ..observer import Observer
from ..publish import published, write
from ..publish.files import Publishing
from ..publish.foreign import read_others
from ..publish.plan import plan_output
from ..publish.previous import find_previous
from ..publish.shards import Spool
from ..read.walk import check_root
from ..run import stream
from ..run.evidence import open_ledger
from ..site import Output
from ..syntax.gitignore import Line, Patterns


def build(
    setup: Setup,
    *,
    now: datetime,
    dry_run: bool = False,
    observer: Observer | None = None,
    cache: str | None = None,
) -> Summary:
    """Builds and publishes the sitemaps of a site. With `dry_run`, writes nothing.

    All pages are read first. Then the files are planned and compared with the published ones, and
    those that differ are replaced together.

    `cache` is a local folder with records of earlier runs. It is created if it is missing. Raises
    SitemapperError for errors that a user can fix. Published files then stay as they are.
    """
    observer = observer or Observer()
    site, run = setup.site, setup.run
    check_root(site.root, site.label)
    _check_scope(site.output, site.root)
    _check_ledger_folder(site.ledger)
    folder = site.output.folder
    sitemap = site.output.path(site.output.name)  # for messages
    held = _Held()
    with ExitStack() as stack:
        if not dry_run:
            # Locked before anything is read: an older run must not publish over a newer one.
            held = _lock(setup, stack)
        with write.os_errors_as_publish_error(sitemap):
            others = read_others(site.output, run.cwd)
            ledger, ledger_notes = stack.enter_context(open_ledger(site, run))
            ledger_path = ledger.path if ledger else None
            found = find_previous(setup.settings.previous, site, run, ledger_path)
            previous, previous_notes = stack.enter_context(found)
        plan = make_plan(setup, now, ledger)
        plan = plan._replace(
            locks=held.locks,
            diagnostics=(*plan.diagnostics, *held.diagnostics),
            notes=(*plan.notes, *ledger_notes, *previous_notes),
            wants_details=observer.wants_details,
        )
        publishing = Publishing(
            run=run,
            max_drop=setup.settings.max_drop,
            others=others,
            previous=previous,
            is_dry=dry_run,
            gone=_patterns_of_gone(setup),
        )
        # Entries wait in temporary files until all pages are read: a dry run's are the system's.
        spool_folder = None if dry_run else folder
        with write.os_errors_as_publish_error(sitemap), Spool(spool_folder) as spool:
            stats = stream.run(plan, spool, observer, cache)
            observer.phase("writing")
            summary, new_files = plan_output(
                stats, spool, plan, publishing, observer, find_project_in(site)
            )
            file_changes = () if dry_run else summary.files
            lists = observer.files(summary)
            read_sitemap = partial(new_files[0].blocks, spool)
            before_replacing = partial(observer.ready, read_sitemap)
            write.write(
                file_changes, new_files, spool, folder, lists=lists, before=before_replacing
            )
            return summary


def _patterns_of_gone(setup: Setup) -> Patterns:
    """The patterns of `[check] gone`. A URL, as messages have it, stands for its path."""
    base_url = setup.site.base_url
    lines = []
    for text, origin in zip(setup.settings.check.gone, setup.origins.gone, strict=True):
        pattern = text
        if text.startswith(base_url):
            pattern = "/" + unquote(text.removeprefix(base_url))
        lines.append(Line(pattern, origin))
    return Patterns(lines)


class _Held(NamedTuple):
    """The locks of a run, and warnings about folders that cannot be locked."""

    locks: tuple[int, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def _lock(setup: Setup, stack: ExitStack) -> _Held:
    """Locks the output and the ledger until `stack` closes, and removes what a killed run left.

    A folder that cannot be locked is only a warning. Raises PublishError if another
    run holds a lock, or has changed the configuration.
    """
    site = setup.site
    ledgers = [site.ledger] if site.ledger else []
    folder = site.output.folder
    unlocked: list[str] = []  # folders that cannot be locked
    with write.os_errors_as_publish_error(site.output.path(site.output.name)):
        locked = write.locked(folder, ledgers, on_refused=unlocked.append)
        locks = stack.enter_context(locked)
        write.check_unchanged(setup.run.read_from)
        write.remove(published.stale_temp_files(site.output, site.ledger), folder)
    diagnostics = [Diagnostic(WarningKind.UNLOCKED, path) for path in unlocked]
    return _Held(locks, tuple(diagnostics))


def _check_ledger_folder(ledger: str | None) -> None:
    """Raises PublishError if there is no folder for the ledger."""
    folder = os.path.dirname(ledger) if ledger else ""
    if folder and not os.path.isdir(folder):
        raise PublishError(
            f"{folder}: is not a folder", "create it, or change [ledger] path or --ledger"
        )


def _check_scope(output: Output, root: str) -> None:
    """Raises ConfigError if the sitemap may not list the site's URLs.

    A sitemap may list only URLs of its own folder and below (sitemaps.org, sitemap file location).
    """
    output_in_site = relative(os.path.realpath(output.folder), os.path.realpath(root))
    path = output_in_site.replace(os.sep, "/")
    is_outside = path.startswith("..") or os.path.isabs(path)  # absolute on another drive
    if path == "." or is_outside:
        return
    place = urljoin(output.base_url, path) + "/"
    error = with_help(
        f"output: a sitemap in {path}/ is served below {place} and may list only URLs there "
        "(sitemaps.org, sitemap file location)",
        "write it to the site's own folder; only a Sitemap: line in robots.txt may cross that "
        "border, and not every crawler follows it",
    )
    raise ConfigError((error,))
