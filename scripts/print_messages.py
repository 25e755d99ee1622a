"""Prints all that a user can read of a run, to read it aloud from top to bottom: `make messages`.

Warnings, notes, reasons, findings and keys come from the tables of the package. Errors are found in
its source: what `{name}` stands for is known only when they are raised.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import sitemapper
from sitemapper import errors
from sitemapper.cli.app import COMMANDS
from sitemapper.cli.options import Flag
from sitemapper.cli.parameters import LEFT
from sitemapper.cli.words import DETAILS, SENTENCES
from sitemapper.config.settings import Settings
from sitemapper.linter import ALL as RULES
from sitemapper.model import Fate, NoDate, Reason

PACKAGE = Path(sitemapper.__file__).parent
# What makes an error or a message of a text and the help for it.
MAKERS = {name for name in vars(errors) if name.endswith("Error")} | {"with_help"}
TEXT = ast.Constant | ast.JoinedStr | ast.BinOp


def text_of(node: ast.expr | None, texts: dict[str, ast.expr]) -> str:
    """The text of an expression: `f"{file}: is not a folder"` → `{file}: is not a folder`.

    A variable stands for the text that the same function, or the module, gives it.
    """
    match node:
        case None:
            return ""
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part, texts) for part in parts)
        case ast.FormattedValue(value=ast.Name(id=name)) if name.isupper() or name[:1] == "_":
            return text_of(ast.Name(id=name), texts)
        case ast.FormattedValue(value=value):
            return f"{{{ast.unparse(value)}}}"
        case ast.Name(id=name) if name in texts:
            return text_of(texts[name], {**texts, name: ast.Constant(f"{{{name}}}")})
    return f"{{{ast.unparse(node)}}}"


def assigned_texts(node: ast.AST, line: float = float("inf")) -> dict[str, ast.expr]:
    """The last texts that are given to names in a module or function, up to a line."""
    assignments = [
        statement
        for statement in ast.walk(node)
        if isinstance(statement, ast.Assign) and statement.lineno <= line
    ]
    return {
        target.id: statement.value
        for statement in sorted(assignments, key=lambda one: one.lineno)
        if isinstance(statement.value, TEXT)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def errors_of(file: Path) -> Iterable[tuple[str, str]]:
    """The errors of a module with the help for them, in the order of the source."""
    module = ast.parse(file.read_text())
    shared = assigned_texts(ast.parse(Path(errors.__file__).read_text()))
    named = shared | assigned_texts(module)
    of_module = {name: text for name, text in named.items() if name.isupper()}
    functions = [one for one in ast.walk(module) if isinstance(one, ast.FunctionDef)]
    for function in functions:
        for call in ast.walk(function):
            if not isinstance(call, ast.Call):
                continue
            texts = of_module | assigned_texts(function, call.lineno)
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in MAKERS and call.args:
                _text, *help = call.args
                yield text_of(call.args[0], texts), text_of(help[0] if help else None, texts)


def write(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Prints a part: each text, with what to do below it."""
    print(f"\n{title}\n{'=' * len(title)}")
    for text, help in rows:
        print(f"\n{text}")
        if help:
            print(f"  help: {help}")


def flags() -> Iterable[tuple[str, str]]:
    """The options of all commands, each once."""
    seen: dict[str, str] = {}
    for command, what in COMMANDS.items():
        yield f"sitemapper {command}: {what}", ""
        for name, kind in vars(import_module(f"sitemapper.cli.{command}")).items():
            if name.endswith("Options"):
                for field in fields(kind):
                    flag: Flag = field.metadata["flag"]
                    seen.setdefault(field.name, flag.help or f"as the key {flag.key}")
    for name, text in seen.items():
        yield f"--{name.replace('_', '-')}: {text}", ""


def keys(kind: type, table: str = "") -> Iterable[tuple[str, str]]:
    """The keys of the configuration, with their descriptions."""
    for name, field in kind.model_fields.items():  # type: ignore[attr-defined]
        if field.description:
            yield f"{table}{name}: {field.description}", ""
        if hasattr(field.annotation, "model_fields"):
            yield from keys(field.annotation, f"{table}{name}.")


def main() -> None:
    """Prints the parts."""
    details = dict.fromkeys(DETAILS, " (with --verbose)")
    write(
        "Warnings and notes",
        ((f"{text}{details.get(kind, '')}", help) for kind, (text, help) in SENTENCES.items()),
    )
    for title, values in (
        ("Why a page is not listed", Reason),
        ("Why a page has no date", NoDate),
        ("What became of a URL", Fate),
    ):
        write(title, ((value.value, "") for value in values))
    write("Findings", ((f"{r.code} {r.severity.value}: {r.title}\n{r.manual}", "") for r in RULES))
    write("Keys", keys(Settings))
    write("Options", flags())
    write("What earlier versions had", ((f"{name}: {text}", "") for name, text in LEFT.items()))
    for file in sorted(PACKAGE.rglob("*.py")):
        found = dict.fromkeys(errors_of(file))
        if found:
            write(f"Errors of {file.relative_to(PACKAGE)}", found)


if __name__ == "__main__":
    main()
