"""GitHub Pages: there are no rules (docs.github.com/pages).

Folders have a slash at the end: `a` is redirected to `a/`, whatever the canonicals say. `b.html` is
served at `b` too, so that canonicals or links choose the form of pages.
"""

from collections.abc import Mapping

from ..syntax.urls import UrlForms
from .host import HostRules, Reader, make_rules

FORMS = UrlForms(folder=("a/", "a/index.html"), page=("b.html", "b"), by_links=True)


def _read_github_rules(_texts: Mapping[str, str], _base_url: str, _now: int) -> HostRules:
    """Gives no rules, only the URL forms: GitHub Pages has no files for rules."""
    return make_rules(FORMS)


READER = Reader(read=_read_github_rules)
