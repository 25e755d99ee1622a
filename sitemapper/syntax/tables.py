"""Settings in TOML, YAML and JSON as plain dicts. Nothing in them is executed. Pure."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from typing import Any

# A text, which stays, or what strict JSON does not allow: comments, and commas at the end of lists.
_COMMENT = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)'
_FINAL_COMMA = r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])'
_YAML_NULL = re.compile("(~|null|Null|NULL)?$")
_YAML_TAGS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map")


def read_table(name: str, text: str) -> dict[str, Any]:
    """Reads a file in TOML, YAML or JSON, by the ending of its name; {} if it is no table.

    JSON may have comments and final commas. In YAML, numbers, dates and booleans stay texts,
    and the alias of a table or a value with a tag such as `!ENV` is None. Raises ValueError with
    a sentence for the user.
    """
    ending = os.path.splitext(name)[1].lower()
    try:
        if ending == ".toml":
            return tomllib.loads(text)
        value = _read_yaml(text) if ending in (".yml", ".yaml") else _read_json(text)
    except (ValueError, RecursionError) as error:
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


def _read_json(text: str) -> Any:
    strict = text
    for pattern in (_COMMENT, _FINAL_COMMA):
        # A comment leaves its line breaks, so that errors name the right line.
        strict = re.sub(pattern, lambda found: found[1] or "\n" * found[0].count("\n"), strict)
    return json.loads(strict.strip() or "{}")


def _read_yaml(text: str) -> Any:
    import yaml  # it takes long, and many sites have no YAML

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # which reads all scalars as texts

    class Loader(loader):  # type: ignore[misc]
        def construct_object(self, node: Any, deep: bool = False) -> Any:
            # An alias of a table, such as `*x`, could repeat it without end.
            is_repeated = isinstance(node.value, list) and node in self.constructed_objects
            if is_repeated or node.tag not in _YAML_TAGS:
                return None
            return super().construct_object(node, deep)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            # `{{ name }}` is a table whose key is a table.
            node.value = [(key, value) for key, value in node.value if key.tag == _YAML_TAGS[0]]
            return super().construct_mapping(node, deep)

    Loader.add_implicit_resolver("tag:yaml.org,2002:null", _YAML_NULL, None)
    try:
        return next(yaml.load_all(text, Loader), None)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
