"""The documentation says what the program does, and all of it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import generate_docs
import installation
import pytest

from sitemapper.config.load import load
from sitemapper.hosts.table import TABLE
from sitemapper.lastmod.date import CAUSES
from sitemapper.lastmod.resolve import SOURCES
from sitemapper.linter import RULES
from sitemapper.model import Reason
from sitemapper.select.select import WARNINGS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "sitemapper"

PAGES = {page.name: page for page in generate_docs.PAGES}
MAX_WORDS = 14_000
MAX_PAGES = 14  # with README.md
# Codes that a loop or a table gives to `Message`.
COMPUTED_CODES = {"lost", "moved", "form", *WARNINGS}


def text_of(page: str) -> str:
    return PAGES[page].read_text()


def parts(page: str, kind: str) -> set[str]:
    """The arguments of the generated parts of a page, such as `build` of `<!-- help: build -->`."""
    return set(re.findall(rf"<!-- {kind}(?:: (\S+))? -->", text_of(page)))


# --- Generated parts


@pytest.mark.skipif(sys.platform == "win32", reason="they show a POSIX shell")
@pytest.mark.parametrize("page", PAGES)
def test_the_generated_parts_are_up_to_date(page: str) -> None:
    assert text_of(page) == generate_docs.fresh(PAGES[page]), "run: make docs-generate"


def test_the_example_is_up_to_date_and_loads(tmp_path: Path) -> None:
    example = generate_docs.EXAMPLE.read_text()
    assert example == generate_docs.example(), "run: make docs-generate"
    uncommented = re.sub(r"(?m)^#(?=\[|\w+ = )", "", example)
    config = load({}, str(tmp_path), {}, [uncommented])
    assert len(config.origins) > 40


def test_the_schema_is_up_to_date_and_describes_every_key() -> None:
    text = generate_docs.SCHEMA.read_text()
    assert text == generate_docs.schema_text(), "run: make docs-generate"
    whole = json.loads(text)
    for table in (whole, *whole["$defs"].values()):
        for key, value in table["properties"].items():
            assert "$ref" in value or value["description"].endswith("."), key
            assert value.get("default", "") is not None, key
    assert whole["properties"]["ignore"]["anyOf"] == [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
    ]


# --- Everything is documented


def test_every_key_is_documented() -> None:
    shape = generate_docs.schema()
    tables = {"": shape, **shape["$defs"]}
    undescribed = [
        f"{name}.{key}"
        for name, table in tables.items()
        for key, value in table["properties"].items()
        if "$ref" not in value and "description" not in value
    ]
    assert undescribed == []
    names = {key for key, value in shape["properties"].items() if "$defs" in str(value)}
    assert parts("configuration.md", "settings") == names - {"git"} | {"", "git.map"}


def test_every_value_of_a_choice_is_explained() -> None:
    properties: Any = generate_docs.schema()["properties"]
    assert list(generate_docs.CHOICES["url_style"]) == properties["url_style"]["enum"]
    sources = properties["lastmod"]["anyOf"][0]["enum"]
    assert list(generate_docs.CHOICES["lastmod"]) == sources == ["auto", *SOURCES]
    helps = {param.name: param.help for param in generate_docs.commands()["build"].params}
    assert f"in order of trust: {', '.join(SOURCES)}  [" in helps["lastmod"]
    hosts = properties["host"]["enum"]
    assert hosts == ["auto", "none", *(row.name for row in TABLE)]


def test_every_command_is_documented() -> None:
    assert parts("command-line.md", "help") == {"", *generate_docs.commands()}


def test_every_reason_cause_and_rule_is_documented() -> None:
    assert set(generate_docs.REASONS) == set(Reason)
    assert parts("listed.md", "reasons") == {""}
    assert CAUSES and parts("dates.md", "causes") == parts("dates.md", "sources") == {""}
    assert parts("checks.md", "rules") == {""}


def test_no_page_names_a_rule_that_has_left() -> None:
    named = {code for page in PAGES for code in re.findall(r"\bSM\d{3}\b", text_of(page))}
    assert named - set(RULES) == set()


def codes() -> Iterator[str]:
    """The codes of all messages: each is a literal, or one of `COMPUTED_CODES`."""
    yield from COMPUTED_CODES
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) != "Message":
                continue
            if len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
                yield str(node.args[1].value)


def test_every_message_is_documented_once_and_in_order() -> None:
    table = text_of("messages.md").partition("## Errors")[0]
    assert re.findall(r"(?m)^\| `([a-z-]+)` \|", table) == sorted(set(codes()))


def test_every_key_of_the_json_is_documented() -> None:
    keys: set[str] = set()
    for path in (PACKAGE / "cli").glob("*.py"):
        if path.stem == "app":
            continue  # tables of another kind
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Dict):
                keys |= {str(k.value) for k in node.keys if isinstance(k, ast.Constant)}
    page = text_of("programs.md")
    words = {key for key in keys - {"strict"} if key.isidentifier() and key.islower()}
    assert sorted(key for key in words if f"`{key}`" not in page) == []


# --- Examples and links


def test_the_examples_of_the_configuration_load(tmp_path: Path) -> None:
    blocks = [
        block
        for page in PAGES
        for title, block in re.findall(
            r"```toml(?: title=\"(\S+)\")?\n(.*?)```", text_of(page), re.S
        )
        if title in ("", "sitemapper.toml")
    ]
    assert len(blocks) > 8
    for block in blocks:
        load({}, str(tmp_path), {}, [block])


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page."""
    found = set()
    for heading in re.findall(r"(?m)^#+ (.*)$", text):
        plain = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(re.sub(r" ", "-", plain.strip()))
    return found


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    broken = []
    files = [
        *PAGES.values(),
        *(ROOT / name for name in ("AGENTS.md", "CONTRIBUTING.md", "SECURITY.md")),
    ]
    for file in files:
        without_code = re.sub(r"(?ms)^```.*?^```$", "", file.read_text())
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
            if "://" in target:
                continue
            name, _, anchor = target.partition("#")
            place = file.parent / name if name else file
            if not place.is_file() or (anchor and anchor not in anchors(place.read_text())):
                broken.append(f"{file.name}: {target}")
    assert broken == []


