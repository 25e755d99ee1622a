"""Settings in TOML, YAML and JSON as plain dicts. Nothing in them is executed. Pure."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

# A text, which stays, or what strict JSON does not allow: comments, and commas at the end of lists.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_YAML_NULLS = ("", "~", "null", "Null", "NULL")
_YAML_TEXT = (None, "!", "tag:yaml.org,2002:str")

_YamlEvent = Any  # PyYAML has no types for its events


def read_table(name: str, text: str) -> dict[str, Any]:
    """Reads a file in TOML, YAML or JSON, by the ending of its name; {} if it is no table.

    JSON may have comments and final commas. In YAML, numbers, dates and booleans stay texts; an
    alias, and a value with a tag such as `!ENV`, is None. Raises ValueError with a sentence for the
    user.
    """
    ending = os.path.splitext(name)[1].lower()
    try:
        if ending == ".toml":
            return _read_toml(text)
        value = _read_yaml(text) if ending in (".yml", ".yaml") else _read_json(text)
    except ValueError as error:
        raise ValueError(f"{name} cannot be parsed: {error}") from None
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
    """The text at a dotted key, such as `build.publish`; "" if there is none."""
    value = value_at(table, key)
    return value if isinstance(value, str) else ""


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
                return _yaml_value(next(events), events)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    return None


def _yaml_value(first: _YamlEvent, events: Iterator[_YamlEvent]) -> Any:
    """The value that begins with the event `first`."""
    import yaml

    if isinstance(first, yaml.AliasEvent):
        return None
    value: Any
    if isinstance(first, yaml.ScalarEvent):
        is_plain = first.implicit[0]
        value = None if is_plain and first.value in _YAML_NULLS else first.value
    elif isinstance(first, yaml.SequenceStartEvent):
        value = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            value.append(_yaml_value(event, events))
    else:
        value = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = _yaml_value(event, events)
            item = _yaml_value(next(events), events)
            if isinstance(key, str):
                value[key] = item
    return value if first.tag in _YAML_TEXT else None
