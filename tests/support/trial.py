"""What tests of killed and starved runs share: a site in two states, and what must hold at every instant."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from . import BASE, MTIME, write_site
from .ledger import DAY
from .sitemaps import SPACE

KILLS = int(os.environ.get("SITEMAPPER_KILLS") or 24)
ENDED = {
    signal.SIGTERM: "ended by SIGTERM",
    signal.SIGHUP: "ended by SIGHUP",
    signal.SIGINT: "ended by SIGINT",
}
_LOC = f"{{{SPACE}}}loc"
_PARTS = ("sitemap", "robots.txt")

# Runs of the real program in forks of one process that has everything imported: a tenth of the time.
# Each line of stdin asks for a run: `kill` ends it before its n-th step in one of the folders, `watch`
# waits at each step for a line, `fsize` is the size that no file may exceed. `signal` is sent `before` the
# call `at` of the system's function `name`, or after it; without a name, calls are counted.
_FORKS = """
import importlib, json, os, pkgutil, resource, signal, sys
import concurrent.futures.thread, gzip, pathspec, selectolax.lexbor, typer.main
import sitemapper
from sitemapper.__main__ import script

for module in pkgutil.walk_packages(sitemapper.__path__, "sitemapper."):
    if "integrations" not in module.name:
        importlib.import_module(module.name)

command, folders = json.loads(sys.argv[1])
STEPS = ("open", "os.rename", "os.link", "os.remove", "os.chmod", "os.mkdir")
count = 0

def step(path):
    global count
    if not isinstance(path, str) or path.endswith(".html") or not path.startswith(tuple(folders)):
        return
    count += 1
    if asked.get("watch"):
        os.write(1, b"step\\n")
        os.read(0, 1)
    if count == asked.get("kill"):
        os.kill(os.getpid(), signal.SIGKILL)

def hook(event, args):
    if event in STEPS:
        step(args[0])

def fsync(descriptor, real=os.fsync):
    step(os.readlink(f"/proc/self/fd/{descriptor}"))
    real(descriptor)

calls = {}

def profile(frame, event, function):
    if event not in ("c_call", "c_return"):
        return
    owner = getattr(function, "__self__", None)
    name = f"{getattr(owner, '__name__', type(owner).__name__)}.{function.__name__}"
    if not name.startswith(("posix.", "fcntl.", "Buffered", "FileIO.", "TextIOWrapper.")):
        return
    if event == "c_call":
        calls[name] = calls.get(name, 0) + 1
    is_now = asked.get("name") == name and asked["at"] == calls[name]
    if is_now and event == ("c_call" if asked["before"] else "c_return"):
        sys.setprofile(None)
        os.kill(os.getpid(), asked["signal"])

def leave(code, real=os._exit):
    sys.setprofile(None)
    os.write(counted, json.dumps(calls).encode())
    real(code)

while line := sys.stdin.readline():
    asked = json.loads(line)
    said, err = os.pipe()  # a file would be limited too
    counts, counted = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(err, 2)
        sys.stderr = open(2, "w", closefd=False)
        sys.stdin = open(os.devnull)
        if "fsize" in asked:
            resource.setrlimit(resource.RLIMIT_FSIZE, (asked["fsize"], asked["fsize"]))
        os.fsync = fsync
        os._exit = leave
        sys.addaudithook(hook)
        if "signal" in asked:
            sys.setprofile(profile)
        sys.argv = ["sitemapper", *command]
        script()
    os.close(err)
    os.close(counted)
    with open(said) as pipe, open(counts) as numbers:
        text, made = pipe.read(), numbers.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, text, json.loads(made or "{}")]), flush=True)
