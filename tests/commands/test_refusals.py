"""A host that refuses a URL: the page is missing or closed, or the host refuses this program."""

from __future__ import annotations

from collections.abc import Mapping

from support import BASE
from support.answers import Answers

from sitemapper.commands import live_pages
from sitemapper.commands.asking import Request, Scope
from sitemapper.commands.refusals import Refusals
from sitemapper.linter.rules.live import LivePage
from sitemapper.net.client import Answer

SITEMAP = f"{BASE}sitemap.xml"
SCOPE = Scope(SITEMAP, BASE, BASE)
OPEN = f"{BASE}open.html"


def refusals_among(host: Answers, answers: Mapping[str, Answer]) -> list[str]:
    """The paths of which the host refuses the program, after a second look."""
    refusals = Refusals(SCOPE, host)
    refusals.add_answered(OPEN, 200)
    for path, answer in answers.items():
        place = BASE + path
        page = LivePage(place, live_pages.facts_of(answer, place, SCOPE))
        refusals.add_refused(Request(place, SITEMAP, 1), page)
    settled = refusals.settle()
    return [entry.url.removeprefix(BASE) for entry, page in settled if page.answer.is_refusal]


def test_each_folder_is_asked_for_once_and_ten_at_most() -> None:
    host = Answers(lambda url: Answer(200) if url == OPEN else Answer(403))
    answers = {f"{n}/{name}.html": Answer(403) for n in range(12) for name in "ab"}
    assert refusals_among(host, answers) == ["10/a.html", "10/b.html", "11/a.html", "11/b.html"]
    assert len(host.asked) == 1 + 10
