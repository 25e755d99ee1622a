"""Writes sitemapper.toml.example, schema.json and the generated parts of README.md and docs/: `make
docs-generate`.

A generated part stands between two comments of its page. All else is written by hand:

    <!-- help: build -->          what a command does, and its flags ("" for all commands)
    <!-- settings: sitemap -->    the keys of a table of the configuration ("" for the top level)
    <!-- generators -->           the generators: base URL, and what is ignored
    <!-- reasons -->              why pages are left out
    <!-- hosts -->                the hosts: what shows them, forms of URLs, what is read
    <!-- sources -->              the sources of dates
    <!-- causes -->               why a page has no date
    <!-- rules -->                the rules of the linter
    <!-- rooms -->                the rooms of the package, and what each imports
    <!-- run -->                  a `console` block: the commands stay, their output is written anew
    <!-- run: plain -->           the same, where the sample has no settings yet
    <!-- end -->

Commands run in a copy of sample_site/, with the code blocks of the page that have a title.
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
from pathlib import Path
from typing import Any

import typer
from describe_keys import schema
from describe_rooms import describe_rooms
from installation import IS_RELEASED, installable

from sitemapper.cli.app import app
from sitemapper.cli.app import run as run_sitemapper
from sitemapper.config.load import FLAGS
from sitemapper.find.table import GENERATORS
from sitemapper.hosts.table import TABLE, HostRow
from sitemapper.lastmod.date import CAUSES
from sitemapper.linter import RULES
from sitemapper.model import Reason
from sitemapper.syntax.urls import in_form

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "sitemapper.toml.example"
SCHEMA = ROOT / "sitemapper/config/schema.json"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_PART = re.compile(r"(<!-- (?!end)([a-z]+)(?:: (\S+))? -->\n)(.*?)(?=<!-- end -->)", re.S)
_TITLED = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.S | re.M)
_CONSOLE = re.compile(r"```console\n(.*?)```\n", re.S)

# --- Sentences that only the documentation has. A test compares their keys with the code.

REASONS = {
    Reason.IGNORED: "A pattern of [ignore](#ignore-patterns) matches the file or its folder.",
    Reason.NOT_FOLLOWED: "A [symbolic link](#symbolic-links) that is broken or leads out of the "
    "site. A pipe, socket or device.",
    Reason.UNREADABLE: "The file cannot be read. There is a warning.",
    Reason.NOT_A_PAGE: "The file is empty, a feed or other XML, JSON, or a template, whatever its "
    "name.",
    Reason.RULE: "A [rule](configuration.md#rules) says `list = false`.",
    Reason.ROBOTS: "robots.txt disallows the URL for all crawlers. It counts only if the base URL "
    "has no path.",
    Reason.CLOSED: "The [host](hosts.md) answers 404 or 410.",
    Reason.REDIRECT: "A meta refresh leads to another page, or the [host](hosts.md) redirects.",
    Reason.NOINDEX: "A `robots` or `googlebot` meta says `noindex` or `none`, or its "
    "`unavailable_after` has passed, or the [host](hosts.md) sends such a header.",
    Reason.CANONICAL: "The canonical names another page.",
    Reason.DUPLICATE: "Another file has the same URL.",
    Reason.TOO_LONG: "The URL has 2,048 characters or more.",
}
SOURCES = {
    "page": "the date that the page states",
    "published": "the date in the committed sitemap, while the source is unchanged",
    "front_matter": "the last change that the page's source states",
    "git": "the last commit that edited the page's source",
    "ledger": "when the content of the page last changed",
    "mtime": "the time of the file",
}
CHOICES = {
    "url_style": {
        "auto": "found: canonicals, the host, links",
        "directory": "`a/` and `b.html`",
        "clean": "`a/` and `b`",
        "slash": "`a/` and `b/`",
        "bare": "`a` and `b`",
        "file": "`a/index.html` and `b.html`",
    },
    "lastmod": {"auto": "the first of ledger, published, front_matter, git, mtime", **SOURCES},
}
# What is read of a host's files, by the function that reads them.
_READ = {
    "read_nothing": "no rules",
    "read_cloudflare": "`_redirects`, `_headers`; a redirect comes before the file",
    "read_gitlab": "`_redirects`; a file comes before each redirect",
    "read_netlify": "`_redirects`, `_headers`, `netlify.toml`; a file comes before a redirect "
    "without `!` or `force`",
    "read_vercel": "`redirects` and `headers` in `vercel.json`; a redirect comes before the file",
}
# How many sentences at the end of a rule's advice say what to do, if not one.
_FIXES = {"SM205": 2, "SM206": 2, "SM401": 2, "SM621": 3, "SM630": 2}
# Values in sitemapper.toml.example of keys without a default.
_EXAMPLES: dict[str, Any] = {
    "base_url": "https://tea.example/", "site": "public", "output": "public",
    "ignore": ["drafts/"], "page": "{path}/index.html", "source": ["content/{path}.md"],
    "match": ["blog/"], "changefreq": "weekly", "priority": 0.8, "lastmod": "2026-03-01",
    "list": False, "name": "blog", "loc": "https://tea.example/app/", "required": ["/pricing/"],
}  # fmt: skip


def fresh(page: Path) -> str:
    """The text of a page with every generated part as it should be."""
    text = installable(page.read_text(), IS_RELEASED)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "lindenhof")
        if "<!-- run" in text:
            shutil.copytree(ROOT / "sample_site", folder, copy_function=shutil.copyfile)
            for name, content in _TITLED.findall(text):
                place = folder / name
                if not place.exists():  # the sample keeps its own settings
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(content)

        def part(found: re.Match[str]) -> str:
            opening, kind, argument, old = found.groups()
            if kind not in _WRITERS and kind != "run":
                return found[0]
            if argument == "plain":
                for name in ("sitemapper.toml", "sitemapper.ledger"):
                    (folder / name).unlink(missing_ok=True)
            written = _transcript(old, folder) if kind == "run" else _WRITERS[kind](argument or "")
            return f"{opening}{written}"

        return _PART.sub(part, text)


def _table(heads: str, rows: Iterator[str] | list[str]) -> str:
    """A table from its heads and rows, whose cells have ` | ` between."""
    line = " | ".join("---" for _ in heads.split(" | "))
    return "\n".join(row.replace(" | ", "|") for row in (heads, line, *rows)) + "\n"


# --- The command line


def commands() -> dict[str, Any]:
    """The commands as click has them, by their names."""
    group: Any = typer.main.get_command(app)
    return dict(group.commands)


def _help(name: str) -> str:
    """What a command does, and a table of its own flags: those of `build` are only named."""
    every = commands()
    if not name:
        titles = [f"[`{key}`](#{key}) | {one.help.splitlines()[0]}" for key, one in every.items()]
        return _table("command | what it does", titles)
    text, _, examples = every[name].help.partition("\b")
    lines = [line.strip() for line in (examples or f"sitemapper {name}").strip().splitlines()]
    parts = [" ".join(text.split()), "\n".join(["```sh", *lines, "```"])]
    flags = _flags(every[name])
    of_build = {} if name == "build" else _flags(every["build"])
    shared = [flag for flag, text in flags.items() if of_build.get(flag) == text]
    keys = [flag for flag in flags if flag not in shared and _name(flag) in FLAGS.values()]
    others = [flag for flag in flags if flag not in shared and flag not in keys]
    if others:
        rows = [f"{_code(flag)} | {_plain(flags[flag])}" for flag in others]
        parts.append(_table("flag | meaning", rows).strip())
    if keys:
        parts.append(_named("[Keys of the configuration](configuration.md) for one run:", keys))
    missing = [flag for flag in of_build if flag not in flags]
    if len(missing) < len(shared):
        parts.append(_named("As for `build`: all flags but", missing))
    elif shared:
        parts.append(_named("As for `build`:", shared))
    return "\n\n".join(parts) + "\n"


def _flags(command: Any) -> dict[str, str]:
    """The arguments and flags of a command, as they are typed, each with its help."""
    context = command.make_context(command.name, [], resilient_parsing=True)
    records = [param.get_help_record(context) for param in command.params]
    return dict(filter(None, records))


def _named(introduction: str, flags: list[str]) -> str:
    names = ", ".join(f"`{re.sub(r' [<A-Z].*', '', flag)}`" for flag in flags)
    return textwrap.fill(f"{introduction} {names}.", 120, break_on_hyphens=False)


def _name(flag: str) -> str:
    """`-o, --output DIR` → `--output`."""
    found = re.search(r"--[a-z-]+", flag)
    return found[0] if found else flag.partition(" ")[0]


def _code(text: str) -> str:
    """Code in a table, where a `|` would end the cell."""
    return "`" + text.replace("|", "\\|") + "`"


def _plain(text: str) -> str:
    """Text in a table, without anything that is a tag or a cell in Markdown; code stays."""
    parts = text.replace("|", "\\|").split("`")
    return "`".join(
        part if n % 2 else part.replace("<", "&lt;").replace("*", "\\*")
        for n, part in enumerate(parts)
    )


# --- The configuration


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    return schema()


def _inner(value: dict[str, Any]) -> dict[str, Any]:
    """The schema of a table or of an array of tables; empty for any other value."""
    name = value.get("$ref", "") or value.get("items", {}).get("$ref", "")
    table: dict[str, Any] = _schema()["$defs"].get(name.rpartition("/")[2], {})
    return table


def _settings(table: str) -> str:
    """The keys of a table, such as `sitemap` ("" for the top level), without tables in it."""
    shape = _schema()
    for name in table.split(".") if table else ():
        shape = _inner(shape["properties"][name])
    rows = [
        f"`{key}` | {_default(value)} | {value['description']}{_range(value)}"
        for key, value in shape["properties"].items()
        if not _inner(value)
    ]
    return _table("key | default | meaning", rows)


def _default(value: dict[str, Any]) -> str:
    default = value.get("default")
    return "" if default is None else f"`{_toml(default)}`"


def _toml(value: Any) -> str:
    """A value as it is written in TOML, and whole numbers without a point."""
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def _range(value: dict[str, Any]) -> str:
    """The words or the range of a value, in brackets."""
    kinds = value.get("anyOf", [value])
    words = next((kind["enum"] for kind in kinds if "enum" in kind), ())
    if words:
        return f" [{', '.join(f'`{word}`' for word in words)}]"
    return f" [{value['minimum']:,} to {value['maximum']:,}]" if "minimum" in value else ""


def example() -> str:
    """sitemapper.toml.example, from the schema of the configuration."""
    lines = [
        "# Settings of sitemapper. A line such as `#key = value` shows a default or an example.",
        "# Remove the `#` to set the key. docs/configuration.md explains all keys.",
        *_example_keys("", _schema()),
    ]
    for name, value in _schema()["properties"].items():
        table = _inner(value)
        keys = {key: _inner(inner) for key, inner in table.get("properties", {}).items()}
        arrays = {f"{name}.{key}": inner for key, inner in keys.items() if inner}
        if "items" in value and table:
            arrays[name] = table
        elif table and not arrays:
            lines += ["", f"# {table['description']}", f"[{name}]", *_example_keys(name, table)]
        for array, inner in arrays.items():
            lines += [
                "",
                f"# {inner['description']}",
                f"#[[{array}]]",
                *_example_keys(array, inner),
            ]
    return "\n".join(lines) + "\n"


def _example_keys(table: str, shape: dict[str, Any]) -> Iterator[str]:
    for key, value in shape["properties"].items():
        if _inner(value):
            continue
        yield from textwrap.wrap(f"# {value['description']}", 98, subsequent_indent="# ")
        meanings = CHOICES.get(f"{table}.{key}".strip("."), {})
        yield from (f"#   {choice}: {meaning}" for choice, meaning in meanings.items())
        if not meanings and _range(value):
            yield f"#  {_range(value)}".replace("`", "")
        shown = value.get("default")
        if shown in (None, []) and key in _EXAMPLES:
            shown = _EXAMPLES[key]
        if key == "lastmod" and table:
            yield f"#{key} = 2026-03-01"
        else:
            yield f"#{key} = {_toml(shown)}"


# --- Tables of the code


def _generators(_: str) -> str:
    rows: list[str] = []
    others: list[str] = []
    for one in sorted(GENERATORS, key=lambda one: one.name.lower()):
        keys = [f"`{key}`" for key in one.address.split()]
        address = " or ".join(keys) + (f" with `{one.path}`" if one.path else "")
        ignored = ", ".join(f"`{pattern}`" for pattern in one.ignore.split())
        if address or ignored:
            rows.append(f"{one.name} | {address or 'none'} | {ignored or 'nothing'}")
        else:
            others.append(one.name)
    table = _table("generator | key of the base URL | also ignored", rows)
    return f"{table}\nWithout a key that is read: {', '.join(others)}.\n"


def _reasons(_: str) -> str:
    return _table("reason | which pages", [f"{one.value} | {REASONS[one]}" for one in Reason])


def _hosts(_: str) -> str:
    return _table("host | shown by | `a/index.html` | `b.html` | what is read", map(_host, TABLE))


def _host(row: HostRow) -> str:
    signs = [f"`{name}`" for name in (*row.files, *(pattern for pattern, _ in row.signs))]
    signs += [f"`{variable}`" for variable in row.variables]
    signs += [f"`*.{row.domain}`"] if row.domain else []
    forms = row.forms[""]
    assert forms is not None
    folder = " or ".join(f"`{in_form('a/index.html', form)}`" for form in forms.folder)
    page = " or ".join(f"`{in_form('b.html', form)}`" for form in forms.page)
    return f"{row.name} | {', '.join(signs)} | {folder} | {page} | {_READ[row.read.__name__]}"


def _sources(_: str) -> str:
    return _table("source | date", [f"`{name}` | {text}" for name, text in SOURCES.items()])


def _causes(_: str) -> str:
    """A row for each cause: as `explain` has it, in a sentence, and what helps."""
    rows = [
        f"{name} | {one.text} | {one.help or 'nothing is needed'}" for name, one in CAUSES.items()
    ]
    return _table("cause | meaning | what helps", rows)


def _rules(_: str) -> str:
    """A row for each rule: what is wrong, and the last sentences of its advice, which mend it."""
    rows = []
    for code, rule in RULES.items():
        fix = " ".join(re.split(r"(?<=[.]) (?=[A-Z])", rule.advice)[-_FIXES.get(code, 1) :])
        is_warning = " (a warning)" if rule.severity == "warning" else ""
        rows.append(f"{code}{is_warning} | {_plain(rule.title)} | {_plain(fix)}")
    return _table("code | what is wrong | what to do", rows)


# --- Commands that run


def _transcript(old: str, folder: Path) -> str:
    """The commands of a `console` block, each with what it prints now."""
    found = _CONSOLE.fullmatch(old)
    if not found:
        raise SystemExit(f"no console block between <!-- run --> and <!-- end -->: {old!r}")
    lines = [line for line in found[1].splitlines() if line.startswith("$ ")]
    return "```console\n" + "".join(_ran(line, folder) for line in lines).rstrip() + "\n```\n"


def _ran(command: str, folder: Path) -> str:
    program, *words = shlex.split(command.removeprefix("$ "))
    # To start a process for each command would take most of the time.
    if program == "sitemapper":
        said = _ran_here(words, folder)
    else:
        said = subprocess.run(
            ["bash", "-c", command.removeprefix("$ ")],
            cwd=folder, env=_environment(folder), encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ).stdout  # fmt: skip
    if "Traceback" in said or "No such command" in said:
        raise SystemExit(f"{command} does not run:\n{said}")
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
            run_sitemapper(words)
    finally:
        os.environ.clear()
        os.environ.update(before)
    said.seek(0)
    return said.read()


_WRITERS: dict[str, Callable[[str], str]] = {
    "help": _help,
    "settings": _settings,
    "generators": _generators,
    "reasons": _reasons,
    "hosts": _hosts,
    "sources": _sources,
    "causes": _causes,
    "rules": _rules,
    "rooms": lambda _: describe_rooms(),
}


def schema_text() -> str:
    """sitemapper/config/schema.json, which `sitemapper schema` prints."""
    return json.dumps(_schema(), indent=2) + "\n"


def main() -> None:
    """Writes each page anew, and names those that were out of date."""
    pages = ((page, fresh(page)) for page in PAGES)
    for page, text in ((SCHEMA, schema_text()), (EXAMPLE, example()), *pages):
        if not page.exists() or text != page.read_text():
            page.write_text(text)
            print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
