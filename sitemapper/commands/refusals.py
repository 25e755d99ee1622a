"""What a refusal means: the page is missing or closed, or the host refuses this program."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from ..linter.rules.live import LivePage
from . import live_pages
from .asking import Request, Scope, spread
from .built_pages import MAX_PAGE

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

# After so many refusals in a row, a URL is requested that the host showed before. It tells whether
# the host refuses all requests by now.
_MAX_REFUSALS_IN_ROW = 5
_URLS_TO_TEST = 3  # listed URLs, of which one may be open where others are closed
_MAX_FOLDERS = 10  # in which a made-up path is requested, because each costs a request


class Refusals:
    """Keeps the pages that a host refused, and tests what that means: this program or the page.

    Some hosts refuse everything after a while. What a refusal means depends on the other answers,
    so all are added first, and settled at the end.
    """

    def __init__(self, scope: Scope, fetcher: Fetcher) -> None:
        self._scope = scope
        self._fetcher = fetcher
        # By folder, whether the host answers 403 for a made-up path in it.
        self._is_missing_forbidden: dict[str, bool] = {}
        # Filled from the answers.
        self._refused: list[tuple[Request, LivePage]] = []
        self._refused_in_row = 0  # since the last answer that was no refusal
        self._shown_places: list[str] = []  # the URLs that answered 200
        self._open_place = ""  # the last of them, to test whether the host still shows it

    def add_refused(self, request: Request, page: LivePage) -> None:
        """Keeps a page that the host refused, until `settle`."""
        self._refused.append((request, page))
        self._refused_in_row += 1

    def add_answered(self, place: str, status: int) -> None:
        """Notes a URL that the host did not refuse. With status 200, the host shows its page."""
        self._refused_in_row = 0
        if status == 200:
            self._shown_places.append(place)
            self._open_place = place

    def are_all_refused_now(self, places: Collection[str]) -> bool:
        """Tests, after five refusals in a row, whether the host refuses this program by now.

        Requests the last page that it showed once more. If it has shown none yet, the refused pages
        may just be closed, so a few of the URLs in `places` are requested, which are all of the
        run. True if none of them is shown. Then the caller requests no other page.
        """
        if self._refused_in_row < _MAX_REFUSALS_IN_ROW:
            return False
        self._refused_in_row = 0
        places_to_test = [self._open_place]
        if not self._open_place:
            places_to_test = spread(list(places), _URLS_TO_TEST)
        self._open_place = ""
        for place in places_to_test:
            if self._shows(place):
                self._open_place = place
                return False
        return True

    def _shows(self, place: str) -> bool:
        """Requests a URL once more. Returns whether the host shows its page."""
        return self._fetcher.get(place, MAX_PAGE).status == 200

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

    def settle(self) -> Iterator[tuple[Request, LivePage]]:
        """Decides what each refusal means, and yields the refused pages with the result.

        Some are about the page, and crawlers get the same answer. Others are only about this
        program. If the host does not show a page any more that it has shown before, it refuses this
        program in general, and all are about the program. Otherwise:

            a bot check, with any status            → about the program
            401                                     → about the page, which needs a password
            403, as for a made-up path beside it    → about the page, which is missing or closed
            429, and any other 403                  → about the program

        If it is about the page, `is_refusal` becomes False, so that the rules check the page.
        """
        can_be_tested = bool(self._refused and self._open_place)
        is_let_in = can_be_tested and self._shows(self._open_place)
        open_folders = set(_folders_above(self._shown_places)) if is_let_in else set()
        for request, page in self._refused:
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

        It does if a path beside the page that cannot exist gets a 403, too. Each folder is tested
        once. After ten folders, no more requests are sent, and the result is False: the host may
        refuse only this program. `open_folders` are those with pages that the host showed.
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
