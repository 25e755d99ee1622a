"""`sitemapper schema`."""

import json
from typing import Any

import typer

from ..config.settings import Settings
from .parameters import command

_ABOUT = ("title", "description", "default", "examples")  # of a key, whatever its type is


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
    """The schema, with one text allowed in place of each list of texts."""
    if isinstance(schema, list):
        return [_with_single_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shape = {key: _with_single_texts(value) for key, value in schema.items()}
    items = shape.get("items", {})
    is_text = isinstance(items, dict) and (items.get("type") == "string" or "enum" in items)
    if shape.get("type") != "array" or not is_text:
        return shape
    about = {key: shape.pop(key) for key in _ABOUT if key in shape}
    return {**about, "anyOf": [items, shape]}
