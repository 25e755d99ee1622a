"""GitLab Pages: a file wins over each redirect, which cannot be forced.

This is from docs.gitlab.com/user/project/pages/redirects.

Folders have a slash at the end: `a` is redirected to `a/`, whatever the canonicals say. `b.html` is
served at `b` too, so that canonicals or links choose the form of pages.
"""

from collections.abc import Mapping

from .github import FORMS
from .host import HostRules
from .reader import Manual, Reader
from .rules import make_rules


def _read(_texts: Mapping[str, str], _base_url: str, _now: int) -> HostRules:
    """No rules."""
    return make_rules([], [], FORMS[""])


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="GitLab Pages",
        order="As GitHub Pages. A file wins over `_redirects`.",
    ),
)
