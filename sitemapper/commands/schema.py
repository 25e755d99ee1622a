"""`schema`: the JSON Schema of the configuration file."""

from importlib.resources import files

from .. import config


def schema_text() -> str:
    """The JSON Schema of sitemapper.toml, by which editors complete and check the file."""
    return files(config).joinpath("schema.json").read_text("utf-8").rstrip()
