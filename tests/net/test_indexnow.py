"""What search engines are told, and how their answers are taken."""

from __future__ import annotations

import re

import pytest
from support.web import Answer, Web, dropped, silent

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


def client(waits_in_vain: bool = False) -> Client:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sitemapper.net.client._READ", 0.2 if waits_in_vain else 20)
        return Client({})


def sent(live: Web, *answers: Answer, key: Key | None = None) -> tuple[int, list[float]]:
    live.answers, pauses = list(answers), Pauses()
    key = key or Key(SECRET, f"{live.url}{SECRET}.txt")
    urls = [f"{live.url}a", f"{live.url}%C3%BC"]
    endpoint = f"{live.url}indexnow"
    told = send(urls, key, [endpoint], client(silent in answers), pauses)
    return told[endpoint].status, pauses.seconds


def test_one_request_tells_host_key_and_urls(live: Web) -> None:
    assert sent(live) == (200, [])
    assert live.asked == ["POST /indexnow"]
    assert live.posts == [
        {"host": live.authority, "key": SECRET, "urlList": [f"{live.url}a", f"{live.url}%C3%BC"]}
    ]


@pytest.mark.parametrize(
    ("answers", "status", "pauses"),
    [
        ([200], 200, []),
        ([202], 202, []),
        ([203], 203, []),
        ([403, 200], 200, [5]),
        ([403, 403, 403, 200], 403, [5, 10]),
        ([429, 429, 200], 200, [60, 120]),
        ([429, 429, 429, 200], 429, [60, 120]),
        ([500, 503, 502, 200], 502, [5, 10]),
        ([503, 429, 200], 200, [5, 120]),
        ([(429, {"Retry-After": "17"}, b""), 202], 202, [17]),
        ([(503, {"Retry-After": "0"}, b""), 200], 200, [0]),
        ([(429, {"Retry-After": "601"}, b""), 200], 429, []),
        ([dropped, 200], 200, [5]),
        ([silent, silent, silent, 200], 0, [5, 10]),
    ],
    ids=name,
)
def test_an_engine_that_wants_patience_is_asked_three_times(
    live: Web, answers: list[Answer], status: int, pauses: list[float]
) -> None:
    assert sent(live, *answers) == (status, pauses)


@pytest.mark.parametrize("status", [301, 400, 401, 404, 405, 410, 422])
def test_a_refusal_is_final_and_says_what_the_engine_said(live: Web, status: int) -> None:
    with pytest.raises(NetworkError, match=f"/indexnow: rejected the request: {status} "):
        sent(live, (status, {}, b"" if status == 204 else b'{"message":\n "wrong"}'), 200)
    assert len(live.posts) == 1


def test_what_an_engine_says_is_quoted_in_one_short_line(live: Web) -> None:
    with pytest.raises(NetworkError, match=r'rejected the request: 422 \{"message": "wrong"\}$'):
        sent(live, (422, {}, b'{"message":\n   "wrong"}'))
    with pytest.raises(NetworkError, match="422 x{200}$"):
        sent(live, (422, {}, b"x" * 5000))
    with pytest.raises(NetworkError, match="422 Unprocessable Entity$"):
        sent(live, 422)


def confirmed(live: Web, wait: float = 60) -> Pauses:
    pauses = Pauses()
    in_vain = live.pages[f"/{SECRET}.txt"] is silent
    confirm(Key(SECRET, f"{live.url}{SECRET}.txt"), client(in_vain), wait, pauses)
    return pauses


def test_a_key_is_waited_for_while_it_spreads(live: Web) -> None:
    kinds: list[Answer] = [404, b"<html>" + b"x" * 2000, b"another", dropped, SECRET.encode()]
    live.pages[f"/{SECRET}.txt"] = kinds
    pauses = confirmed(live)
    assert pauses.seconds == [1, 2, 4, 8]
    assert [why.partition(".txt: ")[2] for why in pauses.why] == [
        "answers 404; trying again in 1 s",
        "is larger than 1,000 bytes; trying again in 2 s",
        "contains something other than the key; trying again in 4 s",
        "the connection was closed; trying again in 8 s",
    ]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (404, "answers 404"),
        (500, "answers 500"),
        (SECRET.upper().encode(), "contains something other than the key"),
        (SECRET.encode() + b"\n", "contains something other than the key"),
        (b"\xef\xbb\xbf" + SECRET.encode(), "contains something other than the key"),
        (b"", "contains something other than the key"),
        ((302, {"Location": "http://127.0.0.1:1/key.txt"}, b""), "another host"),
        (silent, "Read timed out"),
    ],
    ids=name,
)
def test_nothing_is_sent_before_the_key_is_live(live: Web, answer: Answer, said: str) -> None:
    live.pages[f"/{SECRET}.txt"] = answer
    with pytest.raises(
        NetworkError,
        match=f"{said}.*, so nothing was sent\nhelp: deploy the site with the key file",
    ):
        confirmed(live, wait=0)


def test_the_wait_for_a_key_ends_when_it_is_told_to(live: Web) -> None:
    pauses = Pauses()
    with pytest.raises(NetworkError):
        confirm(Key(SECRET, f"{live.url}x"), Client({}), 60, pauses)
    assert sum(pauses.seconds) == 60
    assert len(pauses.seconds) == 6


def test_a_key_that_moved_within_the_host_is_good(live: Web) -> None:
    live.pages[f"/{SECRET}.txt"] = (301, {"Location": "/keys/1"}, b"")
    live.pages["/keys/1"] = SECRET.encode()
    assert confirmed(live).seconds == []
