"""`sitemapper rule`."""

import sys

import typer

from ..linter import ALL, Rule, rule_of
from .parameters import command
from .streams import emit, use_color
from .words import paint

CODE = typer.Argument(None, metavar="CODE", help="A code such as SM203  [default: all, a line each]")


@command("rule SM203", "rule")
def rule(code: str | None = CODE) -> None:
    """Explain a validation rule.

    Print what it finds, why that matters, and how to fix it. Without a code, list all rules.
    """
    if code:
        emit([_page(rule_of(code), color=use_color("auto", sys.stdout))])
    else:
        emit(f"{rule.code}  {rule.severity.value:7}  {rule.title}" for rule in ALL)


def _page(rule: Rule, *, color: bool) -> str:
    """A rule's page."""
    reason = "\n".join(f"  {line}" for line in rule.reason.splitlines())
    return f"{paint(rule.code, '1', color)}  {rule.severity.value}  {rule.title}\n\n{reason}"
