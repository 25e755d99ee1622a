"""The only module that writes the output: all temporaries first, then one burst of renames.

At every instant each sitemap that the live index names exists and is whole.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from sitemapper.config import names as output_names
from sitemapper.config.files import relative
from sitemapper.config.settings import Settings
from sitemapper.errors import ConfigError, GuardError, PublishError
from sitemapper.model import Batch, Caution, Change, Chunk, FileChange, Summary, UrlChange
from sitemapper.output import changes, published
from sitemapper.output.lock import locked
from sitemapper.output.shards import File, layout
from sitemapper.output.spool import Spool
from sitemapper.pages.cache import Place
from sitemapper.pages.inspect import keep_memory
from sitemapper.pipeline import around as site_files
from sitemapper.pipeline import fingerprint, pipeline
from sitemapper.pipeline.listener import Listener
from sitemapper.pipeline.pipeline import Spread, here
from sitemapper.pipeline.plan import Plan, make_plan
from sitemapper.pipeline.tally import Outcome
from sitemapper.syntax import robots

GZIP_LEVEL = 6
_PATIENCE = (0.05, 0.1, 0.2, 0.4) if os.name == "nt" else ()  # seconds between tries to replace a file
ALONE = 2  # batches before other processes are worth their start
_PROJECT = ("sitemapper.toml", "pyproject.toml", "package.json")  # which no generator writes into a site


def publish(
    settings: Settings, *, now: datetime, dry_run: bool, listener: Listener, place: Place | None
) -> Summary:
    """Builds and publishes the sitemaps of a site; `place` is where the cache lies.

    Raises SitemapperError for what a user can mend; nothing published is lost then.
    """
    _check_scope(settings)
    _check_ledger(settings)
    plan = make_plan(settings, now)
    if plan.content:
        keep_memory()
    with _writing(settings.output_dir):
        if dry_run:
            with Spool() as spool:
                outcome = pipeline.run(plan, spool, listener, place, _spread(settings))
                return _planned(outcome, spool, plan, listener)[0]
        os.makedirs(settings.output_dir, exist_ok=True)
        # From the walk on: an older walk must not publish over a newer one.
        with _locked(settings), Spool(settings.output_dir) as spool:
            _remove(published.leftovers(settings), settings.output_dir)
            outcome = pipeline.run(plan, spool, listener, place, _spread(settings))
            summary, files = _planned(outcome, spool, plan, listener)
            _write(summary.files, files, spool, settings.output_dir)
            if place and outcome.known.chain and _names_no_others(settings):
                fingerprint.remember(settings, place, outcome.known.chain, summary, plan.started)
            return summary


@contextmanager
def _locked(settings: Settings) -> Iterator[None]:
    """Nobody else publishes into the output, or keeps the same ledger, as long."""
    ledger = [os.path.dirname(settings.ledger_file)] if settings.ledger_file else []
    with ExitStack() as stack:
        for folder in sorted({os.path.realpath(folder) for folder in (settings.output_dir, *ledger)}):
            stack.enter_context(locked(folder))
        yield


def _names_no_others(settings: Settings) -> bool:
    """Whether robots.txt names no other sitemap of ours, whose absence would deserve a warning."""
    urls = robots.sitemap_lines(_robots(settings) or b"")
    return sum(url.startswith(settings.base_url) for url in urls) <= 1


def _spread(settings: Settings) -> Spread:
    """Who processes batches: this process alone, unless other is asked for or many pages are to be read."""

    def run(plan: Plan, batches: Iterable[Batch]) -> Iterator[tuple[Batch, Chunk]]:
        asked = settings.jobs > 1 or settings.scheduler is not None
        if settings.scheduler is None and (settings.jobs == 1 or not plan.reads):
            yield from here(plan, batches)  # to send pages would cost more than to list them
            return
        begun = iter(batches)
        yield from here(plan, islice(begun, 0 if asked else ALONE))
        for batch in begun:
            # Imported here: a small site needs no other process.
            from sitemapper.pipeline.processes import elsewhere

            yield from elsewhere(plan, chain([batch], begun), settings)

    return run


def _check_scope(settings: Settings) -> None:
    output, root = os.path.realpath(settings.output_dir), os.path.realpath(settings.site)
    inside = relative(output, root).replace(os.sep, "/")
    if inside == "." or inside.startswith("..") or os.path.isabs(inside):
        return
    place = urljoin(settings.base_url, inside) + "/"
    raise ConfigError(
        (
            f"output: a sitemap in {inside}/ is served below {place} and may list only URLs there "
            "(sitemaps.org, sitemap file location); write it to the site's own folder. Only a Sitemap: "
            "line in robots.txt may cross that border, and not every crawler follows it",
        )
    )


def _check_ledger(settings: Settings) -> None:
    folder = os.path.dirname(settings.ledger_file) if settings.ledger_file else ""
    if folder and not os.path.isdir(folder):
        raise PublishError(f"{folder}: is no folder; create it, or change [ledger] path or --ledger")


@contextmanager
def _writing(output: str) -> Iterator[None]:
    """Turns what the system refuses into a sentence."""
    try:
        yield
    except OSError as error:
        where = output_names.final(error.filename) if isinstance(error.filename, str) else output
        raise PublishError(
            f"{where}: {error.strerror or error}; what was published before is still whole. "
            "Free the place or mend the permissions, then run again"
        ) from error


def _planned(outcome: Outcome, spool: Spool, plan: Plan, listener: Listener) -> tuple[Summary, list[File]]:
    """What would change. Raises GuardError where that would do harm."""
    settings = plan.settings
    previous = published.count_urls(settings)
    previous = published.count_rows(settings) if previous is None else previous
    _guard(outcome, previous, settings)
    files = layout(outcome.shards, settings)
    text = _robots(settings)
    if text is not None:
        files.append(File("robots.txt", text, None, b"", gzip=False))
    warnings = [*outcome.warnings, *_warnings(text, files, settings)]
    if settings.ledger_file:
        files.append(File(settings.ledger_file, b"", outcome.ledger, b"", gzip=False))
    compared = [published.compare(file, spool, settings) for file in files]
    done = [FileChange(_shown(f.name, settings), c, f.urls) for f, c in zip(files, compared, strict=True)]
    new = [file for file, change in zip(files, compared, strict=True) if change is not Change.KEPT]
    wanted = {file.name for file in files}
    done += [FileChange(n, Change.REMOVED) for n in published.ours(settings) if n not in wanted]
    changed = {UrlChange.ADDED: outcome.listed, UrlChange.CHANGED: 0, UrlChange.REMOVED: 0}
    if previous is not None or listener.hears_changes:
        changed = _told(changes.of(new, files, outcome.ledger, spool, plan), listener)
    if previous and changed[UrlChange.REMOVED] == previous and outcome.listed:
        warnings.append((Caution.REPLACED, 1, (f"all {previous:,} of {settings.sitemap.name}",)))
    summary = Summary(
        site=settings.site,
        sitemap=settings.base_url + settings.sitemap.name,
        listed=outcome.listed,
        excluded=outcome.excluded,
        pruned=outcome.pruned,
        files=tuple(done),
        warnings=tuple(warnings),
        notes=(*outcome.notes, *_notes(text, settings)),
        previous=previous,
        dated=outcome.dated,
        changes=changed,
    )
    return summary, files


def _warnings(
    robots_text: bytes | None, files: list[File], settings: Settings
) -> Iterator[tuple[Caution, int, tuple[str, ...]]]:
    """What lies in the output or stands in robots.txt and will mislead crawlers."""
    foreign = settings.sitemap.name + ".gz"
    if settings.sitemap.gzip == "no" and published.is_foreign(foreign, settings):
        yield Caution.FOREIGN, 1, (foreign,)
    missing = _missing(robots_text or b"", files, settings)
    if missing:
        yield Caution.STALE_ROBOTS, len(missing), tuple(missing[:3])


def _notes(robots_text: bytes | None, settings: Settings) -> Iterator[str]:
    """What the user may want to do himself."""
    project = [name for name in _PROJECT if os.path.exists(os.path.join(settings.site, name))]
    if project:
        yield f"{settings.site} holds {project[0]}: is it the built site? If not, name that folder"
    if robots_text is None and settings.robots.write:
        root = urljoin(settings.base_url, "/robots.txt")
        line = f"Sitemap: {settings.base_url}{settings.sitemap.name}"
        yield f"robots.txt belongs to the root of the host: add the line “{line}” to {root}"


def _told(found: changes.Changes, listener: Listener) -> dict[UrlChange, int]:
    """Tells the listener each change, and counts them."""
    counts = dict.fromkeys(UrlChange, 0)
    for change, url, before, after in found:
        listener.changed(change, url, before, after)
        counts[change] += 1
    return counts


def _shown(name: str, settings: Settings) -> str:
    return settings.label(name) if os.path.isabs(name) else name


def _guard(outcome: Outcome, previous: int | None, settings: Settings) -> None:
    reasons = [f"{n:,} {reason.value}" for reason, n in outcome.excluded.items()]
    if outcome.pruned:
        reasons.append(f"{outcome.pruned:,} folder{'s' * (outcome.pruned > 1)} not entered")
    for caution, count, origins in outcome.warnings:
        if caution is Caution.OTHER_ORIGIN and count > outcome.listed:
            raise GuardError(
                f"{settings.site}: {count:,} pages name {', '.join(origins)} in their canonicals, not "
                f"{settings.base_url}, so nothing was published. Build the site for {settings.base_url} "
                "(this looks like a preview), or set base_url; --no-respect canonical ignores canonicals"
            )
    why = f"left out: {', '.join(reasons)}; --dry-run --excluded - names them" if reasons else "none left out"
    if outcome.listed == 0 and not settings.allow_empty:
        raise GuardError(
            f"{settings.site}: no page to list ({why}), so nothing was published. Check the folder, "
            "`include` and `ignore`; --allow-empty publishes an empty sitemap"
        )
    if previous and (previous - outcome.listed) * 100 > settings.max_drop * previous and outcome.listed:
        raise GuardError(
            f"{settings.site}: {outcome.listed:,} to list, {previous:,} are published: more than "
            f"{settings.max_drop:g} % would be lost, so nothing was published ({why}). If that is "
            "meant, run once with --max-drop 100"
        )
    rows, found = outcome.known.ledger_counts
    if (rows - found) * 100 > settings.max_drop * rows:
        raise GuardError(
            f"{settings.label(settings.ledger_file or '')}: {rows - found:,} of its {rows:,} pages are not "
            "in this site, so nothing was published. If it is another site's, name one for each: "
            "[ledger] path; if the pages are gone, run once with --max-drop 100"
        )


def _robots(settings: Settings) -> bytes | None:
    """The robots.txt to publish; None if it is not ours to write."""
    text = site_files.robots_text(settings) if settings.robots.write else None
    return None if text is None else robots.with_sitemap(text, settings.base_url + settings.sitemap.name)


def _missing(text: bytes, files: list[File], settings: Settings) -> list[str]:
    """The sitemaps below our base that robots.txt names and nobody has written."""
    ours = [url for url in robots.sitemap_lines(text) if url.startswith(settings.base_url)]
    written = {file.name for file in files}
    paths = {url: unquote(url.removeprefix(settings.base_url)) for url in ours}
    folders = (settings.output_dir, settings.site)
    return [
        url
        for url, path in paths.items()
        if path not in written and not any(os.path.exists(os.path.join(f, path)) for f in folders)
    ]


def _write(changes: tuple[FileChange, ...], files: list[File], spool: Spool, output: str) -> None:
    """Makes the changes true: every temporary complete and flushed, then renames, then removals."""
    new = (Change.CREATED, Change.UPDATED)
    wanted = [file for file, change in zip(files, changes, strict=False) if change.change in new]
    removed = [c.name for c in changes if c.change is Change.REMOVED]
    burst = [_Step(os.path.join(output, file.name)) for file in wanted]
    try:
        _write_all(burst, wanted, spool)
        for step in burst:
            step.keep_old()
        _rename_all(burst)
    finally:
        for step in burst:
            _discard(step.new)
            _discard(step.old)
    _remove(removed, output)
    folders = {os.path.dirname(step.target) for step in burst} | ({output} if removed else set())
    for folder in sorted(folders):
        _sync_folder(folder)


class _Step(NamedTuple):
    """One rename of the burst: the new file, the old one kept under another name, the target."""

    target: str

    @property
    def new(self) -> str:
        return self._beside("new")

    @property
    def old(self) -> str:
        return self._beside("old")

    def _beside(self, kind: str) -> str:
        folder, name = os.path.split(self.target)
        return os.path.join(folder, output_names.temporary(name, os.getpid(), kind))

    def keep_old(self) -> None:
        """A second name for the old file; a file system without links cannot take a burst back."""
        if os.path.exists(self.target):
            with contextlib.suppress(OSError):
                os.link(self.target, self.old)

    def take_back(self) -> None:
        """The target as it was before."""
        if os.path.lexists(self.old):
            os.replace(self.old, self.target)


def _rename_all(burst: list[_Step]) -> None:
    """All renames, or, where one is refused, none."""
    for n, step in enumerate(burst):
        try:
            _replace(step.new, step.target)
        except OSError:
            for done in reversed(burst[:n]):
                done.take_back()
            raise


def _replace(new: str, target: str) -> None:
    """On Windows a file that somebody reads at this moment cannot be replaced."""
    for seconds in _PATIENCE:
        try:
            return os.replace(new, target)
        except PermissionError:
            time.sleep(seconds)
    return os.replace(new, target)


def _discard(path: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)


def _remove(names: Iterable[str], output: str) -> None:
    for name in names:
        os.unlink(os.path.join(output, name))


def _write_all(burst: list[_Step], files: list[File], spool: Spool) -> None:
    """All temporaries; packing, which leaves Python's lock alone, on all processors."""
    if not any(file.gzip for file in files):
        for step, file in zip(burst, files, strict=True):
            _write_temporary(step.new, step.target, file, spool)
        return
    # Imported here, as they cost start-up and few runs need them.
    from concurrent.futures import ThreadPoolExecutor

    from sitemapper.pipeline.workers import cores

    with ThreadPoolExecutor(cores()) as threads:
        writing = [
            threads.submit(_write_temporary, step.new, step.target, file, spool)
            for step, file in zip(burst, files, strict=True)
        ]
    for done in writing:
        done.result()


def _write_temporary(temporary: str, target: str, file: File, spool: Spool) -> None:
    with open(temporary, "xb") as raw:
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o777)
        blocks = spool.blocks(file.shard) if file.shard else ()
        if file.gzip:
            # No name and no time in the header: the bytes depend on the contents alone.
            with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
                for block in (file.head, *blocks, file.tail):
                    packed.write(block)
        else:
            for block in (file.head, *blocks, file.tail):
                raw.write(block)
        raw.flush()
        os.fsync(raw.fileno())


def _sync_folder(output: str) -> None:
    """Makes the renames last; where folders cannot be flushed (Windows), the system does it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(output, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
