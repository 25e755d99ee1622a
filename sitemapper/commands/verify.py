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
_NOT_LIVE = ("SM611", "SM616")  # the faults of sitemaps that may go live in a moment


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

    The pages are those of `changes` if there are some; else as many of the listed ones as `sample`
    says, or all if it is None. Waits at most `wait` seconds until the sitemaps are those that were
    built. `now` is in seconds since the epoch.
    """
    # A deployment may not be live yet, so the sitemaps are read until they are right.
    while True:
        robots = client.follow(f"{origin_of(target.requested)}/robots.txt", _MAX_ROBOTS)
        rules = b""  # an error or an HTML page has none
        if robots.status == 200 and not is_html(robots.body):
            rules = robots.body
        sitemaps = _read_sitemaps(target, client, sitemap_lines(rules), now)
        is_live = all(finding.code not in _NOT_LIVE for finding in sitemaps.findings)
        if is_live or wait <= 0:
            break
        step = min(_STEP, wait)
        time.sleep(step)
        wait -= step
    # Without any answer, more requests are useless.
    if not robots.status and not sitemaps.answer.status:
        finding = Finding(robots.url, 1, "SM601", reason_of(robots))
        return Verified([finding], [])

    findings = [*_judge_robots(robots, target), *sitemaps.findings]
    if target.is_preview:
        rules = b""  # a preview closes itself to crawlers, which is right
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
    """Yields what is wrong with the live robots.txt, by the answer for it.

    It must not fail or be an HTML page, and must have the lines of the built file.
    """
    site = target.site
    if target.is_preview:  # which has another robots.txt than the live host
        return
    if answer.status == 200 and is_html(answer.body):
        yield Finding(answer.url, 1, "SM602", "is an HTML page")
    elif (answer.status >= 500 or answer.failure) and not refusal_of(answer):
        yield Finding(answer.url, 1, "SM602", reason_of(answer))
    elif answer.status == 200 and site and is_at_root(site):
        live = [line.strip() for line in answer.body.splitlines()]
        for line in contents(site.found.output, "robots.txt").splitlines():
            # More lines are no fault: hosts such as Cloudflare add their own.
            if line.strip() not in live:
                text = f"lacks a line of the built file: {line.decode('utf-8', 'replace')}"
                yield Finding(answer.url, 1, "SM605", text)
                break


class _LiveSitemaps(NamedTuple):
    """The live main sitemap and, if it is an index, the sitemaps that it lists."""

    answer: Answer  # for the main sitemap
    findings: list[Finding]
    files: list[tuple[str, int]]  # the URL of each sitemap, with its number of entries
    pages: list[Request]  # that the sitemaps list


def _read_sitemaps(
    target: Target, client: Client, in_robots: Sequence[str], now: int
) -> _LiveSitemaps:
    """Requests the main sitemap and, if it is an index, its parts, and checks each one.

    `in_robots` are the URLs of the sitemaps that robots.txt lists. `now` is in seconds since the
    epoch.
    """
    answers: list[Answer] = []
    findings: list[Finding] = []
    files: list[tuple[str, int]] = []
    pages: list[Request] = []
    urls = [target.sitemap]
    for url in urls:  # if the main sitemap is an index, the loop adds its parts
        request_url = target.to_request(url)
        if request_url is None:  # of another site, which `check_sitemap` reports for the index
            continue
        answer = client.get(request_url)
        answers.append(answer)
        fault = judge_sitemap(answer)
        if fault:
            findings.append(Finding(url, 1, fault.code, fault.text))
            continue
        entries = _entries_of(answer.body)
        files.append((url, len(entries)))

        # If all URLs are of another site, one finding tells how to verify that site.
        if entries and not any(target.to_request(entry.loc) for entry in entries):
            findings.append(_other_site(url, entries[0], target))
            continue
        # Unless robots.txt lists a sitemap, it may list only what is below its folder.
        scope = None if url in in_robots else resolve(".", url)
        for code, line, text in check_sitemap(url, answer.body, now, scope).faults:
            findings.append(Finding(url, line, code, text))
        if target.site:
            name = unquote(url.removeprefix(target.listed))
            built_file = contents(target.site.found.output, name, MAX_BYTES)
            difference = _difference(_entries_of(built_file), entries)
            if difference:
                findings.append(Finding(url, 1, "SM616", difference))

        # The entries are pages, or the parts of an index, which may not be an index themselves.
        is_index = bool(entries) and entries[0].is_sitemap
        if not is_index:
            pages += [Request(entry.loc, url, entry.line) for entry in entries]
        elif url == target.sitemap:
            urls += dict.fromkeys(entry.loc for entry in entries)  # each once
        else:
            findings.append(Finding(target.sitemap, 1, "SM402", f"{url} is itself an index"))
    return _LiveSitemaps(answers[0], findings, files, pages)


def _other_site(url: str, entry: SitemapEntry, target: Target) -> Finding:
    """The finding for the sitemap at `url` that lists only URLs of another site, such as `entry`.

    It happens at a preview, whose sitemap lists the URLs of the live host.
    """
    listed_url = url.replace(origin_of(url), origin_of(entry.loc), 1)
    command = f"sitemapper verify {listed_url} --at {target.requested}"
    text = f"{entry.loc} is not below {target.listed}. To request its pages here: {command}"
    return Finding(url, entry.line, "SM305", text)


def _entries_of(data: bytes) -> list[SitemapEntry]:
    """The entries of a sitemap, up to the first fault: `check_sitemap` reports the fault."""
    entries: list[SitemapEntry] = []
    with suppress(SitemapFault):
        entries.extend(read_sitemap(data))
    return entries


def _difference(built: Sequence[SitemapEntry], live: Sequence[SitemapEntry]) -> str:
    """Says how a live sitemap differs from the built one, by the URLs and dates of the entries.

    "" if it does not differ, or if there is no built one.
    """
    built_rows = {f"{entry.loc} {entry.lastmod}".strip() for entry in built}
    live_rows = {f"{entry.loc} {entry.lastmod}".strip() for entry in live}
    if not built_rows or built_rows == live_rows:
        return ""
    only_one = built_rows ^ live_rows
    return f"is not the built file; only one of them has {listing(sorted(only_one))}"
