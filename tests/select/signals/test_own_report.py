"""No setting lists a report of sitemapper, which may lie in the site."""

from __future__ import annotations

from typing import Any

import pytest
from support import BASE, Run, Site, paths
from support.heard import heard

from sitemapper import Reason

NO_NOINDEX = {"respect": {"noindex": False}}
ALL_PAGES = {"respect": {"noindex": False, "not_a_page": False}}


@pytest.mark.parametrize(
    ("values", "reason", "what"),
    [
        ({}, Reason.NOINDEX, '<meta name="robots" content="noindex">'),
        (NO_NOINDEX, Reason.NOT_A_PAGE, "report of sitemapper"),
        (ALL_PAGES, Reason.NOT_A_PAGE, "report of sitemapper"),
    ],
)
def test_a_report_is_left_out(
    site: Site, run: Run, values: dict[str, Any], reason: Reason, what: str
) -> None:
    root = site({"a.html": "text"})
    assert run("build", root, "--base-url", BASE, "--report", root / "report.html") == 0
    assert heard(root, **values).excluded == {"report.html": (reason, f"report.html: {what}")}
    assert paths(root) == ["a.html"]


def test_a_page_about_reports_is_a_page(site: Site) -> None:
    root = site({"a.html": f"<title>{'x' * 64}</title><p><!-- sitemapper report -->"})
    assert heard(root).excluded == {}