"""


class Trial:
    """A site of three shards or four; `sets` is what a finished run leaves for each of the two states."""

    def __init__(self, folder: Path, output: Path | None = None) -> None:
        self.root = folder / "public"
        self.output = output or self.root
        self.ledger = folder / "kept" / "site.ledger"
        self.arguments = [
            *("build", str(self.root), "--base-url", BASE, "--output", str(self.output)),
            *("--ledger", str(self.ledger), "--gzip", "also"),
            *("--config", "sitemap = { max_urls = 10, text = true }"),
            *("--max-drop", "100", "--quiet"),
        ]
        self.root.mkdir()
        self.ledger.parent.mkdir(exist_ok=True)
        self.sets: list[dict[str, bytes]] = [{}, {}]
        with self.forks() as forks:
            for state in (
                0,
                1,
                0,
                1,
                0,
            ):  # the first runs fill the ledger, whose rows then stay alike
                self.turn(state)
                assert forks.run() == (0, "")
                self.sets[state] = self.published()
        self._whole: dict[str, set[bytes]] = {}
        for state in (0, 1):
            for name, data in self.sets[state].items():
                self._whole.setdefault(name, set()).add(data)
            self._whole["robots.txt"].add(_robots(state))
        self.state = 0

    def turn(self, state: int) -> None:
        """What a generator does: every page anew, and a robots.txt without our line."""
        names = [f"{'page' * 9}-{n:02}.html" for n in range(34 if state else 30)]
        write_site(
            self.root,
            {name: f"<title>{name}</title><main>text {state}</main>" for name in names},
            MTIME + 60 * DAY * state,
        )
        for path in self.root.glob("*.html"):
            if path.name not in names:
                path.unlink()
        (self.root / "robots.txt").write_bytes(_robots(state))
        self.state = state

    def start(self, command: str = "build", **more: Any) -> subprocess.Popen[bytes]:
        """The program itself, which builds or checks."""
        return subprocess.Popen(
            [sys.executable, "-m", "sitemapper", command, *self.arguments[1:]], **more
        )

    def finish(self) -> None:
        """A run that nobody disturbs."""
        run = self.start(stderr=subprocess.PIPE)
        _, said = run.communicate(timeout=300)
        assert (run.returncode, said) == (0, b"")

    def forks(self) -> Forks:
        """Runs that are cheaper to begin, and end where one wants."""
        return Forks(self)

    def published(self) -> dict[str, bytes]:
        """All that is ours, whole or not."""
        found = {p.name: p.read_bytes() for p in self.output.iterdir() if p.name.startswith(_PARTS)}
        return found | (
            {self.ledger.name: self.ledger.read_bytes()} if self.ledger.exists() else {}
        )

    def faults(self) -> list[str]:
        """What a reader must never see."""
        while True:
            index = _read(self.output / "sitemap.xml")
            found = list(self._faults(index))
            # A file that went between two reads is no fault where the index has gone on as well.
            if not found or _read(self.output / "sitemap.xml") == index:
                return found

    def _faults(self, index: bytes | None) -> list[str]:
        if index is None or index not in self._whole["sitemap.xml"]:
            return ["sitemap.xml is not whole"]
        named = {
            (loc.text or "").removeprefix(BASE) for loc in ElementTree.fromstring(index).iter(_LOC)
        }
        paths = [self.output / name for name in {*named, *self._whole}]
        found = {path.name: _read(path) for path in paths if path.name != self.ledger.name}
        found[self.ledger.name] = _read(self.ledger)
        always = {*named, "robots.txt", self.ledger.name}
        missing = [f"{name} is missing" for name in sorted(always) if found[name] is None]
        broken = [n for n, data in found.items() if data is not None and data not in self._whole[n]]
        return missing + [f"{name} is not whole" for name in sorted(broken)]

    def temp_files(self) -> list[str]:
        """Temporary files where the user would upload or commit them."""
        hidden = [p.name for p in self.output.iterdir() if p.name.startswith(".")]
        return hidden + [p.name for p in self.ledger.parent.iterdir() if p != self.ledger]

    def ended_well(self, number: int, code: int, said: str, where: object) -> None:
        """After a signal, everything is whole, and but for SIGKILL no temporary file is left."""
        assert self.faults() == [], where
        if number == signal.SIGKILL:
            assert (code, said) in ((-number, ""), (0, "")), where
        elif code != -number or said:  # else it came before the run could say how it ends
            ends = [
                f"{ENDED[signal.Signals(number)]}{more}\n"
                for more in ("", "; the published files are complete")
            ]
            assert (code, said) == (0, "") or (code == 128 + number and said in ends), where
            assert self.temp_files() == [], where

    def mended(self) -> None:
        """The next run ends well and leaves the set of its state, and nothing else."""
        self.finish()
        assert self.published() == self.sets[self.state]
        assert self.temp_files() == []


class Forks:
    """See `_FORKS`."""

    def __init__(self, trial: Trial) -> None:
        folders = [str(trial.output), str(trial.ledger.parent)]
        told = json.dumps([trial.arguments, folders])
        self._process = subprocess.Popen(
            [sys.executable, "-c", _FORKS, told],
            env={
                **os.environ,
                "PYTHONDONTWRITEBYTECODE": "1",
            },  # `fsize` is that of compiled modules too
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        self._trial = trial

    def __enter__(self) -> Forks:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=300)

    def _tell(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line.encode())

    def _told(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().decode().strip()

    def run(self, **asked: int) -> tuple[int, str]:
        """The exit code of a run, and what it said."""
        code, said, _ = self._run(asked)
        return code, said

    def calls(self) -> dict[str, int]:
        """How often an undisturbed run calls each function of the system."""
        code, said, calls = self._run({"signal": 0})
        assert (code, said) == (0, "")
        return calls

    def signalled(self, number: int, name: str, at: int, *, before: bool) -> tuple[int, str]:
        """A run that gets a signal before or after a call of a function of the system."""
        code, said, _ = self._run({"signal": number, "name": name, "at": at, "before": before})
        return code, said

    def _run(self, asked: Mapping[str, int | str]) -> tuple[int, str, dict[str, int]]:
        self._tell(json.dumps(asked) + "\n")
        code, said, calls = json.loads(self._told())
        return code, said, calls

    def watched(self) -> tuple[int, list[str]]:
        """How many steps a run has, and the faults that a reader sees at any of them."""
        self._tell('{"watch": 1}\n')
        steps, seen = 0, []
        while (said := self._told()) == "step":
            steps += 1
            seen += self._trial.faults()
            self._tell("\n")
        assert json.loads(said)[:2] == [0, ""]
        return steps, seen


def _robots(state: int) -> bytes:
    closed = "".join(f"Disallow: /{state}/closed-{n}/\n" for n in range(40))
    return f"User-agent: *\n{closed}".encode()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
