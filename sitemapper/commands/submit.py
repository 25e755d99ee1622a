"""`submit`: sends the URLs that a build listed with `--changes` to a search engine, by IndexNow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from http.client import responses
from typing import NamedTuple

from ..config import Config
from ..errors import SitemapperError
from ..messages import Message
from ..model import Change, Run
from ..net import Answer, Client
from ..net.indexnow import MAX_URLS, check_key, send
from .changes import NO_BASELINE, merge_changes, read_changes
from .target import find_built

_TAKEN = ".sending"  # the end of a list's name while its URLs are sent
_MAX_QUOTE = 200  # characters of an answer
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


def submit(file: str, stdin: str, config: Config, run: Run, client: Client) -> Submitted:
    """Sends the URLs of a list, or of `stdin` if the file is `-`. A dry run sends nothing.

    The list is renamed away before, and what no engine has accepted is merged back. The list of a
    first build, which has the whole site, is not sent. Raises SitemapperError for a list that
    cannot be read, without a key that the live host shows, or if the engine rejects the request.
    """
    settings = config.settings.submit
    if not run.is_dry and os.path.exists(file + _TAKEN):  # an earlier run was killed
        _give_back(file)
    text = read_list(file, stdin)
    if NO_BASELINE in text:
        return Submitted([], messages=(_WHOLE_SITE,))
    changes = read_changes(text, file)
    if not settings.key:
        raise SitemapperError(
            "submit.key: is not set, and IndexNow needs a key",
            "create one with `sitemapper init --indexnow`, or pass --key KEY",
        )
    base_url = config.settings.base_url or _base_url(config, run)
    for change in changes:
        if not change.url.partition("://")[2].startswith(base_url.partition("://")[2]):
            raise SitemapperError(
                f"{file}: {change.url} is not below base_url ({base_url})",
                "run build and submit with the same base_url",
            )
    if not changes or run.is_dry:
        return Submitted(changes)

    check_key(client, base_url, settings.key)
    is_list = os.path.isfile(file)  # and no pipe
    if is_list:
        os.replace(file, file + _TAKEN)
        changes = read_changes(read_list(file + _TAKEN, ""), file)  # a build may have added some
    requests: list[tuple[int, Answer]] = []
    waiting = changes
    try:
        while waiting:
            batch = waiting[:MAX_URLS]
            urls = [change.url for change in batch]
            answer = send(client, settings.endpoint, base_url, settings.key, urls)
            requests.append((len(batch), answer))
            if not 200 <= answer.status < 300:
                break
            waiting = waiting[MAX_URLS:]
            if is_list:  # or a killed run would send them twice
                _write(file + _TAKEN, waiting)
    finally:
        if is_list:
            _give_back(file)
    return Submitted(changes, requests, len(waiting), tuple(_failures(requests)))


def said(answer: Answer) -> str:
    """What an engine answered, in words: `429 Too Many Requests`, or its own text."""
    if answer.failure:
        return answer.failure.text.removeprefix(f"{answer.url}: ")
    text = " ".join(answer.body.decode("utf-8", "replace").split())[:_MAX_QUOTE]
    if answer.status < 400 or not text:
        text = responses.get(answer.status, "")
    return f"{answer.status} {text}".rstrip()


def _failures(requests: Sequence[tuple[int, Answer]]) -> list[Message]:
    """What to do after the last request. Raises SitemapperError if it is rejected for good."""
    _, answer = requests[-1]
    if 200 <= answer.status < 300:
        return []
    text = f"{answer.url}: {said(answer)}"
    if answer.status in (0, *_LATER) or answer.status >= 500:
        help = _LATER.get(answer.status, "run submit again later")
        return [Message("warning", "not-accepted", text, help)]
    raise SitemapperError(
        f"{text}, so the engine rejects the request",
        "correct [submit] key or endpoint; the list has its URLs again",
    )


def _base_url(config: Config, run: Run) -> str:
    try:
        built = find_built(config, run)
    except SitemapperError as error:
        raise SitemapperError(error.text, error.help or "pass the folder of the site") from None
    return built.site.base_url


def read_list(file: str, stdin: str) -> str:
    """The text of a list, or `stdin` if the file is `-`. Raises SitemapperError."""
    if file == "-":
        return stdin
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


def _give_back(file: str) -> None:
    """Merges what is left of a list that was taken with what builds have added meanwhile."""
    waiting = read_changes(read_list(file + _TAKEN, ""), file)
    new = read_list(file, "") if os.path.exists(file) else ""
    if NO_BASELINE in new:
        os.remove(file + _TAKEN)
        return
    _write(file + _TAKEN, merge_changes(waiting, read_changes(new, file)))
    os.replace(file + _TAKEN, file)
