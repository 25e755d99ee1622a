"""The walk on several processors: folders are listed ahead of need, by other processes, in order here.

Most of a walk is one `stat` a page. What others find comes back as columns, which cost a fifth of that.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import lru_cache
from itertools import islice
from typing import Any

from sitemapper.pipeline.workers import Start, cores, processes
from sitemapper.site import walk as walking
from sitemapper.site.walk import Folder, Run

AFTER = 20_000  # pages before other processes are worth their start
_AT_ONCE = 8  # folders of one call
_WINDOW = 3  # calls under way for each process


def walk(folder: Folder, jobs: int) -> Iterator[Run]:
    """The whole site in walk order, as `walking.walk` has it; 0 jobs are as many as there are processors."""
    others = (jobs or cores()) - 1
    ahead = Ahead(folder, processes(others, must=False), others * _WINDOW)
    pages = 0
    try:
        for run in walking.walk(folder, ahead.listed if others else None):
            pages += len(run.pages)
            yield run
            if others and pages > AFTER:
                ahead.begin()
    finally:
        ahead.stop()


class Ahead:
    """Lists folders that the walk will come to. As in `parallel`, no call is ever cancelled."""

    def __init__(self, folder: Folder, start: Start, window: int) -> None:
        self._folder = folder
        self._start = start
        self._window = window
        self._executor: Executor | None = None
        self._ready: deque[str] = deque()  # not sent yet, the next one first
        self._sent: dict[str, Future[dict[str, bytes]]] = {}
        self._flying: list[Future[dict[str, bytes]]] = []
        self._done: dict[str, list[Run | str]] = {}
        self._packed = b""

    def begin(self) -> None:
        """From now on, others list too."""
        if self._executor is None and not self._packed:
            self._packed = pickle.dumps(self._folder)
            self._executor = self._start()

    def stop(self) -> None:
        """Ends the other processes."""
        self._sent.clear()
        self._ready.clear()
        if self._executor:
            self._executor.shutdown()
        self._executor = None

    def listed(self, directory: str, pending: Sequence[Run | str]) -> list[Run | str]:
        """What `walking.list_directory` says; `pending` is what the walk comes to, the next thing last."""
        self._look(pending)
        self._send()
        future = self._sent.pop(directory, None)
        if future is not None:
            try:
                while not future.done() and self._ready:
                    mine = self._ready.popleft()
                    self._done[mine] = walking.list_directory(self._folder, mine)
                return [_unpacked(item) for item in pickle.loads(future.result()[directory])]
            except BrokenExecutor:
                self.stop()  # a process died; what it would have listed is listed here
        if directory in self._ready:
            self._ready.remove(directory)
        return self._done.pop(directory, None) or walking.list_directory(self._folder, directory)

    def _look(self, pending: Sequence[Run | str]) -> None:
        """Finds what comes next."""
        if self._executor is None or len(self._ready) > self._window * _AT_ONCE // 2:
            return
        known = {*self._sent, *self._ready, *self._done}
        found = (item for item in reversed(pending) if isinstance(item, str) and item not in known)
        self._ready += islice(found, self._window * _AT_ONCE)

    def _send(self) -> None:
        """Sends as many calls as keep the others busy."""
        self._flying = [future for future in self._flying if not future.done()]
        while self._executor and self._ready and len(self._flying) < self._window:
            some = [self._ready.popleft() for _ in range(min(_AT_ONCE, len(self._ready)))]
            try:
                future = self._executor.submit(_list, self._packed, some)
            except (BrokenExecutor, OSError):
                return self.stop()
            self._flying.append(future)
            self._sent |= dict.fromkeys(some, future)
        return None


def _list(folder: bytes, directories: list[str]) -> dict[str, bytes]:
    """Several folders as columns; what a worker does.

    As bytes, which the thread that receives them need not open while it keeps the walk waiting.
    """
    opened = _opened(folder)
    return {
        d: pickle.dumps([_packed(item) for item in walking.list_directory(opened, d)]) for d in directories
    }


@lru_cache(maxsize=1)
def _opened(folder: bytes) -> Folder:
    found: Folder = pickle.loads(folder)
    return found


def _packed(item: Run | str) -> Any:
    return item if isinstance(item, str) else (tuple(zip(*item.pages, strict=True)), *item[1:])


def _unpacked(item: Any) -> Run | str:
    return item if isinstance(item, str) else Run(walking.pages_of(item[0]), *item[1:])
