"""The configuration: what a person wrote in files, variables and flags, checked and merged."""

from .load import Config, load
from .model import Settings

__all__ = ["Config", "Settings", "load"]
