"""`python -m sitemapper`."""

from .cli import script

script()
