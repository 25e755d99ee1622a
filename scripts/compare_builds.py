"""Compares two versions of the package on every tree that the tests build.

`make compare BEFORE=HEAD~1` records each site that the tests of the older version build, with the
call: the command line, or the values given to `sitemapper.load`. It adds the recorded corpora of
`tests/data`, and the projects of `--trees`. Then each version runs each call on a copy of its tree,
in an environment of its own, because their dependencies differ (compare_replay.py). A call that
uses what left is translated, or counted apart (compare_left.py). What differs is listed by kind.

It writes below `--cache` only, a folder that may be copied with its times (`cp -a`). The results of
the older version stay there, so it runs only cases that are new.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from compare_differences import Difference, blank, hunks
from compare_left import ask, words_left
from compare_replay import RECORDED, Job, read_results

_QUICK = "not real and not slow"  # the tests whose trees are recorded


# --- the cases ---


def make_environment(folder: Path, package: Path) -> Path:
    """Makes an environment with what a version needs for its tests, once. Returns its Python."""
    python, ready = folder / "bin/python", folder / ".ready"
    if not ready.exists():
        install: list[Any] = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([*install, "--upgrade", "pip>=25.1"], check=True)
        subprocess.run([*install, package], check=True)
        subprocess.run([*install, "--group", f"{package}/pyproject.toml:dev"], check=True)
        ready.touch()
    return python


def record(python: Path, before: Path, cases: Path, tests: list[str]) -> None:
    """Runs the tests of a version, and keeps each tree that they build. Failures do not count."""
    cases.mkdir(parents=True, exist_ok=True)
    here = str(Path(__file__).parent)
    paths = os.pathsep.join([str(before), str(before / "tests"), here])
    subprocess.run(
        [python, "-m", "pytest", "-p", "compare_replay", "-m", _QUICK, *tests],
        cwd=before,
        env={
            **os.environ,
            "PYTHONPATH": paths,
            RECORDED: str(cases),
            "HYPOTHESIS_PROFILE": "quick",
        },
        stdout=subprocess.DEVNULL,
        check=False,
    )


def add_corpora(data: Path, cases: Path) -> None:
    """A case for each recorded site of a host, and each file that was once read wrongly."""
    for recording in sorted((data / "hosts").glob("*.json")):
        for number, recorded in enumerate(json.loads(recording.read_text())["cases"]):
            site = {f"public/{name}": text for name, text in recorded["files"].items()}
            pages = {f"public/{page}": f"<title>{page}</title><p>" for page in recorded["pages"]}
            values = {"site": "{TREE}/public", "base_url": "https://example.com/"}
            name = f"{recording.stem}-{number}"
            files = {**recorded["project"], **pages, **site}
            _add(cases, name, files, {"values": {**values, "host": recorded["host"]}})
    names = {
        "headers": "public/_headers",
        "redirects": "public/_redirects",
        "netlify": "netlify.toml",
        "vercel": "vercel.json",
        "robots": "public/robots.txt",
        "sitemaps": "public/sitemap.xml",
        "ledger": "sitemapper.ledger",
        "pages": "public/page.html",
    }
    for kind, name in names.items():
        for path in sorted((data / "corpus" / kind).iterdir()):
            files = {"public/index.html": "<title>Home</title><p>", "public/a/index.html": "<p>"}
            argv = ["build", "{TREE}/public", "--base-url", "https://example.com/"]
            files[name] = path.read_bytes().decode("latin-1")
            _add(cases, f"corpus-{kind}-{path.stem}", files, {"argv": argv})


def _add(cases: Path, name: str, files: dict[str, str], call: dict[str, Any]) -> None:
    """Writes a case. A page gets a time of its own, because pages of one time are a copy."""
    tree = cases / name / "tree"
    for number, (path, text) in enumerate(sorted(files.items())):
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("latin-1" if name.startswith("corpus") else "utf-8"))
        os.utime(file, (1_700_000_000 + 3_600 * number,) * 2)
    _write_case(cases / name, call, name)


def add_projects(folders: list[Path], cases: Path) -> None:
    """Two cases for each project: with nothing said, and with a base URL."""
    for folder in folders:
        for suffix, more in (("", []), ("-with-base", ["--base-url", "https://example.com/"])):
            case = cases / f"project-{folder.name}{suffix}"
            if case.exists():  # as it was when the older version built it
                continue
            shutil.copytree(folder, case / "tree", symlinks=True)
            _write_case(case, {"argv": ["build", *more]}, folder.name)


def _write_case(case: Path, call: dict[str, Any], test: str) -> None:
    more = {"clock": int(time.time()), "environment": {}, "cwd": ".", "test": test}
    (case / "case.json").write_text(json.dumps({**call, **more}))


# --- the comparison ---


def differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Difference]:
    """All differences of a case."""
    if before["code"] != after["code"]:
        codes = f"{before['code']} → {after['code']}"
        error = (after if after["code"] else before)["err"]
        yield Difference("exit code", codes + blank(error[:200]), f"{codes}\n{error[:600]}")
    for name in sorted(before["files"].keys() | after["files"].keys()):
        old, new = (files.get(name, "(as before)") for files in (before["files"], after["files"]))
        yield from hunks(f"files: {_class_of_file(name)}", old, new, name)
    yield from hunks("left out", before["excluded"], after["excluded"])
    yield from hunks("stdout", before["out"], after["out"])
    yield from hunks("stderr", before["err"], after["err"])


def _class_of_file(name: str) -> str:
    endings = {"robots.txt": "robots.txt", "ledger": "ledger", "-ledger.txt": "ledger"}
    endings |= {".xml": "sitemap", ".gz": "sitemap", ".txt": "list", ".html": "report"}
    return next((kind for ending, kind in endings.items() if name.endswith(ending)), "other")


class Comparison:
    """Gathers the differences of cases, and prints them by kind."""

    def __init__(self, cases: Path, show: str) -> None:
        self.cases, self.show = cases, show
        self.compared = 0
        self.translated = 0
        self.found: dict[str, list[Difference]] = {}  # by the name of the case
        self.left: dict[str, list[str]] = {}  # words of cases that differ

    def add(self, name: str, found: Iterable[Difference], words: Callable[[], list[str]]) -> None:
        """Takes the differences of a case. `words` finds what it uses that left."""
        self.compared += 1
        differing = [one for one in found if one.kind.startswith(self.show) or self.show == "none"]
        if differing:
            self.found[name] = differing
            self.left[name] = words()

    def print(self) -> int:
        """Prints what differs, and returns the number of cases that differ for another reason."""
        groups: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        kinds: defaultdict[str, set[str]] = defaultdict(set)
        left: defaultdict[str, list[str]] = defaultdict(list)
        for name, found in self.found.items():
            for word in self.left[name]:
                left[word].append(name)
            for one in () if self.left[name] else found:
                kinds[one.kind].add(name)
                groups[one.kind, one.sign].setdefault(name, one.text)
        order = sorted(groups, key=lambda group: (group[0], -len(groups[group])))
        for group in order if self.show != "none" else ():
            names = groups[group]
            name, text = min(names.items(), key=lambda item: len(item[1]))
            print(f"\n{len(names)} × {group[0]}, such as {name}  {self._test(name)}")
            print("    " + "\n    ".join(text.splitlines()[:12]))
        number_left = sum(map(bool, self.left.values()))
        differing = len(self.found) - number_left
        print(f"\n{self.compared} cases, {self.translated} translated; {differing} differ", end="")
        print(f", and {number_left} with what left. Cases by kind:")
        for kind, cases in sorted(kinds.items()):
            different = sum(kind == group[0] for group in groups)
            print(f"  {len(cases):5} {kind}, in {different} ways")
        for word, names_left in sorted(left.items()):
            print(f"  {len(names_left):5} left: {word}, such as {names_left[0]}")
        return differing

    def write(self, file: Path) -> None:
        """Writes all differences of all cases."""
        with open(file, "w", errors="surrogateescape") as out:
            for name, found in self.found.items():
                left = f"  left: {', '.join(self.left[name])}" if self.left[name] else ""
                print(f"=== {name}  {self._test(name)}{left}", file=out)
                for one in found:
                    print(f"--- {one.kind}: {one.text}", file=out)

    def _test(self, name: str) -> str:
        case = json.loads((self.cases / name / "case.json").read_text())
        return f"{case['test']}  {' '.join(case.get('argv', ['(API)']))}"


def start(python: Path, package: Path, cases: Path, results: Path, job: Job) -> Any:
    """Starts a process that does a job with the package in a folder."""
    script = Path(__file__).with_name("compare_replay.py")
    arguments: list[Any] = [python, script, cases, results, json.dumps(job)]
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONHASHSEED": "0"}
    return subprocess.Popen(arguments, env=environment, cwd=package)


def wait(*processes: Any) -> None:
    """Waits for processes, and ends this one if one of them failed."""
    codes = [process.wait() for process in processes]
    if any(codes):
        sys.exit("a version could not replay the cases")


def compare_runs(
    comparison: Comparison,
    options: Any,
    python: Path,
    package: Path,
    repository: Path,
    folder: Path,
) -> None:
    """Compares the exit codes, files and words of each call."""
    before, digests = package.parent / "before.jsonl", package.parent / "digests.jsonl"
    after, left_file = folder / "after.jsonl", folder / "left.json"
    known = ask(Path(sys.executable), repository)
    left = ask(python, package).without(known)
    left_file.write_text(json.dumps([sorted(names) for names in left]))
    cases, only = comparison.cases, options.only
    wait(start(python, package, cases, digests, Job(only, asks_digests=True)))
    wait(
        start(python, package, cases, before, Job(only)),
        start(
            Path(sys.executable), repository, cases, after, Job(only, str(left_file), str(digests))
        ),
    )
    results = dict(read_results(before))
    for name, new in read_results(after):
        case = cases / name
        call = json.loads((case / "case.json").read_text())
        words = partial(words_left, call, case / "tree", left, known)
        comparison.translated += "translated" in new
        comparison.add(name, differences(results[name], new), words)


def main() -> None:
    """Records what is not recorded yet, replays it with both versions, and lists what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default="HEAD", metavar="REV", help="the older version")
    parser.add_argument("--cache", type=Path, default=Path(".cache-compare"), metavar="DIR")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="the tests to record")
    parser.add_argument("--trees", nargs="*", type=Path, default=[], help="more projects")
    parser.add_argument("--only", default="", metavar="REGEX", help="only the cases of these tests")
    parser.add_argument(
        "--show", default="", metavar="KIND", help="only this kind, such as files; none for numbers"
    )
    parser.add_argument("--list", type=Path, metavar="FILE", help="write all differences to FILE")
    options = parser.parse_args()
    repository = Path(__file__).absolute().parents[1]
    revision = subprocess.check_output(
        ["git", "rev-parse", options.before], cwd=repository, text=True
    ).strip()
    folder = options.cache.absolute() / revision[:12]
    package, cases = folder / "package", folder / "cases"
    if not package.exists():
        subprocess.run(["git", "clone", "-q", repository, package], check=True)
        subprocess.run(["git", "checkout", "-q", revision], cwd=package, check=True)
    python = make_environment(folder / "venv", package)
    if not cases.exists():
        unfinished = folder / "cases.part"
        record(python, package, unfinished, options.tests)
        add_corpora(package / "tests/data", unfinished)
        unfinished.rename(cases)
    add_projects(options.trees, cases)
    comparison = Comparison(cases, options.show.removeprefix("all"))
    with tempfile.TemporaryDirectory() as temporary:
        compare_runs(comparison, options, python, package, repository, Path(temporary))
    if options.list:
        comparison.write(options.list)
    sys.exit(min(comparison.print(), 1))


if __name__ == "__main__":
    main()
