"""More than the protocol's four elements: one file an extension, one line here each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...config.settings import Settings
from ...model import Listed
from . import hreflang, images


class Extension(NamedTuple):
    """An extension: the setting that switches it on, its namespace attribute, the elements of an entry."""

    setting: str
    namespace: str
    render: Callable[[Listed], str]


ALL = (
    Extension("hreflang", hreflang.NAMESPACE, hreflang.render),
    Extension("images", images.NAMESPACE, images.render),
)


def wanted(settings: Settings) -> tuple[Extension, ...]:
    """The extensions that the settings switch on."""
    return tuple(extension for extension in ALL if getattr(settings, extension.setting))


def render(entry: Listed) -> str:
    """The elements of an entry. What is switched off has no facts, so nothing is written for it."""
    return "".join(extension.render(entry) for extension in ALL)
