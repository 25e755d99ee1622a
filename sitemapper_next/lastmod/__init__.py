"""When each page last changed: sources of dates in their order, and why a page has none."""

from .date import date

__all__ = ["date"]
