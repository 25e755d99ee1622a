"""Values in the project files of hosts, which are JSON or TOML."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..syntax.urls import UrlForms


class Entry(NamedTuple):
    """A rule in a list of a project file: `{"source": "/a", "destination": "/b"}`.

    `table` is this rule. `pattern` is its text `/a`, and `line` the line of this text in the file.
    """

    pattern: str
    line: int
    table: dict[str, Any]


def entries(
    table: Mapping[str, Any], text: str, key: str, pattern_keys: Sequence[str] = ("source",)
) -> Iterator[Entry]:
    """Yields the rules in a list of a project file, each with its pattern and its line.

    With the `key` `redirects`, `{"redirects": [{"source": "/a"}]}` → one entry with the pattern
    `/a`, on line 1. The pattern of a rule is the first text under one of `pattern_keys`. A rule
    without such a text is skipped.

    `table` is the parsed file, and `text` its text. The parsers of JSON and TOML give no lines, so
    the text is searched for the patterns, each after the one before it.
    """
    position = max(text.find(key), 0)  # 0 if the key is written with escapes
    for rule in tables_of(table.get(key)):
        pattern_key = next((name for name in pattern_keys if isinstance(rule.get(name), str)), None)
        if pattern_key is None:
            continue
        pattern = rule[pattern_key]
        position = position_of(pattern, pattern_key, text, position)
        line = line_at(position, text)
        yield Entry(pattern=pattern, line=line, table=rule)


def position_of(value: str, key: str, text: str, start: int) -> int:
    """Finds where a value is written in a text, after its key. The search begins at `start`.

    `/b` after `source` in `"source": "/b"` → 10. The result is `start` if the value is not found,
    because it is written with escapes: `"\\u002fb"`. The caller gets its line from the position.
    """
    position_of_key = max(text.find(key, start), start)  # `start` if the key is not found either
    # TOML also has texts in single quotes, which have no escapes.
    for written in (json.dumps(value, ensure_ascii=False), f"'{value}'"):
        position = text.find(written, position_of_key)
        if position >= 0:
            return position
    return start


def line_at(position: int, text: str) -> int:
    """Counts the line of a position in a text, from 1."""
    return text.count("\n", 0, max(position, 0)) + 1


def tables_of(value: Any) -> list[dict[str, Any]]:
    """Picks the tables of a list. An empty list if the value is not a list."""
    if not isinstance(value, list):
        return []
    return [one for one in value if isinstance(one, dict)]


def text_at(table: Mapping[str, Any], key: str) -> str:
    """Reads the text at a dotted key, such as `build.base`; "" if there is none."""
    value: Any = table
    for step in key.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def forms_by_setting(table: Mapping[str, Any], forms: Mapping[str, UrlForms]) -> UrlForms:
    """Chooses URL forms by `cleanUrls` and `trailingSlash`, as in vercel.json.

    `{"cleanUrls": true, "trailingSlash": false}` → the forms whose key in `forms` is
    `cleanUrls, trailingSlash: false`. A table with neither setting has the key "".
    """
    settings: list[str] = []
    if table.get("cleanUrls") is True:
        settings.append("cleanUrls")
    slash = table.get("trailingSlash")
    if isinstance(slash, bool):
        settings.append(f"trailingSlash: {str(slash).lower()}")
    return forms[", ".join(settings)]
