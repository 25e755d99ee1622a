"""The lines of the keys of a TOML file, which tomllib does not report. Pure."""

import re
from collections.abc import Mapping

from ..model import Origin

_HEADER = re.compile(r"\s*(?P<brackets>\[\[?)\s*(?P<table>[\w.-]+)\s*\]\]?\s*(#|$)")
_KEY = re.compile(r"\s*(?P<key>[\w.-]+)\s*=")
_TEXT = re.compile(r"#.*|(?P<text>\"(?:[^\"\\]|\\.)*\"|'[^']*')")
_LAST_STEP = re.compile(r"(\[\d+\]|\.?[^.\[]*|.)$", re.DOTALL)


def find_lines(text: str, source: str, above: str = "") -> dict[str, Origin]:
    """The line of each key, entry and text in a list: `rules[1]`, `rules[1].match[0]`.

    Only keys below the table `above` count, such as `tool.sitemapper.`, and are named without it.
    A line inside a text of several lines may be taken for a key; a message then has a wrong line.
    """
    lines: dict[str, int] = {above: 1}
    entries: dict[str, int] = {}  # of each list of tables, so far
    table = key = ""
    texts = 0  # of the value of the key, so far
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        start = _KEY.match(line)
        if header:
            table = header["table"]
            lines.setdefault(table, number)
            if header["brackets"] == "[[":
                entries[table] = entries.get(table, -1) + 1
                table = f"{table}[{entries[table]}]"
                lines[table] = number
            continue
        if start:
            key = f"{table}.{start['key']}" if table else start["key"]
            lines.setdefault(key, number)
            texts = 0
        for found in _TEXT.finditer(line, start.end() if start else 0):
            if found["text"]:
                lines.setdefault(f"{key}[{texts}]", number)
                texts += 1
    return {
        key.removeprefix(above): Origin(source, number)
        for key, number in lines.items()
        if key.startswith(above)
    }


def locate(key: str, origins: Mapping[str, Origin]) -> Origin:
    """Where a key was written, or else what contains it: `rules[1].match[0]` → `rules[1]`."""
    while key and key not in origins:
        key = _LAST_STEP.sub("", key)
    return origins[key]
