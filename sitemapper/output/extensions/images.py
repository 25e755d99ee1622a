"""`image:image` elements: the images in a page's main content (docs/protocol.md §3b)."""

from __future__ import annotations

from html import escape

from ...model import Listed
from ...protocol import IMAGE_NAMESPACE

NAMESPACE = f' xmlns:image="{IMAGE_NAMESPACE}"'


def render(entry: Listed) -> str:
    """The elements for one page."""
    return "".join(f"<image:image><image:loc>{escape(url)}</image:loc></image:image>" for url in entry.images)
