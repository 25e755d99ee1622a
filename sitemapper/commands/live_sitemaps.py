"""The live sitemap, and those that it names if it is an index."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import NamedTuple
from urllib.parse import unquote

from ..files import contents
from ..linter import Finding
from ..linter.checks import check_sitemap
from ..net import Client
from ..read.sitemap import SitemapEntry, SitemapFault, read_sitemap
from ..syntax.urls import resolve
from .judge import REFUSED, judge_sitemap, refusal_of
from .target import Built, Request, Target

_FIRST_STEP, _LONGEST_STEP = 2.0, 30.0  # seconds between two readings
_NOT_LIVE = ("SM611", "SM616")  # what the built sitemap may mend in a moment


class LiveSitemaps(NamedTuple):
    """The live sitemap, with the sitemaps that it names if it is an index."""

    findings: list[Finding]
    files: list[tuple[str, int]]  # the URL of each, with its number of entries
    entries: list[Request]  # the listed URLs
    has_answered: bool  # with anything but refusals


def read_sitemaps(
    target: Target,
    client: Client,
    built: Built | None,
    named: Sequence[str],
    wait: float,
    now: int,
) -> LiveSitemaps:
    """Reads the live sitemaps, again and again until they are there, and are the built ones.

    `named` are those that robots.txt names.
    """
    step = _FIRST_STEP
    while True:
        sitemaps = _read_once(target, client, built, named, now)
        is_live = all(finding.code not in _NOT_LIVE for finding in sitemaps.findings)
        if is_live or wait <= 0:
            return sitemaps
        step = min(step, wait, _LONGEST_STEP)
        time.sleep(step)
        wait -= step
        step *= 2


def _read_once(
    target: Target, client: Client, built: Built | None, named: Sequence[str], now: int
) -> LiveSitemaps:
    findings: list[Finding] = []
    files: list[tuple[str, int]] = []
    pages: list[Request] = []
    has_answered = False
    difference: Finding | None = None  # one is enough: mostly, the whole deployment is old
    urls = [target.sitemap]
    for url in urls:  # which grows by the parts of an index
        requested = target.to_request(url)
        if requested is None:  # the linter reports it
            continue
        answer = client.get(requested)
        if refusal_of(answer):
            text = f"{REFUSED.format(answer.status)}: {url}"
            findings.append(Finding(url, 1, "SM603", text))
            continue
        has_answered = has_answered or answer.status > 0
        unread = [Finding(url, 1, *fault) for fault in judge_sitemap(answer)]
        findings += unread
        if unread:
            continue
        entries = _entries_of(answer.body)
        # Crawlers take a sitemap of any folder that robots.txt names; of another host, it is said.
        is_here = any(target.to_request(entry.loc) for entry in entries)
        folder = resolve(".", url) if is_here and url not in named else None
        faults = check_sitemap(url, answer.body, now, folder).faults
        findings += [Finding(url, line, code, text) for code, line, text in faults]
        files.append((url, len(entries)))
        if built and difference is None:
            difference = _differs(url, entries, target, built)
        if not entries or not entries[0].is_sitemap:
            pages += [Request(entry.loc, url, entry.line) for entry in entries]
        elif url == target.sitemap:
            urls += dict.fromkeys(entry.loc for entry in entries)
        else:
            findings.append(Finding(target.sitemap, 1, "SM402", f"{url} is itself an index"))
    if difference:
        findings.append(difference)
    return LiveSitemaps(findings, files, pages, has_answered)


def _entries_of(data: bytes) -> list[SitemapEntry]:
    """The entries of a sitemap, up to a fault, which the linter reports."""
    entries: list[SitemapEntry] = []
    with suppress(SitemapFault):
        entries.extend(read_sitemap(data))
    return entries


def _differs(
    url: str, entries: Sequence[SitemapEntry], target: Target, built: Built
) -> Finding | None:
    """The first entry in which a live sitemap differs from the built file, None if none does."""
    name = unquote(url.removeprefix(target.listed))
    expected = _entries_of(contents(built.site.found.output, name))
    pairs = zip_longest(expected, entries) if expected else ()
    for number, (here, there) in enumerate(pairs, 1):
        texts = [f"{one.loc} {one.lastmod}".strip() if one else "nothing" for one in (there, here)]
        if texts[0] != texts[1]:
            text = f"is not the built file: entry {number} is {texts[0]}, not {texts[1]}"
            return Finding(url, there.line if there else 1, "SM616", text)
    return None
