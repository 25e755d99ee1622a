"""What is wrong with values, in sentences, from the errors of pydantic. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pydantic import ValidationError

from .model import FILE_NAME, KEY, SECTION_NAME, URL, Settings, keys

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_FORMS = {
    FILE_NAME: "a file name that ends in .xml, such as sitemap.xml",
    SECTION_NAME: "lower-case letters, digits and hyphens, such as blog",
    KEY: "8 to 128 letters, digits and hyphens",
    URL: "an absolute http or https URL",
}
# By pydantic's type of the error. `input` is the value.
_SENTENCES = {
    "missing": "is missing",
    "too_short": "must have at least one entry",
    "string_too_short": "must not be empty",
    "bool_type": "must be true or false, not {input}",
    "int_type": "must be a whole number, not {input}",
    "float_type": "must be a number, not {input}",
    "greater_than_equal": "must be at least {ge}, not {input}",
    "less_than_equal": "must be at most {le}, not {input}",
}
# Keys that have left, and what stands in.
_REMOVED = {
    "extra": "list the URLs as [[urls]]",
    "sitemap.view": "remove the line",
    "robots.agents": 'remove the line; the rules for "*" count',
    "respect.not_a_page": "remove the line, and add such files to ignore",
    "check.gone": "remove the line; max_drop says how many URLs may go",
    "ledger.live": 'write previous = "live" at the top',
    "submit.key_location": "remove the line; KEY.txt is published at base_url",
    "validate": "remove the table, and pass --disable CODE to sitemapper validate",
}
# Names of other tools, where the most similar key is another one.
_OTHER_NAMES = {"exclude": "ignore", "url": "base_url"}
# Hosts whose rules are not read.
_SERVERS = ("apache", "azure", "caddy", "iis", "nginx", "render", "serve", "surge")


class Fault(NamedTuple):
    """What is wrong with a value, and its place: `("rules", 0, "match")`."""

    place: tuple[int | str, ...]
    text: str


def list_faults(error: ValidationError) -> list[Fault]:
    """Puts the errors of pydantic into sentences, without those that only follow from another.

    A rule with `mach = "a/"` has two errors: `mach` is unknown, and `match` is missing.
    """
    errors = error.errors(include_url=False)
    unknown = [fault["loc"] for fault in errors if fault["type"] == "extra_forbidden"]
    faults: list[Fault] = []
    for fault in errors:
        *table, key = fault["loc"]
        written = [str(other[-1]) for other in unknown if list(other[:-1]) == table]
        if fault["type"] == "missing" and nearest(str(key), written):
            continue
        if fault["type"] == "too_short" and fault["input"]:
            continue  # `match = [3]`: what is left without the 3 is too short
        faults.append(Fault(fault["loc"], _describe(fault)))
    return faults


def _describe(fault: ErrorDetails) -> str:
    place = fault["loc"]
    value = fault["input"]
    shown = as_toml(value)
    limits = fault.get("ctx", {})
    match fault["type"]:
        case "extra_forbidden":
            return _describe_unknown(place)
        case "value_error":
            return str(limits["error"])
        case "model_type":
            advice = f"write [{place[0]}] and its keys on the lines below it"
            if isinstance(value, list):
                advice += f"; for several {place[0]}s write [[{place[0]}s]]"
            return f"must be a table; {advice}"
        case "tuple_type" if isinstance(value, dict | str):
            return f"must be a list of tables; write [[{'.'.join(map(str, place))}]]"
        case "tuple_type":
            return f"must be a list, not {shown}"
        case "string_pattern_mismatch":
            return f"must be {_FORMS[limits['pattern']]}, not {shown}"
        case "literal_error":
            return _describe_choice(value, re.findall("'([^']*)'", limits["expected"]))
        case "string_type" if isinstance(value, list):
            return "must be a text, not a list; leave out the brackets"
        case "string_type":
            return f"must be a text, not {shown}; put it in quotes"
    if fault["type"] not in _SENTENCES:
        return fault["msg"]
    texts = {name: as_toml(limit) for name, limit in limits.items()}
    return _SENTENCES[fault["type"]].format(input=shown, **texts)


def as_toml(value: object) -> str:
    """Writes a value as users write it: True → `true`, 5.0 → `5`, "a" → `'a'`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value)


def _describe_choice(value: object, allowed: Sequence[str]) -> str:
    text = f"must be one of {', '.join(allowed)}, not {as_toml(value)}"
    if isinstance(value, bool):  # `gzip = true`: people expect a switch
        return f'{text}; write "{allowed[int(value)]}", with the quotes'
    if value in _SERVERS:
        advice = "set url_style and ignore as your server needs, and run sitemapper verify"
        return f"{text}; remove the line, {advice}"
    hint = nearest(str(value), allowed)
    return f"{text}; did you mean {hint!r}?" if hint else text


def _describe_unknown(place: tuple[int | str, ...]) -> str:
    """An unknown key, and what to write: the same key elsewhere, or the most similar one."""
    *above, name = map(str, place)
    key = ".".join((*above, name))
    if key in _REMOVED:
        return f"is no longer a key; {_REMOVED[key]}"
    if place == ("tool",):
        return "unknown key; [tool.sitemapper] is for pyproject.toml, so leave out this header"
    if above and name in Settings.model_fields:
        header = f"[[{above[0]}]]" if isinstance(place[1], int) else f"[{above[0]}]"
        return f"unknown key; it belongs at the top, above {header}"
    inside = [full for full in keys() if full.endswith(f".{name}")]
    if not above and inside:
        return f"unknown key; it belongs under [{inside[0].partition('.')[0]}]"
    table: Any = Settings
    for step in place[:-1]:
        if isinstance(step, str):
            kind = table.model_fields[step].annotation
            table = [*get_args(kind), kind][0]  # of `tuple[Rule, ...]`, or the table itself
    hint = nearest(name, list(table.model_fields))
    if not above:
        hint = _OTHER_NAMES.get(name, hint)
    if hint:
        return f"unknown key; did you mean {hint!r}?"
    return f"unknown key; valid keys are {', '.join(table.model_fields)}"


def nearest(word: str, words: Sequence[str]) -> str:
    """The word that is most similar to a misspelt one: `baseULR` → `base_url`. "" for none."""
    by_letters = {_letters(text): text for text in words}
    similar = get_close_matches(_letters(word), by_letters, n=1)
    return by_letters[similar[0]] if similar else ""


def _letters(word: str) -> str:
    return re.sub("[_-]", "", word).lower()
