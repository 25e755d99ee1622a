"""From entries to files: what was there before, what is lost, and the one atomic writer."""

from .earlier import load
from .guard import guard
from .publish import compare
from .write import lock, write

__all__ = ["compare", "guard", "load", "lock", "write"]
