"""The live pages: which are requested, what is wrong with them, and what would mend redirects."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from ..linter import Finding
from ..messages import listing
from ..model import STYLES
from ..net import Answer, Client
from ..observer import Observer
from ..syntax.robots import Crawling
from ..syntax.urls import path_below, usual_path
from .built_page import compare_page, title_in
from .changes import ChangedUrl
from .judge import (
    REFUSED,
    Fault,
    is_other_form,
    judge_page,
    missing_page,
    reason_of,
    refusal_of,
)
from .target import MAX_PAGE, Built, Request, Target

_REFUSALS_IN_ROW = 5  # after which the host may refuse everything


def sample_of(entries: Sequence[Request], sample: int | None) -> list[Request]:
    """Chooses about as many entries as `sample` says, in their order; None for all.

    Up to half of them are the first entries of top folders, so that each part of the site is
    requested. The others are evenly spread.
    """
    if sample is None or len(entries) <= sample:
        return list(entries)
    first: dict[str, int] = {}
    for position, entry in enumerate(entries):
        folder = entry.url.split("/")[3] if entry.url.count("/") > 3 else ""
        first.setdefault(folder, position)
    chosen = set(list(first.values())[: sample // 2])
    number = sample - len(chosen)
    chosen.update(len(entries) * step // number for step in range(number))
    return [entries[position] for position in sorted(chosen)]


def changed_pages(
    changes: Sequence[ChangedUrl], entries: Sequence[Request], target: Target
) -> list[Request]:
    """The URLs of a list of changes, the removed ones last."""
    listed = {entry.url: entry for entry in entries}
    pages: list[Request] = []
    for change in sorted(changes, key=lambda change: change.kind == "removed"):
        page = Request(change.url, target.sitemap, role="removed")
        if change.kind != "removed":
            page = listed.get(change.url, page._replace(role="listed"))
        pages.append(page)
    return pages


class LivePages(NamedTuple):
    """What the host answered for pages."""

    findings: list[Finding]
    requested: int
    has_answered: bool  # with anything but refusals
    shown: list[tuple[str, str]]  # listed URLs that show a page, and the URL at which it is shown


def request_pages(
    chosen: Sequence[Request],
    crawling: Crawling | None,
    target: Target,
    client: Client,
    built: Built | None,
    now: int,
    observer: Observer,
) -> LivePages:
    """Requests the chosen URLs, four at a time, and judges the answers.

    `crawling` has the rules of the live robots.txt: what it closes is not requested.
    """
    faults: list[tuple[Fault, Request, str]] = []  # with the URL to which a page leads
    requests: dict[str, Request] = {}
    for page in chosen:
        url = target.to_request(page.url)
        line = crawling.forbids(page.url) if crawling and url and page.role == "listed" else None
        if line:
            faults.append((("SM627", f"is blocked by {line}"), page, ""))
        elif url:
            requests[url] = page
    made_up = client.get(target.requested + secrets.token_hex(16), MAX_PAGE)
    if made_up.status == 200:
        # Without the digits, each run reports the same.
        page = Request(f"{target.listed}<32 random digits>", target.sitemap)
        faults.append((("SM606", "answers 200, but no such path exists"), page, ""))
    missing = missing_page(made_up)
    drop: tuple[str, ...] = ()
    titles: dict[str, str] = {}  # of built pages, with their URLs
    if built:
        drop = built.site.found.config.settings.ledger.drop
        for page in requests.values():
            titles.setdefault(title_in(built.read(page.url)), page.url)

    observer.begins("verifying", len(requests))
    shown: list[tuple[str, str]] = []
    refused: list[tuple[Request, Answer]] = []
    requested = compared = 0
    has_answered = False
    witness = target.requested
    for page, answer in _answers(requests, client, target):
        requested += 1
        observer.advances(1)
        if refusal_of(answer):
            refused.append((page, answer))
            continue
        has_answered = has_answered or answer.status > 0
        judged = judge_page(page.url, page.role, answer, target, missing, now)
        faults += [(fault, page, judged.other) for fault in judged.faults]
        if answer.status == 200:
            witness = answer.url
        if page.role == "listed" and (answer.status == 200 or judged.other):
            shown.append((page.url, judged.other or page.url))
        data = built.read(page.url) if built and judged.is_page else b""
        if data:
            compared += 1
            difference = compare_page(data, answer.body, drop, titles)
            faults += [(difference, page, "")] if difference else []
    # A page is closed to all, and not to this program, if the host still shows another one.
    is_open = bool(refused) and _shows(client, witness)
    for page, answer in refused:
        is_closed = is_open and answer.status != 429 and refusal_of(answer) == "denied"
        if not is_closed:
            faults.append((("SM603", REFUSED.format(answer.status)), page, ""))
        elif page.role == "listed":
            faults.append((("SM621", reason_of(answer)), page, ""))
    findings = list(_combined(faults, compared))
    return LivePages(findings, requested, has_answered or is_open, shown)


def _answers(
    requests: Mapping[str, Request], client: Client, target: Target
) -> Iterator[tuple[Request, Answer]]:
    """Yields the answers for pages, until the host refuses everything."""
    refusals = 0  # in a row
    witness = target.requested  # a URL that the host has shown
    with closing(client.get_all(requests, MAX_PAGE)) as answers:
        for page, answer in zip(requests.values(), answers, strict=False):
            yield page, answer
            refusals = refusals + 1 if refusal_of(answer) else 0
            if answer.status == 200:
                witness = answer.url
            elif refusals and refusals % _REFUSALS_IN_ROW == 0 and not _shows(client, witness):
                return


def _combined(faults: Sequence[tuple[Fault, Request, str]], compared: int) -> Iterator[Finding]:
    """Yields one finding for each fault: `answers 404: https://a.example/b and 9 more`."""
    pages: defaultdict[Fault, list[Request]] = defaultdict(list)
    urls: defaultdict[Fault, list[str]] = defaultdict(list)
    for fault, page, other in faults:
        pages[fault].append(page)
        urls[fault].append(f"{page.url} -> {other}" if other else page.url)
    for fault, (page, *_) in pages.items():
        code, text = fault
        if code == "SM635":
            text = f"{len(urls[fault]):,} of {compared:,} pages {text}"
        yield Finding(page.file, page.line, code, f"{text}: {listing(urls[fault])}")


def _shows(client: Client, url: str) -> bool:
    return client.get(url, MAX_PAGE).status == 200


def advise(shown: Sequence[tuple[str, str]], base_url: str, built: Built | None) -> str:
    """What to write so that the sitemap lists pages where the host shows them; "" for nothing.

    `shown` has listed URLs, and where the host shows their pages.
    """
    moved = [(url, other) for url, other in shown if is_other_form(url, other)]
    if not moved:
        return ""
    for url, other in moved:
        path = built.page_at(url) if built else None
        if built and path and built.facts[path].canonical is not None:
            return f"correct the canonicals: {path} names {url}, which redirects to {other}"
    places = [
        (_file_at(url, base_url, built), other.removeprefix(base_url))
        for url, other in shown
        if "?" not in url and (url == other or is_other_form(url, other))
    ]
    for style, forms in STYLES.items():
        if all(path == usual_path(file, forms) for file, path in places):
            is_set = built and built.site.found.config.settings.url_style == style
            return "" if is_set else f'url_style = "{style}"'
    return ""


def _file_at(url: str, base_url: str, built: Built | None) -> str:
    """The file that a server shows at a URL; without the built site, the likeliest one."""
    path = built.page_at(url) if built else None
    if path:
        return path
    path = path_below(url, base_url) or ""
    if path == "" or path.endswith("/"):
        return f"{path}index.html"
    return path if "." in path.rpartition("/")[2] else f"{path}.html"
