"""Compares two versions of the package on every tree that the tests build.

`make compare BEFORE=HEAD~1` records each site that the tests of the older version build, with the
call: the command line, or the values given to `sitemapper.load`. It adds the recorded corpora of
`tests/data`, and the projects of `--trees`. Then each version runs each call on a copy of its tree.
What differs is listed by kind: the exit code, files, the pages that are left out, and the words.

This file is also the plugin of pytest that records the trees. It writes below `--cache` only.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gc
import hashlib
import importlib
import json
import os
import pkgutil
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMMANDS = ("build", "check", "explain", "init", "validate")  # the others open connections
RECORDED = (
    "COMPARED_TREES"  # the folder for what the plugin records; not SITEMAPPER_…, which tests unset
)
MOST_FILES = 3_000  # a tree with more is a test of size
NOW = "2026-06-01T00:00:00+00:00"
MOST_BYTES = 20_000
MEMORY = "/dev/shm"  # Linux has it, and a copy there is no write to a disk
SECONDS_A_CALL = 120
# What differs at each run: times that it took, and names of temporary files.
CHANGING = re.compile(r'"seconds": [\d.]+|\b\d+(\.\d+)? ?m?s\b|\.sitemapper-[\w-]+')
_QUICK = "not real and not slow"  # the tests whose trees are recorded
_ORIGINAL_ENVIRONMENT = dict(os.environ)


# --- recording, in the process of pytest ---


def pytest_configure() -> None:
    """Watches the two ways in which tests start a run."""
    if RECORDED not in os.environ:
        return
    import support

    import sitemapper

    load = sitemapper.load
    run = support.Run.__call__

    def load_and_record(values: dict[str, Any], *, cwd: str, **more: Any) -> Any:
        if not more:
            _record({"values": values}, Path(cwd))
        return load(values, cwd=cwd, **more)

    def run_and_record(self: Any, *argv: object) -> int:
        if argv and argv[0] in COMMANDS:
            _record({"argv": [str(arg) for arg in argv]}, Path.cwd())
        return run(self, *argv)

    sitemapper.load = load_and_record
    support.Run.__call__ = run_and_record


def _record(call: dict[str, Any], cwd: Path) -> None:
    """Copies the folder of the test with the call, once for equal ones."""
    top = _folder_of_test(cwd)
    if top is None or sum(len(files) for _, _, files in os.walk(top)) > MOST_FILES:
        return
    environment = {
        name: text
        for name, text in os.environ.items()
        if _ORIGINAL_ENVIRONMENT.get(name) != text
        and not name.startswith(("PYTEST", "XDG", "COV", "HYPOTHESIS"))
    }
    test = os.environ.get("PYTEST_CURRENT_TEST", "").removesuffix(" (call)")
    case = {**call, "environment": environment, "cwd": str(cwd.relative_to(top)), "test": test}
    try:
        text = json.dumps(case).replace(str(top), "{TREE}")
    except TypeError:
        return  # a value that only Python has
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = Path(os.environ[RECORDED], name)
    with contextlib.suppress(FileExistsError, shutil.Error, OSError):
        folder.mkdir()
        shutil.copytree(top, folder / "tree", symlinks=True, ignore=_left_out(top))
        (folder / "case.json").write_text(text)


def _folder_of_test(cwd: Path) -> Path | None:
    """pytest's folder for one test, None outside of it: `…/test_x0/public` → `…/test_x0`."""
    for folder in (cwd, *cwd.parents):
        if folder.parent.name.startswith(("popen-gw", "pytest-")) and folder.name != "empty0":
            return folder
    return None


def _left_out(top: Path) -> Any:
    """The cache at the top of a tree, by which a second run would read no page."""

    def names(folder: str, entries: list[str]) -> list[str]:
        return ["cache"] if Path(folder) == top and "cache" in entries else []

    return names


# --- replaying, in a process of each version ---


def replay(cases: Path, results: Path, only: str) -> None:
    """Runs each case in a process of its own, on a copy of its tree, and writes what came out."""
    _import_everything()
    scratch = Path(
        tempfile.mkdtemp(prefix="compare", dir=MEMORY if os.path.isdir(MEMORY) else None)
    )
    gc.freeze()  # so that no process copies what it only looks at
    unfinished = results.with_suffix(".part")
    with open(unfinished, "w") as file:
        for folder in sorted(cases.iterdir()):
            if is_wanted(folder, only):
                result = {"case": folder.name, **_replay_one(folder, scratch)}
                file.write(json.dumps(result) + "\n")
    shutil.rmtree(scratch, ignore_errors=True)
    unfinished.replace(results)


