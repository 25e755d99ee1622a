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
_YAML_TEXT = "tag:yaml.org,2002:str"
_YAML_TYPES = (_YAML_TEXT, "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map")


def read_table(name: str, text: str) -> dict[str, Any]:
    """Reads a settings file in TOML, YAML or JSON, as the ending of its name says.

    `text` is what it contains. The result is {} if that is no table, but a list or the like. JSON
    may have comments and final commas. In YAML, numbers, dates and booleans stay texts,
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
    """Reads JSON with comments and final commas, as tsconfig.json has them; {} if it is empty."""
    strict = text
    # Both patterns also match quoted texts, which stay, so that `"http://a"` has no comment.
    for pattern in (_COMMENT, _FINAL_COMMA):
        # A comment leaves its line breaks, so that errors name the right line.
        strict = re.sub(pattern, lambda found: found[1] or "\n" * found[0].count("\n"), strict)
    return json.loads(strict.strip() or "{}")


def _read_yaml(text: str) -> Any:
    """Reads the first document of a YAML file as texts, lists and tables; None for an empty file.

    `port: 80` → `{"port": "80"}`. All else becomes None: null, tags such as `!ENV`, and aliases of
    lists and tables. Raises ValueError with PyYAML's sentence, in one line.
    """
    import yaml  # it takes long, and many sites have no YAML

    # The base loaders read all values as texts. The one in C, if there is one, is faster.
    base_loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

    class Loader(base_loader):  # type: ignore[misc]
        def construct_object(self, node: Any, deep: bool = False) -> Any:
            """PyYAML calls this for each value. A node that it has seen before is an alias."""
            # Aliases in aliases would make a short file huge, and one may contain itself.
            is_alias = isinstance(node.value, list) and node in self.constructed_objects
            if is_alias or node.tag not in _YAML_TYPES:
                return None
            return super().construct_object(node, deep)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            """PyYAML calls this for each table. Keys that are no texts cannot be keys of a dict."""
            # Templates write `{{ name }}`, which is a table whose key is a table.
            node.value = [(key, value) for key, value in node.value if key.tag == _YAML_TEXT]
            return super().construct_mapping(node, deep)

    # BaseLoader would read null as a text, too.
    Loader.add_implicit_resolver("tag:yaml.org,2002:null", _YAML_NULL, None)
    try:
        return next(yaml.load_all(text, Loader), None)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
