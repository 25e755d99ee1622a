"""A live host that answers from a function, without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sitemapper.net.client import Answer, Client, Fetcher


class Answers(Fetcher):
    """Answers each URL at once, and notes what was asked and how long was waited."""

    def __init__(self, answer: Callable[[str], Answer]) -> None:
        super().__init__(lambda: Client({}), {}, 0, 60)
        self.asked: list[str] = []
        self.waits: list[float] = []
        self._answer = answer

    def get(self, url: str, limit: int) -> Answer:
        self.asked.append(url)
        answer = self._answer(url)
        return answer._replace(body=answer.body[:limit])

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)


def answers(pages: Mapping[str, Answer]) -> Answers:
    """A host that has these URLs, and answers 404 for all others."""
    return Answers(lambda url: pages.get(url, Answer(404)))