def _import_everything() -> None:
    """Loads the package once for all processes. What an extra needs may be missing."""
    import sitemapper

    for module in pkgutil.walk_packages(sitemapper.__path__, "sitemapper."):
        if not module.name.endswith("__main__") and ".integrations." not in module.name:
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)


def is_wanted(case: Path, only: str) -> bool:
    """Whether the test that made a case matches an expression."""
    try:
        test = json.loads((case / "case.json").read_text())["test"]
    except FileNotFoundError:
        return False  # the tests were stopped while it was recorded
    return re.search(only, f"{test} {case.name}") is not None


def _replay_one(folder: Path, scratch: Path) -> dict[str, Any]:
    """The exit code, what was printed, and the files that the run wrote or removed."""
    shutil.rmtree(scratch, ignore_errors=True)
    tree = scratch / "tree"
    shutil.copytree(folder / "tree", tree, symlinks=True)
    case = json.loads((folder / "case.json").read_text().replace("{TREE}", str(tree)))
    out, err = scratch / "out", scratch / "err"
    child = os.fork()
    if child == 0:
        _run_case(case, tree, scratch, out, err)
    _, status = os.waitpid(child, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": _normal(out, scratch),
        "err": _normal(err, scratch),
        "excluded": _normal(scratch / "excluded", scratch),
        "files": dict(_changed_files(folder / "tree", tree)),
    }


def _changed_files(before: Path, after: Path) -> Iterator[tuple[str, str]]:
    """The files that a run wrote, with their texts; of a large one the beginning and a digest."""
    for path in sorted(after.rglob("*")):
        if ".git" in path.parts or path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(after)
        content = path.read_bytes()
        original = before / name
        if original.is_file() and original.read_bytes() == content:
            continue
        text = content[:MOST_BYTES].decode("latin-1")
        if len(content) > MOST_BYTES:
            text += f"… {hashlib.sha256(content).hexdigest()}"
        yield str(name), text
    for path in before.rglob("*"):
        if ".git" not in path.parts and not os.path.lexists(after / path.relative_to(before)):
            yield str(path.relative_to(before)), "(removed)"


def _normal(file: Path, scratch: Path) -> str:
    """A text without what changes from run to run, "" if there is no file."""
    if not file.exists():
        return ""
    text = file.read_bytes().decode("utf-8", "replace").replace(str(scratch), "{SCRATCH}")
    return CHANGING.sub("…", text)


def _run_case(case: dict[str, Any], tree: Path, scratch: Path, out: Path, err: Path) -> None:
    """Runs a case in this process, and ends it."""
    code = 3
    signal.alarm(SECONDS_A_CALL)
    try:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
        os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT), 2)
        os.environ.update(case["environment"], XDG_CACHE_HOME=str(scratch / "cache"))
        os.chdir(tree / case["cwd"])
        code = _call(case, scratch / "excluded")
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException as error:  # noqa: BLE001  it is a result, too
        os.write(2, f"{type(error).__name__}: {error}".encode())
    os._exit(code)


def _call(case: dict[str, Any], excluded: Path) -> int:
    """Calls the command line, or the API, which then prints what it returns."""
    if "argv" in case:
        from sitemapper.__main__ import main

        argv = case["argv"]
        if argv[0] == "build" and "--excluded" not in argv:
            argv = [*argv, "--excluded", str(excluded)]
        return main(argv)
    from datetime import datetime

    import sitemapper

    class Watching(sitemapper.Observer):
        def excluded(self, page: sitemapper.Excluded) -> None:
            with open(excluded, "a", errors="surrogateescape") as file:
                print(page.path, page.reason.value, page.origin, file=file, sep="\t")

    setup = sitemapper.load(case["values"], cwd=os.getcwd())
    now = datetime.fromisoformat(NOW)
    try:
        summary = sitemapper.build(setup, now=now, observer=Watching())
    except sitemapper.SitemapperError as error:
        print(error, file=sys.stderr)
        return 2
    print(summary.listed, summary.dated, *_said(summary), sep="\n")
    return 0


def _said(summary: Any) -> tuple[object, object]:
    """The warnings and notes of a run, as versions before `Message` had them."""
    try:
        from sitemapper.cli.words import SENTENCES, message_text
    except ImportError:
        return summary.warnings, summary.notes
    warnings = [
        f"(<WarningKind.{one.kind.name}: {SENTENCES[one.kind][0]!r}>, {one.cases}, {one.subjects})"
        for one in summary.warnings
    ]
    end = ",)" if len(warnings) == 1 else ")"
    return f"({', '.join(warnings)}{end}", tuple(map(message_text, summary.notes))


# --- the cases ---


