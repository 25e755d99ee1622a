"""IndexNow (indexnow.org/documentation): checks the live key file, and sends changed URLs."""

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import NamedTuple
from urllib.parse import urlsplit

from ..errors import NetworkError
from .client import Answer, Client

MAX_URLS = 10_000  # URLs of one request
_TRIES = 3
_TEMPORARY = (0, 403, 429)  # and 5xx; any other status is final
# Seconds before the second try, which double before the third.
_BASE_DELAY = 5.0
_BUSY_DELAY = 60.0
_MAX_DELAY = 600.0  # seconds that a run waits for an engine
_MAX_KEY_FILE = 1_000  # bytes; a page returned instead may be larger
_MAX_REPLY = 2_000  # bytes that are read of what an engine answers
_JSON = {"Content-Type": "application/json; charset=utf-8"}

Sleep = Callable[[float, str], None]  # waits this many seconds, with the reason as text


class Key(NamedTuple):
    """The key and the URL of its file."""

    text: str
    location: str


def confirm(key: Key, client: Client, wait: float, sleep: Sleep) -> None:
    """Requests the key file again and again until it is live, for at most `wait` seconds.

    Raises NetworkError if it is not live by then, because engines would reject the URLs. With 0
    seconds, it is requested once. `sleep` waits between two requests.
    """
    waited = 0.0
    step = 1.0  # seconds until the next request; doubled after each
    while True:
        why = _key_file_problem(key, client)
        if not why:
            return
        if waited >= wait:
            raise NetworkError(
                f"{why}, so nothing was sent",
                "deploy the site with the key file that `sitemapper build` writes, then submit. "
                "If deploying takes time, add --wait SECONDS",
            )
        step = min(step, wait - waited)
        sleep(step, f"{why}; trying again in {step:g} s")
        waited += step
        step *= 2


def _key_file_problem(key: Key, client: Client) -> str:
    """Requests the key file, and says what is wrong with it. "" if it has the key.

    `https://a.example/1f2e.txt: answers 404`, for instance.
    """
    body = BytesIO()
    try:
        status = client.download(key.location, body, _MAX_KEY_FILE)
    except NetworkError as error:
        return str(error)
    if status != 200:
        return f"{key.location}: answers {status}"
    if body.getvalue() != key.text.encode():
        return f"{key.location}: contains something other than the key"
    return ""


def is_accepted(answer: Answer) -> bool:
    """Whether an engine accepted a request: any status from 200 to 299.

    202 means that it checks the key later. One engine answers 203.
    """
    return 200 <= answer.status < 300


def send(
    urls: Sequence[str], key: Key, endpoints: Sequence[str], client: Client, sleep: Sleep
) -> dict[str, Answer]:
    """Sends at most MAX_URLS URLs of one host to the first engine that accepts them.

    One engine is enough, because the engines share the URLs. If one is busy (429), the next one is
    asked. If all are busy, all are asked again after a pause, up to three times.

    Returns the last answer of each engine that was asked. If an engine accepted the URLs, its
    answer is the last one in the result. Otherwise, all were busy. Raises NetworkError if an engine
    rejects the URLs for good, such as with 422.
    """
    # As in https://www.indexnow.org/documentation. A key file that is not at the root of the host,
    # or has another name than its key, is named.
    parts = urlsplit(key.location)
    message: dict[str, object] = {"host": parts.netloc, "key": key.text}
    if parts.path != f"/{key.text}.txt":
        message["keyLocation"] = key.location
    message["urlList"] = list(urls)
    body = json.dumps(message).encode()
    answers: dict[str, Answer] = {}
    for attempt in range(1, _TRIES + 1):
        for endpoint in endpoints:
            answer = client.fetch("POST", endpoint, _MAX_REPLY, headers=_JSON, body=body)
            answers.pop(endpoint, None)  # so that the new answer comes last
            answers[endpoint] = answer
            if is_accepted(answer):
                return answers
            if answer.status < 500 and answer.status not in _TEMPORARY:
                raise NetworkError(f"{endpoint}: rejected the request: {answer}")
        # All are asked again as soon as one of them may be.
        soonest, reply = min(answers.items(), key=lambda item: _delay(item[1], attempt))
        delay = _delay(reply, attempt)
        if attempt == _TRIES or delay > _MAX_DELAY:
            break
        sleep(delay, f"{soonest}: {reply}; trying again in {delay:g} s")
    return answers


def _delay(answer: Answer, attempt: int) -> float:
    """Computes the seconds to wait before the same engine is asked again.

    `attempt` is the number of the try that failed with this answer. After the third, nothing is
    sent again.

    | the answer                       | after the first try | after the second |
    |----------------------------------|---------------------|------------------|
    | a failure with `Retry-After: 30` | 30                  | 30               |
    | 429, too many requests           | 60                  | 120              |
    | any other failure                | 5                   | 10               |
    """
    if answer.retry_after is not None:
        return answer.retry_after
    first_delay = _BUSY_DELAY if answer.status == 429 else _BASE_DELAY
    return first_delay * 2.0 ** (attempt - 1)
