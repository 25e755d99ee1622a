"""Writes the generated parts of README.md and docs/: `make docs-generate`.

A generated part stands between two comments of its page, and everything outside is written by hand:

    <!-- help: build -->          the help text of a command ("" for the program itself)
    <!-- settings: sitemap -->    the keys of a table of the configuration ("" for the top level)
    <!-- rules: SM1 -->           the rules of a family
    <!-- run -->                  a `console` block: the commands stay, their output is written anew
    <!-- run: terminal -->        the same, as it looks on a terminal
    <!-- end -->

Commands run in a copy of sample_site/ that also holds the code blocks of the page that have a title.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from sitemapper.cli.app import app
from sitemapper.config.settings import Config
from sitemapper.linter import ALL

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_PART = re.compile(r"(<!-- (help|settings|rules|run)(?:: (\S+))? -->\n)(.*?)(?=<!-- end -->)", re.S)
_TITLED = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.S | re.M)
_CONSOLE = re.compile(r"```console\n(.*?)```\n", re.S)


def fresh(page: Path) -> str:
    """The text of a page with every generated part as it should be."""
    text = page.read_text()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "lindenhof")
        if "<!-- run" in text:
            shutil.copytree(ROOT / "sample_site", folder, copy_function=shutil.copyfile)
            for name, content in _TITLED.findall(text):
                (folder / name).write_text(content)

        def part(found: re.Match[str]) -> str:
            opening, kind, argument, old = found.groups()
            is_run, on_terminal = kind == "run", argument == "terminal"
            written = _transcript(old, folder, on_terminal) if is_run else _WRITERS[kind](argument or "")
            return f"{opening}{written}"

        return _PART.sub(part, text)


def _help(command: str) -> str:
    environment = {"COLUMNS": "100", "NO_COLOR": "1"}
    argv = [*command.split(), "--help"]
    result = CliRunner().invoke(app, argv, env=environment, prog_name="sitemapper", catch_exceptions=False)
    lines = "\n".join(line.rstrip() for line in result.output.strip().splitlines())
    return f"```text\n{lines}\n```\n"


def _settings(table: str) -> str:
    """The keys of a table; tables in it have tables of their own."""
    schema = Config.model_json_schema()
    shape = schema
    for name in table.split(".") if table else ():
        shape = _table(shape["properties"][name], schema)
    rows = [
        f"| `{key}` | {_kind(value)} | {_default(value)} | {value['description']} |"
        for key, value in shape["properties"].items()
        if not _table(value, schema)
    ]
    return "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows]) + "\n"


def _table(value: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The shape of a table or of an array of tables; empty for anything else."""
    name = value.get("$ref", "") or value.get("items", {}).get("$ref", "")
    found: dict[str, Any] = schema["$defs"].get(name.rpartition("/")[2], {})
    return found


def _number(value: float) -> str:
    """The number in one form: versions of pydantic write a whole float as 100 or 100.0."""
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def _kind(value: dict[str, Any]) -> str:
    if "anyOf" in value:
        kinds = [_kind(one) for one in value["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"])
    if value["type"] == "array":
        return f"list of {_kind(value['items'])}" if "enum" in value["items"] else "list of texts"
    if value["type"] in ("integer", "number"):
        return f"{_number(value['minimum'])} to {_number(value['maximum'])}"
    plain = {"boolean": "`true`, `false`", "string": "text", "object": "table"}
    return {"date": "date", "date-time": "date"}.get(value.get("format", ""), plain[value["type"]])


def _default(value: dict[str, Any]) -> str:
    default = value.get("default")
    if default is None or default == {}:
        return ""
    if isinstance(default, list):
        return "`[" + ", ".join(f'"{item}"' for item in default) + "]`"
    return f"`{str(default).lower()}`" if isinstance(default, bool | int | float) else f'`"{default}"`'


def _rules(family: str) -> str:
    return "\n".join(_rule(rule) for rule in ALL if rule.code.startswith(family))


def _rule(rule: Any) -> str:
    title, _, rest = rule.manual.partition("\n")
    # No bracket may be taken for HTML.
    text = rest.strip().replace("\nFix: ", "\n\n**Fix:** ").replace("<", "\\<")
    return f"### {rule.code}\n\n**{title}** ({rule.severity.value})\n\n{text}\n"


def _transcript(old: str, folder: Path, on_terminal: bool) -> str:
    """The commands of a `console` block, each with what it prints now."""
    found = _CONSOLE.fullmatch(old)
    if not found:
        raise SystemExit(f"no console block between <!-- run --> and <!-- end -->: {old!r}")
    commands = [line for line in found[1].splitlines() if line.startswith("$ ")]
    return (
        "```console\n"
        + "".join(_ran(command, folder, on_terminal) for command in commands).rstrip()
        + "\n```\n"
    )


def _ran(command: str, folder: Path, on_terminal: bool) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    scratch = {"PATH": path, "XDG_CACHE_HOME": str(folder.parent), "COLUMNS": "100", "NO_COLOR": "1"}
    # Imported here: Windows has none.
    import pty

    ours, theirs = pty.openpty() if on_terminal else os.pipe()
    with os.fdopen(ours, "rb") as output:
        process = subprocess.Popen(
            ["bash", "-c", command.removeprefix("$ ")],
            cwd=folder,
            env=os.environ | scratch | {"TERM": "xterm", "PYTHONUTF8": "1"},
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        said = b"".join(iter(lambda: _read(output.fileno()), b"")).decode().replace("\r\n", "\n")
        process.wait()
    if "Traceback" in said:
        raise SystemExit(f"{command} crashed:\n{said}")
    # Times and the scratch folder would differ at each run.
    said = said.replace(str(folder), "/srv/lindenhof")
    said = re.sub(r"\b\d+\.\d\d s\b", "0.02 s", said)
    said = re.sub(r'"seconds": [\d.]+', '"seconds": 0.021', said)
    return f"{command}\n{said}\n" if said else f"{command}\n"


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # the end of a terminal
        return b""


_WRITERS: dict[str, Callable[[str], str]] = {"help": _help, "settings": _settings, "rules": _rules}


def main() -> None:
    """Writes each page anew, and names those that were out of date."""
    for page in PAGES:
        text = fresh(page)
        if text != page.read_text():
            page.write_text(text)
            print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
