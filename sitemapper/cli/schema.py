"""`sitemapper schema`."""

import json
from typing import Any

import typer

from ..config.settings import Settings
from .parameters import command

# What a schema says of a key, whichever type its value has.
_OF_KEY = ("title", "description", "default", "examples")


@command("schema")
def schema() -> None:
    """Print the JSON Schema of sitemapper.toml.

    Editors use it to complete and check the file.
    """
    shape = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_with_single_texts(Settings.model_json_schema()),
    }
    typer.echo(json.dumps(shape, indent=2))


def _with_single_texts(schema: Any) -> Any:
    """The schema, in which one text may stand for a list of texts: "a" for ["a"].

    `{"type": "array", "items": {"type": "string"}}` becomes
    `{"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}`.
    """
    if isinstance(schema, list):
        return [_with_single_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shape = {key: _with_single_texts(value) for key, value in schema.items()}
    items = shape.get("items")
    if shape.get("type") != "array" or not isinstance(items, dict):
        return shape
    if items.get("type") != "string" and "enum" not in items:
        return shape
    of_key = {name: shape.pop(name) for name in _OF_KEY if name in shape}
    return {**of_key, "anyOf": [items, shape]}
