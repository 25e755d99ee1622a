"""Files whose names do not show whether they are pages. Their contents are not read."""

from collections import Counter

from ..model import Origin
from ..syntax.gitignore import Line, Patterns
from .walk import SiteRoot, page_names

_COPY = "*.{0}~ *.{0}.bak *.{0}.old *.{0}.orig *.bak.{0} *.old.{0} *.orig.{0} *[-_]copy.{0}"
_COPIES = [
    *_COPY.format("html").split(),
    *_COPY.format("htm").split(),
    "* - Copy*.htm*",
    "Copy of *",
]
_NAMES = {
    ".shtml file": ("*.shtml", "*.shtm"),
    "backup copy": _COPIES,
    "tab strip": ("tabstrip.htm*",),
    "error page": (
        "+not-found.html",
        "+error.html",
        "error.html",
        "notfound.html",
        "not-found.html",
    ),
}


def count_lookalikes(site: SiteRoot) -> tuple[Counter[str], Counter[str]]:
    """Counts files that look like pages but are not, and pages that do not look like one."""
    lines = (Line(text, Origin(kind)) for kind, texts in _NAMES.items() for text in texts)
    looks = Patterns(lines, any_case=True)
    unlisted, listed = Counter[str](), Counter[str]()
    for path in page_names(site._replace(include=looks, endings=None)):
        if decided := looks.verdict(path):
            counts = listed if site.include.matches(path) else unlisted
            counts[decided.origin.source] += 1
    return unlisted, listed
