"""The live pages: which are requested, what is wrong with them, and what would mend redirects."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from ..linter import Finding
from ..messages import Observer, listing
from ..model import STYLES
from ..net import Answer, Client
from ..syntax.robots import Crawling
from ..syntax.urls import path_below, usual_path
from .judge import (
    Fault,
    PageText,
    compare_page,
    is_other_form,
    judge_page,
    read_page,
    reason_of,
    refusal_fault,
    refusal_of,
)
from .target import MAX_PAGE, Request, Target

_REFUSALS = 5  # after so many, the host may refuse everything


def sample_of(pages: Sequence[Request], sample: int | None) -> Sequence[Request]:
    """Chooses as many pages as `sample` says, evenly spread; None for all."""
    if sample is None or len(pages) <= sample:
        return pages
    return [pages[len(pages) * number // sample] for number in range(sample)]


class LivePages(NamedTuple):
    """What the host answered for pages."""

    findings: list[Finding]
    requested: int
    has_answered: bool  # with anything but refusals
    advice: str  # what mends the redirects, "" for nothing


class _Judged(NamedTuple):
    """A requested page, and what is wrong with it."""

    page: Request
    faults: list[Fault]
    final_url: str = ""  # where the host shows it: its own URL, or that of a redirect or canonical


def request_pages(
    chosen: Sequence[Request],
    crawling: Crawling,
    target: Target,
    client: Client,
    now: int,
    observer: Observer,
) -> LivePages:
    """Requests the chosen pages, four at a time, and judges the answers.

    `crawling` has the rules of the live robots.txt: what it closes is not requested. If the host
    refuses page after page, the rest is not requested either.
    """
    judged: list[_Judged] = []
    requests: dict[str, Request] = {}  # by the URLs to request
    for page in chosen:
        url = target.to_request(page.url)
        if url is None:
            continue
        line = crawling.closing_line(page.url)
        if line is None or page.is_removed:
            requests[url] = page
        else:
            judged.append(_Judged(page, [Fault("SM627", f"is blocked by {line}")]))

    # Some hosts show a “not found” page with status 200. A random path, which cannot exist, shows
    # what it looks like; a listed page that looks the same is missing.
    random_answer = client.get(target.requested + secrets.token_hex(16), MAX_PAGE)
    not_found_page = read_page(random_answer.body)
    if random_answer.status == 200:
        # The finding does not have the digits, so that each run reports the same.
        page = Request(f"{target.listed}<32 random digits>", target.sitemap)
        fault = Fault("SM606", "answers 200, but no such path exists")
        judged.append(_Judged(page, [fault]))

    observer.begins("verifying", len(requests))
    denied: list[tuple[Request, Answer]] = []
    requested = 0
    shown_url = target.requested  # the last URL that the host has shown, or else the home page
    with closing(client.get_all(requests, MAX_PAGE)) as answers:
        for page, answer in zip(requests.values(), answers, strict=False):
            requested += 1
            observer.advances(1)
            if not refusal_of(answer):
                judged.append(_judge(page, answer, target, not_found_page, now))
                if answer.status == 200:
                    shown_url = answer.url
                continue
            denied.append((page, answer))
            # If the host refuses even a URL that it has shown before, it refuses this program, and
            # further requests are rude.
            if len(denied) % _REFUSALS == 0 and not _shows(client, shown_url):
                break

    # Only now is it known whether the host closes the denied pages alone, or all pages.
    is_open = bool(denied) and _shows(client, shown_url)
    judged += [_judge_denied(page, answer, is_open) for page, answer in denied]
    has_answered = is_open or requested > len(denied)
    advice = _advise(judged, target)
    return LivePages(_combined(judged), requested, has_answered, advice)


def _shows(client: Client, url: str) -> bool:
    """Whether the host shows a page at a URL at this moment."""
    return client.get(url, MAX_PAGE).status == 200


def _judge(
    page: Request, answer: Answer, target: Target, not_found_page: PageText, now: int
) -> _Judged:
    """Judges the answer for a page: its faults, and the URL at which the host shows it.

    A page that a build has removed should be gone, so it is right if it has faults such as a 404
    or noindex. `not_found_page` is what the host shows at a path that does not exist.
    """
    faults = list(judge_page(page.url, answer, target, not_found_page, now))
    if page.is_removed and faults:
        return _Judged(page, [])
    if page.is_removed:
        return _Judged(page, [Fault("SM629", "was removed, and still answers 200")])

    final_url = ""
    if answer.status == 200:
        final_url = page.url
    for fault in faults:
        if fault.other:  # the target of a redirect, or another canonical
            final_url = fault.other

    # A page without other faults must also be the one that was built.
    built_page = target.read(page.url)
    if target.site and built_page and not faults:
        drop = target.site.found.config.settings.ledger.drop
        faults += compare_page(built_page, answer.body, drop)
    return _Judged(page, faults, final_url)


def _judge_denied(page: Request, answer: Answer, is_open: bool) -> _Judged:
    """Judges a page that the host refuses to this program, such as with 403.

    `is_open` means that the host still shows other pages, so it probably closes this one to
    everybody. Otherwise, and after a rate limit (429) or a bot check, crawlers may see the page.
    """
    if not is_open or answer.status == 429 or refusal_of(answer) == "challenge":
        return _Judged(page, [refusal_fault(answer)])
    if page.is_removed:  # nobody sees it any more, as it should be
        return _Judged(page, [])
    return _Judged(page, [Fault("SM621", reason_of(answer))])


def _combined(judged: Sequence[_Judged]) -> list[Finding]:
    """Makes one finding of all faults of a kind: `answers 404: https://a.example/b and 9 more`.

    It is at the file and the line of the first page that has the fault.
    """
    first_pages: dict[Fault, Request] = {}
    urls: defaultdict[Fault, list[str]] = defaultdict(list)
    for page, faults, _ in judged:
        for fault in faults:
            url = page.url
            if fault.other:
                url += f" -> {fault.other}"
            kind = fault._replace(other="")  # faults that differ only in that URL are of one kind
            first_pages.setdefault(kind, page)
            urls[kind].append(url)
    findings: list[Finding] = []
    for kind, page in first_pages.items():
        message = f"{kind.text}: {listing(urls[kind])}"
        findings.append(Finding(page.file, page.line, kind.code, message))
    return findings


def _advise(judged: Sequence[_Judged], target: Target) -> str:
    """What a user can write so that the sitemap lists pages where the host shows them.

    This is the `url_style` that gives all pages the URLs of the host: if `/tea.html` redirects to
    `/tea`, it is `url_style = "clean"`. Canonicals come before that setting, so they have to be
    corrected first. "" if no page redirects to another form of its URL, or if no style fits.
    """
    redirected = [entry for entry in judged if is_other_form(entry.page.url, entry.final_url)]
    if not redirected or target.is_preview:
        return ""
    for page, _, final_url in redirected:
        file = target.page_at(page.url)
        if file and target.facts[file].canonical is not None:
            return (
                f"correct the canonicals: {file} names {page.url}, which redirects to {final_url}"
            )

    # Where the host shows each page, as far as that is known.
    unmoved = [entry for entry in judged if entry.final_url == entry.page.url]
    files_and_paths: list[tuple[str, str]] = []
    for page, _, final_url in unmoved + redirected:
        file = target.page_at(page.url) or _likely_file(page.url, target.listed)
        files_and_paths.append((file, final_url.removeprefix(target.listed)))

    # The style that would list all of them there.
    for style, forms in STYLES.items():
        if all(path == usual_path(file, forms) for file, path in files_and_paths):
            return f'url_style = "{style}"'
    return ""


def _likely_file(url: str, base_url: str) -> str:
    """The file that most servers show at a URL below `base_url`, where the site was not built.

    `a/` → `a/index.html`, `a` → `a.html`, `a.pdf` stays.
    """
    path = path_below(url, base_url) or ""
    if path == "" or path.endswith("/"):
        return f"{path}index.html"
    if "." in path.rpartition("/")[2]:
        return path
    return f"{path}.html"
