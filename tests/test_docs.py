"""The documents say what the program does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import generate_docs
import installation
import pytest
from support import BASE, POSIX

import sitemapper
from sitemapper import Reason
from sitemapper.cli.app import COMMANDS
from sitemapper.config.choices import Gzip, HostName, Source, Style
from sitemapper.config.settings import Settings
from sitemapper.linter import ALL

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {page.name: page for page in generate_docs.PAGES}


def parts(page: str, kind: str) -> set[str]:
    """The arguments of the generated parts of a page, such as `build` of `<!-- help: build -->`."""
    return set(re.findall(rf"<!-- {kind}(?:: (\S+))? -->", (DOCS / page).read_text()))


@POSIX
@pytest.mark.parametrize("page", PAGES)
def test_the_generated_parts_are_up_to_date(page: str) -> None:
    assert PAGES[page].read_text() == generate_docs.fresh(PAGES[page]), "run: make docs-generate"


def test_the_example_is_up_to_date() -> None:
    assert generate_docs.EXAMPLE.read_text() == generate_docs.example(), "run: make docs-generate"


def test_the_example_explains_every_value_of_a_choice() -> None:
    choices = {"url_style": Style, "host": HostName, "lastmod": Source, "sitemap.gzip": Gzip}
    assert {key: tuple(meanings) for key, meanings in generate_docs.MEANINGS.items()} == {
        key: get_args(values) for key, values in choices.items()
    }
    example = generate_docs.example()
    assert (
        "#   slash: `a/` and `b/`\n" in example
        and "#   also: a `.xml.gz` beside each file\n" in example
    )


def test_every_key_is_documented() -> None:
    schema = Settings.model_json_schema()
    tables = {"": schema, **schema["$defs"]}
    fields = [
        (t, key, field) for t, table in tables.items() for key, field in table["properties"].items()
    ]
    assert [
        f"{t}.{key}"
        for t, key, field in fields
        if "$ref" not in field and "description" not in field
    ] == []
    nested = {f"git.{key}" for key in schema["$defs"]["Git"]["properties"] if key == "map"}
    tables_of_keys = {key for key, field in schema["properties"].items() if "$defs" in str(field)}
    tables_of_keys -= {"git"}  # it has only [[git.map]]
    assert parts("configuration.md", "settings") == tables_of_keys | nested | {""}


def test_every_command_is_documented() -> None:
    commands = set(COMMANDS)
    assert parts("command-line.md", "help") == commands | {""}


def test_every_rule_is_documented() -> None:
    assert parts("rules.md", "rules") == {rule.code[:3] for rule in ALL}


def test_every_reason_is_documented() -> None:
    text = PAGES["what-is-listed.md"].read_text()
    assert [reason.value for reason in Reason if f"\n| {reason.value} |" not in text] == []


def test_every_key_of_the_json_is_documented() -> None:
    text = PAGES["api.md"].read_text()
    examples = "".join(re.findall("```console\n(.*?)```", text, re.S))
    keys = set(re.findall(r'^ *"(\w+)": ', examples, re.M)) - {"version"}
    reasons = {reason.name.lower() for reason in Reason}
    assert [key for key in sorted(keys | reasons) if f"`{key}`" not in text] == []


def test_the_examples_of_the_configuration_load(tmp_path: Path) -> None:
    for name in ("urls.txt", "app.csv"):
        (tmp_path / name).write_text("loc\n")
    found = [
        block
        for page in PAGES.values()
        for block in re.findall("```toml\n(.*?)```", page.read_text(), re.S)
    ]
    assert len(found) > 5
    for block in found:
        sitemapper.load({"base_url": BASE, **tomllib.loads(block)}, cwd=str(tmp_path))


def test_every_file_of_a_link_exists() -> None:
    """Links of the files at the top; `make docs` checks those of the documentation itself."""
    links = [
        target.partition("#")[0]
        for page in ROOT.glob("*.md")
        for target in re.findall(r"\]\(([^)]+)\)", page.read_text())
        if "://" not in target
    ]
    code = [*ROOT.glob("sitemapper/**/*.py"), *ROOT.glob("benchmarks/*.py"), ROOT / "Makefile"]
    links += [name for file in code for name in re.findall(r"docs/[\w-]+\.md", file.read_text())]
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_architecture_names_every_room() -> None:
    text = PAGES["architecture.md"].read_text()
    rooms = [p.name for p in (ROOT / "sitemapper").iterdir() if (p / "__init__.py").exists()]
    assert [room for room in rooms if f"| `{room}/` |" not in text] == []


def test_the_architecture_is_a_tour_of_files_that_exist() -> None:
    pages = "".join(
        PAGES[name].read_text() for name in ("architecture.md", "contributing.md", "decisions.md")
    )
    files = set(re.findall(r"`((?:\w+/)*\w+\.(?:py|css)|docs/[\w-]+\.md)`", pages))
    assert len(files) > 10
    assert [
        name
        for name in sorted(files)
        if not any((ROOT / p / name).is_file() for p in (".", "sitemapper"))
    ] == []


def test_every_line_that_decides_exists() -> None:
    """`name` in `file.py`, as the pages have it: a function, a class, a field or a value."""
    table = PAGES["contributing.md"].read_text().partition("## Which line decides what\n")[2]
    text = table.partition("\n## ")[0] + PAGES["architecture.md"].read_text()
    decides = [
        (name, file)
        for names, file in re.findall(r"((?:`\w+`(?: and )?)+) (?:in|of) `([\w/]+\.py)`", text)
        for name in re.findall(r"\w+", names.replace(" and ", " "))
    ]
    assert len(decides) > 10
    assert [
        (name, file)
        for name, file in decides
        if not re.search(
            rf"^ *(?:def |class )?{name}\b", (ROOT / "sitemapper" / file).read_text(), re.M
        )
    ] == []


def test_every_page_has_its_place_in_the_documentation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text()
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert [page for page in pages if page not in nav] == []


def test_every_page_is_two_clicks_from_the_home_page() -> None:
    """README.md is the home page."""
    names = {page.name for page in DOCS.glob("*.md")}
    links = {
        name: set(re.findall(r"\]\((?:docs/)?([\w-]+\.md)", page.read_text()))
        for name, page in PAGES.items()
    }
    near = links["README.md"] & names
    assert sorted(names - near - set().union(*(links[name] for name in near))) == []


def test_all_recipes_have_the_same_repository_and_version() -> None:
    """Those of pyproject.toml and of the package, wherever a recipe refers to them."""
    source = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Source"]
    repository = source.removeprefix("https://github.com/")
    assert f"{source}/discussions" in (ROOT / ".github/ISSUE_TEMPLATE/config.yml").read_text()
    assert f"\n## [{sitemapper.__version__}] - " in (ROOT / "CHANGELOG.md").read_text()
    release = f"v{sitemapper.__version__}"
    released = installation.installable(PAGES["ci.md"].read_text(), is_released=True)
    assert f"uses: {repository}@{release}\n" in released
    assert re.search(rf"repo: {source}\n    rev: {release}\n", released)


@pytest.mark.parametrize("page", PAGES)
def test_the_release_changes_every_page_that_installs_the_wheel(page: str) -> None:
    wheel = installation.installable(PAGES[page].read_text(), is_released=False)
    release = installation.installable(wheel, is_released=True)
    assert "tools/static_sitemapper" not in release and "not on PyPI yet" not in release
    assert installation.installable(release, is_released=False) == wheel
    not_installable = re.findall(r"\b(?:install|--from|--spec) [^`\n]*static-sitemapper\b", wheel)
    assert not_installable == []


@pytest.mark.parametrize("page", PAGES)
def test_no_page_shows_a_placeholder(page: str) -> None:
    assert "_OWNER_" not in PAGES[page].read_text()


@POSIX
@pytest.mark.slow
def test_one_command_names_the_account_everywhere(tmp_path: Path) -> None:
    """In a copy of the repository. The pages then install the package of PyPI."""
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
    for name in ("scripts", "docs", "README.md", "pyproject.toml"):
        source, target = ROOT / name, copy / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)
    command = [sys.executable, copy / "scripts/name_the_account.py"]
    assert subprocess.run(command, capture_output=True).returncode == 1
    done = subprocess.run([*command, "ann"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "https://github.com/ann/sitemapper" in (copy / "pyproject.toml").read_text()
    for page in (copy / "README.md", copy / "docs/ci.md"):
        text = page.read_text()
        assert "install static-sitemapper" in text and "tools/static_sitemapper" not in text


def test_the_wheel_of_the_pages_is_the_one_that_is_built() -> None:
    name = f"static_sitemapper-{sitemapper.__version__}-py3-none-any.whl"
    assert f"tools/{name}" == installation.WHEEL


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
        if f
        and (p := ROOT / f).is_file()
        and p.suffix in (".py", ".md", ".toml", ".sh", ".yaml", ".yml")
    ]
    assert [p.name for p in text if re.search(r"/(root|farm)/|/home/\w", p.read_text())] == []
