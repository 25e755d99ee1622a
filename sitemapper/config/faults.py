"""Where keys stand in a file, and what is wrong with their values, in sentences. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from pydantic import ValidationError

from ..model import Origin
from .model import FILE_NAME, KEY, SECTION_NAME, URL, Settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# The header of a table, or a key.
_LINE = re.compile(r"\s*(?:(?P<list>\[)?\[\s*(?P<table>[\w.-]+)\s*\]|(?P<key>[\w.-]+)\s*=)")
_LAST_STEP = re.compile(r"(\[\d+\]|\.?[^.\[]*|.)$", re.DOTALL)
# By pydantic's type of the error; `shown` is the value. Other types keep pydantic's sentence.
_SENTENCES = {
    "missing": "is missing",
    "too_short": "must have at least one entry",
    "string_too_short": "must not be empty",
    "value_error": "{error}",
    "bool_type": "must be true or false, not {shown}",
    "bool_parsing": "must be true or false, not {shown}",
    "int_type": "must be a whole number, not {shown}",
    "int_parsing": "must be a whole number, not {shown}",
    "int_from_float": "must be a whole number, not {shown}",
    "float_type": "must be a number, not {shown}",
    "float_parsing": "must be a number, not {shown}",
    "greater_than_equal": "must be at least {ge:g}, not {shown}",
    "less_than_equal": "must be at most {le:.12g}, not {shown}",
    "model_type": "must be a table, not {shown}",
    "tuple_type": "must be a list, not {shown}",
    "string_type": "must be a text in quotes, not {shown}",
    "string_unicode": "must be UTF-8, not {shown}",
    "literal_error": "must be {expected}, not {shown}",
    "string_pattern_mismatch": "must be {form}, not {shown}",
}
_FORMS = {
    FILE_NAME: "a file name that ends in .xml, such as sitemap.xml",
    SECTION_NAME: "lower-case letters, digits and hyphens, such as blog",
    KEY: "8 to 128 letters, digits and hyphens",
    URL: "an absolute http or https URL",
}


def find_lines(text: str, source: str, above: str = "") -> dict[str, Origin]:
    """The line of each key, and of each entry of a list of tables: `rules[1]`, `rules[1].match`.

    Only keys below the table `above` count, such as `tool.sitemapper`, and are named without it.
    A line inside a text of several lines may be taken for a key; a message then has a wrong line.
    """
    lines = {above: 1}
    entries: Counter[str] = Counter()  # of each list of tables, so far
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.match(line)
        if found is None:
            continue
        if found["key"]:
            lines.setdefault(f"{table}.{found['key']}".removeprefix("."), number)
            continue
        table = found["table"]
        lines.setdefault(table, number)
        if found["list"]:
            entries[table] += 1
            table = f"{table}[{entries[table] - 1}]"
            lines[table] = number
    return {
        key.removeprefix(above).removeprefix("."): Origin(source, number)
        for key, number in lines.items()
        if key.startswith(above)
    }


def locate(key: str, origins: Mapping[str, Origin]) -> Origin:
    """Where a key was written, or else what contains it: `rules[1].match[0]` → `rules[1]`."""
    while key and key not in origins:
        key = _LAST_STEP.sub("", key)
    return origins[key]


def describe_faults(error: ValidationError, origins: Mapping[str, Origin]) -> list[str]:
    """Describes each error in a line with its place, in the order of files and lines.

    `sitemapper.toml:7: rules[0].priority: must be at most 1, not 2`.
    """
    faults: list[tuple[str, int, str]] = []
    for fault in error.errors(include_url=False):
        key = ""
        for step in fault["loc"]:
            key += f"[{step}]" if isinstance(step, int) else f".{step}"
        key = key.removeprefix(".").replace("\n", r"\n")  # an error is one line
        origin = locate(key, origins)
        text = f"{origin}: {key}: {_describe(key, fault)}"
        faults.append((origin.source, origin.line or 0, text))
    return [text for _, _, text in sorted(faults)]


def _describe(key: str, fault: ErrorDetails) -> str:
    """Says what is wrong with the value of a key: `must be at most 1, not 2`."""
    value = fault["input"]
    kind = fault["type"]
    if kind == "extra_forbidden":
        return f"unknown key; {_advise(key)}"
    if kind == "tuple_type" and isinstance(value, dict):
        return f"must be a list of tables; write [[{key}]]"
    context = dict(fault.get("ctx", {}))  # what pydantic knows, such as the limit of a number
    if kind == "string_pattern_mismatch":
        context["form"] = _FORMS[context["pattern"]]
    sentence = _SENTENCES.get(kind)
    if sentence is None:
        return fault["msg"]
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return sentence.format(shown=shown, **context)


def _advise(key: str) -> str:
    """What to write for an unknown key: the same key in another table, or the most similar one."""
    known = list(_keys_of(Settings))
    written = re.sub(r"\[\d+\]", "", key)
    similar = [other for other in known if other.split(".")[-1] == written.split(".")[-1]]
    similar += get_close_matches(written.lower(), known, n=1)
    if similar:
        return f"did you mean {similar[0]}?"
    return f"valid keys are {', '.join(Settings.model_fields)}"


def _keys_of(table: Any, above: str = "") -> Iterator[str]:
    """Yields the keys of a table and of all tables in it: `sitemap.gzip`, `rules.match`."""
    for name, field in table.model_fields.items():
        yield above + name
        for inner in (field.annotation, *get_args(field.annotation)):  # as `tuple[Rule, ...]`
            if hasattr(inner, "model_fields"):
                yield from _keys_of(inner, f"{above}{name}.")
