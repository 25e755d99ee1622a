"""`verify`: requests robots.txt, the sitemap and its URLs from the live host, as crawlers do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from ..files import contents
from ..linter import Finding
from ..model import Change
from ..net import Answer, Client
from ..observer import QUIET, Observer
from ..syntax.robots import Crawling, sitemap_lines
from ..syntax.urls import origin_of
from .judge import is_html, reason_of, refusal_of
from .live_pages import advise, changed_pages, request_pages, sample_of
from .live_sitemaps import read_sitemaps
from .target import Built, Request, Target

_MAX_ROBOTS = 500 * 1024  # bytes (RFC 9309 §2.5)


class Verified(NamedTuple):
    """What a run found at the live host."""

    findings: list[Finding]
    sitemaps: list[tuple[str, int]]  # the URL of each live sitemap, with its number of entries
    listed: int = 0  # URLs
    requested: int = 0  # of the listed ones, or of those of `--changes`
    is_checked: bool = False  # the host answered, and did not refuse everything
    advice: str = ""  # what mends the redirects: `url_style = "clean"`


def verify(
    target: Target,
    client: Client,
    built: Built | None = None,
    *,
    sample: int | None = None,
    changes: Sequence[Change] | None = None,
    wait: float = 0.0,
    now: int,
    observer: Observer = QUIET,
) -> Verified:
    """Judges what the live host answers for robots.txt, the sitemaps, and pages.

    The pages are those of `changes`, or so many of the listed ones as `sample` says, or all. Waits
    at most `wait` seconds until the sitemaps are those that were built. `now` is in seconds.
    """
    robots = client.follow(f"{origin_of(target.requested)}/robots.txt", _MAX_ROBOTS)
    named = sitemap_lines(robots.body) if robots.status == 200 else []
    sitemaps = read_sitemaps(target, client, built, named, wait, now)
    is_silent = all(finding.code == "SM611" for finding in sitemaps.findings)
    if not robots.status and not sitemaps.has_answered and is_silent:
        finding = Finding(robots.url, 1, "SM601", reason_of(robots))
        return Verified([finding], [])

    findings = [*_judge_robots(robots, target, built), *sitemaps.findings]
    crawling = None
    if robots.status == 200 and not target.is_preview and not is_html(robots.body):
        crawling = Crawling(robots.body)
        line = crawling.forbids(target.sitemap)
        if line:
            text = f"disallows the sitemap: {line}"
            findings.append(Finding(robots.url, 1, "SM627", text))
    chosen = sample_of(sitemaps.entries, sample)
    if changes is not None:
        chosen = changed_pages(changes, sitemaps.entries, target)
    if chosen and not any(target.to_request(page.url) for page in chosen):
        findings.append(_on_other_host(chosen[0], target))
    pages = request_pages(chosen, crawling, target, client, built, now, observer)
    return Verified(
        [*findings, *pages.findings],
        sitemaps.files,
        len(sitemaps.entries),
        pages.requested,
        sitemaps.has_answered or pages.has_answered or any(one.code == "SM611" for one in findings),
        "" if target.is_preview else advise(pages.shown, target.listed, built),
    )


def _judge_robots(answer: Answer, target: Target, built: Built | None) -> Iterator[Finding]:
    """Yields what is wrong with the live robots.txt. Its lines may differ from the built ones."""
    if answer.status == 200 and is_html(answer.body):
        yield Finding(answer.url, 1, "SM602", "is an HTML page")
    elif (answer.status >= 500 or answer.failure) and not refusal_of(answer):
        yield Finding(answer.url, 1, "SM602", reason_of(answer))
    elif answer.status == 200 and built and not target.is_preview:
        # A host may add lines, such as the block that Cloudflare manages. Below a base URL with a
        # path, the built file is none of the host's.
        is_at_root = urlsplit(target.listed).path == "/"
        expected = contents(built.site.found.output, "robots.txt") if is_at_root else b""
        live = {line.strip() for line in answer.body.splitlines()}
        for line in expected.splitlines():
            if line.strip() not in live:
                text = f"lacks a line of the built file: {line.decode('utf-8', 'replace')}"
                yield Finding(answer.url, 1, "SM605", text)
                return


def _on_other_host(page: Request, target: Target) -> Finding:
    """The finding that no listed URL is where the sitemap is: none of them was requested."""
    here = target.requested
    path = target.sitemap.removeprefix(origin_of(target.sitemap))
    command = f"sitemapper verify {origin_of(page.url)}{path} --at {here}"
    text = f"{page.url} is not below {here}. To request the pages there all the same: {command}"
    return Finding(page.file, page.line, "SM305", text)
