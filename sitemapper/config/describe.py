"""What the JSON Schema of the configuration says of a key: for the help of flags and for the references."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .messages import APPENDED_LISTS
from .settings import Config


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The JSON Schema of the configuration."""
    return Config.model_json_schema()


def table_schema(value: dict[str, Any]) -> dict[str, Any]:
    """The schema of a table or of an array of tables; empty for any other value."""
    name = value.get("$ref", "") or value.get("items", {}).get("$ref", "")
    table: dict[str, Any] = schema()["$defs"].get(name.rpartition("/")[2], {})
    return table


def key_help(key: str) -> str:
    """The description of a key, with its limits or the values of its list."""
    *tables, name = key.split(".")
    shape = schema()
    for table in tables:
        shape = table_schema(shape["properties"][table])
    value = shape["properties"][name]
    notes = limits(value)
    if any(kind.get("type") == "array" for kind in value.get("anyOf", [value])):
        notes += ["adds to the configuration"] if key in APPENDED_LISTS else []
        notes.append("repeatable")
    description: str = value["description"]
    return description + (f"  [{'; '.join(notes)}]" if notes else "")


def limits(value: dict[str, Any]) -> list[str]:
    """The least and the greatest value, or the values of a list."""
    if "minimum" in value:
        return [f"{number(value['minimum'])} to {number(value['maximum'])}"]
    lists = [kind["items"] for kind in value.get("anyOf", [value]) if "items" in kind]
    words = [word for items in lists for word in items.get("enum", ())]
    return [", ".join(words)] if words else []


def number(value: float) -> str:
    """The number in one form: versions of pydantic write a whole float as 100 or 100.0."""
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
