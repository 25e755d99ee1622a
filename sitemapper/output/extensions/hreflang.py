"""`xhtml:link` elements: the language versions of a page (docs/protocol.md §3)."""

from __future__ import annotations

from html import escape

from ...model import Listed
from ...protocol import XHTML_NAMESPACE

NAMESPACE = f' xmlns:xhtml="{XHTML_NAMESPACE}"'


def render(entry: Listed) -> str:
    """The elements for one page."""
    return "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{escape(url)}"/>'
        for language, url in entry.alternates
    )
