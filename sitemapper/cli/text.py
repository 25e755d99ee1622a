"""Text for people: what is safe to show, and numbers in words."""

from collections.abc import Iterable
from enum import Enum

FEW = 20  # URLs of one kind of change, and findings of one rule in one file, that are shown


def shown(text: str) -> str:
    """Text that may come from a file name, made safe for a terminal and a workflow log.

    Control characters are escaped: a name with an ESC that clears the screen shows `\\x1b[2J`.
    """
    # GitHub's runner reads `##[error]` and the like as commands.
    harmless = text.replace("##[", r"#\x23[")
    if harmless.isprintable():
        return harmless
    return "".join(char if char.isprintable() else _escape_char(char) for char in harmless)


def _escape_char(char: str) -> str:
    """Escapes a character as in Python: ESC → `\\x1b`, a line separator → `\\u2028`."""
    code = ord(char)
    is_byte = "\udc80" <= char <= "\udcff"  # a byte that is not UTF-8 (PEP 383, surrogateescape)
    if is_byte:
        code -= 0xDC00
    if code < 256:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}"


def amounts(counts: Iterable[tuple[Enum | str, int]]) -> str:
    """Numbers and their names as text, without zeros: `2 added, 1 removed`, "" if all are zero."""
    texts = []
    for kind, count in counts:
        if count:
            name = kind.value if isinstance(kind, Enum) else kind
            texts.append(f"{count:,} {name}")
    return ", ".join(texts)


def plural(count: int, noun: str) -> str:
    """A number and a noun, in the plural if need be: `1 page`, `2 pages`, `1,000 entries`."""
    if count == 1:
        return f"{count:,} {noun}"
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {many}"
