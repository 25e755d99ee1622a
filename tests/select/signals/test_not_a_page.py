"""App shells and fragments are files of HTML, and no pages."""

from __future__ import annotations

from support import BASE, Run, Site
from support.heard import heard
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

SHELL = "<!doctype html><body><div><script>import('/a.js').then(() => { kit.start(app, element); })</script></div></body>"
NEXT_REDIRECT = (
    '<!DOCTYPE html><html id="__next_error__"><head></head><body><script>x()</script></body></html>'
)
FRAGMENT = "<nav><a href=/>home</a></nav>"
CASES = [
    Case("app shell", {"200.html": "", "spa.html": SHELL, "index.html": "<title>x</title>"}, [""], {"200.html": Reason.IGNORED, "spa.html": Reason.NOT_A_PAGE}),
    Case("redirect of Next", {"a.html": NEXT_REDIRECT}, [], {"a.html": Reason.NOT_A_PAGE}),
    Case("fragment", {"a/part.html": FRAGMENT}, [], {"a/part.html": Reason.NOT_A_PAGE}),
    Case("not respected", {"a/part.html": FRAGMENT}, ["a/part.html"], values={"respect": {"not_a_page": False}}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


def test_a_report_of_sitemapper_is_no_page_but_a_page_about_reports_is(
    site: Site, run: Run
) -> None:
    page = f"<title>{'x' * 64}</title><p><!-- sitemapper report -->"
    root = site({"a.html": "text", "b.html": page})
    assert run("build", root, "--base-url", BASE, "--report", root / "report.html") == 0
    text = "report.html: report of sitemapper"
    assert heard(root).excluded == {"report.html": (Reason.NOT_A_PAGE, text)}
