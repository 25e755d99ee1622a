"""Asking for many URLs: pauses, rates and limits, with a client that answers from a table."""

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

    def fetch(self, method: str, url: str, limit: int, *, headers: Mapping[str, str]) -> Answer:
        answers = self.answers.get(url, [Answer(200, body=b"x" * 10)])
        return answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.mark.slow
def test_a_busy_host_is_left_alone_and_asked_half_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table({"a": [Answer(429, retry_after=0.3), Answer(200)]})
    with Fetcher(lambda: table, {}, 100, 60) as fetcher:
        start = time.monotonic()
        assert fetcher.get("a", 100).status == 200
        assert time.monotonic() - start > 0.3
        assert fetcher.rate == 10, "at most that, after a pause"
    monkeypatch.setattr("sitemapper.net.client._MAX_PAUSE", 0.1)
    start = time.monotonic()
    table = Table({"a": [Answer(503, retry_after=3600), Answer(200)]})
    with Fetcher(lambda: table, {}, 0, 60) as fetcher:
        assert fetcher.get("a", 100).status == 200
    assert time.monotonic() - start < 5


def test_the_rate() -> None:
    start = time.monotonic()
    with Fetcher(lambda: Table({}), {}, 50, 60) as fetcher:
        assert len(list(fetcher.get_all("abcdefghijk", 100))) == 11
    assert time.monotonic() - start > 0.2


@pytest.mark.slow
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


def test_who_stops_early_waits_for_nothing_more() -> None:
    start = time.monotonic()
    with Fetcher(lambda: Table({}), {}, 0.01, 600) as fetcher:
        assert next(fetcher.get_all("ab", 100))[0] == "a"
        time.sleep(0.2)  # until a thread waits for the turn of the second URL, in 100 seconds
    assert time.monotonic() - start < 50
