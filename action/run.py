"""The action's second step: runs sitemapper, then tells the workflow what came of it.

Inputs come from the environment and reach no shell. The annotations of a build are those of a dry run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FEW = 5  # examples of one kind in the summary
MANY = 20  # findings and files in the summary
COMMANDS = ("build", "check", "validate")


class Lists(NamedTuple):
    """The files that a run writes: what changes, and what is left out."""

    changes: Path
    excluded: Path

    @property
    def flags(self) -> list[str]:
        """The options that ask for them."""
        return ["--changes", str(self.changes), "--excluded", str(self.excluded)]


def main(env: Mapping[str, str]) -> int:
    """Runs the command of the inputs; returns its exit code."""
    try:
        command = command_line(env)
    except ValueError as error:
        say_error(str(error))
        return 2
    lists = Lists(*(Path(env["RUNNER_TEMP"], f"sitemapper-{name}.tsv") for name in Lists._fields))
    dry_run = ["--dry-run"] if command[0] == "build" else []
    annotations = sitemapper(*command, *dry_run, "--format", "github", "--quiet")
    sys.stdout.write(annotations.stdout)
    has_lists = command[0] != "validate" and "--against" not in command
    done = sitemapper(*command, *(lists.flags if has_lists else ()), "--format", "json")
    sys.stderr.write(done.stderr)
    if done.returncode == 2 or not done.stdout:
        say_error(done.stderr or "args: --quiet leaves nothing to summarise; leave it out")
        return 2
    found = json.loads(done.stdout)
    excluded = pages_left_out(lists.excluded) if has_lists else []
    if has_lists:
        write(env["GITHUB_OUTPUT"], outputs(found, len(excluded), lists.changes))
    if env["INPUT_SUMMARY"] != "false":
        rows = pages(found, excluded) if has_lists else findings(found)
        write(env["GITHUB_STEP_SUMMARY"], [f"### sitemapper {command[0]}", "", *rows])
    return done.returncode


def command_line(env: Mapping[str, str]) -> list[str]:
    """The command with its options. Raises ValueError for inputs that do not fit."""
    command, site = env["INPUT_COMMAND"], env["INPUT_SITE"]
    if command not in COMMANDS:
        raise ValueError(f"command: {command!r} must be one of {', '.join(COMMANDS)}")
    settings = {"--base-url": env["INPUT_BASE_URL"], "--config": env["INPUT_CONFIG"]}
    if command == "validate" and any(settings.values()):
        raise ValueError("base-url and config are inputs of build and check; leave them out for validate")
    given = [part for pair in settings.items() if pair[1] for part in pair]
    place = [site] if site else ["."] if command == "validate" else []
    return [command, *place, *given, *shlex.split(env["INPUT_ARGS"])]


def sitemapper(*args: str) -> subprocess.CompletedProcess[str]:
    """Runs sitemapper with this Python."""
    command = (sys.executable, "-m", "sitemapper", *args)
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONUTF8": "1"}
    )


def pages_left_out(file: Path) -> list[tuple[str, str, str]]:
    """Path, reason and origin of each page that is left out; folders are none."""
    rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return [(path, why, where) for path, why, where in rows if "://" in path or not path.endswith("/")]


def outputs(found: dict[str, Any], excluded: int, changes: Path) -> Iterator[str]:
    """The outputs of the step."""
    yield f"sitemap={found['sitemap']}"
    yield f"listed={found['listed']}"
    yield f"excluded={excluded}"
    yield from (f"{kind}={len(urls)}" for kind, urls in found["changes"].items())
    yield f"changes-file={changes}"


def pages(found: dict[str, Any], excluded: list[tuple[str, str, str]]) -> Iterator[str]:
    """The summary of a build or a check."""
    yield f"{code(found['sitemap'])}: {plural(found['listed'], 'page')} listed, {len(excluded):,} left out."
    if "same" in found:
        yield "This is what a build would write." if found["same"] else "A build would write something else."
    changes = {
        kind: [url if isinstance(url, str) else url["url"] for url in urls]
        for kind, urls in found["changes"].items()
    }
    if found["previous"] is None:
        yield "There was no earlier sitemap to compare with."
    else:
        yield from table(("change", "URLs", "first"), changes)
    reasons: dict[str, list[str]] = {}
    for path, why, _ in excluded:
        reasons.setdefault(why, []).append(path)
    yield from table(("left out", "pages", "first"), reasons)
    yield from table(("required, but not listed", "pages", "first"), {"": found.get("required", [])})
    yield from rows(
        ("file", "change"), [(f["name"], f["change"]) for f in found["files"] if f["change"] != "kept"]
    )
    yield from rows(
        ("warning", "times", "first"),
        [(w["kind"].replace("_", " "), f"{w['count']:,}", *w["examples"]) for w in found.get("warnings", ())],
    )


def findings(found: dict[str, Any]) -> Iterator[str]:
    """The summary of `validate` and of `check --against`."""
    counts = [plural(found[f"{kind}s"], kind) for kind in ("error", "warning")]
    yield f"{' and '.join(counts)} in {plural(len(found['files']), 'file')}."
    worst = sorted(found["findings"], key=lambda finding: finding["severity"] != "error")
    yield from rows(
        ("rule", "place", "finding"),
        [(f["code"], f"{f['file']}:{f['line']}", f["message"]) for f in worst],
    )


def table(head: tuple[str, ...], groups: Mapping[str, list[str]]) -> Iterator[str]:
    """How many there are of each kind, with the first of them."""
    told = {kind: texts for kind, texts in groups.items() if texts}
    yield from rows(head, [(kind, f"{len(texts):,}", *texts[:FEW]) for kind, texts in told.items()])


def rows(head: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """A table; what a line has more than the head stands in its last column."""
    if not lines:
        return
    last = len(head) - 1
    yield from ("", f"| {' | '.join(head)} |", "|---" * len(head) + "|")
    for line in lines[:MANY]:
        cells = (*map(plain, line[:last]), "<br>".join(map(code, line[last:])))
        yield f"| {' | '.join(cells)} |"
    if len(lines) > MANY:
        yield f"\nand {len(lines) - MANY:,} more"


def plural(count: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def plain(text: str) -> str:
    """Text as it is: names of files may hold what Markdown and HTML take for theirs."""
    return re.sub(r"[^\w ./,:()-]|_", lambda found: f"&#{ord(found[0])};", text)


def code(text: str) -> str:
    """The same in a fixed width."""
    return f"<code>{plain(text)}</code>"


def say_error(message: str) -> None:
    """An annotation; GitHub decodes these three characters."""
    for char, sign in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        message = message.strip().replace(char, sign)
    sys.stdout.write(f"::error title=sitemapper::{message}\n")


def write(file: str, lines: Iterable[str]) -> None:
    """Adds lines to a file of the workflow."""
    with open(file, "a", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(os.environ))
