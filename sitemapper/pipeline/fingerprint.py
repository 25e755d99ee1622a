"""The run fingerprint: all that a run's result depends on. Where nothing of it changed, the run ends
after the walk, without a page being read.

It is a chain: what stands around the pages, then each batch of the walk, and beside it the state of the
outputs. The first link that differs ends the comparison, and the run begins in earnest.
"""

from __future__ import annotations

import contextlib
import marshal
import os
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from sitemapper.config.files import regular
from sitemapper.config.settings import Settings
from sitemapper.model import Batch, Caution, Change, FileChange, Reason, Summary, UrlChange
from sitemapper.pages.cache import Place, code_stamp, is_racy, sweep, temporary
from sitemapper.site.walk import BATCH

# What speaks about the pages, in the site, the output, beside the site or beside the configuration.
_AROUND = ("robots.txt", "_redirects", "_headers", "netlify.toml", "wrangler.toml")
# Warnings about what may be another way the next time though no file has changed.
_PASSING = (Caution.FUTURE, Caution.UNREADABLE, Caution.GIT, Caution.MISSING, Caution.REPLACED)


class Chain:
    """Hashes of everything up to and with each batch."""

    def __init__(self, settings: Settings, git: bytes) -> None:
        """Raises OSError where an input cannot be read."""
        self._newest = 0
        self.links = [_hash(code_stamp(), _told(settings), git, *_inputs(settings))]

    def add(self, batch: Batch) -> bytes:
        """The next link."""
        around = repr((batch.excluded, sorted(batch.twins.items()), batch.stamps))
        columns = tuple(zip(*batch.pages, strict=True)) or ((), (), (), (), ())
        # Without references, which would differ with who else holds an object.
        facts = marshal.dumps(columns, 2)
        self.links.append(_hash(self.links[-1], around.encode("utf-8", "surrogatepass"), facts))
        _, _, mtimes, _, ctimes = columns
        self._newest = max((self._newest, *batch.stamps, *mtimes, *ctimes))
        return self.links[-1]

    def is_racy(self, now: int) -> bool:
        """Whether something changed so short before the run that it may change again unseen."""
        return is_racy(self._newest, now)


def _told(settings: Settings) -> bytes:
    """What the run is to do, whoever does it."""
    return repr(settings.model_copy(update={"jobs": 0, "scheduler": None})).encode("utf-8", "surrogateescape")


def _hash(*facts: bytes) -> bytes:
    found = blake2b(digest_size=12)
    for fact in facts:
        found.update(len(fact).to_bytes(8, "big") + fact)
    return found.digest()


def _inputs(settings: Settings) -> Iterable[bytes]:
    beside = os.path.dirname(settings.site)
    folders = {settings.site, settings.output_dir, settings.cwd, settings.project, beside}
    paths = {os.path.join(folder, name) for folder in folders for name in _AROUND}
    if settings.robots.write:
        paths.discard(os.path.join(settings.output_dir, "robots.txt"))  # is an output
    for path in (*sorted(paths), *settings.extra):
        data = regular(path)
        yield b"" if data is None else b"+" + data


def _outputs(settings: Settings, names: Iterable[str]) -> list[tuple[int, int, int, int]]:
    """The state of the folders that are written to, and of each file in them that is ours."""
    paths = [settings.site, settings.output_dir, *(os.path.join(settings.output_dir, name) for name in names)]
    paths += [settings.ledger_file] if settings.ledger_file else []
    return [(s.st_size, s.st_mtime_ns, s.st_ino, s.st_ctime_ns) for s in map(os.stat, paths)]


def chain(settings: Settings) -> Chain | None:
    """The chain of a run, before its first batch; None where an input cannot be read."""
    try:
        return Chain(settings, _git_state(settings))
    except (OSError, ValueError):
        return None


def _git_state(settings: Settings) -> bytes:
    """What dates of git depend on. Raises ValueError where that cannot be told in one step."""
    if "git" not in settings.lastmod:
        return b""
    from sitemapper.lastmod import git

    try:
        return git.state(git.sources(settings))
    except git.GitError as error:
        raise ValueError(str(error)) from None


