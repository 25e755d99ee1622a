"""The linter for sitemaps: rules with stable codes, and one engine that checks files by them."""

from .engine import lint, validate
from .rules import RULES, Finding, Severity, chosen

__all__ = ["RULES", "Finding", "Severity", "chosen", "lint", "validate"]
