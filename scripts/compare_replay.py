"""Records the calls of the tests with their trees, as a plugin of pytest, and replays them.

Both run in the environment of one version. `compare_builds.py` starts them.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import gzip
import hashlib
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from compare_left import COMMANDS, Known, translate

RECORDED = (
    "COMPARED_TREES"  # the folder for what the plugin records; not SITEMAPPER_…, which tests unset
)
MOST_FILES = 3_000  # a tree with more is a test of size
NOW = "2026-06-01T00:00:00+00:00"
MOST_TEXT = 20_000
MEMORY = "/dev/shm"  # Linux has it, and a copy there is no write to a disk
SECONDS_A_CALL = 120
# What differs at each run: times that it took, names of temporary files, keys for IndexNow.
CHANGING = re.compile(
    r'"seconds": [\d.]+|\b\d+(\.\d+)? ?m?s\b|\.sitemapper-[\w-]+|(?<=key = ")[0-9a-f]{32}'
)
# The looks of a report, apart from its data.
LOOKS = re.compile(r"<style>.*?</style>|<script>.*?</script>|'sha256-[^']*'", re.S)
CACHED = re.compile(r"[0-9a-f]{24}\.pages")  # a file of the cache of facts
# The third column of a row of a ledger, whatever the rule by which it was computed.
DIGEST = re.compile(rb"^([!-~]+\t(?:-|>?\d{4}[\dT:Z.+-]*)\t)[0-9a-z]+-[0-9a-f]+(?=\t|\r?$)", re.M)
NO_DIGEST = "0000-0000000000000000"
_ORIGINAL_ENVIRONMENT = dict(os.environ)


# --- recording, in the process of pytest ---


def pytest_configure() -> None:
    """Watches the two ways in which tests start a run."""
    if RECORDED not in os.environ:
        return
    support: Any = importlib.import_module("support")
    sitemapper: Any = importlib.import_module("sitemapper")
    load = sitemapper.load
    run = support.Run.__call__

    def load_and_record(values: dict[str, Any], *, cwd: str, **more: Any) -> Any:
        if not more:
            _record({"values": values}, Path(cwd))
        return load(values, cwd=cwd, **more)

    def run_and_record(self: Any, *argv: object) -> Any:
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
        clock = json.dumps({"clock": int(time.time())})
        (folder / "case.json").write_text(f"{clock[:-1]}, {text[1:]}")


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


class Job(NamedTuple):
    """What a process does with each case: run it, or ask for digests."""

    only: str = ""
    left: str = ""  # the file with what left, for the newer version
    digests: str = ""  # the file with the digests of the older version, for the newer one
    asks_digests: bool = False


def replay(cases: Path, results: Path, job: Job) -> None:
    """Does a job with each case that has no result yet, on a copy of its tree."""
    _import_everything()
    scratch = Path(
        tempfile.mkdtemp(prefix="compare", dir=MEMORY if os.path.isdir(MEMORY) else None)
    )
    left = Known(*map(frozenset, json.loads(Path(job.left).read_text()))) if job.left else None
    digests = dict(read_results(Path(job.digests))) if job.digests else {}
    done = dict(read_results(results))
    gc.freeze()  # so that no process copies what it only looks at
    with open(results, "a") as file:
        file.write("\n")  # after a line that was cut off
        for folder in sorted(cases.iterdir()):
            if folder.name in done or not is_wanted(folder, job.only):
                continue
            result: dict[str, Any] | None
            if job.asks_digests:
                result = {"digests": find_digests(folder, scratch, None)}
            else:
                result = _replay_one(folder, scratch, left, digests.get(folder.name, {}))
            if result is not None:
                file.write(json.dumps({"case": folder.name, **result}) + "\n")
    shutil.rmtree(scratch, ignore_errors=True)


def read_results(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Reads the results of cases, by their names. A line that was cut off has none."""
    for line in file.read_text().splitlines() if file.exists() else ():
        with contextlib.suppress(json.JSONDecodeError):
            result = json.loads(line)
            yield result["case"], result


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