def test_files_that_name_a_page_name_one_that_exists() -> None:
    files = [
        *PACKAGE.rglob("*.py"),
        *(ROOT / ".github").rglob("*.*ml"),
        *(ROOT / ".github").rglob("*.md"),
        *(ROOT / "scripts").glob("*.py"),
        *(ROOT / "benchmarks").glob("*.py"),
        ROOT / "action.yml",
        ROOT / "Makefile",
        ROOT / "sitemapper.toml.example",
    ]
    named = {
        (file.name, page)
        for file in files
        for page in re.findall(r"\bdocs/([a-z-]+\.md)\b", file.read_text())
    }
    assert ("sitemapper.toml.example", "configuration.md") in named
    pages = {*PAGES, "a.md", "guide.md", "tea.md", "index.md"}  # and sources of sites in comments
    assert sorted(one for one in named if one[1] not in pages) == []


def test_every_line_that_decides_exists() -> None:
    """`name` in `file.py`, as the page for contributors has it."""
    text = text_of("contributing.md")
    decides = re.findall(r"`(\w+)`\s(?:in|of)\s`([\w/]+\.py)`", text)
    assert len(decides) > 12
    for name, file in decides:
        source = ((ROOT if file.startswith("scripts/") else PACKAGE) / file).read_text()
        assert re.search(rf"(?m)^ *(?:def |class )?{name}\b", source), f"{name} in {file}"


# --- The whole


def test_every_page_is_in_the_navigation_and_two_clicks_from_the_readme() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text().partition("nav:")[2]
    pages = {page.name for page in DOCS.glob("*.md")}
    assert set(re.findall(r"- ([a-z-]+\.md)", navigation)) == pages | {"index.md"}
    links = {name: set(re.findall(r"\]\((?:docs/)?([\w-]+\.md)", text_of(name))) for name in PAGES}
    near = links["README.md"]
    assert pages - near.union(*(links[name] for name in near & pages)) == set()


def test_the_documentation_keeps_its_size() -> None:
    assert len(PAGES) <= MAX_PAGES
    assert sum(len(text_of(page).split()) for page in PAGES) <= MAX_WORDS, "shorten another page"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_no_placeholder_and_no_sentence_that_was_false(page: str) -> None:
    text = text_of(page)
    assert "_OWNER_" not in text and "TODO" not in text
    assert "the dates come from commits" not in text
    assert "Information that needs no action" not in text
    # Canonicals at example.com stop a build, so nobody copies it from here.
    by_hand = re.sub(r"<!-- (?:help|rules|run).*?<!-- end -->", "", text, flags=re.S)
    assert not re.search(r"https?://(?:www\.)?example\.(?:com|org|net)", by_hand)


@pytest.mark.parametrize("page", PAGES)
def test_the_release_changes_every_page_that_installs_the_wheel(page: str) -> None:
    wheel = installation.installable(text_of(page), is_released=False)
    release = installation.installable(wheel, is_released=True)
    assert "tools/static_sitemapper" not in release and "not on PyPI yet" not in release
    assert installation.installable(release, is_released=False) == wheel


def test_nothing_names_a_path_of_this_machine() -> None:
    command = ["git", "-C", str(ROOT), "ls-files", "*.py", "*.md", "*.toml", "*.sh", "*.y*ml"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    files = [ROOT / name for name in listed if (ROOT / name).is_file()]
    assert [
        file.name for file in files if re.search(r"/(root|farm|work)/|/home/\w", file.read_text())
    ] == []
