"""The JSON Schema of the configuration, with the texts below the keys in config/model.py."""

from __future__ import annotations

import ast
import inspect
import json
import re
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

from sitemapper.config import model
from sitemapper.config.model import Settings

TABLES = [
    one
    for one in vars(model).values()
    if isinstance(one, type) and issubclass(one, BaseModel) and one.model_fields
]


def _descriptions(table: type[BaseModel]) -> dict[str, str]:
    """The texts below the keys of a table: {"gzip": "Which files to compress. …"}."""
    texts: dict[str, str] = {}
    [definition] = ast.parse(inspect.getsource(table)).body
    for field, text in pairwise(ast.iter_child_nodes(definition)):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            words = ast.literal_eval(text.value).split()
            texts[ast.unparse(field.target)] = " ".join(words)
    return texts


def schema() -> dict[str, Any]:
    """The JSON Schema of the configuration file, for editors and `sitemapper schema`."""
    for table in TABLES:
        table.model_rebuild()  # else pydantic 2.10 leaves the defaults out
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    whole: dict[str, Any] = dialect | Settings.model_json_schema()
    for table in TABLES:
        texts = _descriptions(table)
        described = whole["$defs"].get(table.__name__, whole)
        for key, value in described["properties"].items():
            # TOML has no null: None is a key that nobody wrote.
            if value.get("default", "") is None:
                value |= value.pop("anyOf")[0]
                del value["default"]
            # One text may stand for a list of texts.
            if "type" in value.get("items", ()):
                several = {"type": value.pop("type"), "items": value.pop("items")}
                value["anyOf"] = [several["items"], several]
            if key in texts:
                value["description"] = texts[key]
    # Versions of pydantic write 100 or 100.0.
    text = re.sub(r"(?<=\d)\.0(?=[,\n])", "", json.dumps(whole, indent=2))
    same: dict[str, Any] = json.loads(text)
    return same
