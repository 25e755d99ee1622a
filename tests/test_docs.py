"""The documents say what the program does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sitemapper import Reason
from sitemapper.config.settings import Config
from sitemapper.linter import ALL

PLAIN = {"changefreq", "priority", "loc", "match", "name", "max_urls", "max_bytes"}  # say it themselves
ROOT = Path(__file__).parents[1]
HELP = re.compile(r"<!-- help: (.*?) -->\n```text\n(.*?)```\n<!-- /help -->", re.S)


EXAMPLE = re.compile(r"<!-- example -->\n```toml\n(.*?)```\n<!-- /example -->", re.S)


def help_text(command: str) -> str:
    argv = [sys.executable, "-m", *command.split()]
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
    text = subprocess.run(argv, capture_output=True, text=True, check=True, env=environment).stdout
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"


@pytest.mark.parametrize(("command", "block"), HELP.findall((ROOT / "README.md").read_text()))
def test_the_readme_shows_the_help_as_it_is(command: str, block: str) -> None:
    assert block == help_text(command), "run: make help-in-readme"


def test_the_readme_shows_the_example_as_it_is() -> None:
    found = EXAMPLE.search((ROOT / "README.md").read_text())
    assert found and found[1] == (ROOT / "sitemapper.toml.example").read_text(), "run: make help-in-readme"


def test_every_reason_and_key_is_documented() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [reason.value for reason in Reason if f"| {reason.value} |" not in readme] == []
    schema = Config.model_json_schema()
    tables = [schema, *schema["$defs"].values()]
    assert [
        k
        for t in tables
        for k, v in t["properties"].items()
        if not (v.get("description") or "$ref" in v or k in PLAIN)
    ] == []


def test_the_architecture_names_every_module() -> None:
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
    files = [p.relative_to(ROOT / "sitemapper").as_posix() for p in (ROOT / "sitemapper").rglob("*.py")]
    assert [f for f in sorted(files) if f"`{f}`" not in text and not f.endswith("__.py")] == []


def test_floors_of_dependencies_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [name for name in project["dependencies"] if ">=" not in name] == []


def test_nothing_names_a_path_of_this_machine() -> None:
    files = subprocess.run(
        ["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    text = [
        p
        for f in files
        if f and (p := ROOT / f).is_file() and p.suffix in (".py", ".md", ".toml", ".sh", ".yaml")
    ]
    assert [p.name for p in text if re.search(r"/(root|farm)/|/home/\w", p.read_text())] == []


def _markdown(text: str) -> str:
    """A rule's page with its remedy apart, and no bracket that could be taken for HTML."""
    return text.strip().replace("\nFix: ", "\n\nFix: ").replace("<", "\\<")


def rules_text() -> str:
    """docs/RULES.md."""
    head = (
        "# Rules\n\nWhat `sitemapper validate` finds, and `sitemapper check --against` (SM5xx). `sitemapper rule CODE` prints "
        "a rule.\nThis file is written by `make help-in-readme` from the rules themselves.\n"
    )
    pages = ((*rule.page.partition("\n"), rule) for rule in ALL)
    return head + "".join(
        f"\n## {rule.code}\n\n**{title}** ({rule.severity.value})\n\n{_markdown(rest)}\n"
        for title, _, rest, rule in pages
    )


def test_the_rules_are_documented_as_they_are() -> None:
    assert (ROOT / "docs" / "RULES.md").read_text() == rules_text(), "run: make help-in-readme"


def main() -> None:
    """Puts the help texts into the README, and writes the rules."""
    (ROOT / "docs" / "RULES.md").write_text(rules_text())
    path = ROOT / "README.md"
    found = path.read_text()
    for command, _ in HELP.findall(found):
        block = f"<!-- help: {command} -->\n```text\n{help_text(command)}```\n<!-- /help -->"
        found = re.sub(
            rf"<!-- help: {command} -->\n.*?<!-- /help -->", lambda _, b=block: b, found, flags=re.S
        )
    example = (ROOT / "sitemapper.toml.example").read_text()
    block = f"<!-- example -->\n```toml\n{example}```\n<!-- /example -->"
    path.write_text(EXAMPLE.sub(lambda _: block, found))


if __name__ == "__main__":
    main()
