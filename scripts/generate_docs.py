"""Writes sitemapper.toml.example and the generated parts of README.md and docs/: `make
docs-generate`.

A generated part stands between two comments of its page, and everything outside is written by hand:

    <!-- help: build -->          what a command does, and its options ("" for all commands)
    <!-- settings: sitemap -->    the keys of a table of the configuration ("" for the top level)
    <!-- rules: SM1 -->           the rules of a family
    <!-- generators -->           the generators that are recognised
    <!-- install -->              how to install it
    <!-- rooms -->                the rooms of the package, and what each imports
    <!-- run -->                  a `console` block: the commands stay, their output is written anew
    <!-- run: plain -->           the same, where the sample has no settings yet
    <!-- end -->

Commands run in a copy of sample_site/ that also holds the code blocks of the page that have a
title.

installation.py writes the parts that differ before and after the first release.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from describe_rooms import describe_rooms
from installation import IS_RELEASED, installable

from sitemapper.__main__ import main as main_of_sitemapper
from sitemapper.cli.app import COMMANDS, command_line
from sitemapper.config.messages import format_number
from sitemapper.config.settings import Settings
from sitemapper.find.generators import ALL as GENERATORS
from sitemapper.linter import ALL

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "sitemapper.toml.example"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_PART = re.compile(
    r"(<!-- (help|settings|rules|generators|rooms|run)(?:: (\S+))? -->\n)"
    r"(.*?)(?=<!-- end -->)",
    re.S,
)
_TITLED = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.S | re.M)
# What the values of a key mean, for sitemapper.toml.example.
MEANINGS: dict[str, dict[str, str]] = {
    "url_style": {
        "auto": "the URL form that the host, canonicals or internal links show, else `directory`",
        "directory": "`a/` and `b.html`",
        "clean": "`a/` and `b`",
        "slash": "`a/` and `b/`",
        "bare": "`a` and `b`",
        "file": "`a/index.html` and `b.html`",
    },
    "host": {
        "auto": "the host that runs this build, or the host with settings in the project",
        "none": "no host; the files of all hosts are ignored",
        "cloudflare": "`_redirects` and `_headers`, as Cloudflare Pages reads them",
        "netlify": "`_redirects`, `_headers` and `netlify.toml`",
        "vercel": "`vercel.json`",
        "firebase": "`cleanUrls`, `trailingSlash` and `public` of `firebase.json`",
        "github": "GitHub Pages",
        "gitlab": "GitLab Pages",
    },
    "lastmod": {
        "auto": "`ledger` if there is one, in a repository `published`, "
        "`front_matter` and `git`, then `mtime`",
        "page": "the date in the page itself",
        "published": "the date in the committed sitemap, while the page is unchanged",
        "front_matter": "the last change that the page's source states",
        "git": "the last commit that changed the page's source",
        "ledger": "when the content of the page last changed",
        "mtime": "the time of the file",
    },
    "sitemap.gzip": {
        "no": "none",
        "also": "a `.xml.gz` beside each file",
        "only": "all sitemaps, with an uncompressed index",
    },
}
# The commands whose help describes options of this one.
_LIKE = {
    "check": ("build",),
    "validate": ("build",),
    "verify": ("build", "validate"),
    "submit": ("build",),
    "explain": ("build",),
}
_CONSOLE = re.compile(r"```console\n(.*?)```\n", re.S)


def fresh(page: Path) -> str:
    """The text of a page with every generated part as it should be."""
    text = installable(page.read_text(), IS_RELEASED)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "lindenhof")
        if "<!-- run" in text:
            shutil.copytree(ROOT / "sample_site", folder, copy_function=shutil.copyfile)
            for name, content in _TITLED.findall(text):
                (folder / name).write_text(content)

        def part(found: re.Match[str]) -> str:
            opening, kind, argument, old = found.groups()
            if argument == "plain":
                for name in ("sitemapper.toml", "sitemapper.ledger"):
                    (folder / name).unlink(missing_ok=True)
            written = _transcript(old, folder) if kind == "run" else _WRITERS[kind](argument or "")
            return f"{opening}{written}"

        return _PART.sub(part, text)


def _help(name: str) -> str:
    """What a command does, with a table of its own options. For "", a table of all commands.

    Options that set a key of the configuration, and those that another command describes already,
    are only named below the table.
    """
    commands = {name: command_line.get_command(None, name) for name in COMMANDS}
    if not name:
        rows = [f"[`{name}`](#{name}) | {_title(command)}" for name, command in commands.items()]
        return _table("command", rows)
    command = commands[name]
    options = _options(command)
    described = [_options(commands[other]) for other in _LIKE.get(name, ())]
    rows, keys, shared = [], [], []
    for option, text in options.items():
        if any(other.get(option) == text for other in described):
            shared.append(option)
        elif text.startswith("{"):
            keys.append(option)
        else:
            rows.append(f"{_code(option)} | {text}")
    examples = (command.epilog or f"sitemapper {name}").strip()
    parts = [
        " ".join(command.help.split()),
        f"```sh\n{examples}\n```",
        _table("option", rows).strip(),
        _sentence_of("[Keys of the configuration](configuration.md) for one run", keys),
    ]
    names = {_name_of(option) for option in options}
    missing = [option for option in _options(commands["build"]) if _name_of(option) not in names]
    if len(missing) < len(shared):
        parts.append(_sentence_of("All other options of `build`, except", missing))
    else:
        parts.append(_sentence_of(f"As for `{'` and `'.join(_LIKE.get(name, ()))}`", shared))
    return "\n\n".join(part for part in parts if part) + "\n"


def _options(command: Any) -> dict[str, str]:
    """The arguments and options of a command, as they are typed, each with its help.

    `--gzip <no|also|only>` → `{sitemap.gzip}`, if the option has the help of that key.
    """
    context = command.make_context(command.name, [], resilient_parsing=True)
    records = [param.get_help_record(context) for param in command.params]
    return {
        option.partition(" <list")[0].removesuffix(" <str>"): text
        for option, text in filter(None, records)
    }


def _title(command: Any) -> str:
    """The first line of a command's help."""
    title: str = command.help.partition("\n")[0]
    return title


