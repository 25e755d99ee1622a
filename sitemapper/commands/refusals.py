"""What a refusal means: the page is missing or closed, or the host refuses this program."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..linter.rules.live import LivePage
from . import live_pages
from .asking import Request, Scope
from .built_pages import MAX_PAGE

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_MAX_FOLDERS = 10  # in which a made-up path is requested


Refused = tuple[Request, LivePage]  # a URL that the host refused, and what its answer shows


class Refusals:
    """Tests with requests whether a host refuses this program, or only some paths."""

    def __init__(self, scope: Scope, fetcher: Fetcher) -> None:
        self._scope = scope
        self._fetcher = fetcher
        self.forbids_missing = False  # whether it answers 403 for a path that does not exist
        self._is_missing_forbidden: dict[str, bool] = {}  # by folder

    def made_up(self, folder: str) -> tuple[str, Answer]:
        """A path that cannot exist in a folder, and its answer."""
        place = folder + secrets.token_hex(16)
        return place, self._fetcher.get(place, MAX_PAGE)

    def made_up_at_top(self) -> tuple[str, Answer]:
        """The same for the top folder. If the host forbids this path, it may forbid all."""
        place, answer = self.made_up(self._scope.at)
        self.forbids_missing = self._is_forbidden(answer)
        return place, answer

    def find_open(self, places: Sequence[str]) -> str:
        """The first place that answers 200, "" if the host refuses all of them."""
        for place in places:
            if self._fetcher.get(place, MAX_PAGE).status == 200:
                return place
        return ""

    def settle(
        self, refused: Sequence[Refused], answered: Iterable[str], let_in: str
    ) -> Iterator[Refused]:
        """The refused pages, of which those that are missing or closed count as no refusals.

        `answered` are the places with a page, and `let_in` is one of them. Without it, the host may
        refuse everything.
        """
        is_let_in = bool(refused and let_in) and self.find_open([let_in]) != ""
        open_folders = set(_folders_above(answered)) if is_let_in else set()
        for entry, page in refused:
            place = self._scope.place(entry.url) or ""
            answer = page.answer
            is_fault = is_let_in and not answer.is_challenge
            if answer.status == 403:
                is_fault = is_fault and self._is_missing(place, open_folders)
            elif answer.status != 401:  # a password is asked for this page only
                is_fault = False
            yield entry, page._replace(answer=answer._replace(is_refusal=not is_fault))

    def _is_missing(self, place: str, open_folders: set[str]) -> bool:
        """Whether a plain 403 means that the page is missing or its folder closed.

        Servers answer 403 for a folder without an index page, and object stores for all missing
        files.
        """
        if self.forbids_missing:
            return True
        beside = _folder_of(place)
        if place.endswith("/") and beside in open_folders:
            return True
        return self._forbids_missing(beside)

    def _forbids_missing(self, folder: str) -> bool:
        """Whether the host answers 403 for a path that cannot exist in a folder."""
        tested = self._is_missing_forbidden
        if folder not in tested:
            if len(tested) >= _MAX_FOLDERS:
                return False
            _, answer = self.made_up(folder)
            tested[folder] = self._is_forbidden(answer)
        return tested[folder]

    def _is_forbidden(self, answer: Answer) -> bool:
        """Whether a path that does not exist is refused with a plain 403."""
        facts = live_pages.facts_of(answer, self._scope.at, self._scope)
        return facts.status == 403 and not facts.is_challenge


def _folder_of(place: str) -> str:
    """The folder that contains a page or a folder. The top folder contains itself."""
    start = place.index("/", place.index("://") + len("://"))
    path = place[start:]
    return place[:start] + path.rstrip("/").rpartition("/")[0] + "/"


def _folders_above(places: Iterable[str]) -> Iterator[str]:
    """All folders that contain a page, up to the top of its host."""
    known: set[str] = set()
    for place in places:
        folder = _folder_of(place)
        while folder not in known:
            known.add(folder)
            yield folder
            folder = _folder_of(folder)
