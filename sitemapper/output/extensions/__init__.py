"""More than the protocol's four elements: one file an extension, one line here each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ...config.settings import Settings
from ...model import Diagnostic, PageFacts, PageUrl, ResolvePage
from . import hreflang, images

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Render = Callable[[PageFacts, PageUrl, ResolvePage], tuple[str, tuple[Diagnostic, ...]]]


class Extension(NamedTuple):
    """An extension: the setting that switches it on, its namespace attribute, its elements.

    `read` takes what it needs besides the head from the main content of a page, for `PageFacts.images`.
    """

    setting: str
    namespace: str
    render: Render
    read: Callable[[LexborNode], tuple[str, ...]] | None = None


ALL = (
    Extension("hreflang", hreflang.NAMESPACE, hreflang.render),
    Extension("images", images.NAMESPACE, images.render, images.read),
)


def wanted(settings: Settings) -> tuple[Extension, ...]:
    """The extensions that the settings switch on."""
    return tuple(extension for extension in ALL if getattr(settings, extension.setting))
