"""A host that refuses a URL: the page is missing or closed, or the host refuses this program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support import BASE
from support.answers import Answers, answers

from sitemapper.commands import judge
from sitemapper.commands.asking import Request, Scope
from sitemapper.commands.refusals import Refusals, Refused
from sitemapper.linter.rules.live import LivePage
from sitemapper.net.client import Answer

SITEMAP = f"{BASE}sitemap.xml"
SCOPE = Scope(SITEMAP, BASE, BASE)
OPEN = f"{BASE}open.html"
CHALLENGE = Answer(403, (("cf-mitigated", "challenge"),))


def refused(path: str, answer: Answer) -> Refused:
    place = BASE + path
    page = LivePage(place, judge.facts_of(answer, place, SCOPE))
    return Request(place, SITEMAP, 1), page


def refusals_among(host: Answers, urls: Sequence[Refused], let_in: str = OPEN) -> list[str]:
    """The paths of which the host refuses the program, after a second look."""
    settled = Refusals(SCOPE, host).settle(urls, [OPEN], let_in)
    return [entry.url.removeprefix(BASE) for entry, page in settled if page.answer.is_refusal]


@pytest.mark.parametrize(
    ("answer", "is_refusal"),
    [
        (Answer(401), False),  # a password for this page
        (Answer(403), True),
        (Answer(429), True),
        (CHALLENGE, True),
    ],
)
def test_beside_an_open_page_a_password_is_a_fault_of_the_page(
    answer: Answer, is_refusal: bool
) -> None:
    host = answers({OPEN: Answer(200)})
    assert refusals_among(host, [refused("a.html", answer)]) == ["a.html"] * is_refusal


def test_a_host_that_lets_nobody_in_any_more_refuses_all() -> None:
    urls = [refused("a.html", Answer(401)), refused("b.html", Answer(403))]
    for host, let_in in ((answers({}), OPEN), (answers({OPEN: Answer(200)}), "")):
        assert refusals_among(host, urls, let_in) == ["a.html", "b.html"]


def test_a_page_is_missing_where_made_up_paths_are_forbidden_too() -> None:
    def store(url: str) -> Answer:
        return Answer(403) if url.startswith(f"{BASE}files/") else Answer(404)

    host = Answers(lambda url: Answer(200) if url == OPEN else store(url))
    urls = [refused("files/a.html", Answer(403)), refused("b.html", Answer(403))]
    assert refusals_among(host, urls) == ["b.html"]


def test_each_folder_is_asked_for_once_and_ten_at_most() -> None:
    host = Answers(lambda url: Answer(200) if url == OPEN else Answer(403))
    urls = [refused(f"{n}/{name}.html", Answer(403)) for n in range(12) for name in "ab"]
    assert refusals_among(host, urls) == ["10/a.html", "10/b.html", "11/a.html", "11/b.html"]
    assert len(host.asked) == 1 + 10


def test_a_forbidden_path_at_the_top_speaks_for_all_folders() -> None:
    host = Answers(lambda url: Answer(200) if url == OPEN else Answer(403))
    refusals = Refusals(SCOPE, host)
    refusals.made_up_at_top()
    settled = list(refusals.settle([refused("a/b.html", Answer(403))], [OPEN], OPEN))
    assert [page.answer.is_refusal for _, page in settled] == [False]
    assert not any(url.startswith(f"{BASE}a/") for url in host.asked)
