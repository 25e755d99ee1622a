"""`sitemapper schema`."""

import json
from typing import Any

import typer

from ..config.settings import Settings
from .parameters import command

# The entries of a schema that describe a key, whichever type its value has.
_ABOUT_KEY = ("title", "description", "default", "examples")


@command("schema")
def schema() -> None:
    """Print the JSON Schema of sitemapper.toml.

    Editors use it to complete and check the file.
    """
    shape = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_allow_single_texts(Settings.model_json_schema()),
    }
    typer.echo(json.dumps(shape, indent=2))


def _allow_single_texts(schema: Any) -> Any:
    """Changes a schema so that one text may stand for a list of texts: "a" for ["a"].

    `{"type": "array", "items": {"type": "string"}}` becomes
    `{"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}`.
    """
    if isinstance(schema, list):
        return [_allow_single_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shape = {key: _allow_single_texts(value) for key, value in schema.items()}
    items = shape.get("items")
    if shape.get("type") != "array" or not isinstance(items, dict):
        return shape
    if items.get("type") != "string" and "enum" not in items:  # a list of tables, for example
        return shape
    # The title and the like stay with the key, and do not go into one of the two choices.
    about_key = {name: shape.pop(name) for name in _ABOUT_KEY if name in shape}
    return {**about_key, "anyOf": [items, shape]}