def _replay_one(
    folder: Path, scratch: Path, left: Known | None, asked: dict[str, Any]
) -> dict[str, Any]:
    """The exit code, what was printed, and the files that the run wrote or removed."""
    digests: dict[str, str] = asked.get("digests", {})
    digests_now = find_digests(folder, scratch, left) if digests else {}
    case = _open_case(folder, scratch, left)
    if digests_now:
        _replace_digests(scratch / "tree", digests, digests_now)
    code = _in_child(lambda: _call(case, scratch / "excluded"), case, scratch)
    result = {
        "code": code,
        "out": _normal(scratch / "out", scratch),
        "err": _normal(scratch / "err", scratch),
        "excluded": _normal(scratch / "excluded", scratch),
        "files": dict(_changed_files(folder / "tree", scratch / "tree", scratch)),
    }
    return result | {"translated": True} if "translated" in case else result


def _open_case(folder: Path, scratch: Path, left: Known | None) -> dict[str, Any]:
    """Copies the tree of a case to `scratch`, and reads its call, translated if need be."""
    shutil.rmtree(scratch, ignore_errors=True)
    tree = scratch / "tree"
    shutil.copytree(folder / "tree", tree, symlinks=True)
    text = (folder / "case.json").read_text().replace("{TREE}", str(tree))
    case: dict[str, Any] = json.loads(text)
    if left and "argv" in case:
        argv = translate(case["argv"], left)
        if argv != case["argv"]:
            case |= {"argv": argv, "translated": True}
    return case


