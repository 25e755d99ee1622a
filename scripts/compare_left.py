"""What of a recorded call has left the newer version: translated where something stands in for it.

Both versions are asked what they know, by their `--help` and `schema`. What only the older one
knows has left. So this file needs a line only for what stands in, and for names of files.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

COMMANDS = ("build", "check", "explain", "init", "validate")  # the others open connections
# What stands in for a flag that left. `{}` is its value; a flag in VALUED has one that is dropped.
STAND_INS: dict[str, list[str]] = {
    "--text": ["--config", "sitemap.text = true"],
    "--index": ["--config", 'sitemap.index = "{}"'],
    "--max-urls": ["--config", "sitemap.max_urls = {}"],
    "--max-bytes": ["--config", "sitemap.max_bytes = {}"],
    "--no-respect": ["--config", "respect.{} = false"],
    "--allow-empty": ["--max-drop", "100"],
    "--exit-code": ["--tracked"],
    "--no-cache": [],
    "--cache": [],
    "--color": [],
    "--no-live": [],
}
VALUED = ("--cache", "--color")
# What stands in is not quite the same: a difference is what left.
NEARLY = ("--exit-code", "--allow-empty")
# Files that are not read any more, each with the host or the key with which it left.
FILES = {
    ".htaccess": "apache",
    ".vercelignore": "apache",
    ".assetsignore": "apache",
    "staticwebapp.config.json": "azure",
    "web.config": "azure",
    ".sitemapignore": "extra",
}
# Variables of the environment without a flag that stay.
VARIABLES = ("SITEMAPPER_SITE", "SITEMAPPER_CONFIG", "SITEMAPPER_SUBMIT_KEY")
# A source that needs all of path-to-regexp, once `:x`, `:x*`, `*` and `(.*)` are cut out.
_SIMPLE = re.compile(r":\w+\*?(?![\w(+?{*])|\(\.\*\)|\*")


class Known(NamedTuple):
    """What a version takes: flags and formats by its help, keys and hosts by its schema."""

    flags: frozenset[str]
    formats: frozenset[str]
    keys: frozenset[str]
    hosts: frozenset[str]

    def without(self, other: Known) -> Known:
        """Returns what only this version takes."""
        return Known(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


def ask(python: Path, package: Path) -> Known:
    """Asks the version in a folder what it takes."""

    def answer(*argv: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "200"}
        command = [str(python), "-m", "sitemapper", *argv]
        done = subprocess.run(command, env=environment, cwd=package, capture_output=True, text=True)
        return done.stdout

    helps = "\n".join(answer(command, "--help") for command in COMMANDS)
    options = re.findall(r"^ +(?:-\w, )?(--[\w-]+)(?: / (--[\w-]+))?", helps, re.M)
    formats = re.findall(r"--format\s+[<\[]?([a-z|]+)", helps)
    schema = json.loads(answer("schema"))
    host = json.dumps(schema["properties"]["host"])
    return Known(
        flags=frozenset(flag for names in options for flag in names if flag),
        formats=frozenset(name for names in formats for name in names.split("|")),
        keys=frozenset(_keys_of_schema(schema, schema)),
        hosts=frozenset(re.findall(r'"(\w+)"', host)),
    )


def _keys_of_schema(part: dict[str, Any], schema: dict[str, Any], above: str = "") -> Iterator[str]:
    """Yields the keys of a schema with those of its tables: `sitemap.view`."""
    for name, value in part.get("properties", {}).items():
        yield above + name
        texts = [value, *value.get("allOf", ())]
        for reference in (text["$ref"] for text in texts if "$ref" in text):
            inner = schema["$defs"][reference.rpartition("/")[2]]
            yield from _keys_of_schema(inner, schema, f"{above}{name}.")


def translate(argv: list[str], left: Known) -> list[str]:
    """Replaces the flags of a command line that left by what stands in for them."""
    translated: list[str] = []
    words = iter(argv)
    for word in words:
        flag, has_value, value = word.partition("=")
        if flag not in left.flags or flag not in STAND_INS:
            translated.append(word)
            continue
        stand_in = STAND_INS[flag]
        if not has_value and (flag in VALUED or any("{}" in text for text in stand_in)):
            value = next(words, "")
        values = value.split(",") if flag == "--no-respect" else [value]
        translated += [text.replace("{}", one) for one in values for text in stand_in]
    return translated


def words_left(case: dict[str, Any], tree: Path, left: Known, now: Known) -> list[str]:
    """Names all that a case uses and that left: flags, formats, keys, hosts, variables, files."""
    return sorted({*_in_call(case, left, now), *_in_tree(case, tree, left)})


def _in_call(case: dict[str, Any], left: Known, now: Known) -> Iterator[str]:
    """Yields what left of a command line, of values for the API, and of the environment."""
    argv = case.get("argv", [])
    for flag, following in zip(argv, [*argv[1:], ""], strict=False):
        name, _, value = flag.partition("=")
        value = value or following
        if name in left.flags and (name not in STAND_INS or name in NEARLY):
            yield name
        elif name == "--no-respect" and "respect.not_a_page" in left.keys:
            if "not_a_page" in value:
                yield "respect.not_a_page"
        elif name == "--format" and value in left.formats:
            yield f"--format {value}"
        elif name in ("-o", "--output") and value == "-" and "--no-live" in left.flags:
            yield "--output -"  # it left with that flag
        elif name == "--config" and "=" in value:
            with contextlib.suppress(ValueError):
                yield from _in_settings(tomllib.loads(value), left)
    if isinstance(case.get("values"), dict):
        yield from _in_settings(case["values"], left)
    for variable in case["environment"]:
        flag = "--" + variable.removeprefix("SITEMAPPER_").lower().replace("_", "-")
        is_ours = variable.startswith("SITEMAPPER_") and variable not in VARIABLES
        if is_ours and flag not in now.flags:
            yield variable


def _in_settings(settings: dict[str, Any], left: Known, above: str = "") -> Iterator[str]:
    """Yields the keys and hosts of settings that left."""
    for name, value in settings.items():
        if above + name in left.keys:
            yield f"key {above}{name}"
        elif isinstance(value, dict) and not above:
            yield from _in_settings(value, left, f"{name}.")
        elif above + name == "host" and str(value) in left.hosts:
            yield f"host {value}"


def _files_named(case: dict[str, Any]) -> set[str]:
    """The names of files that a command line names: `--config x/y.toml` → `y.toml`."""
    return {word.rpartition("/")[2].rpartition("=")[2] for word in case.get("argv", ())}


def _in_tree(case: dict[str, Any], tree: Path, left: Known) -> Iterator[str]:
    """Yields what left of the files of a tree: configurations, and files that no host reads now."""
    for folder, _, names in os.walk(tree):
        for name in names:
            path = Path(folder, name)
            if FILES.get(name) in left.hosts | left.keys:
                yield name
            elif name in ("sitemapper.toml", "pyproject.toml") or name in _files_named(case):
                with contextlib.suppress(ValueError, AttributeError, OSError, RecursionError):
                    settings = tomllib.loads(path.read_text())
                    if name == "pyproject.toml":
                        settings = settings.get("tool", {}).get("sitemapper", {})
                    yield from _in_settings(settings, left)
            elif name in ("firebase.json", "vercel.json", "now.json") and "apache" in left.hosts:
                text = path.read_text(errors="replace") if path.is_file() else ""
                sources = re.findall(r'"source"\s*:\s*"([^"]*)"', text)
                if name == "firebase.json" and re.search("redirects|rewrites|headers|ignore", text):
                    yield "rules of firebase.json"
                elif any(re.search(r"[(){}?+|:]", _SIMPLE.sub("", one)) for one in sources):
                    yield "path-to-regexp"
