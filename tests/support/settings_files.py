"""What a settings file says of its keys, as values and lines."""

from __future__ import annotations

from sitemapper.model import NOT_LITERAL, Found
from sitemapper.syntax.settings_files import parse

Said = tuple[str | None, int | None]  # the value, None if it is not literal, and the line


def said(found: Found) -> Said:
    return (None if found.value is NOT_LITERAL else found.value), found.line


def read(text: str, file: str) -> dict[str, Said]:
    return {key: said(found) for key, found in parse(text, file).items()}


def fault(text: str, file: str) -> tuple[str, int | None] | None:
    """Why a file cannot be read, with the line; None if it can."""
    found = parse(text, file).get("*")
    return (found.problem, found.line) if found and found.problem else None
