"""When each page last changed: sources of dates in their order, and why a page has none."""

from .date import CAUSES, date
from .explain import explain_date
from .ledger import read_rows, render_rows

__all__ = ["CAUSES", "date", "explain_date", "read_rows", "render_rows"]
