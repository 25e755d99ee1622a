"""Files whose names do not show whether they are pages. Their contents are not read."""

import os
from collections import Counter

from ..model import Origin
from ..syntax.gitignore import BUILT_IN, Line, Patterns
from .walk import SiteRoot, page_names

_COPY = "*.{0}~ *.{0}.bak *.{0}.old *.{0}.orig *.bak.{0} *.old.{0} *.orig.{0} *[-_]copy.{0}"
_COPIES = (
    *_COPY.format("html").split(),
    *_COPY.format("htm").split(),
    "* - Copy*.htm*",
    "Copy of *",
)
_ERRORS = "+not-found.html +error.html error.html notfound.html not-found.html"
NAMES = {
    ".shtml file": ("*.shtml", "*.shtm"),
    "backup copy": _COPIES,
    "tab strip": ("tabstrip.htm*",),
    "error page": tuple(_ERRORS.split()),
}


def count_lookalikes(site: SiteRoot) -> tuple[Counter[str], Counter[str]]:
    """Counts the files whose names fit `NAMES`, by kind: those that are not listed, and those that
    are.

    Files that are not listed may look like pages, and listed ones like something else.
    """
    lines = [
        Line(pattern, Origin(BUILT_IN, None, kind))
        for kind, patterns in NAMES.items()
        for pattern in patterns
    ]
    lookalikes = Patterns(lines, any_case=True)
    unlisted = Counter[str]()
    listed = Counter[str]()
    for path in page_names(site._replace(include=lookalikes, endings=None)):
        pattern = lookalikes.verdict(path)
        if pattern is None:  # a folder above it is named like a page
            continue
        kind = pattern.origin.text
        if site.include.matches(path):
            listed[kind] += 1
        else:
            unlisted[kind] += 1
    return unlisted, listed


def describe_no_html(folder: str) -> str:
    """Says that a folder has no page, and that it is a program if it looks like one."""
    for name in ("index.php", "index.asp", "index.jsp", "index.cgi"):
        if os.path.isfile(os.path.join(folder, name)):
            return f"{name} is a program, and no *.html is here; --include {name} lists it"
    return "there is no HTML here"
