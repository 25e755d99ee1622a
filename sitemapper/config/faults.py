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
    """Finds the line of each key in a file of TOML, because the parser does not tell it.

    In lists of tables, `[[rules]]`, the keys are `rules[0]` and `rules[0].match`. Only keys below
    the table `above` count, such as `tool.sitemapper` in pyproject.toml, and are named without it.
    A line inside a text of several lines may be taken for a key; a message then has a wrong line.
    """
    lines = {above: 1}  # by full keys
    numbers_of_entries: Counter[str] = Counter()  # of each list of tables, so far
    table = ""  # that the lines are in
    for number, line in enumerate(text.split("\n"), 1):
        header_or_key = _LINE.match(line)
        if header_or_key is None:
            continue
        if header_or_key["key"]:
            lines.setdefault(f"{table}.{header_or_key['key']}".removeprefix("."), number)
            continue

        table = header_or_key["table"]
        lines.setdefault(table, number)
        if header_or_key["list"]:
            index = numbers_of_entries[table]
            numbers_of_entries[table] += 1
            table = f"{table}[{index}]"
            lines[table] = number

    return {
        key.removeprefix(above).removeprefix("."): Origin(source, number)
        for key, number in lines.items()
        if key.startswith(above)
    }


def locate(key: str, origins: Mapping[str, Origin]) -> Origin:
    """Where a key was written, or else the nearest table or list around it.

    For `rules[1].match[0]`, this may be the origin of `rules[1]`. The key "" stands for the whole
    source.
    """
    while key and key not in origins:
        key = _LAST_STEP.sub("", key)
    return origins[key]


def describe_faults(error: ValidationError, origins: Mapping[str, Origin]) -> list[str]:
    """Describes the errors that pydantic found, each in a line, in the order of files and lines.

    `sitemapper.toml:7: rules[0].priority: must be at most 1, not 2`.
    """
    faults: list[tuple[str, int, str]] = []
    for fault in error.errors(include_url=False):
        key = ""
        for step in fault["loc"]:
            key += f"[{step}]" if isinstance(step, int) else f".{step}"  # a number is an index
        key = key.removeprefix(".").replace("\n", r"\n")  # an error is one line
        origin = locate(key, origins)
        text = f"{origin}: {key}: {_describe(key, fault)}"
        faults.append((origin.source, origin.line or 0, text))
    return [text for _, _, text in sorted(faults)]


def _describe(key: str, fault: ErrorDetails) -> str:
    """Says in our words what is wrong with the value of a key: `must be at most 1, not 2`."""
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
    if sentence is None:  # a rare kind, for which pydantic's own sentence will do
        return fault["msg"]
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return sentence.format(shown=shown, **context)


def _advise(key: str) -> str:
    """What to write for an unknown key: the same key in another table, or the most similar one."""
    known_keys = list(_keys_of(Settings))
    written = re.sub(r"\[\d+\]", "", key)  # `rules[1].mach` → `rules.mach`
    name = written.split(".")[-1]
    similar = [known for known in known_keys if known.split(".")[-1] == name]
    similar += get_close_matches(written.lower(), known_keys, n=1)
    if similar:
        return f"did you mean {similar[0]}?"
    return f"valid keys are {', '.join(Settings.model_fields)}"


def _keys_of(table: Any, above: str = "") -> Iterator[str]:
    """Yields the keys of a table and of all tables in it: `sitemap.gzip`, `rules.match`."""
    for name, field in table.model_fields.items():
        yield above + name
        # The field may be a table, such as `Sitemap`, or a list of tables: `tuple[Rule, ...]`.
        for kind in (field.annotation, *get_args(field.annotation)):
            if hasattr(kind, "model_fields"):
                yield from _keys_of(kind, f"{above}{name}.")