def _in_child(run: Callable[[], int], case: dict[str, Any], scratch: Path) -> int:
    """Calls a function in a process of its own, in the folder and environment of a case."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 3
    signal.alarm(SECONDS_A_CALL)
    try:
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(scratch / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        os.environ.update(case["environment"], XDG_CACHE_HOME=str(scratch / "cache"))
        os.chdir(scratch / "tree" / case["cwd"])
        _stop_clock(case["clock"])
        code = run()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException as error:  # noqa: BLE001  it is a result, too
        os.write(2, f"{type(error).__name__}: {error}".encode())
    os._exit(code)


def _stop_clock(seconds: int) -> None:
    """Lets commands read the time of the recording, which reports show, on any later day."""
    moment = datetime.fromtimestamp(seconds, UTC)
    for name, module in list(sys.modules.items()):
        clock = getattr(module, "now", None)
        if name.startswith("sitemapper") and getattr(clock, "__name__", "") == "now":
            vars(module)["now"] = lambda: moment


def find_digests(folder: Path, scratch: Path, left: Known | None) -> dict[str, str]:
    """The digests that a version gives the pages of a tree with a ledger: `{"a/": "3f0c-…"}`.

    A ledger of another rule tells no edit. So the newer version gets the ledgers of the older one
    with digests of its own: the same for a page that is as it was, and another for an edited one.
    """
    if not any((folder / "tree").rglob("*ledger*")):
        return {}
    case = _open_case(folder, scratch, left)
    ledgers = [path for path in (scratch / "tree").rglob("*ledger*") if path.is_file()]
    rows = [path for path in ledgers if DIGEST.search(path.read_bytes())]
    if not rows or case.get("argv", [""])[0] in ("init", "validate"):
        return {}
    for path in rows:
        path.write_bytes(DIGEST.sub(rb"\g<1>" + NO_DIGEST.encode(), path.read_bytes()))
    if "argv" in case:
        case["argv"] = [*_as_build(case["argv"]), "--max-drop", "100"]
    _in_child(lambda: _call(case, scratch / "excluded"), case, scratch)
    found = {}
    for path in rows:
        for row in path.read_text(errors="replace").splitlines() if path.exists() else ():
            columns = row.split("\t")
            if len(columns) > 2 and columns[2] != NO_DIGEST:
                found[columns[0]] = columns[2]
    return found


def _as_build(argv: list[str]) -> list[str]:
    """The build that a call of `check`, `explain` or a dry run is about."""
    words = [word for word in argv[1:] if word not in ("--dry-run", "--strict")]
    if argv[0] == "explain":
        words = words[1:]  # the page
        if "--site" in words:
            words.remove("--site")  # its value becomes the argument
    return ["build", *words]


def _replace_digests(tree: Path, digests: dict[str, str], now: dict[str, str]) -> None:
    """Puts the digests of the newer version into the ledgers of a tree."""
    new_by_old = {digest: now[path] for path, digest in digests.items() if path in now}
    rules = {digest.partition("-")[0] for digest in digests.values()}
    rule, _, example = next(iter(now.values())).partition("-")

    def replace(row: re.Match[bytes]) -> bytes:
        old = row[0][len(row[1]) :].decode()
        new = new_by_old.get(old, old)
        if new == old and old.partition("-")[0] in rules and new_by_old.get(old) != old:
            other = hashlib.sha256(old.encode()).hexdigest()  # of an edited page, or one that left
            new = f"{rule}-{other[: len(example)]}"
        return row[1] + new.encode()

    if any(old != new for old, new in new_by_old.items()):
        for path in (path for path in tree.rglob("*ledger*") if path.is_file()):
            times = path.stat()
            path.write_bytes(DIGEST.sub(replace, path.read_bytes()))
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _changed_files(before: Path, after: Path, scratch: Path) -> Iterator[tuple[str, str]]:
    """The files that a run wrote, with their texts; of a large one the beginning and a digest."""
    for path in sorted(after.rglob("*")):
        if ".git" in path.parts or path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(after)
        text = _text(path, scratch)
        is_as_before = (before / name).is_file() and _text(before / name, scratch) == text
        if is_as_before or CACHED.fullmatch(path.name):
            continue
        if len(text) > MOST_TEXT:
            text = text[:MOST_TEXT] + f"… {hashlib.sha256(text.encode()).hexdigest()}"
        yield str(name), text
    for path in before.rglob("*"):
        if ".git" not in path.parts and not os.path.lexists(after / path.relative_to(before)):
            yield str(path.relative_to(before)), "(removed)"


def _text(path: Path, scratch: Path) -> str:
    """What counts of a file: no digests of ledgers; the text of a gzip file, after a digest."""
    content = path.read_bytes()
    start = b""
    if content.startswith(b"\x1f\x8b"):
        with contextlib.suppress(OSError, EOFError):
            start = f"gzip {hashlib.sha256(content).hexdigest()[:16]}\n".encode()
            content = gzip.decompress(content)
    text = (start + DIGEST.sub(rb"\1(digest)", content)).decode("latin-1")
    if path.suffix == ".html":
        text = LOOKS.sub("", text)
    return CHANGING.sub("…", text.replace(str(scratch), "{SCRATCH}"))


def _normal(file: Path, scratch: Path) -> str:
    """A text without what changes from run to run, "" if there is no file."""
    if not file.exists():
        return ""
    text = file.read_bytes().decode("utf-8", "replace").replace(str(scratch), "{SCRATCH}")
    return CHANGING.sub("…", text)


def _call(case: dict[str, Any], excluded: Path) -> int:
    """Calls the command line, or the API, which then prints what it returns."""
    if "argv" in case:
        from sitemapper.__main__ import main

        argv = case["argv"]
        if argv[0] == "build" and "--excluded" not in argv:
            argv = [*argv, "--excluded", str(excluded)]
        return main(argv)
    import sitemapper

    setup = sitemapper.load(case["values"], cwd=os.getcwd())
    now = datetime.fromisoformat(NOW)
    is_old = importlib.util.find_spec("sitemapper.cli.words") is not None
    call = _call_old if is_old else _call_new
    try:
        call(setup, now, excluded)
    except sitemapper.SitemapperError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _call_new(setup: Any, now: datetime, excluded: Path) -> None:
    import sitemapper

    summary = sitemapper.build(setup, now=now)
    with open(excluded, "w", errors="surrogateescape") as file:
        for one in summary.selected.excluded:
            print(one.path, one.reason.value, one.origin, file=file, sep="\t")
    print(len(summary.dated.entries), *(one.text for one in summary.messages), sep="\n")


def _call_old(setup: Any, now: datetime, excluded: Path) -> None:
    """Calls a version whose builds told an observer what they left out."""
    import sitemapper

    class Watching(sitemapper.Observer):  # type: ignore[misc]
        def excluded(self, page: sitemapper.Excluded) -> None:
            with open(excluded, "a", errors="surrogateescape") as file:
                print(page.path, page.reason.value, page.origin, file=file, sep="\t")

    words: Any = importlib.import_module("sitemapper.cli.words")
    summary: Any = sitemapper.build(setup, now=now, observer=Watching())
    messages = [*summary.warnings, *summary.notes]
    print(summary.listed, *map(words.message_text, messages), sep="\n")


def main() -> None:
    """Does a job in this process: `compare_replay.py CASES RESULTS JOB`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("job", type=json.loads)
    options = parser.parse_args()
    replay(options.cases, options.results, Job(*options.job))


if __name__ == "__main__":
    main()
