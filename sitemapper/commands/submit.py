"""`submit`: sends the URLs that a build listed with `--changes` to search engines, by IndexNow.

Its rules are at indexnow.org/documentation. One engine shares the URLs with the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from http.client import responses
from typing import NamedTuple, TextIO

from ..config import Config
from ..messages import Message, SitemapperError
from ..model import Change, Run
from ..net import Answer, Client
from ..syntax.urls import host_of
from .changes import NO_BASELINE, merge_changes, read_changes
from .target import find_built

_MAX_URLS = 10_000  # of one request
_MAX_KEY_FILE = 1_000  # bytes
_MAX_QUOTE = 200  # characters of an answer
_SENDING = ".sending"  # the end of a list's name while its URLs are sent
_WHOLE_SITE = Message(
    "warning",
    "no-baseline",
    "the build found no earlier sitemap, so the list has the whole site and is not sent",
    "leave it: the next build lists what changes",
)
# What to do for an answer that may be another one later.
_LATER = {
    403: "the key is not accepted, mostly because it is new: run submit again in some hours. After "
    "a day, create another key",
    429: "wait a minute, then run submit again",
}


class Submitted(NamedTuple):
    """What was sent: the URLs of the list, and each request with its number of URLs."""

    changes: list[Change]
    requests: Sequence[tuple[int, Answer]] = ()
    left: int = 0  # URLs of the list that no engine has accepted; they are in it again
    messages: tuple[Message, ...] = ()


def submit(file: str, stdin: TextIO, config: Config, run: Run, client: Client) -> Submitted:
    """Sends the URLs of a list to a search engine, at most 10,000 in a request.

    `file` is the list that builds have written, or `-` for `stdin`. While its URLs are sent, it is
    renamed to `FILE.sending`, so that a build can begin a new list; what the engine has not
    accepted is merged back. A dry run sends nothing, and the list of a first build, which has the
    whole site, is not sent. Raises SitemapperError for a list that cannot be read, without a key
    that the live host shows, or if the engine rejects the request.
    """
    settings = config.settings.submit
    if not run.is_dry and os.path.exists(file + _SENDING):  # an earlier run was killed
        _restore_list(file)
    text = read_list(file, stdin)
    if NO_BASELINE in text:
        return Submitted([], messages=(_WHOLE_SITE,))
    changes = read_changes(text, file)
    if not settings.key:
        raise SitemapperError(
            "submit.key: is not set, and IndexNow needs a key",
            "create one with `sitemapper init --indexnow`, or pass --key KEY",
        )
    if not changes or run.is_dry:
        return Submitted(changes)

    base_url = config.settings.base_url or find_built(config, run).listed
    key_url = f"{base_url}{settings.key}.txt"
    _check_key(client, key_url, settings.key)
    is_list = os.path.isfile(file)  # not stdin or a pipe, which cannot be renamed
    if is_list:
        os.replace(file, file + _SENDING)
        changes = read_changes(_read(file + _SENDING), file)  # a build may have added some

    # What all requests have, beside their URLs.
    message: dict[str, object] = {"host": host_of(base_url), "key": settings.key}
    if base_url.count("/") > 3:  # the key file is not at the root of the host
        message["keyLocation"] = key_url
    requests: list[tuple[int, Answer]] = []
    unsent = changes
    try:
        while unsent:
            urls = [change.url for change in unsent[:_MAX_URLS]]
            answer = client.post(settings.endpoint, {**message, "urlList": urls})
            requests.append((len(urls), answer))
            if not 200 <= answer.status < 300:
                break
            unsent = unsent[_MAX_URLS:]
            if is_list:  # so that after a killed run, the next one sends none of them again
                _write(file + _SENDING, unsent)
    finally:
        if is_list:
            _restore_list(file)
    messages = (_judge_failure(answer),) if unsent else ()
    return Submitted(changes, requests, len(unsent), messages)


def _check_key(client: Client, url: str, key: str) -> None:
    """Raises SitemapperError unless the host shows the key at `url`, where engines look for it."""
    try:
        data = client.download(url, _MAX_KEY_FILE)
    except SitemapperError as error:
        raise SitemapperError(f"{error.text}, so nothing was sent", error.help) from None
    if data != key.encode():
        raise SitemapperError(
            f"{url}: does not show the key, so nothing was sent",
            "deploy what `sitemapper build` writes with this key, then run submit again",
        )


def describe_answer(answer: Answer) -> str:
    """What an engine answered, for people: `200 OK`, or why there is no answer.

    An error has the engine's own words if it sends some: `422 key is invalid`.
    """
    if answer.failure:
        return answer.failure.text
    text = " ".join(answer.body.decode("utf-8", "replace").split())[:_MAX_QUOTE]
    if answer.status < 400 or not text:
        text = responses.get(answer.status, "")
    return f"{answer.status} {text}".rstrip()


def _judge_failure(answer: Answer) -> Message:
    """Decides by its answer whether a request that failed may succeed later, such as after a 429.

    Returns a warning that says when to try again. Raises SitemapperError for an answer such as 422,
    by which the engine rejects the request itself.
    """
    text = f"{answer.url}: {describe_answer(answer)}"
    has_no_answer = answer.status == 0
    if has_no_answer or answer.status in _LATER or answer.status >= 500:
        help = _LATER.get(answer.status, "run submit again later")
        return Message("warning", "not-accepted", text, help)
    raise SitemapperError(
        f"{text}, so the engine rejects the request",
        "correct [submit] key or endpoint; the list has its URLs again",
    )


def read_list(file: str, stdin: TextIO) -> str:
    """The text of a list of changes. It comes from `stdin` if the file is `-`.

    Raises SitemapperError if it cannot be read.
    """
    return stdin.read() if file == "-" else _read(file)


def _read(file: str) -> str:
    """The text of a list of changes in a file. Raises SitemapperError if it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:  # a pipe, too
            return stream.read()
    except OSError as error:
        raise SitemapperError(
            f"{file}: {error.strerror}",
            f"let a build write it: sitemapper build --changes {file}",
        ) from None


def _write(file: str, changes: Iterable[Change]) -> None:
    with open(file, "w", encoding="utf-8") as stream:
        stream.writelines(f"{change}\n" for change in changes)


def _restore_list(file: str) -> None:
    """Puts the changes that were not sent, which are in `FILE.sending`, back into the list `file`.

    Builds may have written new changes to `file` meanwhile, which are kept.
    """
    sending = file + _SENDING
    unsent = read_changes(_read(sending), file)
    new = _read(file) if os.path.exists(file) else ""
    if NO_BASELINE in new:  # a build has listed the whole site, and so the unsent changes
        os.remove(sending)
        return
    _write(sending, merge_changes(unsent, read_changes(new, file)))
    os.replace(sending, file)
