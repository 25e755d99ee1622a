"""A report of our own is no page. `tests/read/test_listed_kinds.py` has the other files of HTML that are none."""

from __future__ import annotations

from support import BASE, Run, Site
from support.heard import heard

from sitemapper import Reason


def test_a_report_of_sitemapper_is_no_page_but_a_page_about_reports_is(
    site: Site, run: Run
) -> None:
    page = f"<title>{'x' * 64}</title><p><!-- sitemapper report -->"
    root = site({"a.html": "text", "b.html": page})
    assert run("build", root, "--base-url", BASE, "--report", root / "report.html") == 0
    text = "report.html: report of sitemapper"
    assert heard(root).excluded == {"report.html": (Reason.NOT_A_PAGE, text)}
