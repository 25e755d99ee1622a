"""`validate`: the findings in sitemaps of any tool, and what is left over in a folder."""

import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ..config import Config
from ..linter import Finding, chosen
from ..linter.engine import Fetch, is_robots, lint
from ..messages import Message, listing


class Validated(NamedTuple):
    """The findings, the files that were checked with their numbers of entries, and notes."""

    findings: list[Finding]
    files: list[tuple[str, int]]
    messages: tuple[Message, ...] = ()


def validate(
    paths: Sequence[str],
    config: Config,
    now: datetime,
    *,
    select: Sequence[str] = (),
    disable: Sequence[str] = (),
    stdin: bytes = b"",
    fetch: Fetch = lambda url: None,
) -> Validated:
    """Checks files, folders, live sitemaps and stdin (`-`) by the chosen rules.

    `fetch` downloads a URL, None if the host does not have it. Raises SitemapperError for what
    cannot be read, for a folder without sitemaps, and for codes that no rule has.
    """
    linted = lint(
        paths,
        now=int(now.timestamp()),
        codes=chosen(select, disable),
        obeys_robots=config.settings.respect.robots,
        stdin=stdin,
        fetch=fetch,
    )
    messages: tuple[Message, ...] = ()
    # The index that names a single file may not be among the paths.
    if linted.named and any(map(os.path.isdir, paths)):
        messages = _note_unnamed([name for name, _ in linted.files], linted.named)
    return Validated(linted.findings, linted.files, messages)


def _note_unnamed(
    files: Sequence[str], named_by: Mapping[str, Sequence[str]]
) -> tuple[Message, ...]:
    """The note about sitemaps that neither robots.txt nor an index names, since crawlers miss them.

    They may be left from an earlier build. Without a robots.txt, nothing names an index. A text
    sitemap, and one that is packed, need not be named if the XML sitemap is.
    """
    expected = {_as_xml(file) for files in named_by.values() for file in files}
    if not any(map(is_robots, named_by)):
        expected.update(map(_as_xml, named_by))
    unnamed = [
        file
        for file in files
        if not (is_robots(file) or re.search(r"\.txt(\.gz)?$", file) or _as_xml(file) in expected)
    ]
    if not unnamed:
        return ()
    them = "it" if len(unnamed) == 1 else "them"
    text = f"neither robots.txt nor an index lists {listing(unnamed)}, so crawlers may miss {them}"
    help = f"list {them} there, or delete what no tool writes any more"
    return (Message("note", "unnamed", text, help),)


def _as_xml(file: str) -> str:
    """The path of the XML sitemap: `/site/a.xml` for a.xml, a.xml.gz and a.txt.gz."""
    return re.sub(r"\.txt$", ".xml", os.path.realpath(file).removesuffix(".gz"))
