"""Settings in TOML, YAML and JSON as plain dicts. Nothing in them is executed. Pure."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

# A text, which stays, or what strict JSON does not allow: comments, and commas at the end of lists.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_IMPOSSIBLE = re.compile("[\0\ud800-\udfff]")
_YAML_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_YAML_TEXT = (None, "!", "tag:yaml.org,2002:str")

_YamlEvent = Any  # PyYAML has no types for its events


def read_table(name: str, text: str) -> dict[str, Any]:
    """Reads a file in TOML, YAML or JSON, by the ending of its name; {} if it is no table.

    JSON may have comments and final commas. In YAML, numbers and dates stay texts, and a value with
    a tag such as `!ENV` is None. Raises ValueError with a sentence for the user.
    """
    ending = os.path.splitext(name)[1].lower()
    try:
        if ending == ".toml":
            return _read_toml(text)
        value = _read_yaml(text) if ending in (".yml", ".yaml") else _read_json(text)
    except (ValueError, RecursionError) as error:
        language = {".toml": "TOML", ".yml": "YAML", ".yaml": "YAML"}.get(ending, "JSON")
        detail = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise ValueError(f"{name} is not valid {language}: {detail}") from None
    return value if isinstance(value, dict) else {}


def value_at(table: Mapping[str, Any], key: str) -> Any:
    """The value at a dotted key, such as `build.publish`; None if there is none."""
    value: Any = table
    for step in key.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def text_at(table: Mapping[str, Any], key: str) -> str:
    """The text at a dotted key, such as `build.publish`; "" if there is none.

    A text with NUL or half of a surrogate pair, which JSON allows, is none: it names no file.
    """
    value = value_at(table, key)
    if not isinstance(value, str) or _IMPOSSIBLE.search(value):
        return ""
    return value


def _read_toml(text: str) -> dict[str, Any]:
    from tomllib import loads  # it compiles expressions, and many sites have no TOML

    return loads(text)


def _read_json(text: str) -> Any:
    strict = text
    for pattern in (_COMMENT, _FINAL_COMMA):
        # A comment leaves its line breaks, so that errors name the right line.
        strict = re.sub(pattern, lambda found: found[1] or "\n" * found[0].count("\n"), strict)
    return json.loads(strict.strip() or "{}")


def _read_yaml(text: str) -> Any:
    import yaml  # it takes long, and many sites have no YAML

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = yaml.parse(text, Loader=loader)
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                return _yaml_value(next(events), events, {})
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        where = f" (at line {place.line + 1})" if place else ""
        raise ValueError(f"{error.problem or error.context}{where}") from None
    except yaml.YAMLError as error:  # a character that no YAML may contain
        raise ValueError(str(error).partition("\n")[0]) from None
    return None


def _yaml_value(first: _YamlEvent, events: Iterator[_YamlEvent], anchored: dict[str, Any]) -> Any:
    """The value that begins with the event `first`. An alias in its own value is None."""
    import yaml

    if isinstance(first, yaml.AliasEvent):
        return anchored.get(first.anchor or "")
    value: Any
    if isinstance(first, yaml.ScalarEvent):
        value = first.value
        is_plain = first.implicit[0]
        if is_plain and value in _YAML_WORDS:
            value = _YAML_WORDS[value]
    elif isinstance(first, yaml.SequenceStartEvent):
        value = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            value.append(_yaml_value(event, events, anchored))
    else:
        value = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = _yaml_value(event, events, anchored)
            item = _yaml_value(next(events), events, anchored)
            if isinstance(key, str):
                value[key] = item
    if first.tag not in _YAML_TEXT:
        value = None
    if first.anchor:
        anchored[first.anchor] = value
    return value
