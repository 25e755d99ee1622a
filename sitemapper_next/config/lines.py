"""The lines of the keys of a TOML file, which tomllib does not report. Pure."""

import re
from collections.abc import Mapping

_HEADER = re.compile(r"\s*(?P<brackets>\[\[?)\s*(?P<table>[\w.\"'-]+)\s*\]")
_KEY = re.compile(r"\s*(?P<key>[\w.\"'-]+)\s*=")
_TEXT = re.compile(r"#.*|(?P<text>\"(?:[^\"\\]|\\.)*\"|'[^']*')")
_LAST_STEP = re.compile(r"(\[\d+\]|\.?[^.\[]*)$")


def find_lines(text: str, above: str = "") -> dict[str, int]:
    """The line of each key, entry and text in a list: `rules[1]`, `rules[1].match[0]` → 7.

    Only keys below the table `above` count, such as `tool.sitemapper.`, and are named without it.
    A line inside a text of several lines may be taken for a key: then a message names that line.
    """
    lines: dict[str, int] = {}
    entries: dict[str, int] = {}  # of each list of tables, so far
    table = key = ""
    texts = 0  # of the value of the key, so far
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        if header and _KEY.match(line) is None:
            table = re.sub("[\"']", "", header["table"])
            if header["brackets"] == "[[":
                entries[table] = entries.get(table, -1) + 1
                lines.setdefault(table, number)
                table += f"[{entries[table]}]"
            key = table
            lines.setdefault(key, number)
            continue
        start = _KEY.match(line)
        if start:
            name = re.sub("[\"']", "", start["key"])
            key = f"{table}.{name}" if table else name
            lines.setdefault(key, number)
            texts = 0
        for found in _TEXT.finditer(line, start.end() if start else 0):
            if found["text"]:
                lines.setdefault(f"{key}[{texts}]", number)
                texts += 1
    return {
        key.removeprefix(above): number for key, number in lines.items() if key.startswith(above)
    }


def line_of(lines: Mapping[str, int], key: str) -> int:
    """The line of a key, or else of what contains it; 1 if neither is in the file."""
    while key and key not in lines:
        key = _LAST_STEP.sub("", key)
    return lines.get(key, 1)
