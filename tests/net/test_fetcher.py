"""Asking for many URLs: tries, pauses, rates and limits, with a client that answers from a table."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from sitemapper.net.client import Answer, Client, Fetcher


class Table(Client):
    """Answers by the path, the last answer again and again."""

    def __init__(self, answers: dict[str, list[Answer]]) -> None:
        super().__init__({})
        self.answers = answers
        self.asked: list[str] = []

    def fetch(self, method: str, url: str, limit: int, *, headers: Mapping[str, str]) -> Answer:
        self.asked.append(url)
        answers = self.answers.get(url, [Answer(200, body=b"x" * 10)])
        return answers.pop(0) if len(answers) > 1 else answers[0]


def fetched(
    table: Table, *urls: str, rate: float = 0, max_time: float = 60
) -> list[tuple[str, int]]:
    with Fetcher(lambda: table, {}, rate, max_time) as fetcher:
        return [(url, answer.status) for url, answer in fetcher.get_all(urls, 100)]


def test_what_fails_is_asked_three_times_at_the_end() -> None:
    table = Table(
        {
            "b": [Answer(500), Answer(0, error="closed"), Answer(200)],
            "c": [Answer(502)],
            "d": [Answer(404)],
        }
    )
    assert fetched(table, "a", "b", "c", "d") == [("a", 200), ("d", 404), ("b", 200), ("c", 502)]
    assert {url: table.asked.count(url) for url in "abcd"} == {"a": 1, "b": 3, "c": 3, "d": 1}


def test_a_busy_host_is_left_alone_and_asked_half_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table({"a": [Answer(429, retry_after=0.3), Answer(200)]})
    with Fetcher(lambda: table, {}, 100, 60) as fetcher:
        start = time.monotonic()
        assert fetcher.get("a", 100).status == 200
        assert time.monotonic() - start > 0.3
        assert fetcher.rate == 10, "at most that, after a pause"
    monkeypatch.setattr("sitemapper.net.client._MAX_PAUSE", 0.1)
    start = time.monotonic()
    assert fetched(Table({"a": [Answer(503, retry_after=3600), Answer(200)]}), "a") == [("a", 200)]
    assert time.monotonic() - start < 5


def test_the_rate() -> None:
    start = time.monotonic()
    fetched(Table({}), *"abcdefghijk", rate=50)
    assert time.monotonic() - start > 0.2


@pytest.mark.parametrize("limit", ["time", "bytes"])
def test_the_limits_of_a_run(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "bytes":
        monkeypatch.setattr("sitemapper.net.client._MAX_RUN_BYTES", 100)
    table = Table({})
    urls = [str(n) for n in range(100)]
    with Fetcher(lambda: table, {}, 50, 0.2 if limit == "time" else 60) as fetcher:
        answered = list(fetcher.get_all(urls, 100))
        assert fetcher.is_over
        assert 5 < len(answered) < 20
        assert fetcher.get("more", 100) == Answer(error="was not requested")


def test_who_stops_early_asks_for_little_more() -> None:
    table = Table({})
    with Fetcher(lambda: table, {}, 100, 60) as fetcher:
        next(fetcher.get_all([str(n) for n in range(1000)], 100))
    assert len(table.asked) < 20
