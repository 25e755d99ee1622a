"""More than the protocol's four elements: one file an extension, one line here each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...config.settings import Settings
from ...model import Look, Own, Seen, Warned
from . import hreflang

Render = Callable[[Seen, Own, Look], tuple[str, tuple[Warned, ...]]]


class Extension(NamedTuple):
    """An extension: the setting that switches it on, its namespace attribute, its elements."""

    setting: str
    namespace: str
    render: Render


ALL = (Extension("hreflang", hreflang.NAMESPACE, hreflang.render),)


def wanted(settings: Settings) -> tuple[Extension, ...]:
    """The extensions that the settings switch on."""
    return tuple(extension for extension in ALL if getattr(settings, extension.setting))
