"""`build`: runs the stream, compares the result with the published files, and publishes it."""

import os
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from urllib.parse import urljoin

from ..errors import ConfigError, PublishError, with_help
from ..fs import relative
from ..model import Diagnostic, Summary, WarningKind
from ..output import published, write
from ..output.shards import Spool
from ..pipeline import run as stream
from ..pipeline.evidence import open_ledger
from ..pipeline.observer import Observer
from ..pipeline.plan import make_plan
from ..publish.files import Publishing
from ..publish.foreign import read_others
from ..publish.plan import plan_output
from ..settled import Site
from ..setup.settle import Setup
from ..site.walk import check_root


def build(
    setup: Setup,
    *,
    now: datetime,
    dry_run: bool = False,
    observer: Observer | None = None,
    cache: str | None = None,
) -> Summary:
    """Builds and publishes the sitemaps of a site. With `dry_run`, writes nothing.

    `cache` is a local folder with records of earlier runs. It is created if it is missing. Raises
    SitemapperError for errors that a user can fix. Published files then stay as they are.
    """
    observer = observer or Observer()
    site, run = setup.site, setup.run
    check_root(site.root, site.label)
    _check_scope(site)
    folder = os.path.dirname(site.ledger) if site.ledger else ""
    if folder and not os.path.isdir(folder):
        raise PublishError(
            f"{folder}: is not a folder", "create it, or change [ledger] path or --ledger"
        )
    output = site.output.folder
    locks: tuple[int, ...] = ()
    unlocked: list[str] = []
    with ExitStack() as stack:
        if not dry_run:
            # Locked before anything is read: an older run must not publish over a newer one.
            ledgers = [site.ledger] if site.ledger else []
            with write.os_errors_as_publish_error(output):
                locks = stack.enter_context(
                    write.locked(output, ledgers, on_refused=unlocked.append)
                )
                write.check_unchanged(run.read_from)
                write.remove(published.stale_temp_files(site.output, site.ledger), output)
        with write.os_errors_as_publish_error(output):
            others = read_others(site.output, run.cwd)
            ledger, ledger_notes = stack.enter_context(open_ledger(site, run))
        plan = make_plan(setup, now, ledger)
        plan = plan._replace(
            locks=locks,
            diagnostics=(
                *plan.diagnostics,
                *(Diagnostic(WarningKind.UNLOCKED, path) for path in unlocked),
            ),
            notes=(*plan.notes, *ledger_notes),
            wants_details=observer.wants_details,
        )
        with write.os_errors_as_publish_error(output), Spool(None if dry_run else output) as spool:
            stats = stream.run(plan, spool, observer, cache)
            observer.phase("writing")
            publishing = Publishing(
                run, setup.project, setup.settings.max_drop, others, is_dry=dry_run
            )
            summary, files = plan_output(stats, spool, plan, publishing, observer)
            done = () if dry_run else summary.files
            ready = partial(observer.ready, partial(files[0].blocks, spool))
            write.write(done, files, spool, output, lists=observer.files(summary), before=ready)
            return summary


def _check_scope(site: Site) -> None:
    output, root = os.path.realpath(site.output.folder), os.path.realpath(site.root)
    inside = relative(output, root).replace(os.sep, "/")
    if inside == "." or inside.startswith("..") or os.path.isabs(inside):
        return
    place = urljoin(site.base_url, inside) + "/"
    error = with_help(
        f"output: a sitemap in {inside}/ is served below {place} and may list only URLs there "
        "(sitemaps.org, sitemap file location)",
        "write it to the site's own folder; only a Sitemap: line in robots.txt may cross that "
        "border, "
        "and not every crawler follows it",
    )
    raise ConfigError((error,))
