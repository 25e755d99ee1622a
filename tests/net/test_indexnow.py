"""What search engines are told, and how their answers are taken."""

from __future__ import annotations

import re

import pytest
from support.web import Answer, Web, dropped

from sitemapper.errors import NetworkError
from sitemapper.net.client import Client
from sitemapper.net.indexnow import Key, confirm, send

SECRET = "0123456789abcdef0123456789abcdef"


def name(value: object) -> str:
    """The same in every process, unlike the address of a function."""
    return re.sub(r"<function (\w+) at \w+>", r"\1", str(value))


class Pauses:
    """Waits for nothing, and notes for how long it should have waited."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.why: list[str] = []

    def __call__(self, seconds: float, why: str) -> None:
        self.seconds.append(seconds)
        self.why.append(why)


def sent(live: Web, *answers: Answer) -> tuple[int, list[float]]:
    live.answers, pauses = list(answers), Pauses()
    key = Key(SECRET, f"{live.url}{SECRET}.txt")
    endpoint = f"{live.url}indexnow"
    told = send([f"{live.url}a"], key, [endpoint], Client({}), pauses)
    return told[endpoint].status, pauses.seconds


@pytest.mark.parametrize(
    ("answers", "status", "pauses"),
    [
        ([203], 203, []),
        ([403, 403, 403, 200], 403, [5, 10]),
        ([429, 429, 200], 200, [60, 120]),
        ([500, 503, 502, 200], 502, [5, 10]),
        ([503, 429, 200], 200, [5, 120]),
        ([(503, {"Retry-After": "0"}, b""), 200], 200, [0]),
        ([(429, {"Retry-After": "601"}, b""), 200], 429, []),
        ([dropped, dropped, dropped, 200], 0, [5, 10]),
    ],
    ids=name,
)
def test_an_engine_that_wants_patience_is_asked_three_times(
    live: Web, answers: list[Answer], status: int, pauses: list[float]
) -> None:
    assert sent(live, *answers) == (status, pauses)


def test_what_an_engine_says_is_quoted_in_one_short_line(live: Web) -> None:
    with pytest.raises(NetworkError, match=r'rejected the request: 422 \{"message": "wrong"\}$'):
        sent(live, (422, {}, b'{"message":\n   "wrong"}'))
    with pytest.raises(NetworkError, match="422 x{200}$"):
        sent(live, (422, {}, b"x" * 5000))
    with pytest.raises(NetworkError, match="422 Unprocessable Entity$"):
        sent(live, 422)


def test_a_key_is_waited_for_while_it_spreads(live: Web) -> None:
    text = SECRET.encode()
    elsewhere = (302, {"Location": "http://127.0.0.1:1/key.txt"}, b"")
    kinds: list[Answer] = [404, b"<html>" + b"x" * 2000, text + b"\n", dropped, elsewhere, text]
    live.pages[f"/{SECRET}.txt"] = kinds
    pauses = Pauses()
    confirm(Key(SECRET, f"{live.url}{SECRET}.txt"), Client({}), 60, pauses)
    assert pauses.seconds == [1, 2, 4, 8, 16]
    assert [why.partition(".txt: ")[2] for why in pauses.why] == [
        "answers 404; trying again in 1 s",
        "is larger than 1,000 bytes; trying again in 2 s",
        "contains something other than the key; trying again in 4 s",
        "the connection was closed; trying again in 8 s",
        "redirects to http://127.0.0.1:1/key.txt, another host; trying again in 16 s",
    ]
