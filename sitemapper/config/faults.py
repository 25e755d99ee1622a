"""What is wrong with values, in sentences, from the errors of pydantic. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from ..model import Origin
from .lines import locate
from .model import FILE_NAME, KEY, SECTION_NAME, URL, Settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# By pydantic's type of the error; `shown` is the value. Other types keep pydantic's sentence.
_SENTENCES = {
    "missing": "is missing",
    "too_short": "must have at least one entry",
    "string_too_short": "must not be empty",
    "value_error": "{error}",
    "bool_type": "must be true or false, not {shown}",
    "bool_parsing": "must be true or false, not {shown}",
    "int_type": "must be a whole number, not {shown}",
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
# What to write instead of a key that has left, or that other tools have.
_INSTEAD = {
    "extra": "list the URLs as [[urls]]",
    "sitemap.view": "remove the line",
    "robots.agents": "remove the line; the rules for all agents count",
    "respect.not_a_page": "remove the line, and add such files to ignore",
    "check.gone": "remove the line; max_drop says how many URLs may go",
    "ledger.live": 'remove the line, and set previous = "live"',
    "submit.key_location": "remove the line; the key is published at base_url",
    "validate": "remove the table, and run sitemapper validate with --disable",
    "tool": "leave out tool.sitemapper, which is for pyproject.toml only",
    "exclude": "did you mean ignore?",
    "url": "did you mean base_url?",
}


def describe_faults(error: ValidationError, origins: Mapping[str, Origin]) -> list[str]:
    """Describes each error in a line with its place, in the order of the file.

    `sitemapper.toml:7: rules[0].priority: must be at most 1, not 2`.
    """
    faults: list[tuple[int, str]] = []
    for fault in error.errors(include_url=False):
        key = ""
        for step in fault["loc"]:
            key += f"[{step}]" if isinstance(step, int) else f".{step}"
        key = key.removeprefix(".")
        origin = locate(key, origins)
        where = str(origin)
        if "" in origins:  # the name of a flag or a variable says the key
            where += f": {key}"
        faults.append((origin.line or 0, f"{where}: {_describe(key, fault)}"))
    return [text for _, text in sorted(faults)]


def _describe(key: str, fault: ErrorDetails) -> str:
    value = fault["input"]
    kind = fault["type"]
    context = dict(fault.get("ctx", {}))  # such as the limit of a number
    if kind == "extra_forbidden":
        return f"unknown key; {_advise(key, fault['loc'])}"
    if kind == "tuple_type" and isinstance(value, dict):
        return f"must be a list of tables; write [[{key}]]"
    if kind == "string_pattern_mismatch":
        context["form"] = _FORMS[context["pattern"]]
    shown = json.dumps(value, ensure_ascii=False, default=str)
    form = _SENTENCES.get(kind, "{msg}")
    return form.format(shown=shown, msg=fault["msg"], **context)


def _advise(key: str, place: Sequence[int | str]) -> str:
    """What to write for an unknown key: the same key elsewhere, or the most similar one."""
    if key in _INSTEAD:
        return _INSTEAD[key]
    name = str(place[-1])
    if name != key and name in Settings.model_fields:
        return "it belongs at the top of the file"
    table: Any = Settings
    for step in place[:-1]:
        if isinstance(step, int):
            [table, *_] = get_args(table)  # of `tuple[Rule, ...]`
        else:
            table = table.model_fields[step].annotation
    similar = get_close_matches(name.lower(), table.model_fields, n=1)
    if similar:
        return f"did you mean {similar[0]}?"
    for other, field in Settings.model_fields.items():
        if isinstance(field.default, BaseModel) and name in type(field.default).model_fields:
            return f"it belongs under [{other}]"
    return f"valid keys are {', '.join(table.model_fields)}"
