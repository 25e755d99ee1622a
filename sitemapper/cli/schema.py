"""`sitemapper schema`."""

import json

import typer

from ..config.settings import Settings
from .parameters import command


@command("schema")
def schema() -> None:
    """Print the JSON Schema of sitemapper.toml.

    Editors use it to complete and check the file.
    """
    shape = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Settings.model_json_schema(),
    }
    typer.echo(json.dumps(shape, indent=2))
