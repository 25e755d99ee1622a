"""More than the protocol's four elements: a function an extension, one line in `ALL` each."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple

from ..config.settings import Settings
from ..model import Listed
from ..protocol import IMAGE_NAMESPACE, XHTML_NAMESPACE


class Extension(NamedTuple):
    """An extension: the setting that switches it on, its namespace attribute, the elements of an entry."""

    setting: str
    namespace: str
    render: Callable[[Listed], str]


def hreflang(entry: Listed) -> str:
    """`xhtml:link` elements: the language versions of a page (docs/protocol.md §3)."""
    return "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{escape(url)}"/>'
        for language, url in entry.alternates
    )


def images(entry: Listed) -> str:
    """`image:image` elements: the images in a page's main content (docs/protocol.md §3b)."""
    return "".join(f"<image:image><image:loc>{escape(url)}</image:loc></image:image>" for url in entry.images)


ALL = (
    Extension("hreflang", f' xmlns:xhtml="{XHTML_NAMESPACE}"', hreflang),
    Extension("images", f' xmlns:image="{IMAGE_NAMESPACE}"', images),
)


def wanted(settings: Settings) -> tuple[Extension, ...]:
    """The extensions that the settings switch on."""
    return tuple(extension for extension in ALL if getattr(settings, extension.setting))


def render(entry: Listed) -> str:
    """The elements of an entry. What is switched off has no facts, so nothing is written for it."""
    return "".join(extension.render(entry) for extension in ALL)
