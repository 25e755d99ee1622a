"""`schema` as an editor reads it."""

from __future__ import annotations

import json

from support import Run

from sitemapper.config.settings import Settings


def test_the_schema_has_every_key_and_no_other(run: Run) -> None:
    assert run("schema") == 0
    shape = json.loads(run.out)
    assert shape["$schema"].startswith("https://json-schema.org/")
    assert shape["properties"].keys() == {
        field.alias or key for key, field in Settings.model_fields.items()
    }
    assert shape["additionalProperties"] is False