def _code(option: str) -> str:
    """The option as code in a table, where a `|` would end the cell."""
    return "`" + option.replace("|", "\\|") + "`"


def _table(first: str, rows: list[str]) -> str:
    """A table with two columns, whose second is "meaning". Empty without rows."""
    if not rows:
        return ""
    return "\n".join([f"{first} | meaning", "---|---", *rows]) + "\n"


def _sentence_of(introduction: str, options: list[str]) -> str:
    """A sentence that names options: "As for `build`: `--config`, `--quiet`." Empty without any."""
    if not options:
        return ""
    names = ", ".join(f"`{_name_of(option)}`" for option in options)
    return textwrap.fill(f"{introduction}: {names}.", 120, break_on_hyphens=False)


def _name_of(option: str) -> str:
    """The option without its value: `--jobs N` → `--jobs`."""
    return re.sub(r" [<A-Z].*", "", option)


def _generators(_: str) -> str:
    """The generators, in a list with a line for each initial letter."""
    names = sorted((generator.name for generator in GENERATORS), key=str.lower)
    lines = (f"- {', '.join(some)}" for _, some in groupby(names, key=lambda name: name[0].upper()))
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    """The JSON Schema of the configuration."""
    return Settings.model_json_schema()


def _table_schema(value: dict[str, Any]) -> dict[str, Any]:
    """The schema of a table or of an array of tables; empty for any other value."""
    name = value.get("$ref", "") or value.get("items", {}).get("$ref", "")
    table: dict[str, Any] = _schema()["$defs"].get(name.rpartition("/")[2], {})
    return table


def _limits(value: dict[str, Any]) -> list[str]:
    """The least and the greatest value, or the values of a list."""
    if "minimum" in value:
        return [f"{format_number(value['minimum'])} to {format_number(value['maximum'])}"]
    lists = [kind["items"] for kind in value.get("anyOf", [value]) if "items" in kind]
    words = [word for items in lists for word in items.get("enum", ())]
    return [", ".join(words)] if words else []