def record(before: Path, cases: Path, tests: list[str]) -> None:
    """Runs the tests of a version, and keeps each tree that they build. Failures do not count."""
    cases.mkdir(parents=True)
    here = str(Path(__file__).parent)
    paths = os.pathsep.join([str(before), str(before / "tests"), here])
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "compare_builds", "-m", _QUICK, *tests],
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
    case = {**call, "environment": {}, "cwd": ".", "test": name}
    (cases / name / "case.json").write_text(json.dumps(case))


def add_projects(folders: list[Path], cases: Path) -> None:
    """Two cases for each project: with nothing said, and with a base URL."""
    for folder in folders:
        for suffix, more in (("", []), ("-with-base", ["--base-url", "https://example.com/"])):
            case = cases / f"project-{folder.name}{suffix}"
            shutil.rmtree(case, ignore_errors=True)
            shutil.copytree(folder, case / "tree", symlinks=True)
            call = {"argv": ["build", *more], "environment": {}, "cwd": ".", "test": folder.name}
            (case / "case.json").write_text(json.dumps(call))


# --- the comparison ---


def differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The kinds of differences of a case, each with a text that shows it."""
    if before["code"] != after["code"]:
        yield "exit code", f"{before['code']} → {after['code']}\n{after['err'][:600]}"
    names = sorted(before["files"].keys() | after["files"].keys())
    for name in names:
        old, new = before["files"].get(name), after["files"].get(name)
        if old != new:
            yield "files", f"{name}\n{_diff(old or '', new or '')}"
    if before["excluded"] != after["excluded"]:
        yield "left out", _diff(before["excluded"], after["excluded"])
    for stream in ("out", "err"):
        if before[stream] != after[stream]:
            yield "words", _diff(before[stream], after[stream])


def _diff(old: str, new: str) -> str:
    """The lines that differ, at most 30 of them."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in list(lines)[2:32] if not line.startswith("@@"))


def compare(cases: Path, before: Path, after: Path, show: str) -> int:
    """Prints what differs, and returns the number of cases that differ."""
    results = [dict(_read_results(file)) for file in (before, after)]
    counts: Counter[str] = Counter()
    differing = 0
    for name, new in results[1].items():
        test = json.loads((cases / name / "case.json").read_text())["test"]
        found = list(differences(results[0][name], new))
        kinds = {kind for kind, _ in found}
        counts.update(kinds)
        differing += bool(found)
        shown = [(kind, text) for kind, text in found if show in ("all", kind)]
        if shown:
            print(f"\n=== {name}  {test}")
        for kind, text in shown:
            print(f"--- {kind}: {text}")
    print(f"\n{len(results[1])} cases, {differing} differ; of them by kind: {dict(counts)}")
    return differing


def _read_results(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in file.read_text().splitlines():
        result = json.loads(line)
        yield result["case"], result


def start_replay(
    package: Path, cases: Path, results: Path, only: str = ""
) -> subprocess.Popen[bytes]:
    """Starts a process that replays cases with the package in a folder."""
    arguments = [__file__, "--replay", str(cases), str(results), "--only", only]
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONHASHSEED": "0"}
    return subprocess.Popen([sys.executable, *arguments], env=environment, cwd=package)


def main() -> None:
    """Records what is not recorded yet, replays it with both versions, and lists what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default="HEAD", metavar="REV", help="the older version")
    parser.add_argument("--cache", type=Path, default=Path(".cache-compare"), metavar="DIR")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="the tests to record")
    parser.add_argument("--trees", nargs="*", type=Path, default=[], help="more projects")
    parser.add_argument("--only", default="", metavar="REGEX", help="only the cases of these tests")
    parser.add_argument(
        "--show", default="all", help="exit code, files, left out, words, all or none"
    )
    parser.add_argument("--replay", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.replay:
        cases, results = (path.absolute() for path in options.replay)
        replay(cases, results, options.only)
        return
    repository = Path(__file__).absolute().parents[1]
    revision = subprocess.check_output(
        ["git", "rev-parse", options.before], cwd=repository, text=True
    ).strip()
    folder = options.cache.absolute() / revision[:12]
    package, cases = folder / "package", folder / "cases"
    if not package.exists():
        subprocess.run(["git", "clone", "-q", repository, package], check=True)
        subprocess.run(["git", "checkout", "-q", revision], cwd=package, check=True)
    if not cases.exists():
        record(package, cases, options.tests)
        add_corpora(package / "tests/data", cases)
    add_projects(options.trees, cases)
    before = folder / "before.jsonl"
    after = folder / f"after-{os.getpid()}.jsonl"
    running = [start_replay(repository, cases, after, options.only)]
    if not before.exists() or options.trees:
        running.append(start_replay(package, cases, before))
    if any(process.wait() for process in running):
        sys.exit("a version could not replay the cases")
    differing = compare(cases, before, after, options.show)
    after.unlink()
    sys.exit(min(differing, 1))


if __name__ == "__main__":
    main()
