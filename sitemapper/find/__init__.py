"""Which folder is the site, whose generator wrote it, and what is ignored in it."""

from .find import find
from .folder import is_built

__all__ = ["find", "is_built"]
