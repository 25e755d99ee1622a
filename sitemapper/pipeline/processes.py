"""Batches through `process` elsewhere: the plan goes along as bytes, and is opened once by each worker."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial

from sitemapper import __version__
from sitemapper.config.settings import Settings
from sitemapper.errors import WorkerError
from sitemapper.model import Batch, Chunk
from sitemapper.pages.inspect import keep_memory
from sitemapper.pipeline.pipeline import here, process
from sitemapper.pipeline.plan import Plan
from sitemapper.pipeline.workers import Pool, cluster, cores, processes

_MOST = 4  # processes for each processor: more only take memory
_GUESS = 8  # workers of a cluster that are kept busy if no number is given


def elsewhere(plan: Plan, batches: Iterable[Batch], settings: Settings) -> Iterator[tuple[Batch, Chunk]]:
    """Processes batches in other processes and in this one, or on a cluster.

    Raises WorkerError where that cannot be done.
    """
    call = partial(_process, __version__, pickle.dumps(plan))
    if settings.scheduler is not None:
        return Pool(call, cluster(settings.scheduler), settings.jobs or _GUESS).results(batches)
    others = min(settings.jobs or cores(), _MOST * cores()) - 1
    start = processes(others, must=settings.jobs > 1)
    return Pool(call, start, others).results(batches) if others else here(plan, batches)


def _process(version: str, plan: bytes, batch: Batch) -> Chunk:
    if version != __version__:
        raise WorkerError(
            f"a worker has sitemapper {__version__}, here is {version}, so nothing was published; install "
            "the same version on all machines"
        )
    return process(batch, _opened(plan))


@lru_cache(maxsize=1)
def _opened(plan: bytes) -> Plan:
    found: Plan = pickle.loads(plan)
    if found.content:
        keep_memory()
    return found