def _settings(table: str) -> str:
    """The keys of a table of the configuration, such as `sitemap` ("" for the top level).

    Tables in it are not among them. They have tables of their own.
    """
    shape = _schema()
    for name in table.split(".") if table else ():
        shape = _table_schema(shape["properties"][name])
    rows = [
        f"`{key}` | {_default(value)} | {value['description']}{_choices(value)}"
        for key, value in shape["properties"].items()
        if not _table_schema(value)
    ]
    return "\n".join(["key | default | meaning", "---|---|---", *rows]) + "\n"


def _choices(value: dict[str, Any]) -> str:
    """The words or the range of a value, where its default and its description leave them open."""
    kinds = value.get("anyOf", [value])
    words = [
        word for kind in kinds for word in kind.get("enum", kind.get("items", {}).get("enum", ()))
    ]
    words += [kind["const"] for kind in kinds if isinstance(kind.get("const"), str)]
    if words:
        return f" [{', '.join(f'`{word}`' for word in words)}]"
    ranges = [kind for kind in kinds if "minimum" in kind]
    return "".join(
        f" [{format_number(kind['minimum'])} to {format_number(kind['maximum'])}]"
        for kind in ranges
    )


def _default(value: dict[str, Any]) -> str:
    """The default of a key as it is written in TOML, such as `["*"]`. Empty without one."""
    default = value.get("default")
    if default is None or default == {}:
        return ""
    if isinstance(default, list):
        return "`[" + ", ".join(f'"{item}"' for item in default) + "]`"
    if isinstance(default, bool | int | float):
        return f"`{str(default).lower()}`"
    return f'`"{default}"`'


_EXAMPLE_HEAD = """\
# Settings of sitemapper. A line such as `#key = value` shows the default of a key, or an example.
# Remove the `#` to set the key. docs/configuration.md explains all keys.

"""
_RULES = '#rules = [{ match = "blog/**", changefreq = "weekly", priority = 0.8 }]  # example'
_EXAMPLE_REST = """
# --- Most sites need nothing below this line. It shows every other key. ---

"""
# What most people set: the keys at the top of sitemapper.toml.example, with examples.
_COMMON = {"base_url": "https://example.com/", "site": "public", "ignore": ["drafts/"]}


def example() -> str:
    """sitemapper.toml.example, from the schema of the configuration."""
    properties = _schema()["properties"]
    common: list[str] = []
    for key, shown in _COMMON.items():
        common += [
            f"# {properties[key]['description']}",
            _example_line(key, shown, is_example=True),
        ]
    common += [f"# {_meaning(_table_schema(properties['rules']))}", _RULES]
    rest = {key: value for key, value in properties.items() if key not in _COMMON}
    keys = [*_example_keys({"properties": rest}, ""), *_example_tables(_schema(), "")]
    return _EXAMPLE_HEAD + "\n".join(common) + "\n" + _EXAMPLE_REST + "\n".join(keys) + "\n"


def _meaning(table: dict[str, Any]) -> str:
    """What a table is for, without its name."""
    meaning: str = table["description"].partition(": ")[2]
    return f"{meaning[0].upper()}{meaning[1:]}"


def _example_tables(shape: dict[str, Any], above: str) -> Iterator[str]:
    """The tables of a table, those that are not arrays first.

    The header of a table is no comment, so that a key is in its table once its `#` is removed: an
    empty table sets nothing. The header of an array is a comment, because an empty entry of an
    array would be an error.
    """
    properties = sorted(shape["properties"].items(), key=lambda item: "items" in item[1])
    for key, value in properties:
        table, is_array = _table_schema(value), "items" in value
        if table:
            yield from ("", f"# {_meaning(table)}")
            if key == "rules":
                yield "# Write them as tables, such as this one, or in the line at the top."
            yield f"#[[{above}{key}]]" if is_array else f"[{key}]"
            yield from _example_keys(table, f"{above}{key}.")
            yield from _example_tables(table, f"{key}.")
        elif value.get("type") == "object":
            yield from ("", f"# {value['description']}", f"[{key}]")
            for name, word in value["examples"][0].items():
                yield _example_line(name, word, is_example=True)


