"""Text for people: what is safe to show, and numbers in words."""

from collections.abc import Iterable
from enum import Enum

FEW = 20  # URLs of one kind of change, and findings of one rule in one file, that are shown


def shown(text: str) -> str:
    """Makes a text that may come from a file name safe for a terminal and a workflow log.

    Characters that cannot be printed are escaped as in Python: a name with an ESC that clears the
    screen shows `\\x1b[2J`.
    """
    # GitHub's runner reads `##[error]` and the like as commands.
    harmless = text.replace("##[", r"#\x23[")
    if harmless.isprintable():
        return harmless
    escaped = ""
    for char in harmless:
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8 (PEP 383, surrogateescape)
            code -= 0xDC00
        if char.isprintable():
            escaped += char
        elif code < 256:
            escaped += f"\\x{code:02x}"
        else:
            escaped += f"\\u{code:04x}"
    return escaped


def amounts(counts: Iterable[tuple[Enum | str, int]]) -> str:
    """Writes numbers and their names, without zeros: `2 added, 1 removed`, "" if all are zero."""
    texts = []
    for kind, count in counts:
        if count:
            name = kind.value if isinstance(kind, Enum) else kind
            texts.append(f"{count:,} {name}")
    return ", ".join(texts)


def plural(count: int, noun: str) -> str:
    """Writes a number and a noun, in the plural if need be: `1 page`, `2 pages`, `3 entries`."""
    if count == 1:
        return f"{count:,} {noun}"
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {many}"
