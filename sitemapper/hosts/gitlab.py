"""GitLab Pages: a file wins over each redirect, which cannot be forced.

This is from docs.gitlab.com/user/project/pages/redirects.

Folders have a slash at the end, and `b.html` is served at `b` too. So canonicals and links choose
the form.
"""

from collections.abc import Mapping

from .host import HostRules
from .reader import Manual, Reader
from .rules import make_rules


def _read(_texts: Mapping[str, str], _base_url: str, _now: int) -> HostRules:
    """No rules, and no forms, so that the pages choose them."""
    return make_rules([], [], None)


READER = Reader(
    read=_read,
    forms={},
    manual=Manual(
        meaning="GitLab Pages",
        order="As GitHub Pages. A file wins over `_redirects`.",
    ),
)