def _example_keys(shape: dict[str, Any], table: str) -> Iterator[str]:
    """The keys of a table, each with its meaning and its default or an example."""
    for key, value in shape["properties"].items():
        if _table_schema(value) or value.get("type") == "object":
            continue
        if meanings := MEANINGS.get(table + key):
            yield f"# {value['description'].partition('. ')[0].rstrip('.')}:"
            yield from (f"#   {choice}: {meaning}" for choice, meaning in meanings.items())
        else:
            choices = [", ".join(value["enum"])] if "enum" in value else _limits(value)
            yield f"# {value['description']}{f' [{choices[0]}]' if choices else ''}"
        is_example = "examples" in value
        shown = value["examples"][0] if is_example else value["default"]
        yield _example_line(key, shown, is_example=is_example)


def _example_line(key: str, value: Any, *, is_example: bool) -> str:
    """A key in a comment, with its default or an example."""
    line = f"#{key} = {json.dumps(_whole(value), ensure_ascii=False)}"
    return f"{line}  # example" if is_example else line


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value == int(value) else value


def _rules(family: str) -> str:
    rows = [_rule(rule) for rule in ALL if rule.code.startswith(family)]
    return "\n".join(["code | severity | finding, reason and fix", "---|---|---", *rows]) + "\n"


def _rule(rule: Any) -> str:
    anchor = f'<a id="{rule.code.lower()}"></a>'
    manual = " ".join(rule.manual.split())
    return (
        f"{anchor}{rule.code} | {rule.severity.value} | **{_plain(rule.title)}** {_plain(manual)}"
    )


def _plain(text: str) -> str:
    """The text without anything that is a tag or a cell in Markdown; code stays as it is."""
    return "`".join(
        part if index % 2 else part.replace("<", "&lt;").replace("|", "\\|")
        for index, part in enumerate(text.split("`"))
    )


def _transcript(old: str, folder: Path) -> str:
    """The commands of a `console` block, each with what it prints now."""
    found = _CONSOLE.fullmatch(old)
    if not found:
        raise SystemExit(f"no console block between <!-- run --> and <!-- end -->: {old!r}")
    commands = [line for line in found[1].splitlines() if line.startswith("$ ")]
    return (
        "```console\n" + "".join(_ran(command, folder) for command in commands).rstrip() + "\n```\n"
    )


def _ran(command: str, folder: Path) -> str:
    program, *words = shlex.split(command.removeprefix("$ "))
    # To start a process for each command would take most of the time.
    if program == "sitemapper":
        said = _ran_here(words, folder)
    else:
        said = _ran_by_bash(command.removeprefix("$ "), folder)
    if "Traceback" in said:
        raise SystemExit(f"{command} crashed:\n{said}")
    # Times and the scratch folder would differ at each run.
    said = said.replace(str(folder), "/srv/lindenhof")
    said = re.sub(r"\b\d+\.\d\d s\b", "0.02 s", said)
    said = re.sub(r'"seconds": [\d.]+', '"seconds": 0.021', said)
    return f"{command}\n{said}\n" if said else f"{command}\n"


def _environment(folder: Path) -> dict[str, str]:
    return os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
    }


def _ran_here(words: list[str], folder: Path) -> str:
    """What `sitemapper` prints, run in this process."""
    before = dict(os.environ)
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    os.environ.update(_environment(folder))
    try:
        with chdir(folder), redirect_stdout(said), redirect_stderr(said):
            main_of_sitemapper(words)
    finally:
        os.environ.clear()
        os.environ.update(before)
    said.seek(0)
    return said.read()


def _ran_by_bash(command: str, folder: Path) -> str:
    process = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return process.stdout


_WRITERS: dict[str, Callable[[str], str]] = {
    "help": _help,
    "settings": _settings,
    "rules": _rules,
    "generators": _generators,
    "rooms": lambda _: describe_rooms(),
}


def main() -> None:
    """Writes each page anew, and names those that were out of date."""
    for page, text in ((EXAMPLE, example()), *((page, fresh(page)) for page in PAGES)):
        if text != page.read_text():
            page.write_text(text)
            print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
