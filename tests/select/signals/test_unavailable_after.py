"""A robots meta or a header may forbid indexing after a date. The tests build on 1 June 2026."""

from __future__ import annotations

from support import Site
from support.heads import head
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason


def until(date: str) -> str:
    return head(f'<meta name=robots content="unavailable_after: {date}">')


HEADERS = """
/a.html
  X-Robots-Tag: unavailable_after: Sun, 31-May-26 15:00:00 PST
/b.html
  X-Robots-Tag: unavailable_after: 1 Jun 2026 15:00:00 PST
"""
CASES = [
    Case("since yesterday", {"a.html": until("31 May 2026")}, [], {"a.html": Reason.NOINDEX}),
    Case("available until later", {"a.html": until("2026-06-02")}, ["a.html"]),
    Case("no valid date", {"a.html": until("soon")}, ["a.html"]),
    Case("not respected", {"a.html": until("31 May 2026")}, ["a.html"], values={"respect": {"noindex": False}}),
    Case("by headers", {"a.html": "", "b.html": "", "_headers": HEADERS}, ["b.html"], {"a.html": Reason.NOINDEX}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)