class Record(NamedTuple):
    """What a run left: its moment in ns, its links, the state of its outputs, its summary as plain values."""

    now: int
    links: list[bytes]
    outputs: list[tuple[int, int, int, int]]
    summary: tuple[Any, ...]


def unchanged(
    settings: Settings, place: Place, batches: Callable[[int], Iterable[Batch]], now: int
) -> Summary | None:
    """The summary of a run that would change nothing; None where that is not certain.

    `batches` begins the walk of so many pages as are expected.
    """
    record = _load(_file(place, settings))
    if record is None or record.now > now:
        return None
    found = chain(settings)
    if found is None or found.links[0] != record.links[0]:
        return None
    summary = _summary(record.summary)
    try:
        if _outputs(settings, _names(summary, settings)) != record.outputs:
            return None
    except OSError:
        return None
    for batch in batches(len(record.links) * BATCH):
        n = len(found.links)
        if n == len(record.links) or found.add(batch) != record.links[n]:
            return None
    return summary if len(found.links) == len(record.links) else None


def remember(settings: Settings, place: Place, found: Chain, summary: Summary, now: int) -> None:
    """Leaves a record, if the same files must give the same result the next time.

    Where none can be written the next run only takes longer, so that is no error.
    """
    passing = any(caution in _PASSING for caution, _, _ in summary.warnings)
    path = _file(place, settings)
    if passing or found.is_racy(now):
        with contextlib.suppress(OSError):
            os.unlink(path)
        return
    with contextlib.suppress(OSError):
        outputs = _outputs(settings, _names(summary, settings))
        data = marshal.dumps((now, found.links, outputs, _plain(summary, settings)))
        os.makedirs(place.folder, exist_ok=True)
        sweep(place.folder, now)
        file = temporary(place.folder)
        try:
            with file:
                file.write(_hash(code_stamp()) + _hash(data) + data)
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)


def _file(place: Place, settings: Settings) -> str:
    return place.file("run", f"{settings.output_dir}\0{settings.sitemap.name}")


def _load(path: str) -> Record | None:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    is_ours = data[:12] == _hash(code_stamp()) and data[12:24] == _hash(data[24:])
    return Record(*marshal.loads(data[24:])) if is_ours else None


def _names(summary: Summary, settings: Settings) -> list[str]:
    ledger = settings.label(settings.ledger_file) if settings.ledger_file else None
    return [file.name for file in summary.files if file.change is not Change.REMOVED and file.name != ledger]


def _plain(summary: Summary, settings: Settings) -> tuple[Any, ...]:
    files = [(file.name, file.urls) for file in summary.files if file.change is not Change.REMOVED]
    warnings = [(caution.name, count, examples) for caution, count, examples in summary.warnings]
    excluded = [(reason.name, count) for reason, count in summary.excluded.items()]
    dated = _next_time(summary.dated, settings)
    first, last = (summary.site, summary.sitemap, summary.listed), (files, warnings, summary.notes, dated)
    return *first, excluded, summary.pruned, *last


def _next_time(dated: dict[str, int], settings: Settings) -> list[tuple[str, int]]:
    """Who will have dated the pages the next time: the ledger, for all sources after it."""
    order = settings.lastmod
    later = order[order.index("ledger") :] if "ledger" in order else ()
    counts = {source: n for source, n in dated.items() if source not in later}
    remembered = sum(n for source, n in dated.items() if source in later)
    return sorted((counts | ({"ledger": remembered} if remembered else {})).items())


def _summary(plain: tuple[Any, ...]) -> Summary:
    site, sitemap, listed, excluded, pruned, files, warnings, notes, dated = plain
    return Summary(
        site,
        sitemap,
        listed,
        {Reason[name]: count for name, count in excluded},
        pruned,
        tuple(FileChange(name, Change.KEPT, urls) for name, urls in files),
        tuple((Caution[name], count, examples) for name, count, examples in warnings),
        notes,
        listed,
        dict.fromkeys(UrlChange, 0),
        dict(dated),
    )
