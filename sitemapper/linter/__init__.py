"""The linter for sitemaps: rules with stable codes, and one engine that checks files by them."""

from .engine import Linted, lint, validate
from .rules import RULES, Finding, Rule, Severity, chosen

__all__ = ["RULES", "Finding", "Linted", "Rule", "Severity", "chosen", "lint", "validate"]
