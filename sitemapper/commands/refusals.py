"""What a refusal means: the page is missing or closed, or the host refuses this program."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from ..linter.rules.live import LivePage
from . import live_pages
from .asking import Request, Scope
from .built_pages import MAX_PAGE

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_MAX_FOLDERS = 10  # in which a made-up path is requested, because each costs a request

Refused = tuple[Request, LivePage]  # a URL that the host refused, and what its answer shows


class Refusals:
    """Tests with requests whether a host refuses this program, or only some paths."""

    def __init__(self, scope: Scope, fetcher: Fetcher) -> None:
        self._scope = scope
        self._fetcher = fetcher
        # By folder, whether the host answers 403 for a made-up path in it.
        self._is_missing_forbidden: dict[str, bool] = {}

    @property
    def forbids_missing(self) -> bool:
        """Whether the host answers 403 for each path that does not exist, as object stores do.

        A 403 for a listed page then means that the page is missing. False before a path in the top
        folder was requested.
        """
        return self._is_missing_forbidden.get(self._scope.at, False)

    def request_made_up(self, folder: str) -> tuple[str, Answer]:
        """Requests a path that cannot exist, in a folder, and returns it with its answer.

        Its name has 32 random digits: `https://a.example/docs/9f86d081…`. Keeps whether the answer
        is a plain 403, without a bot check.
        """
        place = folder + secrets.token_hex(16)
        answer = self._fetcher.get(place, MAX_PAGE)
        facts = live_pages.facts_of(answer, place, self._scope)
        self._is_missing_forbidden[folder] = facts.status == 403 and not facts.is_challenge
        return place, answer

    def find_open(self, places: Sequence[str]) -> str:
        """Requests the places one after the other, and returns the first that answers 200.

        "" if none does. The caller then takes it that the host refuses this program.
        """
        for place in places:
            if self._fetcher.get(place, MAX_PAGE).status == 200:
                return place
        return ""

    def settle(
        self, refused: Sequence[Refused], shown_places: Iterable[str], let_in: str
    ) -> Iterator[Refused]:
        """Decides what each refusal means, and yields the refused pages with the result.

        It stays a refusal of this program, which crawlers may not get, unless the answer is about
        the page. That can be seen only if the host still shows the page at `let_in`. Then it does
        not refuse this program in general:

            401                                     → about the page, which needs a password
            403, as for a made-up path beside it    → about the page, which is missing or closed
            429, a bot check, any other 403         → a refusal

        The rules check a page whose answer is about it, as `is_refusal` is False. `shown_places`
        are the URLs that answered 200. `let_in` is one of them, "" if the host showed none.
        """
        is_let_in = bool(refused and let_in) and self.find_open([let_in]) != ""
        open_folders = set(_folders_above(shown_places)) if is_let_in else set()
        for request, page in refused:
            place = self._scope.place(request.url) or ""
            answer = page.answer
            is_about_page = False
            if is_let_in and not answer.is_challenge:
                if answer.status == 401:
                    is_about_page = True
                elif answer.status == 403:
                    is_about_page = self._is_missing(place, open_folders)
            yield request, page._replace(answer=answer._replace(is_refusal=not is_about_page))

    def _is_missing(self, place: str, open_folders: set[str]) -> bool:
        """Whether a plain 403 means that the page is missing, or its folder closed to all.

        The answer for a made-up path beside the page shows it. Each folder is tested once. For more
        than ten folders, no request is sent, and the result is False: the host may refuse only this
        program. `open_folders` are those with pages that the host showed.
        """
        if self.forbids_missing:
            return True
        parent = _folder_of(place)
        # Servers answer 403 for a folder without an index page.
        if place.endswith("/") and parent in open_folders:
            return True
        if parent not in self._is_missing_forbidden:
            if len(self._is_missing_forbidden) >= _MAX_FOLDERS:
                return False
            self.request_made_up(parent)
        return self._is_missing_forbidden[parent]


def _folder_of(place: str) -> str:
    """Finds the folder that contains a page or a folder. The top folder contains itself.

    `https://a.example/b/c.html` → `https://a.example/b/` → `https://a.example/`.
    """
    return urljoin(place, ".." if place.endswith("/") else ".")


def _folders_above(places: Iterable[str]) -> Iterator[str]:
    """Yields all folders that contain one of the pages, up to the top of its host, each once.

    `https://a.example/b/c.html` → `https://a.example/b/`, `https://a.example/`.
    """
    seen: set[str] = set()
    for place in places:
        folder = _folder_of(place)
        while folder not in seen:
            seen.add(folder)
            yield folder
            folder = _folder_of(folder)
