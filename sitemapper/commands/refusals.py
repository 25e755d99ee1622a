"""What a refusal means: the page is missing or closed, or the host refuses this program."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from ..linter.rules.live import LiveAnswer, LivePage
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
    """Keeps the pages that a host refused, and finds out what it refuses: this program or a page.

    Some hosts refuse everything after a while. What a refusal means depends on the other answers.
    So all answers are added first (`add_refused`, `add_answered`), and `settle` decides at the end.
    """

    def __init__(self, scope: Scope, fetcher: Fetcher) -> None:
        """Makes an object without answers. `fetcher` sends requests that test the host."""
        self._scope = scope
        self._fetcher = fetcher
        # By the URL of a folder, whether the host answers 403 for a made-up path in it. Set by
        # `request_made_up`.
        self._forbids_missing_in: dict[str, bool] = {}
        # Filled from the answers.
        self._refused: list[tuple[Request, LivePage]] = []
        self._refused_in_row = 0  # since the last answer that was no refusal
        self._shown_urls: list[str] = []  # the URLs that answered 200
        # The last of them that is not refused since. It is requested again to test whether the host
        # still shows what it has shown before.
        self._last_shown_url: str | None = None

    def add_refused(self, request: Request, page: LivePage) -> None:
        """Keeps a page that the host refused, until `settle`."""
        self._refused.append((request, page))
        self._refused_in_row += 1

    def add_answered(self, requested_url: str, status: int) -> None:
        """Notes that the host answered a request without a refusal, so refusals in a row end here.

        With status 200, the host shows the page. Then the URL is kept, to be requested again later:
        if the host refuses it then, it refuses this program and not single pages.
        """
        self._refused_in_row = 0
        if status == 200:
            self._shown_urls.append(requested_url)
            self._last_shown_url = requested_url

    def test_after_refusals(self, requested_urls: Collection[str]) -> bool:
        """Tests, after five refusals in a row, whether the host refuses every request by now.

        Returns True if the host shows no page any more, so that the run can stop asking. After
        fewer refusals, nothing is tested, and the result is False.

        The test requests the last page that the host has shown once more. If it has shown none, the
        test requests up to three of `requested_urls`, which are all URLs of the run: the refused
        pages may just be closed, and other pages open.
        """
        if self._refused_in_row < _MAX_REFUSALS_IN_ROW:
            return False
        self._refused_in_row = 0  # the next test comes after five more refusals
        if self._last_shown_url is None:
            urls_to_test = spread(list(requested_urls), _URLS_TO_TEST)
        else:
            urls_to_test = [self._last_shown_url]
        self._last_shown_url = next(filter(self._shows, urls_to_test), None)
        return self._last_shown_url is None

    def _shows(self, url: str) -> bool:
        """Requests a URL once more. Returns whether the host shows its page, with status 200."""
        return self._fetcher.get(url, MAX_PAGE).status == 200

    @property
    def forbids_missing(self) -> bool:
        """Whether the host answers 403, and not 404, for a page that does not exist, as S3 does.

        The run has to call `request_made_up` for the top folder of the site before.
        """
        return self._forbids_missing_in[self._scope.requested_base]

    def request_made_up(self, folder: str) -> tuple[str, Answer]:
        """Requests a path that cannot exist, in a folder, and returns it with its answer.

        Its name has 32 random digits: `https://a.example/docs/9f86d081…`. Keeps whether the answer
        is a plain 403, without a bot check.
        """
        url = folder + secrets.token_hex(16)
        answer = self._fetcher.get(url, MAX_PAGE)
        facts = live_pages.facts_of(answer, url, self._scope)
        self._forbids_missing_in[folder] = facts.status == 403 and not facts.is_challenge
        return url, answer

    def settle(self) -> Iterator[tuple[Request, LivePage]]:
        """Yields each refused page, with `refuses_program` of its answer set to true or false.

        True: the host refuses this program, so nothing is known of the page. False: the host closes
        the page to all, so it should not be listed.
        """
        if not self._refused:
            return
        # If the host has shown no page, or does not show the last one any more, it refuses this
        # program.
        still_shows_pages = self._last_shown_url is not None and self._shows(self._last_shown_url)
        folders_with_shown_pages = set(_folders_above(self._shown_urls))
        for request, page in self._refused:
            url = self._scope.to_requested(request.url) or ""
            answer = page.answer
            is_closed_to_all = still_shows_pages and self._is_closed_to_all(
                url, answer, folders_with_shown_pages
            )
            settled = answer._replace(refuses_program=not is_closed_to_all)
            yield request, page._replace(answer=settled)

    def _is_closed_to_all(
        self, url: str, answer: LiveAnswer, folders_with_shown_pages: set[str]
    ) -> bool:
        """Whether the refusal of a page is for all visitors, and not only for this program."""
        if answer.is_challenge:  # a bot check, which lets browsers in
            return False
        if answer.status == 401:  # the page needs a password
            return True
        if answer.status == 403:
            return self._is_missing_or_closed(url, folders_with_shown_pages)
        return False  # 429: this program has sent too many requests

    def _is_missing_or_closed(self, url: str, folders_with_shown_pages: set[str]) -> bool:
        """Whether a 403 for a URL means that its page is missing, or its folder closed to all.

        A host may also answer 403 to refuse this program. To tell these apart, a made-up name in
        the same folder is requested: for `/docs/a.html`, `/docs/9f86d081…`. If the host answers 403
        for that name, too, the page is missing or closed.

        Each folder is tested once. After ten folders, no other one is tested, and the result for
        its pages is False.
        """
        if self.forbids_missing:  # the host answers 403 for all missing pages, as S3 does
            return True
        parent = _folder_of(url)
        # Servers answer 403 for a folder without an index page. So if the host has shown pages in
        # `/docs/`, a 403 for `/docs/tea/` means that this page is missing.
        is_folder = url.endswith("/")
        if is_folder and parent in folders_with_shown_pages:
            return True
        if parent not in self._forbids_missing_in:
            if len(self._forbids_missing_in) >= _MAX_FOLDERS:
                return False
            self.request_made_up(parent)  # sets the value for this folder
        return self._forbids_missing_in[parent]


def _folder_of(url: str) -> str:
    """Finds the folder that contains a page or a folder. The top folder contains itself.

    `https://a.example/b/c.html` → `https://a.example/b/` → `https://a.example/`.
    """
    return urljoin(url, ".." if url.endswith("/") else ".")


def _folders_above(urls: Iterable[str]) -> Iterator[str]:
    """Yields the folders that contain a page at one of the URLs, up to the top of its host.

    `https://a.example/b/c.html` → `https://a.example/b/`, `https://a.example/`. A folder that
    contains several of the pages is yielded once.
    """
    seen: set[str] = set()
    for url in urls:
        folder = _folder_of(url)
        while folder not in seen:
            seen.add(folder)
            yield folder
            folder = _folder_of(folder)
