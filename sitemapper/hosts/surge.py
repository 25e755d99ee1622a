"""Surge: what `.surgeignore` names is not uploaded (surge.sh/help/ignoring-files-on-surge)."""

from collections.abc import Mapping

from .host import HostRules
from .reader import Manual, Reader
from .rules import make_rules
from .uploads import read_gitignore

FILE = ".surgeignore"


def _read(texts: Mapping[str, str], _base_url: str, _now: int) -> HostRules:
    """No rules, but what is uploaded. Which forms of URLs it serves is left to the pages."""
    return make_rules([], [], None, upload=read_gitignore(FILE, texts.get(FILE, "")))


READER = Reader(
    read=_read,
    forms={},
    manual=Manual(
        meaning="`.surgeignore`",
        order="Its lines name what is not uploaded.",
    ),
)
