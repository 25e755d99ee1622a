"""From entries to files: what was there before, what is lost, and the one atomic writer."""

from .publish import compare, guard, load, lock, write

__all__ = ["compare", "guard", "load", "lock", "write"]
