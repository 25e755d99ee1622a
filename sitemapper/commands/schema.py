"""`schema`: the JSON Schema of the configuration file."""

import json

from ..config.model import schema

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text() -> str:
    """The JSON Schema of sitemapper.toml, by which editors complete and check the file."""
    return json.dumps({"$schema": _DIALECT, **schema()}, indent=2)
