"""`verify`: requests robots.txt, the sitemap and its URLs from the live host, as crawlers do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote

from ..files import contents
from ..linter import Finding
from ..linter.checks import check_sitemap
from ..messages import QUIET, Observer, listing
from ..model import Change
from ..net import Answer, Client
from ..protocol import MAX_BYTES
from ..publish.robots import is_at_root
from ..read.sitemap import SitemapEntry, SitemapFault, read_sitemap
from ..syntax.robots import Crawling, sitemap_lines
from ..syntax.urls import origin_of, resolve
from .judge import is_html, judge_sitemap, reason_of, refusal_of
from .live_pages import request_pages, sample_of
from .target import Request, Target

_MAX_ROBOTS = 500 * 1024  # bytes (RFC 9309 §2.5)
_STEP = 5.0  # seconds between two readings of the sitemap
_NOT_LIVE = ("SM611", "SM616")  # what may be right in a moment


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
    while True:
        robots = client.follow(f"{origin_of(target.requested)}/robots.txt", _MAX_ROBOTS)
        rules = b""
        if robots.status == 200 and not is_html(robots.body):
            rules = robots.body
        sitemaps = _read_sitemaps(target, client, sitemap_lines(rules), now)
        is_live = all(finding.code not in _NOT_LIVE for finding in sitemaps.findings)
        if is_live or wait <= 0:
            break
        step = min(_STEP, wait)
        time.sleep(step)
        wait -= step
    if not robots.status and not sitemaps.answer.status:
        finding = Finding(robots.url, 1, "SM601", reason_of(robots))
        return Verified([finding], [])

    findings = [*_judge_robots(robots, target), *sitemaps.findings]
    if target.is_preview:  # whose robots.txt closes it to crawlers
        rules = b""
    crawling = Crawling(rules)
    line = crawling.closing_line(target.sitemap)
    if line:
        findings.append(Finding(robots.url, 1, "SM627", f"disallows the sitemap: {line}"))
    chosen = sample_of(sitemaps.pages, sample)
    if changes is not None:
        chosen = [
            Request(change.url, target.sitemap, is_removed=change.kind == "removed")
            for change in changes
        ]
    pages = request_pages(chosen, crawling, target, client, now, observer)
    findings += pages.findings
    is_checked = pages.has_answered or not refusal_of(sitemaps.answer)
    return Verified(
        findings,
        sitemaps.files,
        len(sitemaps.pages),
        pages.requested,
        is_checked,
        pages.advice,
    )


def _judge_robots(answer: Answer, target: Target) -> Iterator[Finding]:
    """Yields what is wrong with the live robots.txt. That of a preview does not count."""
    site = target.site
    if target.is_preview:
        return
    if answer.status == 200 and is_html(answer.body):
        yield Finding(answer.url, 1, "SM602", "is an HTML page")
    elif (answer.status >= 500 or answer.failure) and not refusal_of(answer):
        yield Finding(answer.url, 1, "SM602", reason_of(answer))
    elif answer.status == 200 and site and is_at_root(site):
        live = [line.strip() for line in answer.body.splitlines()]
        for line in contents(site.found.output, "robots.txt").splitlines():
            # A host may add lines, such as the block that Cloudflare manages.
            if line.strip() not in live:
                text = f"lacks a line of the built file: {line.decode('utf-8', 'replace')}"
                yield Finding(answer.url, 1, "SM605", text)
                break


class _LiveSitemaps(NamedTuple):
    """The live sitemap, with the sitemaps that it names if it is an index."""

    answer: Answer  # for the main one
    findings: list[Finding]
    files: list[tuple[str, int]]  # the URL of each, with its number of entries
    pages: list[Request]


def _read_sitemaps(target: Target, client: Client, named: Sequence[str], now: int) -> _LiveSitemaps:
    """Requests and checks the sitemaps. `named` are those that robots.txt names."""
    answers: list[Answer] = []
    findings: list[Finding] = []
    files: list[tuple[str, int]] = []
    pages: list[Request] = []
    urls = [target.sitemap]
    for url in urls:  # which grows by the parts of an index
        requested = target.to_request(url)
        if requested is None:  # the linter reports it
            continue
        answer = client.get(requested)
        answers.append(answer)
        unread = judge_sitemap(answer)
        if unread:
            findings.append(Finding(url, 1, unread.code, unread.text))
            continue
        entries = _entries_of(answer.body)
        files.append((url, len(entries)))
        if entries and not any(target.to_request(entry.loc) for entry in entries):
            loc = entries[0].loc
            listed_url = url.replace(origin_of(url), origin_of(loc), 1)
            command = f"sitemapper verify {listed_url} --at {target.requested}"
            text = f"{loc} is not below {target.listed}. To request its pages here: {command}"
            findings.append(Finding(url, entries[0].line, "SM305", text))
            continue
        # Unless robots.txt names a sitemap, it may list only what is below its folder.
        scope = None if url in named else resolve(".", url)
        for code, line, text in check_sitemap(url, answer.body, now, scope).faults:
            findings.append(Finding(url, line, code, text))
        if target.site:
            name = unquote(url.removeprefix(target.listed))
            expected = _entries_of(contents(target.site.found.output, name, MAX_BYTES))
            difference = _difference(expected, entries)
            if difference:
                findings.append(Finding(url, 1, "SM616", difference))
        if not entries or not entries[0].is_sitemap:
            pages += [Request(entry.loc, url, entry.line) for entry in entries]
        elif url == target.sitemap:
            urls += dict.fromkeys(entry.loc for entry in entries)
        else:
            findings.append(Finding(target.sitemap, 1, "SM402", f"{url} is itself an index"))
    return _LiveSitemaps(answers[0], findings, files, pages)


def _entries_of(data: bytes) -> list[SitemapEntry]:
    """The entries of a sitemap, up to a fault, which the linter reports."""
    entries: list[SitemapEntry] = []
    with suppress(SitemapFault):
        entries.extend(read_sitemap(data))
    return entries


def _difference(built: Sequence[SitemapEntry], live: Sequence[SitemapEntry]) -> str:
    """How the entries of a live sitemap differ from those of the built file, if there is one."""
    built_rows = {f"{entry.loc} {entry.lastmod}".strip() for entry in built}
    live_rows = {f"{entry.loc} {entry.lastmod}".strip() for entry in live}
    if not built_rows or built_rows == live_rows:
        return ""
    return f"is not the built file; only one of them has {listing(sorted(built_rows ^ live_rows))}"
