"""`sitemapper rule`."""

import sys

import typer

from ..linter import ALL, rule_of
from .console import BOLD, emit, paint, use_color
from .parameters import command

CODE = typer.Argument(
    None, metavar="CODE", help="A code such as SM203  [default: all, a line each]"
)


@command("rule SM203", "rule")
def rule(code: str | None = CODE) -> None:
    """Explain a validation rule.

    Print what it finds, why that matters, and how to fix it. Without a code, list all rules.
    """
    if not code:
        emit(f"{each.code}  {each.severity.value:7}  {each.title}" for each in ALL)
        return
    # The title, an empty line, and the manual of the rule, indented.
    found = rule_of(code)
    name = paint(found.code, BOLD, use_color("auto", sys.stdout))
    emit([f"{name}  {found.severity.value}  {found.title}\n"])
    emit(f"  {line}" for line in found.manual.splitlines())
