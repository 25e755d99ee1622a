"""Which files hold HTML, by their names."""

from __future__ import annotations

PAGE_ENDINGS = (".html", ".htm", ".xhtml")  # of what `include` lists by default
_SERVED_AS_HTML = (*PAGE_ENDINGS, ".shtml", ".php")


def is_page_name(path: str) -> bool:
    """Whether a file is called like a page, so that people expect it to be listed."""
    return path.lower().endswith(PAGE_ENDINGS)


def is_html(path: str) -> bool:
    """Whether a file that is listed holds HTML; servers show one without an ending as HTML too."""
    return path.lower().endswith(_SERVED_AS_HTML) or "." not in path.rpartition("/")[2]
