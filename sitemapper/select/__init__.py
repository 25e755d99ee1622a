"""Which pages are listed, at which URLs, and why the others are not."""

from .select import Selected, select

__all__ = ["Selected", "select"]
